"""Names of the room, and the modules that they come from."""

from .anova import balanced_mean_squares as balanced_mean_squares
from .anova import deviations as deviations
from .anova import mean_squares_of_terms as mean_squares_of_terms
from .coefficients import COEFFICIENTS as COEFFICIENTS
from .henderson import disconnected_error as disconnected_error
from .henderson import refuse_confounded as refuse_confounded
from .incidence import Incidence as Incidence
from .incidence import Shares as Shares
from .incidence import compute_shares as compute_shares
from .study_data import StudyData as StudyData
from .study_data import require_cells as require_cells
