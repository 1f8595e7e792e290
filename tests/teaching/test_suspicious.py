"""Which answers a human should look at: what forges a verdict gives a reason, and honest answers give none."""

import ast
import re

import pytest

from tests.teaching.classes import LESSONS, RIGHT, gray, handed_in
from tools.course import ROOT
from tools.grading.submissions import job
from tools.grading.suspicious import Look, reasons

KNOWN = set().union(*(lesson.imports for lesson in LESSONS))
TABLES = sorted(
    [*(ROOT / "tests/notebooks/wrong_answers").glob("*.py"), *ROOT.glob("posenc_helpers/lessons/*/mistakes.py")]
)
TOUCHES = re.compile("writes into|uses del|keeps .* from call to call")
# Known answers with a reason, apart from those that write into what is not theirs. A class that a function makes, which no
# answer needs, is how tables write many answers as one.
FACTORIES = re.compile(r"makes a class (inside something else|from _learned\(\))|uses \.s$")
ODD = {
    "alibi/mistakes.py lambda": "uses getattr",
    "sinusoidal/mistakes.py nearest": "decorates with cache",
    "wrong_answers/choosing.py _by_loop": "uses match",
    "wrong_answers/learned.py _caught": "uses try",
    "wrong_answers/learned.py _operation": "uses torch.ops.aten.upsample_linear1d",
    "wrong_answers/rope.py _caught": "uses try",
}


def look(source, lesson=LESSONS[1], exercise=1):
    return reasons(job(lesson.exercises[exercise], gray(source), lesson), KNOWN)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_no_solution_is_looked_at(lesson):
    for exercise in lesson.exercises:
        notebook = handed_in(lesson.name, {exercise.id: exercise.answered(exercise.solution)})
        assert reasons(job(exercise, notebook, lesson), KNOWN, exercise.uses) == "", exercise.check


def _answers(body):
    """Yield (name, nodes) of every class, function and lambda of a table that stands in no other."""
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            own = node if isinstance(node, ast.stmt) else ast.Expr(node)
            yield (
                getattr(node, "name", "lambda"),
                [own, *(classes[n] for n in used & classes.keys() if classes[n] is not node)],
            )
        else:
            waiting += ast.iter_child_nodes(node)


def test_few_known_answers_are_looked_at_right_or_wrong():
    found, number = {}, 0
    for path in TABLES:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        imports = {node for node in body if isinstance(node, ast.ImportFrom)}
        ours = {(node.module, alias.name) for node in imports for alias in node.names if "posenc" in node.module}
        for name, nodes in _answers(body):
            number += 1
            why = [why for why in dict.fromkeys(Look(nodes, body, KNOWN | ours).found()) if not TOUCHES.match(why)]
            if why and not FACTORIES.match(why[0]):
                found[f"{'/'.join(path.parts[-2:])} {name}"] = why[0]
    assert number > 500
    assert found == ODD


