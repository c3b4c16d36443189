"""A study: a learner at work on named arms, for people and services."""

from duelist.study.study import Study

__all__ = ["Study"]
