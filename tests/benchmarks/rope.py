"""How long it takes to turn q and k, against other code in the same run: python -m tests.benchmarks.rope [--store]

All take turns in one process. The floor is copying q and k. Ours makes its angles in every call; the others get theirs
ready-made, as they use them in a model with many layers. Only ratios mean something; --store keeps them in data/.
"""

import torch
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from transformers.models.cohere.modeling_cohere import apply_rotary_pos_emb as cohere
from transformers.models.glm.modeling_glm import apply_rotary_pos_emb as glm
from transformers.models.gpt_neox.modeling_gpt_neox import apply_rotary_pos_emb as gpt_neox
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama
from x_transformers.x_transformers import RotaryEmbedding as XRotaryEmbedding
from x_transformers.x_transformers import apply_rotary_pos_emb as x_transformers

from posenc_helpers.encodings.precision import angles
from posenc_helpers.encodings.rope import apply_rope
from posenc_helpers.encodings.sinusoidal import frequencies
from tests.benchmarks.timing import parse, show, store, take_turns

SHAPE = (4, 8, 1024, 64)  # B, H, L, d_head
FLOOR, HUGGING_FACE = "copy q and k", {"half": "Hugging Face Llama", "interleaved": "Hugging Face GPT-J"}


def contestants(layout: str):
    """Return name -> function for one layout; each returns q and k turned, and all must agree."""
    *_, length, width = SHAPE
    q, k = torch.randn(SHAPE), torch.randn(SHAPE)
    positions = torch.arange(length)
    angle = angles(positions, frequencies(width))
    cos, sin = (torch.cat([part, part], dim=-1)[None] for part in (angle.cos(), angle.sin()))  # (1, L, d_head)
    ours = {
        FLOOR: lambda: (q.clone(), k.clone()),
        "posenc": lambda: (apply_rope(q, positions, layout=layout), apply_rope(k, positions, layout=layout)),
    }
    if layout == "half":
        return ours | {
            HUGGING_FACE[layout]: lambda: llama(q, k, cos, sin),
            "Hugging Face GPT-NeoX": lambda: gpt_neox(q, k, cos, sin),
        }
    # Cohere's tables repeat every angle beside itself; GPT-J has the length before the heads and half a table.
    cos2, sin2 = (part[..., : width // 2].repeat_interleave(2, dim=-1) for part in (cos, sin))
    q_gptj, k_gptj = q.transpose(1, 2).contiguous(), k.transpose(1, 2).contiguous()
    half_cos, half_sin = angle.cos()[None], angle.sin()[None]
    torch_package = RotaryEmbeddingTorch(width)
    x_angles, _ = XRotaryEmbedding(width)(positions)
    return ours | {
        HUGGING_FACE[layout]: lambda: tuple(gptj(x, half_sin, half_cos).transpose(1, 2) for x in (q_gptj, k_gptj)),
        "Hugging Face GLM": lambda: glm(q, k, cos, sin),
        "Hugging Face Cohere": lambda: cohere(q, k, cos2, sin2),
        "rotary-embedding-torch": lambda: tuple(torch_package.rotate_queries_or_keys(x) for x in (q, k)),
        "x-transformers": lambda: (x_transformers(q, x_angles), x_transformers(k, x_angles)),
    }


def measure(layout: str, rounds: int) -> dict[str, dict]:
    """Return, per contestant, milliseconds and ratios to the floor and to Hugging Face."""
    torch.manual_seed(0)
    runners = contestants(layout)
    expected = runners["posenc"]()
    for name, run in runners.items():
        if name != FLOOR:
            torch.testing.assert_close(run(), expected, atol=5e-4, rtol=0)  # nobody may win by doing something else
    return take_turns(runners, rounds, (FLOOR, HUGGING_FACE[layout]))


def main() -> None:
    options = parse(__doc__, rounds=60)
    layouts = {}
    with torch.inference_mode():
        for layout in HUGGING_FACE:
            layouts[layout] = measure(layout, options.rounds)
            show(f'layout="{layout}", {SHAPE} float32', layouts[layout])
    if options.store:
        result = {"shape": SHAPE, "dtype": "float32", "rounds": options.rounds, "layouts": layouts}
        store("rope", ("transformers", "rotary-embedding-torch", "x-transformers"), result)


if __name__ == "__main__":
    main()
