"""What a report draws: standings, differences, the map of the atlas."""

from gtaudit.figures import theme
from gtaudit.figures.atlas import atlas_map
from gtaudit.figures.standings import board, differences
from gtaudit.figures.theme import use_style

__all__ = ["atlas_map", "board", "differences", "theme", "use_style"]
