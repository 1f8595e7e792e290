"""What an answer defines, and the texts that it holds: a part of the reader in suspicious.py."""

import ast
import re
from collections import Counter

from tools.grading.usual import BASES, METHODS, TAKEN

TEXT = 200  # characters of a text


class Defined:
    """Methods for the nodes that define, and for constants."""

    def Constant(self, node):
        above, value = self.parent[node], node.value
        printed = isinstance(above, ast.Call) and getattr(above.func, "id", "") == "print"
        if isinstance(value, bytes) or (isinstance(value, int) and abs(value) > 2**64):
            yield f"holds {str(value)[:30]}"
        elif not isinstance(value, str) or isinstance(above, ast.Expr) or printed:  # a docstring is an Expr
            return
        elif re.search(r"__|(^|[^\d\s])/[^\s/]", value) or len(value) > TEXT:
            yield f"holds the text {value[:30]!r}"

    def _annotation(self, node):
        if node is not None and any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(node)):
            yield "has an annotation in quotes"

    def arg(self, node):
        yield from self._annotation(node.annotation)

    def AnnAssign(self, node):
        yield from self._annotation(node.annotation)

    def arguments(self, node):
        for default in (*node.defaults, *filter(None, node.kw_defaults)):
            if getattr(getattr(default, "func", None), "id", "") == "tuple":
                continue
            if isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call | ast.ListComp | ast.GeneratorExp):
                yield f"has the default {ast.unparse(default)[:30]}"

    def FunctionDef(self, node):
        if node.name.startswith("__") and node.name not in METHODS:
            yield f"defines {node.name}"
        yield from self._annotation(node.returns)
        for decorator in node.decorator_list:
            if ast.unparse(decorator) != "staticmethod":
                yield f"decorates with {ast.unparse(decorator)[:40]}"
        yield from self._taken(node)

    def _taken(self, node):
        if isinstance(self.parent[node], ast.ClassDef) and getattr(node, "name", getattr(node, "id", "")) in TAKEN:
            yield f"defines {getattr(node, 'name', getattr(node, 'id', ''))}"

    def ClassDef(self, node):
        if self.parent[node] is not self.top:
            yield "makes a class inside something else"
        for base in node.bases:
            root = base
            while isinstance(root, ast.Attribute):
                root = root.value
            twice = getattr(root, "id", "") in self.own or len(self.imported.get(getattr(root, "id", ""), {1})) > 1
            if twice or not self._names(base) <= BASES:
                yield f"makes a class from {ast.unparse(base)}"
        yield from (f"makes a class from {ast.unparse(word)}" for word in node.keywords)
        yield from (f"decorates with {ast.unparse(decorator)}" for decorator in node.decorator_list)
        for line in node.body:
            targets = getattr(line, "targets", [getattr(line, "target", None)])
            names = {n.id for target in filter(None, targets) for n in ast.walk(target) if isinstance(n, ast.Name)}
            yield from (f"defines {name}" for name in sorted(names & TAKEN))

    def _registers(self, call: ast.Call) -> list[str]:
        """Return the name in self.register_buffer("name", ...)."""
        usual = isinstance(call.func, ast.Attribute) and call.func.attr in ("register_buffer", "register_parameter")
        return [n.value for n in call.args[:1] if usual and isinstance(n, ast.Constant) and isinstance(n.value, str)]

    def _bindings(self, function) -> Counter[str]:
        """Return how often `function` binds each name."""
        if function not in self.counted:
            stored = [n for n in ast.walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
            arguments = [n.arg for n in ast.walk(function) if isinstance(n, ast.arg)]
            self.counted[function] = Counter([*arguments, *(n.id for n in stored)])
        return self.counted[function]

    def _is_a_method_alone(self, node: ast.Name) -> bool:
        """Whether a name is read where it stands for a method without its object: in a class, or as a default."""
        above, by_default = self.parent[node], False
        while not isinstance(above, ast.ClassDef | ast.Module | ast.Lambda | ast.FunctionDef):
            by_default = by_default or isinstance(above, ast.arguments)
            above = self.parent[above]
        home = self.parent[above] if by_default and isinstance(above, ast.FunctionDef) else above
        lines = home.body if isinstance(home, ast.ClassDef) else []
        return any(isinstance(line, ast.FunctionDef) and line.name == node.id for line in lines)
