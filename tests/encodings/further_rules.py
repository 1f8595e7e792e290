"""Rules for the course's own encodings, beyond those of `lab.rules` that a reader's keep, too: what only tests can hold.

What is stored, gradients, compilers; those about dtypes stand in further_dtypes.py.
"""

import copy
import inspect
import pickle

import torch

from posenc_helpers.encodings import PositionalEncoding
from posenc_helpers.lab.rules.candidate import LENGTH, VOCABULARY
from posenc_helpers.lab.training import seeded
from tests.encodings import further_dtypes  # noqa: F401  its rules stand in FURTHER, too
from tests.encodings.asking import BATCH, FURTHER, PLACES, TOKENS, agree, doors, queries, random, rule


@rule
def doors_take_what_the_base_class_says(given):
    encoding = given.encoding()
    assert encoding is not given.encoding(), "the same encoding twice"
    for door in ("embed", "rotate", "bias", "mix"):
        taken = inspect.signature(getattr(type(getattr(encoding, "grid", encoding)), door)).parameters
        allowed = inspect.signature(getattr(PositionalEncoding, door)).parameters
        assert taken.keys() == allowed.keys(), f"{door} takes {', '.join(taken)}"


@rule
def neighbours_differ(given):
    """By embedding, by rotation, or by what the query at 257 adds for the key at 256 and for the key at 257."""
    seen = doors(given, given.encoding(), torch.tensor([256, 257]))
    pairs = [seen[name].unbind(dim=-2) for name in ("embed", "rotated q", "rotated k")]
    if "bias" in seen:
        pairs.append(seen["bias"].expand(BATCH, given.heads, 2, 2)[..., 1, :].unbind(dim=-1))
    assert any(not torch.equal(left, right) for left, right in pairs), "256 and 257 look alike"


@rule
def order_of_storage_is_nothing(given):
    """Tokens stored in another order, each with its position, get what they got."""
    model, text, order = given.model(causal=False), given.tokens(4, BATCH), torch.tensor([2, 0, 3, 1])
    places = torch.tensor([252, 255, 256, 262])
    agree(model(text[:, order], places[order]), model(text, places)[:, order], "stored in another order")


@rule
def decodes_in_chunks_of_any_size(given):
    model, length = given.model(), 12
    text, places = given.tokens(length, BATCH), 250 + torch.arange(length)
    full = model(text, places)
    for chunks in ([5, 1, 1, 3, 2], [11, 1]):
        caches = model.new_caches()
        parts = zip(text.split(chunks, dim=1), places.split(chunks), strict=True)
        agree(torch.cat([model(*part, caches=caches) for part in parts], dim=1), full, f"in chunks of {chunks}")


@rule
def a_shift_changes_nothing(given):
    """Relative methods see differences of positions alone; absolute ones are exceptions."""
    model, text = given.model(), given.tokens(TOKENS)
    here, there = (model(text, start + torch.arange(TOKENS)) for start in (3, 260))
    torch.testing.assert_close(here, there, rtol=1e-3, atol=1e-3)  # float32 angles near 260 are good to 3e-5


@rule
def gradients_come_back(given):
    """Through every door to what went in."""
    x, q, k = (one.requires_grad_() for one in (random(BATCH, TOKENS, given.width), queries(given), queries(given)))
    positions, encoding = torch.arange(TOKENS), given.encoding()
    total = encoding.embed(x, positions).square().sum()
    for turned in encoding.rotate(q, k, positions, positions):
        total = total + (turned * random(*turned.shape)).sum()
    for name, grad in zip("xqk", torch.autograd.grad(total, (x, q, k)), strict=True):
        assert grad.isfinite().all() and grad.any(), f"no gradient comes back to {name}"


@rule
def second_derivatives_are_finite(given):
    """At distance 0 too, where a power or a logarithm has none of its own."""
    encoding = given.encoding(moved=False)
    parameters = list(encoding.parameters())
    if not parameters:
        return
    total = sum(value.square().sum() for value in doors(given, encoding, torch.tensor([0, 1, 2, 300])).values())
    first = torch.autograd.grad(total, parameters, create_graph=True, allow_unused=True)
    slopes = sum(grad.square().sum() for grad in first if grad is not None)
    for grad in (*first, *torch.autograd.grad(slopes, parameters, allow_unused=True)):
        assert grad is None or grad.isfinite().all(), "a derivative is not finite"


# ------------------------------------------------------------------------------------------------- what is stored


@rule
def fixed_numbers_are_not_stored(given):
    """The state dict holds what is trained and at most the number of a seed."""
    encoding = given.encoding()
    stored = {name for name, value in encoding.state_dict().items() if value.ndim or "_extra_state" not in name}
    assert stored == dict(encoding.named_parameters()).keys(), "a fixed table is stored"
    assert all(parameter.requires_grad for parameter in encoding.parameters()), "a fixed table is a parameter"


@rule
def length_may_change_between_save_and_load(given):
    model = given.model()
    with seeded(1):
        longer = given.model(encoding=given.build(given.width, given.heads, 2 * LENGTH))
    longer.load_state_dict(model.state_dict())
    agree(longer(given.tokens(TOKENS)), model(given.tokens(TOKENS)), "loaded into a longer model")


@rule
def copies_and_pickles(given):
    model, text = given.model(), given.tokens(TOKENS)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin.encoding is twin.blocks[-1].attention.encoding, "no longer one encoding for all layers"
        assert torch.equal(twin(text, PLACES), model(text, PLACES)), "a copy says something else"


@rule
def follows_the_device(given):
    """On the device "meta", which holds shapes alone, any number left on the CPU raises."""
    out = given.model().to("meta")(given.tokens(TOKENS).to("meta"), torch.arange(TOKENS, device="meta"))
    assert out.shape == (1, TOKENS, VOCABULARY)


@rule
def made_on_meta_then_loaded_by_assignment(given):
    """Made without any memory but that of what is stored: the same model again."""
    expected, text = given.model(encoding=given.encoding(moved=False)), given.tokens(TOKENS)
    with torch.device("meta"):
        model = given.model(encoding=given.build(given.width, given.heads, LENGTH))
        assert model(torch.zeros(1, TOKENS, dtype=torch.long)).shape == (1, TOKENS, VOCABULARY)
    model.load_state_dict(expected.state_dict(), assign=True)
    assert torch.equal(model(text), expected(text)), "what was never stored was not made again"


# -------------------------------------------------------------- slow: on each push for one encoding a door (NIGHTLY)


@rule
def compiles_in_one_piece(given):
    torch.compiler.reset()
    model = given.model()
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    for length in (TOKENS, TOKENS + 4):  # the second length compiles with a symbolic one
        text, positions = given.tokens(length, BATCH), 250 + torch.arange(length)
        agree(compiled(text, positions), model(text, positions), "compiled")


@rule
def exports_with_any_length(given):
    """From 3 tokens on: PyTorch 2.6 takes max(1, length - 1) for two cases."""
    model, length = given.model(), torch.export.Dim("length", min=3, max=LENGTH)
    longer = (given.tokens(9, BATCH), 240 + torch.arange(9))
    sizes = ({1: length}, {0: length})
    exported = torch.export.export(model, (given.tokens(TOKENS, BATCH), PLACES), dynamic_shapes=sizes, strict=False)
    agree(exported.module()(*longer), model(*longer), "exported")


SLOW = FURTHER[-2:]
