"""Which statements of a notebook must run so that a name has its value: the ones that define it, and what those need.

Seen are assignments, definitions, imports, and writes into what a name holds (`x[0] = 1`, `x.y = 1`). Not seen is a call
that changes its argument, such as the training of a model: such a name arrives as it was before the call.
"""

import ast
import symtable
from collections.abc import Iterable
from dataclasses import dataclass

from tools.grading.reading import parse


@dataclass(frozen=True)
class Unit:
    """Code that runs as a whole.

    source   a statement of a lesson, or a whole cell
    cell     where it stands, as an error message should say it
    own      whether the student wrote it
    drop     numbers of the statements in it that do not run: calls of checks
    """

    source: str
    cell: str = ""
    own: bool = False
    drop: tuple[int, ...] = ()

    @property
    def statements(self) -> list[ast.stmt]:
        """Raises SyntaxError where the source is no Python."""
        return [node for k, node in enumerate(parse(self.source).body) if k not in self.drop]


def statements(source: str, **where) -> list[Unit]:
    """Return `source` as one unit for each of its top-level statements, written as they are."""
    lines, body, units = source.splitlines(), parse(source).body, []
    for node in body:
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
        shared = any(
            o is not node and o.lineno <= node.end_lineno and o.end_lineno >= first for o in body
        )  # a = 1; b = 2
        units.append(Unit(ast.unparse(node) if shared else "\n".join(lines[first - 1 : node.end_lineno]), **where))
    return units


def needed(units: list[Unit], names: Iterable[str]) -> list[Unit]:
    """Return those of `units`, in order, that must run so that `names` have the values that they have at the end."""
    facts = [_facts(unit.statements) for unit in units]
    at_the_end = set(names)  # a function looks its names up when it is called: then they must be there
    while True:
        wanted, chosen, late = set(at_the_end), [], set()
        for k in reversed(range(len(units))):
            here = facts[k]
            if wanted & (here.binds | here.changes):
                chosen.append(k)
                wanted = wanted - here.binds | here.at_once | here.later
                late |= here.later
        if late <= at_the_end:
            return [units[k] for k in reversed(chosen)]
        at_the_end |= late


def reads(unit: Unit, late: bool = True) -> set[str]:
    """Return the names that must be there when `unit` runs, and with `late` those that its functions look up."""
    facts = _facts(unit.statements)
    return facts.at_once | (facts.later if late else set())


@dataclass
class _Facts:
    binds: set[str]  # gets a new value, whatever was there
    changes: set[str]  # gets one perhaps, or is written into
    at_once: set[str]  # must be there before
    later: set[str]  # must be there when a function that is defined here is called


def _facts(body: list[ast.stmt]) -> _Facts:
    facts = _Facts(set(), set(), set(), set())
    for node in body:
        top = symtable.symtable(ast.unparse(node), "cell", "exec")
        read = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
        given = {name.id for name in ast.walk(getattr(node, "target", ast.Pass())) if isinstance(name, ast.Name)}
        loop = given if isinstance(node, ast.For) else set()
        inner = list(_inner(top))
        read |= {name for table in inner if table.get_type() == "class" for name in _globals(table)}
        facts.at_once |= read - facts.binds - loop
        facts.later |= {name for table in inner if table.get_type() != "class" for name in _globals(table)}
        gets = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
        whole = isinstance(
            node, ast.Assign | ast.AnnAssign | ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
        )
        (facts.binds if whole else facts.changes).update(gets)
        facts.changes |= read & {_root(target) for target in ast.walk(node) if _is_written(target)}
    facts.later -= facts.binds
    return facts


def _inner(table: symtable.SymbolTable):
    for child in table.get_children():
        yield child
        yield from _inner(child)


def _globals(table: symtable.SymbolTable) -> set[str]:
    return {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}


def _is_written(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del)


def _root(node: ast.expr) -> str | None:
    """Return "x" for x[0].y."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return getattr(node, "id", None)
