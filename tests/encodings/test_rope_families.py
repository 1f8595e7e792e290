"""Every known family against its class in transformers, layer by layer, from files as they are released.

A small model of the class is run: fewer heads, layers and experts, heads as wide as in the file. What its functions
apply_rotary... get and return says which layers turn, by which angles, in which layout, by which factor; the frequencies
of all layers of the whole file come from its rotary module. `python -m tests.encodings.test_rope_families` prints counts.
"""

import copy
import importlib
import logging
import re
from functools import cache

import pytest
import torch
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, eager_mask
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from posenc_helpers.encodings.grid_rope import axial_frequencies
from posenc_helpers.encodings.rope import RotaryEncoding
from posenc_helpers.encodings.rope_config import families, from_config
from tests.encodings.released_files import FILES, LLAMA_3, PHI_LONG, PHI_SHORT

ROWS = {name: row for name, row in families().items() if row["layers"] not in ("", "part", "refused")}
LENGTH, HEADS = 5, 2
POSITIONS = torch.tensor([3, 0, 700, 21, 5])
FAR = torch.tensor([40_000, 3, 9_000, 70_001, 0])  # where queries have grown, and slow pairs moved
GPT_2 = {"n_embd": "hidden_size", "n_head": "num_attention_heads", "n_layer": "num_hidden_layers"}
SMALL = {
    "intermediate_size": 32, "vocab_size": 64, "pad_token_id": 0, "moe_intermediate_size": 16, "num_experts": 4,
    "n_routed_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "kv_lora_rank": 16, "q_lora_rank": 16,
    "linear_num_key_heads": 2, "linear_num_value_heads": 2, "shared_expert_intermediate_size": 16, "n_group": 1,
    "vocab_size_per_layer_input": 64, "hidden_size_per_layer_input": 8, "num_kv_shared_layers": 0, "topk_group": 1,
    "mamba_num_heads": 2, "mamba_head_dim": 16, "n_groups": 1, "ssm_state_size": 8, "index_n_heads": 3, "index_topk": 4,
    "intermediate_size_mlp": 32, "num_expert_group": 1, "image_size": 64,
}  # fmt: skip
FEW = {"bailing_hybrid": 6, "gemma4_text": 10}  # layers: the last of a group
BY_HAND = ("falcon", "esm", "pixtral")  # their classes have no attention function that could be exchanged


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.WARNING)  # transformers warns of its own defaults
    yield
    logging.disable(logging.NOTSET)


def text_of(config):
    return config.get("text_config", config)


def code_of(model_type):
    """Return the module and the class that a row names."""
    folder, name = ROWS[model_type]["class"].split(".")
    module = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
    return module, getattr(module, name)


WITH_CLASS = [name for name, config in FILES.items() if ROWS[text_of(config)["model_type"]]["class"]]


def their_config(part):
    """Return the configuration that the class makes of a file."""
    rename = GPT_2 if part["model_type"] == "nomic_bert" else {}
    keys = {rename.get(key, key): value for key, value in part.items() if key not in ("model_type", "vision_config")}
    return code_of(part["model_type"])[1].config_class(**copy.deepcopy(keys))


def shrunk(part):
    """Return a file of fewer heads, layers and experts; all that is about positions stays."""
    heads, width, count = (next((k for k in names if k in part), names[0]) for names in (
        ("num_attention_heads", "n_head"), ("hidden_size", "n_embd"), ("num_hidden_layers", "n_layer")))  # fmt: skip
    layers = min(part[count], FEW.get(part["model_type"], 12))
    columns = part["head_dim"] if "head_dim" in part else part[width] // part.get(heads, 8)
    own = {heads: HEADS, width: HEADS * columns, count: layers, "num_key_value_heads": HEADS}
    for key in ("layer_types", "no_rope_layers", "moe_layers"):
        own |= {key: [v for v in part[key][:layers] if key != "moe_layers" or v < layers]} if part.get(key) else {}
    if linear := part.get("linear_attn_config"):
        kept = {key: [i for i in linear[key] if i <= layers] for key in ("full_attn_layers", "kda_layers")}
        own["linear_attn_config"] = linear | kept | {"num_heads": 2, "head_dim": 16}
    return part | {key: SMALL[key] for key in part if key in SMALL} | own


