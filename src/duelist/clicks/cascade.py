"""Cascade models: users who examine documents one by one and may leave after a click.

Guo, Liu and Wang (2009). Efficient multiple-click models in web search. WSDM.
Hofmann, Schuth, Whiteson and de Rijke (2013). Reusing historical interaction data for faster online learning
to rank for IR. WSDM. (The probabilities of the perfect, navigational and informational user.)
"""

from duelist.clicks.model import Row, TableClickModel
from duelist.errors import ParameterError, require_whole
from duelist.text import counted

# by the number of grades: the probabilities of a click, and of leaving after it, for each grade
Habits = dict[int, tuple[tuple[float, ...], tuple[float, ...]]]
PERFECT: Habits = {
    2: ((0.0, 1.0), (0.0, 0.0)),
    3: ((0.0, 0.5, 1.0), (0.0, 0.0, 0.0)),
    5: ((0.0, 0.2, 0.4, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
}
NAVIGATIONAL: Habits = {
    2: ((0.05, 0.95), (0.2, 0.9)),
    3: ((0.05, 0.5, 0.95), (0.2, 0.5, 0.9)),
    5: ((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
}
INFORMATIONAL: Habits = {
    2: ((0.4, 0.9), (0.1, 0.5)),
    3: ((0.4, 0.7, 0.9), (0.1, 0.3, 0.5)),
    5: ((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
}


def cascade(attraction: Row, stop: Row, name: str = "cascade") -> TableClickModel:
    """Return a user who reads from the top and may leave after a click.

    Parameters
    ----------
    attraction : sequence of float
        The probability of a click, for each grade.
    stop : sequence of float
        The probability of leaving after a click, for each grade.
    name : str, default "cascade"
        The name of the model.

    Returns
    -------
    TableClickModel
        The model.

    Raises
    ------
    ParameterError
        If the sequences differ in length, or a probability is outside [0, 1].

    Examples
    --------
    >>> cascade(attraction=[0.2, 0.8], stop=[0.0, 1.0]).chances([1, 1, 1]).round(3)
    array([0.8  , 0.16 , 0.032])
    """
    if len(stop) != len(attraction):
        found, grades = counted(len(stop), "number"), counted(len(attraction), "grade")
        raise ParameterError(f"stop has {found}; give one for each of {grades}.")
    return TableClickModel(name, tuple(attraction), examination=((1.0,),), stop=(tuple(stop),))


def perfect(grades: int = 2) -> TableClickModel:
    """Return a user who reads everything and is likelier to click the more relevant a document is.

    Parameters
    ----------
    grades : int, default 2
        The number of relevance grades: 2, 3 or 5.

    Returns
    -------
    TableClickModel
        The model.

    Raises
    ------
    ParameterError
        If there is no such model for this number of grades.

    Examples
    --------
    >>> import numpy as np
    >>> perfect().click([0, 1, 0, 1], np.random.default_rng(0))
    array([False,  True, False,  True])
    """
    return _known("perfect", PERFECT, grades)


def navigational(grades: int = 2) -> TableClickModel:
    """Return a user who looks for one good document and leaves once it is found.

    Parameters
    ----------
    grades : int, default 2
        The number of relevance grades: 2, 3 or 5.

    Returns
    -------
    TableClickModel
        The model.

    Raises
    ------
    ParameterError
        If there is no such model for this number of grades.

    Examples
    --------
    >>> navigational(3).attraction
    (0.05, 0.5, 0.95)
    """
    return _known("navigational", NAVIGATIONAL, grades)


def informational(grades: int = 2) -> TableClickModel:
    """Return a user who gathers information: clicks a lot, also on irrelevant documents, and rarely leaves.

    Parameters
    ----------
    grades : int, default 2
        The number of relevance grades: 2, 3 or 5.

    Returns
    -------
    TableClickModel
        The model.

    Raises
    ------
    ParameterError
        If there is no such model for this number of grades.

    Examples
    --------
    >>> informational(5).stop
    ((0.1, 0.2, 0.3, 0.4, 0.5),)
    """
    return _known("informational", INFORMATIONAL, grades)


def random_clicks(chance: float, grades: int) -> TableClickModel:
    """Return a user who clicks every document with the same probability; no ranking should win.

    Parameters
    ----------
    chance : float
        The probability of a click.
    grades : int
        The number of relevance grades.

    Returns
    -------
    TableClickModel
        The model.

    Raises
    ------
    ParameterError
        If `chance` is outside [0, 1], or `grades` is not a positive whole number.

    Examples
    --------
    >>> random_clicks(0.5, grades=3).chances([0, 2, 1])
    array([0.5, 0.5, 0.5])
    """
    require_whole("grades", grades, 1)
    return cascade([chance] * grades, [0.0] * grades, "random clicks")


def _known(name: str, habits: Habits, grades: int) -> TableClickModel:
    if grades not in habits:
        known = ", ".join(map(str, habits))
        raise ParameterError(f"grades must be one of {known}; got {grades!r}. For others, use cascade().")
    return cascade(*habits[grades], name)
