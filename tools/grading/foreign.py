"""Whether an answer writes into what is not its own: a variable of the lesson, or a table or model that checks read."""

import ast
from collections.abc import Iterable

from tools.grading.usual import MODULES, words

FRESH = words(  # methods that share nothing
    "clone copy tolist numel item repeat new_zeros new_ones new_empty new_full new_tensor sum mean cos sin exp roll "
    "split strip abs argsort cumsum"
)
CHANGING = words(
    "appendleft fill itemset partition popleft put resize append clear extend insert pop popitem remove reverse "
    "setdefault sort update"
)
VIEWS = words(  # functions of modules whose result may be a part of what they are given
    "reshape ravel flatten squeeze unsqueeze transpose permute movedim swapaxes narrow select diagonal unbind split "
    "chunk tensor_split as_tensor asarray from_numpy detach view_as_real view_as_complex real imag broadcast_to "
    "broadcast_tensors atleast_1d expand_dims"
)
SHARED = ("load", "read")  # how functions are called that may give everybody the same object


class Origins:
    """Where the names of an answer come from: from itself, or from the lesson and what it imports."""

    def __init__(self, nodes: Iterable[ast.AST], imported: dict[str, set[str]], given: set[str]):
        arguments = {node.arg for node in nodes if isinstance(node, ast.arg)} - given  # belong to whoever calls
        named = {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        self.imported, self.given = imported, given | (named - arguments)  # the answer's own, such as self
        self.values: dict[str, list[ast.expr | None]] = {}
        for node in nodes:
            targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
            value = getattr(node, "value", None) or getattr(node, "iter", None)
            for target in filter(None, targets) if isinstance(value, ast.expr) else ():
                for name in (n for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)):
                    self.values.setdefault(name.id, []).append(value)
        for name in arguments:
            self.values.pop(name, None)

    def foreign(self, node: ast.AST | None) -> str:
        """Return the name, not the answer's own, that what `node` stands for belongs to, or ""."""
        waiting, seen = [node], set()
        while waiting:  # each name once
            name = self._root(waiting.pop())
            if name.endswith("()") or (name and name not in self.values):
                return name
            if name and name not in seen:
                seen.add(name)
                waiting += self.values[name]
        return ""

    def _root(self, node: ast.AST | None) -> str:
        """Return the name that `node` takes its value from: "x" for x[0].y, "load()" for load(1), "" for a new value."""
        while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred | ast.Call):
            if isinstance(node, ast.Call):
                called = node.func
                if self._is_module(called) and getattr(called, "attr", "") in VIEWS and node.args:
                    node = node.args[0]
                    continue
                if isinstance(called, ast.Name) or getattr(called, "attr", "") in FRESH or self._is_module(called):
                    name = getattr(called, "id", getattr(called, "attr", ""))
                    return f"{name}()" if name.startswith(SHARED) else ""
                node = called
            else:
                node = node.value
        return node.id if isinstance(node, ast.Name) and node.id not in self.given else ""

    def _is_module(self, called: ast.expr) -> bool:
        """Whether `called` is a function of a module that computes: torch.zeros, F.relu."""
        while isinstance(called, ast.Attribute):
            called = called.value
        return isinstance(called, ast.Name) and bool(self.imported.get(called.id, set()) & MODULES)
