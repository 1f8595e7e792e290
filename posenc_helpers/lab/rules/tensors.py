"""Rules about what is computed and kept: dtypes, the end of a table, any length, gradients, saving."""

import re

import torch
from torch import Tensor, nn

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.rules.candidate import FAR, LENGTH, Candidate, reach, stops
from posenc_helpers.lab.rules.rule import differ, rule, said, smallest, unfit


@rule(
    "keeps shape and dtype",
    "A float32 code added to bfloat16 activations turns the rest of the model into float32; and what has another shape is "
    "broadcast without a word, or stops elsewhere.",
    "Compute in float32 and cast last: .to(x.dtype), in doors 2 and 3 .to(q.dtype); cast before an nn.Linear of your own. "
    "A bias fits (B, H, L_q, L_k).",
)
def keeps_dtype(given: Candidate) -> str | None:
    def test(dtype: torch.dtype) -> str | None:
        positions = torch.tensor([0, 1])
        wrong = unfit(given, positions, dtype)
        found = {} if wrong else given.doors(positions, dtype)
        others = (f"{door} returns {value.dtype}" for door, value in found.items() if value.dtype is not dtype)
        return wrong or next(others, None)

    dtypes = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
    return smallest(dtypes, "two tokens in {}", test)


@rule(
    "tells neighbours apart in bfloat16",
    "bfloat16 holds no 257: angles or distances computed in it give 256 and 257 the same code.",
    "Compute from positions.float(), whatever the model's dtype; cast the result.",
)
def tells_neighbours_apart(given: Candidate) -> str | None:
    def alike(dtype: torch.dtype) -> bool:
        seen = given.doors(torch.tensor([256, 257]), dtype)
        pairs = [  # a bias: what the query at 257 adds for the key at 256 and for the key at 257
            value.expand(1, given.heads, 2, 2)[..., 1, :].unbind(-1) if door.startswith("bias") else value.unbind(-2)
            for door, value in seen.items()
        ]
        return all(torch.equal(left, right) for left, right in pairs)

    def test(dtype: torch.dtype) -> str | None:
        return "they look alike" if alike(dtype) and not alike(torch.float32) else None

    if reach(given.encoding(), given.width, given.heads, 258) < 258:
        return None
    return smallest([torch.bfloat16], "positions 256 and 257 in {}", test)


@rule(
    "says where its table ends",
    "'index out of range in self' tells nobody that a text is too long; a row of another position tells even less.",
    "Compare positions.max() (and .min()) with the rows first; raise ValueError naming both lengths.",
)
def says_where_it_ends(given: Candidate) -> str | None:
    encoding, sizes = given.encoding(), (given.width, given.heads)
    end = reach(encoding, *sizes, FAR)
    if end == FAR:
        return _repeats(encoding, given.width)
    alone = stops(encoding, *sizes, torch.tensor([end]))
    where = f"one token at position {end}" if alone else f"{end + 1} tokens"
    error = alone or stops(encoding, *sizes, torch.arange(end + 1))
    if not isinstance(error, ValueError):
        return f"{where}: {said(error)}"
    numbers = {int(number) for number in re.findall(r"\d+", str(stops(encoding, *sizes, torch.arange(end + 7))))}
    if not numbers & {end - 1, end} or not numbers & {end + 6, end + 7}:
        return f"{where}: the error does not name both lengths, {end} and that of the text: {error}"
    try:
        below = encoding.embed(torch.zeros(1, 1, given.width), torch.tensor([-1]))
    except Exception:
        return None
    last = encoding.embed(torch.zeros(1, 1, given.width), torch.tensor([end - 1]))
    if below.any() and torch.equal(below, last):
        return f"one token at position -1: it gets the code of the last row, {end - 1}, without a word"
    return None


