"""What is known of an action in a context, as the numbers a linear model weighs."""

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.kernels.compile import compiled
from duelist.menus import Actions


def features_of(menu: Actions) -> FloatArray:
    """Return the features of every action, a row each.

    Where the menu has none, an action's features are the context and a 1, in columns of the action's own, so
    that every action has weights of its own: any contextual problem is linear in this sense.

    Examples
    --------
    >>> features_of(Actions(2, [0.3, 0.7]))
    array([[0.3, 0.7, 1. , 0. , 0. , 0. ],
           [0. , 0. , 0. , 0.3, 0.7, 1. ]])
    """
    if not isinstance(menu, Actions):
        raise ParameterError(f"this learner needs Actions, in a context, to choose from; got {menu!r}.")
    if menu.features is not None:
        return menu.features
    crossed = np.zeros((menu.k, menu.k, len(menu.context) + 1))
    actions = np.arange(menu.k)
    crossed[actions, actions] = np.append(menu.context, 1.0)
    return crossed.reshape(menu.k, -1)


@compiled
def cross_difference(context: FloatArray, left: int, right: int, difference: FloatArray) -> None:
    """Write the left action's features minus the right's, where an action's are the context and a 1."""
    d = len(context)
    difference[:] = 0.0
    for i in range(d + 1):
        known = context[i] if i < d else 1.0
        difference[left * (d + 1) + i] += known
        difference[right * (d + 1) + i] -= known
