"""What an answer defines, and the texts that it holds: a part of the reader in suspicious.py."""

import ast
import re

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
