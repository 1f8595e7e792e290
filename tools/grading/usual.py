"""What is usual in an answer, for suspicious.py: everything else is a reason for a look."""

import ast
import builtins
import sys
from collections.abc import Iterable

_words = str.split

# Modules that compute. Of this course an answer may import what the lessons import.
MODULES = set(
    _words(
        "torch torch.nn torch.nn.functional torch.nn.init torch.linalg torch.fft torch.special numpy numpy.linalg numpy.fft "
        "numpy.random math cmath random statistics fractions itertools functools collections collections.abc typing copy re "
        "time bisect heapq matplotlib matplotlib.pyplot einops"
    )
)
BUILTINS = set(
    _words(
        "abs all any ascii bin bool bytes callable chr complex dict dir divmod enumerate filter float format "
        "frozenset getattr hasattr hash hex id input int __name__ isinstance issubclass iter len list map max min next "
        "object oct ord pow print range repr reversed round set slice sorted staticmethod str sum super tuple type zip "
        "Ellipsis NotImplemented"
    )
) | {name for name in vars(builtins) if name.endswith(("Error", "Exception", "Warning", "Iteration"))}
BASES = r"torch\.nn\.Module|posenc_helpers\..+|object"  # what the class of an answer may be made from
METHODS = {"__init__", "__call__"}
DECORATORS = {"functools.cache", "functools.lru_cache", "torch.no_grad", "torch.inference_mode", "staticmethod"}

# Attributes that lead out of tensors and numbers, or change how all of them work: names of Python's own modules
# (`torch.os` is one), apart from those that tensors and arrays use for something else, and these.
_TENSORS = {"abc", "array", "chunk", "copy", "math", "random", "select", "signal", "time", "trace"}
UNUSUAL = (set(sys.stdlib_module_names) - _TENSORS) | set(
    _words(
        "ForwardRef ao as_strided attrgetter classes cmp_to_key compile core cpp_extension ctypeslib distributed "
        "export f2py f_back f_builtins f_globals f_locals format_map from_file frombuffer fromfile func_globals fx "
        "genfromtxt get_type_hints hub jit lib library load load_library loadtxt ma masked memmap methodcaller mro "
        "ops overrides package save savetxt savez savez_compressed serialization singledispatch storage swap_tensors "
        "testing tofile total_ordering update_wrapper utils wraps"
    )
)


def odd(name: str) -> bool:
    """Whether no answer needs an attribute of this name, or one with it from another module."""
    if name == "__name__":
        return False
    return name.startswith(("_", "set_", "gi_", "cr_", "ag_", "tb_", "co_")) or name in UNUSUAL or "hook" in name


def meanings(lines: Iterable[ast.stmt]) -> dict[str, set[str]]:
    """Return {name: what it stands for} of all that `lines` import: {"nn": {"torch.nn"}}."""
    found: dict[str, set[str]] = {}
    for node in (node for line in lines for node in ast.walk(line)):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            if isinstance(node, ast.ImportFrom):
                found.setdefault(alias.asname or alias.name, set()).add(f"{node.module}.{alias.name}")
            else:
                first = alias.name.split(".")[0]
                found.setdefault(alias.asname or first, set()).add(alias.name if alias.asname else first)
    return found


def plain(call: ast.AST) -> bool:
    """Whether `call` is type(x), or getattr(x, "name") with a name that is not odd."""
    given = call.args if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else []
    if len(given) == 1:
        return call.func.id == "type" and not call.keywords
    return len(given) > 1 and isinstance(given[1], ast.Constant) and not odd(str(given[1].value))


def innermost(node: ast.AST | None, parent: dict[ast.AST, ast.AST]) -> ast.AST | None:
    """Return the innermost function that `node` stands in, or None."""
    while node and not isinstance(node, ast.FunctionDef | ast.Lambda):
        node = parent.get(node)
    return node


def is_self(node: ast.AST, function: ast.AST | None, parent: dict[ast.AST, ast.AST]) -> bool:
    """Whether `node` is the name of the object whose method `function` is."""
    first = function.args.args[:1] if isinstance(parent.get(function), ast.ClassDef) else []
    return [getattr(node, "id", None)] == [name.arg for name in first]
