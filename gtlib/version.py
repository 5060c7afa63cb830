"""The version, as pyproject.toml states it."""

from importlib import metadata

try:
    __version__ = metadata.version("gtlib-ir")
except metadata.PackageNotFoundError:  # a source tree, not installed
    __version__ = "0+unknown"
