"""Which answers a human should look at: what forges a verdict gives a reason, and honest answers give none."""

import ast

import pytest

from tests.teaching.classes import LESSONS, RIGHT, gray, handed_in
from tools.course import ROOT
from tools.grading.submissions import job
from tools.grading.suspicious import Look, reasons

KNOWN = set().union(*(lesson.imports for lesson in LESSONS))
TABLES = sorted(
    [*(ROOT / "tests/notebooks/wrong_answers").glob("*.py"), *ROOT.glob("posenc_helpers/lessons/*/mistakes.py")]
)
# What the tables write as no answer would.
ODD = {
    "wrong_answers/alibi.py": [
        "makes a class from _learned()",
        "makes a class from parent",
    ],  # of what a solution returns
    "wrong_answers/choosing.py": ["uses setattr"],
    "wrong_answers/learned.py": ["uses .ops"],  # PyTorch's own operation, which the exercise forbids
    "alibi/mistakes.py": [
        "uses type in an unusual way",
        "holds the text 'A new LearnedAlibi starts wher'",
        "holds the text '__init__'",
    ],
}


def look(source, lesson=LESSONS[1], exercise=1):
    return reasons(job(lesson.exercises[exercise], gray(source), lesson), KNOWN)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_no_solution_is_looked_at(lesson):
    for exercise in lesson.exercises:
        notebook = handed_in(lesson.name, {exercise.id: exercise.answered(exercise.solution)})
        assert reasons(job(exercise, notebook, lesson), KNOWN) == "", exercise.check


@pytest.mark.parametrize("path", TABLES, ids=lambda path: "/".join(path.parts[-2:]))
def test_no_known_answer_is_looked_at_right_or_wrong(path):
    body = ast.parse(path.read_text(encoding="utf-8")).body
    imports = {node for node in body if isinstance(node, ast.ImportFrom)}
    ours = {(node.module, alias.name) for node in imports for alias in node.names if "posenc" in node.module}
    found = dict.fromkeys(Look(body, body, KNOWN | ours).found())
    assert list(found) == ODD.get("/".join(path.parts[-2:]), [])


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
}


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


def test_what_is_usual_gives_no_reason():
    usual = """
import math
import torch.nn.functional as F
from functools import cache
from torch import nn
@cache
def table(n: int) -> list:
    return [[math.sin(i) for i in range(n)]]
class Mine(nn.Module):
    '''Has __init__ and forward.'''
    def __init__(self, dim):
        super().__init__()
        self._dim, self.rows = dim, nn.Parameter(F.relu(torch.zeros(dim)))
        nn.init.normal_(self.rows)
    def forward(self, x, input=None):
        y = x.clone()
        z = torch.zeros(2)
        for row in z:
            row[0] = 1
        z.view(-1)[0] = 1
        y[0] += type(x)(self.rows)
        print(type(x).__name__, __name__)
        return y.add_(1) if hasattr(x, "shape") else getattr(x, "shape", f"{x:.2f}")
"""
    assert look("import torch\n" + usual + RIGHT) == ""