class Spy:
    """Runs a small model of a file and keeps, layer by layer, what turned and what attention got."""

    def __init__(self, part):
        self.part, (self.module, cls) = part, code_of(part["model_type"])
        self.settings = their_config(SMALL | part)
        if part["model_type"] not in BY_HAND:
            ALL_ATTENTION_FUNCTIONS.register("spy", self.attention)
            ALL_MASK_ATTENTION_FUNCTIONS.register("spy", eager_mask)
            self.settings._attn_implementation = "spy"
        torch.manual_seed(0)
        self.model = cls(self.settings).eval()
        stack = next(m for m in self.model.modules() if isinstance(m, torch.nn.ModuleList))
        for index, layer in enumerate(stack):
            layer.register_forward_pre_hook(lambda *_, index=index: setattr(self, "layer", index))

    def attention(self, module, query, key, value, mask, **options):
        """Keep q; return zeros, so that all layers get the same input whatever the positions are."""
        self.seen[self.layer] = query[0]  # (H, L, d_head)
        return query.new_zeros(*query.transpose(1, 2).shape[:3], value.shape[-1]), None

    def run(self, positions, monkeypatch, same_token=False):
        """Return {layer: [(before, after), ...] of apply_rotary...} and {layer: q of attention}."""
        self.turned, self.seen, self.layer = {}, {}, None
        with monkeypatch.context() as patch, torch.no_grad():
            for name in [n for n in vars(self.module) if n.startswith("apply_rotary")]:
                patch.setattr(self.module, name, self.spied(getattr(self.module, name)))
            if self.part["model_type"] == "pixtral":
                self.model(torch.randn(1, 3, 32, 48))
                return self.turned, self.seen
            ids = torch.ones(1, LENGTH, dtype=torch.long) if same_token else torch.arange(1, LENGTH + 1)[None]
            axes = positions.T[:, None] if positions.ndim == 2 else positions[None]
            more = {} if self.part["model_type"] == "esm" else {"use_cache": False}
            self.model(input_ids=ids, position_ids=axes, attention_mask=torch.ones_like(ids), **more)
        return self.turned, self.seen

    def spied(self, function):
        def turn(*given, **options):
            got = function(*given, **options)
            before = [x for x in given if isinstance(x, torch.Tensor) and x.ndim == 4 and x.dtype.is_floating_point][:2]
            after = got if isinstance(got, tuple) else (got,)
            if before[0].shape[1:3].numel() in (
                HEADS * LENGTH,
                HEADS * 6,
            ):  # not those of an indexer, which has 3 heads
                self.turned.setdefault(self.layer, []).extend(zip(before, after, strict=False))
            return got

        return turn


def heads_first(x):
    return x[0].transpose(0, 1) if x.shape[1] == LENGTH else x[0]  # (H, L, columns)


def same_turn(encoding, pairs, positions):
    """Say whether q . k of what a class turned is ours, which shows angles, factor and layout but no common order."""
    (q, q_turned), (k, k_turned) = pairs[:2]
    q, k, q_turned, k_turned = (heads_first(x) for x in (q, k, q_turned, k_turned))
    missing = encoding.head_dim - q.shape[-1]  # classes that cut off themselves what does not turn
    assert missing in (0, encoding.head_dim - encoding.rotary_dim), (q.shape, encoding)
    wide = [torch.nn.functional.pad(x, (0, missing))[None] for x in (q, k)]
    turn = RotaryEncoding.rotate if type(encoding).__name__ == "WarmRotaryEncoding" else type(encoding).rotate
    ours = [x[0] for x in turn(encoding, *wide, positions, positions)]
    theirs, mine = q_turned @ k_turned.transpose(-2, -1), ours[0] @ ours[1].transpose(-2, -1)
    return torch.allclose(mine, theirs, atol=2e-3 * theirs.abs().max().item(), rtol=0)


