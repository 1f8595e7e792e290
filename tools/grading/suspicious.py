"""Why a human should look at an answer: it touches what no exercise asks for. Read from its code, before anything runs.

An answer shares a process with the check, so whoever knows how can forge "right". What that takes is named here: modules
that do not compute, private names, writing into what is not the answer's own, objects that answer for themselves.
"""

import ast
import builtins
import re
from collections.abc import Iterator

from tools.grading.foreign import CHANGING, Origins
from tools.grading.usual import BASES, BUILTINS, DECORATORS, METHODS, MODULES, innermost, is_self, meanings, odd, plain


def reasons(job: dict, known: set[tuple[str, str]]) -> str:
    """Return why a human should look at the answer in `job`, "" if all is usual; `known` holds (module, name) of lessons."""
    trees = [(unit["cell"], ast.parse(unit["source"]), unit["drop"]) for unit in job["units"]]
    lines = [(own, node) for own, tree, drop in trees for k, node in enumerate(tree.body) if k not in drop]
    answer = [node for own, node in lines if own] + ast.parse(job["argument"]).body
    found = list(dict.fromkeys(Look(answer, [node for _, node in lines], known).found()))
    said = {why.replace("imports ", "uses ") for why in found if why.startswith("imports ")}
    return "; ".join([why for why in found if why not in said][:4])


class Look:
    """The nodes of an answer, and a method for each kind of node that says what is unusual about one."""

    def __init__(self, answer: list[ast.stmt], everything: list[ast.stmt], known: set[tuple[str, str]]):
        self.nodes, self.known = list(ast.walk(ast.Module(answer, []))), known
        self.parent = {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}
        self.imported = meanings(everything)  # by the lesson before the answer, too
        self.origins = Origins(self.nodes, self.imported)
        self.stored = {n.id for n in self.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        self.functions = {n.name for n in self.nodes if isinstance(n, ast.FunctionDef)} - self.stored
        self.classes = {n.name for n in self.nodes if isinstance(n, ast.ClassDef)} - self.stored - self.functions

    def found(self) -> Iterator[str]:
        for node in self.nodes:
            yield from getattr(self, type(node).__name__, lambda node: ())(node)

    def Import(self, node):
        yield from (f"imports {alias.name}" for alias in node.names if alias.name not in MODULES)

    def ImportFrom(self, node):
        for name in (alias.name for alias in node.names):
            if (node.module, name) not in self.known and (node.module not in MODULES or name == "*" or odd(name)):
                yield f"imports {node.module}.{name}"

    def Name(self, node):
        if (node.id.startswith("__") and odd(node.id)) or (node.id in vars(builtins) and node.id not in BUILTINS):
            yield f"uses {node.id}"
        elif node.id in ("getattr", "type") and not plain(self.parent[node]):
            yield f"uses {node.id} in an unusual way"
        elif node.id == "super" and not isinstance(node.ctx, ast.Load):
            yield "replaces super"
        for meant in self.imported.get(node.id, ()):
            module, _, name = meant.rpartition(".")
            if meant.rpartition(".exercises.check_")[1] or not (
                {meant, module} & MODULES or (module, name) in self.known
            ):
                yield f"uses {meant}"

    def Attribute(self, node):
        function = innermost(node, self.parent)
        starts = getattr(function, "name", "") == "__init__"
        mine = is_self(node.value, function, self.parent) and node.value.id not in self.stored
        if starts and ast.unparse(node) == "super().__init__":
            return
        if odd(node.attr) and not (mine and not node.attr.startswith("__")):
            yield f"uses .{node.attr}"
        elif not isinstance(node.ctx, ast.Load) and not (starts and mine):
            yield f"writes {ast.unparse(node)}"
        elif node.attr == "format" and not isinstance(node.value, ast.Constant):
            yield "formats a computed text"

    def Subscript(self, node):
        if not isinstance(node.ctx, ast.Load):
            yield from self._written(node.value)

    def Call(self, node):
        if isinstance(node.func, ast.Attribute):
            module = self._names(node.func.value) <= MODULES  # torch.relu_(x), or np.bool_(x), np.append(x)
            if re.search(r"[a-z]_$", node.func.attr) or (node.func.attr in CHANGING and not module):
                yield from self._written(node.args[0] if module and node.args else node.func.value)
        yield from (reason for word in node.keywords if word.arg == "out" for reason in self._written(word.value))

    def _written(self, node):
        if whose := self.origins.foreign(node):
            yield f"writes into {whose}"

    def Constant(self, node):
        text = isinstance(node.value, str) and not isinstance(self.parent[node], ast.Expr)  # no docstring
        if text and re.search(r"__|\{\w*[.\[]", node.value):
            yield f"holds the text {node.value[:30]!r}"

    def FunctionDef(self, node):
        if (node.name.startswith("__") and node.name not in METHODS) or node.name == "super":
            yield f"defines {node.name}"
        for decorator in node.decorator_list:
            name = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not self._names(name) <= DECORATORS | self.functions:
                yield f"decorates with {ast.unparse(name)}"

    def ClassDef(self, node):
        names = {name for base in node.bases for name in self._names(base)}
        if node.keywords or not all(re.fullmatch(BASES, name) or name in self.classes for name in names):
            yield f"makes a class from {', '.join(map(ast.unparse, [*node.bases, *node.keywords]))}"
        yield from self.FunctionDef(node)

    def _names(self, node) -> set[str]:
        """Return what a dotted name stands for: {"torch.nn.Module"} for nn.Module."""
        if isinstance(node, ast.Attribute):
            return {f"{base}.{node.attr}" for base in self._names(node.value)}
        name = getattr(node, "id", "?")
        return {name} if name in self.stored | self.classes else self.imported.get(name, {name})

    def MatchClass(self, node):
        yield "matches a class"
