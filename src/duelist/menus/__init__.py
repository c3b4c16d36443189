"""Menus: what may be chosen, a finite set of arms, the points of a space or a list of documents."""

from typing import TypeAlias

from duelist.menus.documents import Documents, Impression
from duelist.menus.finite import Actions, Arms
from duelist.menus.spaces import Ball, Box, Space, Sphere, as_point, polar, require_inside

Menu: TypeAlias = Arms | Space | Actions | Documents  # what may be chosen now

__all__ = [
    "Actions",
    "Arms",
    "Ball",
    "Box",
    "Documents",
    "Impression",
    "Menu",
    "Space",
    "Sphere",
    "as_point",
    "polar",
    "require_inside",
]
