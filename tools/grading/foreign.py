"""Whether an answer writes into what is not its own: a variable of the lesson, or a table or model that checks read."""

import ast
from collections.abc import Iterable

from tools.grading.usual import MODULES

FRESH = {"clone", "copy", "tolist", "numel", "item", "repeat", "new_zeros", "new_ones"}  # methods that share nothing
CHANGING = {
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
}
SHARED = ("load", "read")  # how functions are called that may give everybody the same object


class Origins:
    """Where the names of an answer come from: from itself, or from the lesson and what it imports."""

    def __init__(self, nodes: Iterable[ast.AST], imported: dict[str, set[str]]):
        self.imported, self.given = imported, {node.arg for node in nodes if isinstance(node, ast.arg)}
        self.given |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        self.values: dict[str, list[ast.expr | None]] = {}
        for node in nodes:
            targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
            value = getattr(node, "value", None) or getattr(node, "iter", None)
            for target in filter(None, targets) if isinstance(value, ast.expr) else ():
                for name in (n for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)):
                    self.values.setdefault(name.id, []).append(value)

    def foreign(self, node: ast.AST | None, seen: frozenset[str] = frozenset()) -> str:
        """Return the name, not the answer's own, that what `node` stands for belongs to, or ""."""
        while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred | ast.Call):
            if isinstance(node, ast.Call):
                called = node.func
                if isinstance(called, ast.Name) or getattr(called, "attr", "") in FRESH or self._is_module(called):
                    name = getattr(called, "id", getattr(called, "attr", ""))
                    return f"{name}()" if name.startswith(SHARED) else ""
                node = called
            else:
                node = node.value
        if not isinstance(node, ast.Name) or node.id in self.given | seen:
            return ""
        if node.id not in self.values:
            return node.id
        return next(filter(None, (self.foreign(value, seen | {node.id}) for value in self.values[node.id])), "")

    def _is_module(self, called: ast.expr) -> bool:
        """Whether `called` is a function of a module that computes: torch.zeros, F.relu."""
        while isinstance(called, ast.Attribute):
            called = called.value
        return isinstance(called, ast.Name) and bool(self.imported.get(called.id, set()) & MODULES)
