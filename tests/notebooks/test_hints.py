"""No check prints its solution, whatever it is given: zeros, text, neighbours of the stub and of the right result."""

import ast
import contextlib
import io

import pytest
import torch
from torch import Tensor

from tests.notebooks.leaks import cell, formulas, leaks, numbers, plain
from tests.notebooks.solving import EXERCISES, check_of, formed, solved
from tools.course import ROOT

PACKAGE = ROOT / "posenc_helpers"
MODULES = [
    *sorted((PACKAGE / "classroom/exercises").glob("*.py")),
    *sorted(PACKAGE.glob("lessons/*/exercises.py")),
    *sorted(PACKAGE.glob("lessons/*/homework.py")),
    *sorted(PACKAGE.glob("lessons/*/mistakes*.py")),
]


def values(seed: int = 0) -> list:
    generator = torch.Generator().manual_seed(seed)
    shapes = ((), (1,), (4,), (6,), (2, 4), (64, 4), (8, 8), (3, 5, 5))
    tensors = [
        make(shape)
        for shape in shapes
        for make in (torch.zeros, torch.ones, lambda shape: torch.rand(shape, generator=generator))
    ]
    odd = [None, ..., "text", "", ("a", "b"), 0, 1, -1.5, 10**400, True, float("nan"), [], {}, (), [None], {"a": 1}]
    return [*odd, len, int, object(), *tensors]


def of_axes(change):
    """Return `change` for tensors that have axes; a single number stays as it is."""
    return lambda y: change(y) if y.ndim else y


CHANGES = [
    *(torch.zeros_like, torch.ones_like, torch.neg, torch.round, torch.rand_like, Tensor.half, str),
    *(lambda y: y + 1, lambda y: 2 * y, lambda y: y * float("nan"), lambda y: y[None], lambda y: [y], lambda y: None),
    lambda y: y.mT if y.ndim > 1 else y,
    *map(of_axes, (lambda y: y[0], lambda y: y[:1], lambda y: y.flip(-1), lambda y: y.roll(1, 0))),
]


def neighbours(right) -> list:
    """Return answers near the solution: the results of the right one changed, and one entry of several wrong."""
    changes = [lambda y, change=change: change(y.double()) for change in CHANGES]
    if isinstance(right, type):
        methods = [lambda self, *given, change=change: formed(right.bias(self, *given), change) for change in changes]
        return [type("Changed", (right,), {"bias": method}) for method in methods]
    found = [formed(right, change) for change in changes]
    if callable(right):
        return found
    if isinstance(right, dict):
        found += [right | {name: other} for name in right for other in (0, 1, 3, 7.5, 500, None, "half", "neither")]
    if isinstance(right, list | tuple):
        places = range(0, len(right), 1 + len(right) // 8)
        found += [type(right)([*right[:k], other, *right[k + 1 :]]) for k in places for other in (0, 1, None)]
    return found


def stubs_neighbours(exercise) -> list[str]:
    """Return the cell with each simple expression in the place of its dots."""
    (names,) = [
        [a.arg for a in node.args.args]
        for node in ast.walk(ast.parse(exercise.stub))
        if isinstance(node, ast.FunctionDef) and node.name == exercise.function
    ] or [[]]
    expressions = ["None", "0", "1", "True", "'text'", "[]", "torch.zeros(3)", "1 / 0", "undefined_name"]
    expressions.append(f"({', '.join(names)},)")
    of_one = "{0} -{0} 0*{0} {0}[0] len({0}) torch.zeros_like({0}) {0}.mT {0}.sum() {0}.flip(0) {0}.nothing {0}({1})"
    expressions += [text for name in names for text in of_one.format(name, names[-1]).split()]
    head = ast.unparse(next(node for node in ast.parse(exercise.stub).body if isinstance(node, ast.FunctionDef)))
    return [head.rsplit("\n", 1)[0] + f"\n    return {expression}" for expression in expressions]


CASES = [  # check_choice trains: once in test_exercises.py is enough for each push
    pytest.param(*p.values, id=p.id, marks=[pytest.mark.nightly] * (p.values[1].check == "check_choice"))
    for p in EXERCISES
]


@pytest.mark.parametrize("path, exercise", CASES)
def test_no_check_prints_the_solution(path, exercise):
    check, (_, right) = check_of(path, exercise), solved(path, exercise.id)
    tried = values() + neighbours(right)
    tried += [lambda *given, value=value: value for value in values(1)]
    if exercise.function:
        tried += [cell(exercise, exercise.answered(stub)) for stub in stubs_neighbours(exercise)]
    outcomes = []
    for answer in tried:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            outcomes.append(check(answer))
        assert printed.getvalue() == f"{outcomes[-1]}\n" and printed.getvalue().count("\n") == 1
        if outcomes[-1].kind != "right":
            assert leaks(outcomes[-1].message, exercise, right) == []
    assert {"wrong", "not attempted"} <= {outcome.kind for outcome in outcomes}


SEEN = plain("".join(param.values[1].text + param.values[1].stub for param in EXERCISES))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_text_of_a_check_holds_a_formula(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]
    assert [f for text in texts for f in formulas(text) if plain(f) not in SEEN] == []


def test_leaks_are_seen():
    path, exercise = next(param.values for param in EXERCISES if param.values[1].check == "check_rows")
    for said in (
        "Row of query m and key n: clip(n - m, -left, right) + left.",
        "relative.clamp( -left, right ) + left",
        "k_positions[None, :] - q_positions[:, None]",
    ):
        assert leaks(said, *solved(path, exercise.id))
    assert formulas("starts at E (D / E)^(j / (N - E)) or so") and formulas("2 / 10000^(2i/6) + 1")
    assert formulas("let it be a + b - c * d")
    assert not formulas("key minus query, left + 1 + right rows: -slope * |m - n|")
    assert numbers([0.909, -0.416, 1.0]) == {"0.909", "0.416"} and numbers({"a": 514, "b": 1}) == {"514"}