def compare_layers(name, monkeypatch):
    """Run a small model of the file; return how many of its layers agree with ours, and which do not."""
    config = FILES[name]
    part = shrunk(text_of(config))
    if part["model_type"] == "llama4_text":  # it counts tokens of the call instead of reading position_ids
        part["floor_scale"] = 2
    whole = config | {"text_config": part} if "text_config" in config else part
    spy, different = Spy(part), []
    count = next(part[key] for key in ("num_hidden_layers", "n_layer") if key in part)
    encodings = [from_config(whole, layer) for layer in range(count)]
    axes = encodings[-1].coordinates
    positions, far = POSITIONS, FAR.clamp(max=part.get("n_positions", 10**6) - 1)
    if axes == (3,):
        positions, far = (torch.stack([p, p + 2, 3 * p], dim=-1) for p in (positions, far))
    if axes == (2,):  # 32 x 48 pixels in patches of 16
        positions = torch.cartesian_prod(torch.arange(2), torch.arange(3))
    turned, _ = spy.run(positions, monkeypatch)
    _, zero = spy.run(torch.zeros_like(positions), monkeypatch, same_token=True)
    _, moved = spy.run(far, monkeypatch, same_token=True)
    for layer, encoding in enumerate(encodings):
        turns = isinstance(encoding, RotaryEncoding)
        equal = turns == (layer in turned)
        if turns and equal:
            equal = same_turn(encoding, turned[layer], positions)
        if layer in zero and equal:  # what attention got: how much queries grew, and how many columns turned
            x = torch.ones(1, 1, LENGTH, getattr(encoding, "head_dim", 8))
            counted = torch.arange(LENGTH) if "floor_scale" in part and not turns else far
            ours, still = (encoding.rotate(x, x, p, p)[0][0].norm(dim=-1) for p in (counted, torch.zeros_like(far)))
            theirs, their_still = moved[layer].norm(dim=-1), zero[layer].norm(dim=-1)
            if "floor_scale" in part:  # both runs have it, but all tokens are one
                still, their_still = ours[..., -1:], theirs[..., -1:]
            ours, grown = ours / still, theirs / their_still
            changed = (moved[layer] / grown[..., None] - zero[layer]).abs() > 1e-6
            columns = 2 * int((encoding.frequencies() > 0).sum()) if turns else 0
            equal = torch.allclose(grown, ours.expand_as(grown), atol=1e-4)
            equal &= int(changed.any(1).any(0).sum()) == columns or "floor_scale" in part
        different += [] if equal else [(name, layer, encoding)]
    return count, different


@pytest.mark.parametrize("name", WITH_CLASS)
def test_layers_turn_as_in_a_model_of_the_class(name, monkeypatch):
    count, different = compare_layers(name, monkeypatch)
    assert count and not different


# ---------------------------------------------------------------- frequencies of the whole file


@cache
def rotary_class(model_type):
    """Return the class of the rotary module of a family."""
    name = next(name for name in FILES if text_of(FILES[name])["model_type"] == model_type)
    model = Spy(shrunk(text_of(FILES[name]))).model
    return next((type(m) for m in model.modules() if "Rotary" in type(m).__name__), None)


def tables(part, length):
    """Return {kind of layer or None: (frequencies, factor)} that the class has for a text of this length."""
    module = rotary_class(part["model_type"])(their_config(part))
    kinds = [k for k in getattr(module, "layer_types", None) or [] if hasattr(module, f"{k}_inv_freq")]
    for kind in kinds or [None]:
        last = torch.tensor([[length - 1]])
        if part["model_type"] != "pixtral":
            module(torch.zeros(1, 1, 8), last, **({"layer_type": kind} if kind else {}))
    prefix = {kind: f"{kind}_" for kind in kinds} or {None: ""}
    return {kind: (getattr(module, f"{before}inv_freq", None), getattr(module, f"{before}attention_scaling", 1.0))
            for kind, before in prefix.items()}, module  # fmt: skip


def compare_tables(config, length=None):
    """Compare frequencies and factor of all layers of a whole file that turn; return how many, and which differ."""
    part, different = text_of(config), []
    length = length or 16
    theirs, module = tables(part, length)
    kinds = getattr(module.config if hasattr(module, "config") else their_config(part), "layer_types", None) or []
    compared = 0
    for layer in range(next(part[key] for key in ("num_hidden_layers", "n_layer") if key in part)):
        encoding = from_config(config, layer)
        if not isinstance(encoding, RotaryEncoding):
            continue
        compared += 1
        frequencies, factor = theirs[kinds[layer] if None not in theirs else None]
        if frequencies is None:  # GPT-J keeps sines and cosines: those of position 1
            sines, cosines = module.embed_positions[1].chunk(2) if hasattr(module, "embed_positions") else (None, None)
            frequencies = torch.atan2(sines, cosines)
        on_grid = encoding.coordinates == (2,)
        ours = axial_frequencies(64, 1e4, "alternating").flatten() if on_grid else encoding.frequencies(length)
        equal = ours.shape == frequencies.shape and torch.allclose(ours, frequencies.float(), atol=0, rtol=1e-5)
        different += [] if equal and abs(encoding.attention_factor - factor) < 1e-6 else [(layer, encoding)]
    return compared, different


