"""Why a human should look at an answer: it holds what no exercise asks for. Read from its code, before anything runs.

An answer shares a process with the check, so whoever knows how can forge "right". The usual is listed (usual.py): kinds of
syntax, names, attributes, functions of modules, and where each may stand. All else is a reason.
"""

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import ismodule

from tools.course import ROOT
from tools.grading.defining import TEXT, Defined
from tools.grading.foreign import CHANGING, Origins
from tools.grading.reading import parse
from tools.grading.usual import (
    BASES,
    BUILTINS,
    ITERATORS,
    KINDS,
    MODULES,
    NO_NAMES,
    NODES,
    STANDARD,
    attributes,
    far,
    functions,
    made_of,
    meanings,
)
from tools.grading.writing import Written

MOST, NUMBERS = 20_000, 20  # nodes of an answer, numbers written in it
FIELD = re.compile(r"\{[^}]*[.\[]")  # of a text whose format(...) looks something up
COURSE_BASE = "posenc_helpers.encodings.PositionalEncoding"


@cache
def _is_course_module(dotted: str) -> bool:
    """Whether `dotted` is a module of the course; `encodings.sinusoidal` is a function, and a file of that name, too."""
    above, _, name = dotted.rpartition(".")
    if not dotted.startswith("posenc_helpers"):
        return False
    path = ROOT.joinpath(*dotted.split("."))
    return (path.is_dir() or path.with_suffix(".py").is_file()) and (
        not above or ismodule(getattr(import_module(above), name, sys))
    )


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


