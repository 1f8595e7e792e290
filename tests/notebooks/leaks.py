"""What of a solution a text gives away: its lines, its formulas, its numbers."""

import ast
import re

from torch import Tensor

from tests.notebooks.reading import Exercise


def plain(text: str) -> str:
    """Return `text` without what differs between code and prose: spaces, multiplication signs, powers, capitals."""
    return re.sub(r"[\s*^·`]", "", text).lower()


def pieces(solution: str) -> set[str]:
    """Return what must not be printed of `solution`: its lines, right-hand sides, returned values, and their parts."""
    tree = ast.parse(solution)
    lines = {line.split("#")[0].strip() for line in solution.splitlines()}
    found = {line for line in lines if len(line) > 12}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.Return) and node.value is not None:
            found.add(ast.unparse(node.value))
        if isinstance(node, ast.BinOp | ast.Call | ast.Compare | ast.Tuple | ast.List | ast.ListComp):
            found.add(ast.unparse(node).strip("([])"))
    return {plain(piece) for piece in found if len(plain(piece)) >= 9}


OPERATORS, BRACKETS = {"**", "//", *"*/+-^%"}, {*"()[]"}


def formulas(text: str) -> list[str]:
    """Return the parts of `text` that join names and numbers by three operators or more."""
    found, run = [], []
    for token in [*re.findall(r"[\w.']*\w|\*\*|//|\S", text), "."]:
        word = token[-1].isalnum()
        inside = sum((part in ("(", "[")) - (part in (")", "]")) for part in run) > 0  # of brackets, where commas join
        follows = not (word and run and (run[-1][-1].isalnum() or run[-1] in (")", "]")))
        if not follows or not (word or token in OPERATORS | BRACKETS or (token == "," and inside)):
            found.append(run)
            run = []
        if word or token in OPERATORS | BRACKETS or run:
            run.append(token)
    return [" ".join(run) for run in found if sum(token in OPERATORS for token in run) >= 3]


def numbers(value) -> set[str]:
    """Return the numbers of an answer, as far as they have three digits and cannot be met by chance."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple | Tensor):
        return set().union(*map(numbers, value)) if len(value) < 50 else set()
    text = f"{abs(value):g}" if isinstance(value, int | float) else ""
    return {text} if len(text.replace(".", "").lstrip("0")) > 2 else set()


def leaks(said: str, exercise: Exercise, solved) -> list[str]:
    """Return what of the solution is told by `said`; `solved` is the right answer that the check is given."""
    seen = plain(exercise.text + exercise.stub)  # what the reader has before her anyway
    told = [piece for piece in pieces(exercise.solution) if piece in plain(said) and piece not in seen]
    told += [formula for formula in formulas(said) if plain(formula) not in seen]
    if not callable(solved):
        told += numbers(solved) & {*re.findall(r"\d+(?:\.\d+)?", said)} - {*re.findall(r"\d+", exercise.text)}
    return told


def cell(exercise: Exercise, source: str):
    """Run the cell `source` without its check; return what the check would have been given."""
    tree, given, space = ast.parse(source), [], {"__name__": "__main__"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == exercise.check:
            node.id = "given_to_check"
    exec(exercise.at_hand, space)
    exec(compile(tree, "cell", "exec"), space | {"given_to_check": given.append})
    return given[0]
