"""Which names, attributes and modules an answer uses: a part of the reader in suspicious.py."""

import ast
import builtins
import re
import sys
from functools import cache
from importlib import import_module
from inspect import ismodule

from tools.course import ROOT
from tools.grading.defining import TEXT
from tools.grading.foreign import CHANGING
from tools.grading.usual import BUILTINS, ITERATORS, MODULES, attributes, dotted, far, functions

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


class Named:
    """Methods for imports, names and attributes."""

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
        unusual = load and name in vars(builtins) and name not in BUILTINS | self.own
        if unusual or (name.startswith("__") and not (name == "__name__" and load)):
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
        if load and not self._is_bound(node) and name not in (self.uses or ()):
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
        root, written = self._names(node), ast.unparse(node)
        base = node.value
        if any(
            name.split(".")[0] in ("torch", "numpy", "posenc_helpers") or self._is_module(name.rpartition(".")[0])
            for name in root
        ):
            if not load:
                yield f"writes {written}"
            for name in root:
                inner, _, last = name.rpartition(".")
                of_a_function = last in ("outer", "reduce", "accumulate", "from_pretrained", "from_numpy")
                inherited = inner == COURSE_BASE and last in attributes()
                if not (inherited or self._usual(name) or (of_a_function and self._usual(inner)) or last == "__name__"):
                    yield f"uses {written}"
                if self._is_module(name) and not isinstance(above, ast.Attribute):
                    yield f"hands {written} around"
            return
        if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super":
            words = [getattr(word, "id", "") for word in base.args]
            function = self.inside[node]
            plain = not words or (words[0] in self.classes and words[1:] == [self._self(function)])
            if not (plain and load and (node.attr in attributes() | self.set | {"__init__"})):
                yield "uses super in an unusual way"
        elif not load:
            if not self._sets_self(node) or (far(node.attr) and not re.match("_[a-z]", node.attr)):
                yield f"writes {written}"
            elif self.inside[node].name != "__init__" and self._reads_itself(node):
                yield f"counts in {written}"
        elif node.attr not in attributes() and not (node.attr in self.set and self._is_own(base)):
            yield f"uses .{node.attr}"
        elif node.attr == "__name__" and not (isinstance(base, ast.Call) and getattr(base.func, "id", "") == "type"):
            yield "uses .__name__"
        elif isinstance(base, ast.Name) and base.id in self.classes:
            yield f"uses {written} without an object"
        elif node.attr == "format" and (
            not isinstance(base, ast.Constant) or FIELD.search(str(base.value)[: TEXT + 1])
        ):
            yield "formats a computed text"
        called = isinstance(above, ast.Call) and above.func is node
        if (re.search(r"[a-z]_$", node.attr) or node.attr in CHANGING) and not called:
            yield f"hands .{node.attr} around"

    def _reads_itself(self, node) -> bool:
        line = self.parent[node]
        while not isinstance(line, ast.stmt):
            line = self.parent[line]
        return isinstance(line, ast.AugAssign) or any(
            isinstance(n, ast.Attribute) and n.attr == node.attr and n is not node for n in ast.walk(line)
        )

    def _is_bound(self, node: ast.Name) -> bool:
        """Whether the answer itself gives `node` its meaning, in the open or in a function around it."""
        scope = self.inside[node]
        while scope is not None and node.id not in self.bound.get(scope, ()):
            scope = self.inside[scope]
        return node.id in self.bound.get(scope, ())

    def _is_own(self, node) -> bool:
        """Whether `node` is self, or an object of a class that the answer makes."""
        if isinstance(node, ast.Name):
            made = self.origins.values.get(node.id, [])
            return node.id in self.origins.given - self.classes.keys() or (bool(made) and all(map(self._is_own, made)))
        return isinstance(node, ast.Call) and getattr(node.func, "id", "") in self.classes

    def _names(self, node) -> set[str]:
        return dotted(node, self.imported)
