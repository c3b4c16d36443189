"""Menus: the choices that may be shown, such as a set of arms, the points of a space or documents."""

from typing import TypeAlias

from duelist.menus.documents import Documents, Impression
from duelist.menus.finite import Actions, Arms
from duelist.menus.spaces import Ball, Box, Space, Sphere, as_point, polar, require_inside

Menu: TypeAlias = Arms | Space | Actions | Documents

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
