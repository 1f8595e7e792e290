"""A small model of the class that a family of configurations names, and what its functions apply_rotary... do.

A file is made smaller: fewer heads, layers and experts, heads as wide as in the file.
"""

import copy
import importlib

import torch
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, eager_mask
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from posenc_helpers.encodings.rope import RotaryEncoding
from posenc_helpers.encodings.rope_config import families

ROWS = {name: row for name, row in families().items() if row["layers"] not in ("", "part", "refused")}
LENGTH, HEADS = 5, 2
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


def text_of(config):
    return config.get("text_config", config)


def code_of(model_type):
    """Return the module and the class that a row names."""
    folder, name = ROWS[model_type]["class"].split(".")
    module = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
    return module, getattr(module, name)


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
            if before[0].shape[1:3].numel() in (HEADS * LENGTH, HEADS * 6):  # not an indexer's, which has 3 heads
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
