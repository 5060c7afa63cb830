"""Settings for every test: no test may fail because a machine is slow."""

from hypothesis import settings

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
