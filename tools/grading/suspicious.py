"""Why a human should look at an answer: it holds what no exercise asks for. Read from its code, before anything runs.

An answer shares a process with the check, so whoever knows how can forge "right". The usual is listed (usual.py): kinds of
syntax, names, attributes, functions of modules, and where each may stand. All else is a reason.
"""

import ast
import re
from collections.abc import Iterator

from tools.grading.defining import Defined
from tools.grading.foreign import Origins
from tools.grading.naming import Named
from tools.grading.reading import parse
from tools.grading.usual import BASES, KINDS, NO_NAMES, NODES, STANDARD, far, made_of, meanings
from tools.grading.writing import Written

MOST, NUMBERS = 20_000, 20  # nodes of an answer, numbers written in it
FUNCTIONS = ast.FunctionDef | ast.Lambda | ast.AsyncFunctionDef


def reasons(job: dict, known: set[tuple[str, str]], uses: set[str] | None = None) -> str:
    """Return why a human should look at the answer in `job`, "" if all is usual.

    known    (module, name) of what lessons import
    uses     names that the exercise and its solution use; what others of the course an answer uses is a reason
    """
    trees = [(unit["cell"], parse(unit["source"]), unit["drop"]) for unit in job["units"]]
    lines = [(own, node) for own, tree, drop in trees for k, node in enumerate(tree.body) if k not in drop]
    answer = [node for own, node in lines if own] + parse(job["argument"]).body
    if sum(1 for node in answer for _ in ast.walk(node)) > MOST:
        return "too long to read"
    found = list(dict.fromkeys(Look(answer, [node for _, node in lines], known, uses).found()))
    said = {why.replace("imports ", "uses ") for why in found if why.startswith("imports ")}
    return "; ".join([why for why in found if why not in said][:4])


class Look(Named, Written, Defined):
    """The nodes of an answer, and a method for each kind of node that says what is unusual about one."""

    def __init__(self, answer: list[ast.stmt], everything: list[ast.stmt], known: set, uses: set[str] | None = None):
        self.top = ast.Module(answer, [])
        self.nodes, self.known, self.uses = list(ast.walk(self.top)), known, uses
        self.parent = {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}
        self.imported = meanings(everything)  # by the lesson before the answer, too
        self.lesson = made_of([node for node in everything if node not in answer], self.imported)
        self.inside: dict[ast.AST, ast.AST | None] = {self.top: None}  # the innermost function of each node
        self.bound: dict[ast.AST | None, set[str]] = {None: set()}  # what each function binds
        for node in (n for n in self.nodes[1:] if not isinstance(n, (*KINDS, ast.expr_context))):
            above = self.parent[node]
            self.inside[node] = above if isinstance(above, FUNCTIONS) else self.inside[above]
            self._bind(node)
        self.own, self.counted = set().union(*self.bound.values()), {}
        self.classes = {n.name: n for n in self.nodes if isinstance(n, ast.ClassDef)}
        self.set = {n.attr for n in self.nodes if isinstance(n, ast.Attribute) and self._sets_self(n)}
        self.set |= {text for n in self.nodes if isinstance(n, ast.Call) for text in self._registers(n)}
        self.set |= {n.name for c in self.classes.values() for n in c.body if isinstance(n, ast.FunctionDef)}
        self.set = {name for name in self.set - STANDARD if re.match("_[a-z]", name) or not far(name)}
        selves = {self._self(n) for n in self.nodes if isinstance(n, ast.FunctionDef)} - {""}
        self.origins = Origins(self.nodes, self.imported, selves)

    def _bind(self, node) -> None:
        name = node.arg if isinstance(node, ast.arg) else getattr(node, "name", None)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            name = node.id
        if isinstance(name, str) and not isinstance(node, ast.alias):
            self.bound.setdefault(self.inside[node], set()).add(name)

    def _self(self, function) -> str:
        """Return what a plain method calls its object, "" for any other function."""
        plain = isinstance(self.parent.get(function), ast.ClassDef) and not function.decorator_list
        first = [*function.args.posonlyargs, *function.args.args][:1] if plain else []
        return first[0].arg if first else ""

    def _sets_self(self, node: ast.Attribute) -> bool:
        """Whether `node` is self.x, given a value in a method of a class whose methods may do so."""
        function = self.inside[node]
        if not isinstance(function, ast.FunctionDef) or isinstance(node.ctx, ast.Load):
            return False
        mine = isinstance(node.value, ast.Name) and node.value.id == self._self(function)
        mine = mine and self._bindings(function)[node.value.id] == 1
        home = self.parent[function]
        lasting = any(self._names(base) & (BASES - {"object"}) for base in getattr(home, "bases", ()))
        return mine and (function.name == "__init__" or lasting)

    def found(self) -> Iterator[str]:
        for node in self.nodes:
            kind = type(node).__name__
            if kind not in NODES and not isinstance(node, KINDS):
                yield f"uses {kind.lower()}"
            yield from getattr(self, kind, lambda node: ())(node)
        held = [node.value for node in self.nodes if isinstance(node, ast.Constant)]
        numbers = sum(isinstance(value, int | float | complex) for value in held)
        numbers += sum(len(re.findall(r"\d+", value)) for value in held if isinstance(value, str))
        if numbers > NUMBERS:
            yield f"holds {numbers} numbers"
        used = {name for names in self.imported.values() for name in names if self._is_module(name)}
        for name in sorted(self.own & (NO_NAMES | {n for n, means in self.imported.items() if means & used})):
            yield f"gives {name} another meaning"
