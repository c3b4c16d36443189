"""Studies: a learner at work for people and services, the fold of a journal."""

from duelist.study.choices import Arm
from duelist.study.drafting import ShownList
from duelist.study.parameters import Parameter
from duelist.study.state import StudyState
from duelist.study.study import Study
from duelist.votes.table import Vote

__all__ = ["Arm", "Parameter", "ShownList", "Study", "StudyState", "Vote"]