def _repeats(encoding: PositionalEncoding, width: int) -> str | None:
    """Say where the codes of door 1 begin to be those of earlier positions: clipped at the end of a table, or wrapped."""
    code = encoding.embed(torch.zeros(1, 2 * LENGTH, width), torch.arange(2 * LENGTH))[0]  # (L, d)
    (same,) = (code[:-1] == code[-1]).all(dim=-1).nonzero(as_tuple=True)
    if not code[-1].any() or not len(same):
        return None
    apart = 2 * LENGTH - 1 - int(same[-1])
    (own,) = (code[apart:] != code[:-apart]).any(dim=-1).nonzero(as_tuple=True)
    first = apart + (int(own[-1]) + 1 if len(own) else 0)
    return f"one token at position {first}: it gets the code of position {first - apart} without a word"


@rule(
    "takes any length after any other",
    "A table made for the first text that came must not serve the next, nor be missing for a longer one.",
    "Compute from `positions` at every call, or build the table once, in __init__.",
)
def takes_any_length(given: Candidate) -> str | None:
    def test(lengths: tuple[int, int]) -> str | None:
        model, (first, second) = given.model(), map(range, lengths)
        given.read(model, first)
        return differ(given.read(model, second), given.read(given.model(), second))

    return smallest([(1, 2), (2, 1), (2, 5), (5, 2)], "texts of {} tokens, one after the other", test)


@rule(
    "learns",
    "What gets no gradient stays as it started, and no error says so.",
    "Use every parameter in a door; no .detach(), .data or rounding on the way; make nothing anew in no_grad().",
)
def learns(given: Candidate) -> str | None:
    def test(positions: list[int]) -> str | None:
        model = given.model().train()
        with torch.inference_mode():
            given.read(model, positions)
        with torch.enable_grad():
            given.read(model, positions).square().mean().backward()
        for name, parameter in model.encoding.named_parameters():
            if parameter.requires_grad and (parameter.grad is None or not parameter.grad.any()):
                return f"no gradient reaches {name}"
            if parameter.requires_grad and not parameter.grad.isfinite().all():
                return f"the gradient of {name} is not finite"
        return None

    return smallest([[0, 1, 2, 3, 4]], "tokens at positions {}, read once without gradients, then with", test)


@rule(
    "moves with its model",
    "A tensor in a plain attribute stays behind when the model goes to another device or dtype.",
    "Compute what is fixed at every call. What is trained is an nn.Parameter; what is drawn once is a saved buffer: "
    "self.register_buffer(name, tensor).",
)
def moves(given: Candidate) -> str | None:
    model = given.model()
    given.read(model, [0, 1])
    for module in model.encoding.modules():
        for name in vars(module).keys() - vars(nn.Module()).keys():
            value = getattr(module, name)
            held = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
            if any(isinstance(one, Tensor) for one in held):
                return f"two tokens: after them, self.{name} holds a tensor that is neither parameter nor buffer"
    return None


@rule(
    "can be saved and loaded",
    "What is loaded into a new model must say what the saved one said.",
    "Make parameters in __init__; what is drawn is saved too: self.register_buffer(name, tensor).",
)
def can_be_saved(given: Candidate) -> str | None:
    def test(positions: list[int]) -> str | None:
        saved, fresh = given.model(), given.model(encoding=given.encoding(seed=1, moved=False))
        before = given.read(saved, positions)
        fresh.load_state_dict(saved.state_dict())
        return differ(given.read(fresh, positions), before)

    return smallest([[1], [0, 1]], "tokens at positions {}, saved and loaded into a new model", test)


@rule(
    "survives loading through meta",
    "Large models are built without memory (device 'meta'), then given memory that holds anything, then loaded: what was "
    "not saved, as a buffer with persistent=False, stays rubbish, and no error says so.",
    "Compute what is fixed at every call; what is drawn once is a saved buffer: self.register_buffer(name, tensor).",
)
def survives_meta(given: Candidate) -> str | None:
    def test(positions: list[int]) -> str | None:
        saved, empty = given.model(), given.model().to("meta")
        empty._apply(lambda tensor: torch.full_like(tensor, 77, device="cpu"))  # to_empty(), with the worst of luck
        empty.load_state_dict(saved.state_dict())
        return differ(given.read(empty, positions), given.read(saved, positions))

    return smallest([[1], [0, 1]], "tokens at positions {}, built on meta, given memory and loaded", test)