KINDS = {
    "another module": "import os",
    "a module of the course that no lesson imports": "from posenc_helpers.lessons.naive_encodings import mistakes",
    "everything of a module": "from torch import *",
    "a module inside another": "import torch\ntorch.os",
    "the same by a name": "from torch import os as numbers",
    "a name that the lesson imports": "Path('x').read_text()",
    "a check, called as an oracle": "while check_gray(1).kind != 'right':\n    pass",
    "another check": "ask = check_row",
    "code as text": "exec('1')",
    "an unusual built-in under a usual name": "f = open\nf('x')",
    "built-ins": "__builtins__['open']",
    "code": "binary.__code__ = (lambda: 1).__code__",
    "a class": "a = (1).__class__",
    "subclasses": "object.__subclasses__()",
    "globals": "binary.__globals__['torch'] = None",
    "a frame": "next(g for g in [(i for i in ())]).gi_frame.f_back",
    "a frame of an error": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    e.__traceback__",
    "a private name": "import torch\ntorch._C",
    "a name as text": "getattr(binary, '__co' + 'de__')",
    "a name as text that is hidden": "getattr(binary, '\\x5f\\x5fcode\\x5f\\x5f')",
    "getattr under another name": "f = getattr\nf(1, 'real')",
    "a text that reads attributes": "'{0.__doc__}'.format(binary)",
    "such a text, put together": "('{0._' + '_doc_' + '_}').format(binary)",
    "setattr": "import torch\nsetattr(torch, 'x', 1)",
    "an attribute of what was imported": "import torch\ntorch.allclose = lambda *a: True",
    "the same in a loop": "import torch\nfor torch.allclose in [print]:\n    pass",
    "a method": "import torch\ntorch.Tensor.max = lambda self: 0",
    "an attribute of another's object": "class A:\n    def f(self):\n        self.max = 1\nA.f(binary)",
    "the same in __init__": "class A:\n    def __init__(self):\n        self.max = 1\nA.__init__(binary)",
    "a table of the course": "ENCODINGS['rope'] = None",
    "a model of the lesson": "model.weights['a'].zero_()",
    "the same by another name": "m = model.weights\nm['a'][0] = 1",
    "a table of the lesson": "rows.update(a=1)",
    "the same in a loop over it": "for w in model.weights.values():\n    w.mul_(0)",
    "an output of the lesson": "import torch\ntorch.add(1, 1, out=table)",
    "a subclass of Tensor": "import torch\nclass A(torch.Tensor):\n    pass",
    "a subclass of str": "class A(str):\n    pass",
    "a base of another name": "import torch\nB = torch.Tensor\nclass A(B):\n    pass",
    "a class without a class": "import torch\nA = type('A', (torch.Tensor,), {})",
    "an operator": "class A:\n    def __eq__(self, other):\n        return True",
    "an operator, assigned": "class A:\n    __eq__ = lambda self, other: True",
    "a metaclass": "class A(metaclass=print):\n    pass",
    "a decorator out of nowhere": "@binary\ndef f():\n    pass",
    "a pattern that reads attributes": "match 1:\n    case int(real=r):\n        pass",
    "a hook": "import torch\ntorch.nn.Linear(1, 1).register_forward_hook(print)",
    "a default of all of PyTorch": "import torch\ntorch.set_default_dtype(torch.float16)",
    "a module that is handed around": "import torch\nt = torch",
    "a class of another module": "import torch.nn.modules.linear as m\nm.Tensor",
    "a class that a function makes": "def make(A):\n    class B(A):\n        pass\n    return B",
    "a base that a parameter stands for": "def make(object):\n    return object",
    "type with three arguments": "type(int)('A', (int,), {})",
    "an import in a class": "class A:\n    from copy import copy",
    "a global": "def f():\n    global x\n    x = 1",
    "an end that runs later": "def f():\n    try:\n        yield\n    finally:\n        pass",
    "a walrus": "[f := 1]",
    "something asynchronous": "async def f():\n    pass",
    "an annotation in quotes": "def f(x: '1 + 1'):\n    pass",
    "a method in other hands": "class A:\n    def f(self):\n        return self.f_globals\nA.f(binary)",
    "the attribute of another object": "class A:\n    def f(self):\n        return self.f_back",
    "a decorated method": "def g(f):\n    return f\nclass A:\n    @g\n    def f(self):\n        pass",
    "an operator that is imported": "class A:\n    from copy import copy as __eq__",
    "a file": "import numpy as np\nnp.fromregex('x', 'y', [])",
    "a path": "x = '/course/posenc_helpers'",
    "a long text": "x = '" + "0" * 300 + "'",
    "bytes": "x = b'0101'",
    "a number that is a table": "x = 1" + "0" * 40,
    "stored answers": "x = " + str([0] * 300),
    "answers in a row": "answers = iter([1, 0])\ndef f(x):\n    return next(answers)",
    "the same by pop": "answers = [1, 0]\ndef f(x):\n    return answers.pop()",
    "the same in a default": "def f(x, n=[0]):\n    n[0] += 1",
    "the same by a generator": "answers = (k for k in [1, 0])\ndef f(x):\n    for k in answers:\n        return k",
    "a method of one's input, later": "def f(x):\n    wipe = x.zero_\n    wipe()",
    "one's input": "def f(x):\n    x += 1",
    "the course's own, before it is asked": "kept = binary(1, 2)",
    "stored answers in a text": "x = '" + "1 " * 30 + "'",
    "the name of what is asked about": "def f(g):\n    return g.__name__",
    "an attribute of one's own on another's object": (
        "class A:\n    def __init__(self):\n        self._base = 1\ndef f(x):\n    return x._base"
    ),
    "NumPy's way of writing into what was given": "import numpy as np\ndef f(x):\n    np.put(x, 0, 1)",
    "a long answer": "x = [" + "y," * 20_000 + "]",
}


