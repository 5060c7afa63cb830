"""Names of the room, and the modules that they come from."""

from .experts import MODELS as MODELS
from .experts import ExpertModel as ExpertModel
from .experts import logistic as logistic
from .experts import rank_opinions as rank_opinions
from .experts import relevance_estimates as relevance_estimates
from .sampling import inferred_ap as inferred_ap
from .sampling import sampled_ap as sampled_ap
from .simulate import synthetic_collection as synthetic_collection
from .strategies import estimated_ap as estimated_ap
from .strategies import judge as judge
from .strategies import mtc_weights as mtc_weights