class Look(Written, Defined):
    """The nodes of an answer, and a method for each kind of node that says what is unusual about one."""

    def __init__(
        self,
        answer: list[ast.stmt],
        everything: list[ast.stmt],
        known: set[tuple[str, str]],
        uses: set[str] | None = None,
    ):
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
        self.set = {
            name for name in self.set if name not in STANDARD and not (far(name) and not re.match("_[a-z]", name))
        }
        self.origins = Origins(self.nodes, self.imported, self._selves())

    def _bind(self, node) -> None:
        name = node.arg if isinstance(node, ast.arg) else getattr(node, "name", None)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            name = node.id
        if isinstance(name, str) and not isinstance(node, ast.alias):
            self.bound.setdefault(self.inside[node], set()).add(name)

    def _selves(self) -> set[str]:
        return {self._self(n) for n in self.nodes if isinstance(n, ast.FunctionDef)} - {""}

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

    def _is_module(self, dotted: str) -> bool:
        return dotted in MODULES or _is_course_module(dotted)

    def _usual(self, dotted: str) -> bool:
        """Whether an answer may use this name of a module."""
        module, _, name = dotted.rpartition(".")
        if module.startswith("posenc_helpers"):
            asked_for = self.uses is None or name in self.uses
            return asked_for and (module, name) in self.known and not name.startswith("check_")
        return name in functions(module) or dotted in MODULES

    # Imports and names

    def Import(self, node):
        if self.parent[node] is not self.top:
            yield "imports inside something else"
        yield from (f"imports {alias.name}" for alias in node.names if alias.name not in MODULES)

    def ImportFrom(self, node):
        if self.parent[node] is not self.top:
            yield "imports inside something else"
        for name in (alias.name for alias in node.names):
            if (node.module, name) not in self.known and (node.level or not self._usual(f"{node.module}.{name}")):
                yield f"imports {node.module}.{name}"

    def Name(self, node):
        name, above, load = node.id, self.parent[node], isinstance(node.ctx, ast.Load)
        called = isinstance(above, ast.Call) and above.func is node
        if (name.startswith("__") and not (name == "__name__" and load)) or (
            load and name in vars(builtins) and name not in BUILTINS | self.own
        ):
            yield f"uses {name}"
        elif load and name in ITERATORS | {"next", "super", "type", "getattr"} and not called:
            yield f"hands {name} around"
        for meant in self.imported.get(name, ()) if load else ():
            if self._is_module(meant):
                if not isinstance(above, ast.Attribute):
                    yield f"hands {name} around"
                if meant not in MODULES and not meant.startswith("posenc_helpers"):
                    yield f"uses {meant}"
            elif not self._usual(meant):
                yield f"uses {meant}"
        if load and name not in self.own | (self.uses or set()):
            yield from (f"uses {meant} by {name}" for meant in self.lesson.get(name, ()) if not self._usual(meant))
        if load and self._is_a_method_alone(node):
            yield f"hands the method {name} around"
        if name in self.classes and load and not (called or self._asks_for_a_class(node, above)):
            yield f"hands the class {name} around"

    def _asks_for_a_class(self, node, above) -> bool:
        """Whether `node`, a class, is named as a base, in isinstance(), in super() or as the check's argument."""
        if isinstance(above, ast.Call) and isinstance(above.func, ast.Name):
            return above.func.id in ("isinstance", "super", "issubclass")
        return isinstance(above, ast.ClassDef | ast.arg) or (
            isinstance(above, ast.Expr) and self.parent[above] is self.top
        )

    def Attribute(self, node):
        above, load = self.parent[node], isinstance(node.ctx, ast.Load)
        root, dotted = self._names(node), ast.unparse(node)
        base = node.value
        if any(
            name.split(".")[0] in ("torch", "numpy", "posenc_helpers") or self._is_module(name.rpartition(".")[0])
            for name in root
        ):
            if not load:
                yield f"writes {dotted}"
            for name in root:
                inner, _, last = name.rpartition(".")
                of_a_function = last in ("outer", "reduce", "accumulate", "from_pretrained", "from_numpy")
                inherited = inner == COURSE_BASE and last in attributes()
                if not (inherited or self._usual(name) or (of_a_function and self._usual(inner)) or last == "__name__"):
                    yield f"uses {dotted}"
                if self._is_module(name) and not isinstance(above, ast.Attribute):
                    yield f"hands {dotted} around"
            return
        if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super":
            words = [getattr(word, "id", "") for word in base.args]
            function = self.inside[node]
            plain = not words or (words[0] in self.classes and words[1:] == [self._self(function)])
            if not (plain and load and (node.attr in attributes() | self.set | {"__init__"})):
                yield "uses super in an unusual way"
        elif not load:
            if not self._sets_self(node) or (far(node.attr) and not re.match("_[a-z]", node.attr)):
                yield f"writes {dotted}"
            elif self.inside[node].name != "__init__" and self._reads_itself(node):
                yield f"counts in {dotted}"
        elif node.attr not in attributes() and not (node.attr in self.set and self._is_own(base)):
            yield f"uses .{node.attr}"
        elif node.attr == "__name__" and not (isinstance(base, ast.Call) and getattr(base.func, "id", "") == "type"):
            yield "uses .__name__"
        elif isinstance(base, ast.Name) and base.id in self.classes:
            yield f"uses {dotted} without an object"
        elif node.attr == "format" and (
            not isinstance(base, ast.Constant) or FIELD.search(str(base.value)[: TEXT + 1])
        ):
            yield "formats a computed text"
        if (re.search(r"[a-z]_$", node.attr) or node.attr in CHANGING) and not (
            isinstance(above, ast.Call) and above.func is node
        ):
            yield f"hands .{node.attr} around"

    def _reads_itself(self, node) -> bool:
        line = self.parent[node]
        while not isinstance(line, ast.stmt):
            line = self.parent[line]
        return isinstance(line, ast.AugAssign) or any(
            isinstance(n, ast.Attribute) and n.attr == node.attr and n is not node for n in ast.walk(line)
        )

    def _is_own(self, node) -> bool:
        """Whether `node` is self, or an object of a class that the answer makes."""
        if isinstance(node, ast.Name):
            made = self.origins.values.get(node.id, [])
            return node.id in self.origins.given - self.classes.keys() or (bool(made) and all(map(self._is_own, made)))
        return isinstance(node, ast.Call) and getattr(node.func, "id", "") in self.classes

    def _names(self, node) -> set[str]:
        """Return what a dotted name stands for: {"torch.nn.Module"} for nn.Module."""
        if isinstance(node, ast.Attribute):
            return {f"{base}.{node.attr}" for base in self._names(node.value)}
        name = getattr(node, "id", "?")
        return self.imported.get(name, {name})