def test_what_the_solution_does_not_use_of_the_course_is_a_reason():
    """Also where the lesson has made something of it, and where a function calls it."""
    lesson = "from posenc_helpers.encodings import binary\ndef helper(p):\n    return binary(p, 4)"
    given = {"source": lesson, "cell": "", "drop": ()}
    for source in ("def gray(p):\n    return binary(p, 4)", "def gray(p):\n    return helper(p)"):
        found = {"units": [given, {"source": source, "cell": "cell 1", "drop": ()}], "argument": "gray"}
        assert reasons(found, KNOWN, {"binary", "helper"}) == "" != reasons(found, KNOWN, {"torch"})


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_exercise_asks_for_is_a_reason(kind):
    lesson = "from posenc_helpers.encodings import ENCODINGS, binary\nfrom pathlib import Path\n"
    unit = {"source": KINDS[kind], "cell": "cell 1", "drop": ()}
    given = {"source": lesson + "from x.exercises import check_gray, check_row", "cell": "", "drop": ()}
    found = {"units": [given, unit], "argument": "gray"}
    known = KNOWN | {("posenc_helpers.encodings", "ENCODINGS"), ("x.exercises", "check_gray")}
    assert reasons(found, known)


def test_the_argument_of_the_check_is_looked_at_too():
    own = {"source": "def mine():\n    ...", "cell": "cell 1", "drop": ()}
    assert reasons({"units": [own], "argument": "exec('1') or mine"}, KNOWN) == "uses exec"


USUAL = {
    "mathematics": """
import math
import torch.nn.functional as F
from torch import nn
def table(n: int) -> list:
    return [[math.sin(i) for i in range(n)]]
class Mine(nn.Module):
    '''Has __init__ and forward.'''
    def __init__(self, dim):
        super(Mine, self).__init__()
        self._dim, self.rows = dim, nn.Parameter(F.relu(torch.zeros(dim)))
        nn.init.normal_(self.rows)
        self.build()
    def build(self):
        self.later = self.rows
    def __repr__(self):
        return f"{self._dim} {self.rows.shape}"
    def forward(self, x, input=None):
        y = x.clone()
        z = torch.zeros(2)
        for row in z:
            row[0] = 1
        z.view(-1)[0] = 1
        y[0] += self.later
        print(type(x).__name__, __name__, "{x.y}", "a/b")
        return y.add_(1) if hasattr(x, "shape") else f"{x:.2f}"
""",
    "a test of one's own": "torch.testing.assert_close(torch.zeros(1), torch.zeros(1))\n",
    "NumPy": "import numpy as np\ndef f(n):\n    M = np.zeros((n, n))\n    M[0, 1:] = np.cos(n)\n    return M\n",
    "a line that begins with %": "x = (5\n    % 3)\n",
}


@pytest.mark.parametrize("kind", USUAL)
def test_what_is_usual_gives_no_reason(kind):
    assert look("import torch\n" + USUAL[kind] + RIGHT) == ""


def test_a_notebook_without_cell_ids_is_read_like_any_other():
    notebook, lesson = gray(RIGHT), LESSONS[1]
    for cell in notebook.cells:
        cell.id = ""
    assert reasons(job(lesson.exercises[1], notebook, lesson), KNOWN) == ""


def test_reading_takes_no_longer_for_names_that_go_round():
    """Else each line doubles the work, and this never ends."""
    lines = ["a0 = []", *(f"a{k + 1} = a{k}\na{k + 1} = a{k}" for k in range(200)), "a200[:] = [1]"]
    look("\n".join(lines) + "\n" + RIGHT)
