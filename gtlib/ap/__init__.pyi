"""Names of the room, and the modules that they come from."""

from .moments import Moments as Moments
from .moments import ap_distribution as ap_distribution
from .moments import ap_gains as ap_gains
from .moments import ap_moments as ap_moments
from .moments import average_precision as average_precision
from .moments import confidence as confidence
from .moments import delta_ap_moments as delta_ap_moments
