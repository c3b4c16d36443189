"""One class name has one meaning."""

import ast
from collections import Counter
from pathlib import Path

import duelist

PACKAGE = Path(duelist.__file__).parent
OF_KERNELS = {"Rules", "Workspace", "State"}
"""What every learner's file calls its NamedTuples; none of them is public."""


def test_no_name_is_given_to_two_classes() -> None:
    defined = Counter(
        node.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )
    assert defined["RUCB"] == 1
    assert {name for name, times in defined.items() if times > 1} == OF_KERNELS
