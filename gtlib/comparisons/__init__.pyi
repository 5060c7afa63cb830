"""Names of the room, and the modules that they come from."""

from .anytime import betting_limits as betting_limits
from .anytime import mixture_limits as mixture_limits
from .errors import Means as Means
from .errors import estimate_means as estimate_means
from .errors import total_error as total_error
from .paired import critical_t as critical_t
from .paired import f_power as f_power
from .paired import holm as holm
from .paired import nearly_constant as nearly_constant
from .paired import p_value as p_value
from .paired import paired_t_power as paired_t_power
from .paired import wilson_limits as wilson_limits
from .rankings import RankingAgreement as RankingAgreement
from .rankings import kendall_tau as kendall_tau
from .rankings import predicted_tau as predicted_tau
from .rankings import ranking_agreement as ranking_agreement
from .rankings import ranks as ranks
from .rankings import tau_ap as tau_ap
from .repeated import pass_all_k as pass_all_k
from .repeated import pass_at_k as pass_at_k
from .shrinkage import shrink_means as shrink_means
from .shrinkage import universe_scores as universe_scores
