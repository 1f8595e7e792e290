"""What an answer writes into, and what it keeps from one call to the next: a part of the reader in suspicious.py."""

import ast
import re

import numpy as np

from tools.grading.foreign import CHANGING
from tools.grading.usual import COURSE, EATERS, ITERATORS


class Written:
    """Methods for the nodes that write, and for calls."""

    def Subscript(self, node):
        if not isinstance(node.ctx, ast.Load):
            yield from self._written(node.value)

    def AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            yield from self._written(node.target)

    def Call(self, node):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute):
            verb = node.func.attr
            module = any(self._is_module(n) for n in self._names(node.func.value))  # torch.relu_(x), or np.append(x)
            if re.search(r"[a-z]_$", verb) or (verb in CHANGING and not module):
                yield from self._written(node.args[0] if module and node.args else node.func.value)
            elif verb in ("add", "discard"):
                yield from self._kept(node.func.value)
            yield from self._written(node.args[0]) if verb in ("shuffle", "put", "nan_to_num") and node.args else ()
        yield from (reason for word in node.keywords if word.arg == "out" for reason in self._written(word.value))
        for dotted in self._names(node.func):  # np.add(a, b, a): the third is what it writes into
            made = getattr(np, dotted.removeprefix("numpy."), None) if dotted.startswith("numpy.") else None
            for given in node.args[made.nin :] if isinstance(made, np.ufunc) else ():
                yield from self._written(given)
        yield from ("works in place" for word in node.keywords if word.arg == "inplace")
        if name == "type" and not self._plain_type(node):
            yield "uses type in an unusual way"
        elif name == "iter" or (name == "next" and not (node.args and isinstance(node.args[0], ast.GeneratorExp))):
            yield f"remembers with {name}()"
        elif name in ITERATORS or any(n.startswith("itertools.") for n in self._names(node.func)):
            yield from self._lasts(node)
        if self.inside[node] is None and any(n.startswith(COURSE) for n in self._names(node.func)):
            yield f"calls {ast.unparse(node.func)} before it is asked"

    def GeneratorExp(self, node):
        yield from self._lasts(node)

    def _lasts(self, node):
        """An iterator that stands outside functions and is kept: it remembers from call to call."""
        above = self.parent[node]
        eaten = isinstance(above, ast.For | ast.comprehension)
        if isinstance(above, ast.Call) and node in above.args:
            called = above.func
            eaten = isinstance(called, ast.Attribute) or getattr(called, "id", "") in EATERS | ITERATORS | {"next"}
        if self.inside[node] is None and not eaten:
            yield "keeps an iterator"

    def _plain_type(self, node) -> bool:
        above = self.parent[node]
        named = isinstance(above, ast.Attribute) and above.attr == "__name__"
        return len(node.args) == 1 and not node.keywords and (named or isinstance(above, ast.Compare))

    def _written(self, node):
        if whose := self.origins.foreign(node):
            yield f"writes into {whose}"
        else:
            yield from self._kept(node)

    def _kept(self, node):
        """What a function writes into, and does not make itself: it remembers from call to call."""
        while isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        function = self.inside.get(node)
        if isinstance(node, ast.Name) and function and node.id not in self.bound.get(function, set()):
            yield f"keeps {node.id} from call to call"
