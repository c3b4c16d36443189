"""Menus: what may be chosen, a finite set of arms or the points of a space."""

from typing import TypeAlias

from duelist.menus.finite import Actions, Arms
from duelist.menus.spaces import Ball, Box, Space, Sphere, as_point, polar, require_inside

Menu: TypeAlias = Arms | Space | Actions  # what may be chosen now

__all__ = ["Actions", "Arms", "Ball", "Box", "Menu", "Space", "Sphere", "as_point", "polar", "require_inside"]