TURNING = [name for name in WITH_CLASS if ROWS[text_of(FILES[name])["model_type"]]["layers"] != "none"]


@pytest.mark.parametrize("name", TURNING)
def test_frequencies_of_every_layer_of_the_file(name):
    count, different = compare_tables(FILES[name])
    assert count and not different


@pytest.mark.parametrize("name", TURNING)
def test_what_a_file_leaves_out_is_the_default_of_the_class_or_refused(name):
    """Each key that is read is left out in turn."""
    part = text_of(FILES[name])
    columns = ("layers", "pattern", "head_dim", "rotary", "base", "encoding")
    read = set(re.findall(r"\w+", " ".join(ROWS[part["model_type"]][column] for column in columns)))
    read |= {"rope_scaling", "rope_parameters", "max_position_embeddings", "original_max_position_embeddings"}
    for key in sorted(read & set(part)):
        less = {k: v for k, v in part.items() if k != key}
        try:
            from_config(less, 0)
        except ValueError:
            continue
        _, different = compare_tables(less)
        assert not different, (key, different)


SCALED = {
    "linear": {"rope_type": "linear", "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "factor": 4.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048},
    "llama3": LLAMA_3,
    "longrope": {"rope_type": "longrope", "long_factor": PHI_LONG, "short_factor": PHI_SHORT},
    "proportional": {"rope_type": "proportional", "partial_rotary_factor": 0.25},
}
STRETCHED = [(name, rope_type) for name in TURNING for rope_type in SCALED
             if rope_type in ROWS[text_of(FILES[name])["model_type"]]["scaling"]]  # fmt: skip


@pytest.mark.parametrize(("name", "rope_type"), STRETCHED)
def test_every_rope_type_that_a_family_is_known_with(name, rope_type):
    """Below the trained length and beyond it, where that matters."""
    part = {k: v for k, v in text_of(FILES[name]).items() if k not in ("rope_scaling", "rope_parameters")}
    part |= {"max_position_embeddings": 8192}
    key = "rope_scaling"
    rope = SCALED[rope_type]
    if part["model_type"] == "gemma4_text":
        rope = {"full_attention": rope | {"rope_theta": 1e6}, "sliding_attention": {"rope_theta": 1e4}}
        key = "rope_parameters"
    if rope_type == "longrope" and part["original_max_position_embeddings"] != 4096:
        pytest.fail("the lengths below are those of Phi")
    for length in (100, 10_000):
        count, different = compare_tables(part | {key: rope}, length)
        assert count and not different, length


@pytest.mark.parametrize("name", WITH_CLASS)
def test_files_that_transformers_saves_anew_say_the_same(name):
    """Its new key names, and every default written out; what cannot be read is refused by name."""
    part = text_of(FILES[name])
    new = their_config(part).to_dict()
    if part["model_type"] == "gemma4_text":
        with pytest.raises(ValueError, match="per_layer_config"):
            from_config(new, 0)
        return
    for layer in range(next(part[key] for key in ("num_hidden_layers", "n_layer") if key in part)):
        ours, again = from_config(part, layer), from_config(new, layer)
        assert repr(ours) == repr(again), layer
        if isinstance(ours, RotaryEncoding):
            assert all(torch.equal(ours.frequencies(n), again.frequencies(n)) for n in (1, 100_000))
            assert ours.attention_factor == again.attention_factor


def test_what_grows_by_default_is_what_the_class_has():
    settings = code_of("llama4_text")[1].config_class(num_hidden_layers=4)
    warm = from_config(FILES["Llama 4 with defaults"], 3)
    assert settings.attn_temperature_tuning and (warm.beta, warm.length) == (settings.attn_scale, settings.floor_scale)


def main():
    """Print how many families and layers were compared, for whoever quotes it."""
    compared, whole, different = 0, 0, []
    logging.disable(logging.WARNING)
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in WITH_CLASS:
            count, wrong = compare_layers(name, monkeypatch)
            compared, different = compared + count, different + wrong
        for name in TURNING:
            count, wrong = compare_tables(FILES[name])
            whole, different = whole + count, different + wrong
    kinds = {text_of(FILES[name])["model_type"] for name in WITH_CLASS}
    print(f"{len(kinds)} families, {len(WITH_CLASS)} files; layers of small models {compared}, of whole files {whole}; "
          f"different {len(different)} {different}")  # fmt: skip


if __name__ == "__main__":
    main()
