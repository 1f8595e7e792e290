"""How long it takes to turn q and k, against other code in the same run: python -m tests.benchmarks.rope [--store]

Every round calls every contestant once, in a new random order, in one process, so that a busy machine slows all of
them alike. The floor is copying q and k. Ours makes its angles in every call; the others get theirs ready-made, as
they use them in a model with many layers. Only ratios mean something; --store keeps them in data/.
"""

import argparse
import json
import platform
import random
import statistics
import time
from importlib.metadata import version
from pathlib import Path

import torch
from rotary_embedding_torch import RotaryEmbedding as RotaryEmbeddingTorch
from transformers.models.cohere.modeling_cohere import apply_rotary_pos_emb as cohere
from transformers.models.glm.modeling_glm import apply_rotary_pos_emb as glm
from transformers.models.gpt_neox.modeling_gpt_neox import apply_rotary_pos_emb as gpt_neox
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama
from x_transformers.x_transformers import RotaryEmbedding as XRotaryEmbedding
from x_transformers.x_transformers import apply_rotary_pos_emb as x_transformers

from posenc_helpers.encodings.rope import apply_rope, rope_angles
from posenc_helpers.encodings.sinusoidal import frequencies

SHAPE = (4, 8, 1024, 64)  # B, H, L, d_head
FLOOR, HUGGING_FACE = "copy q and k", {"half": "Hugging Face Llama", "interleaved": "Hugging Face GPT-J"}


def contestants(layout: str):
    """Return name -> function for one layout; each returns q and k turned, and all must agree."""
    *_, length, width = SHAPE
    q, k = torch.randn(SHAPE), torch.randn(SHAPE)
    positions = torch.arange(length)
    angle = rope_angles(positions, frequencies(width))
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


def measure(layout: str, rounds: int) -> dict[str, dict[str, float]]:
    """Return, per contestant, milliseconds (least and median) and ratios to the floor and to Hugging Face."""
    torch.manual_seed(0)
    runners = contestants(layout)
    expected = runners["posenc"]()
    for name, run in runners.items():
        if name != FLOOR:
            torch.testing.assert_close(run(), expected, atol=5e-4, rtol=0)  # nobody may win by doing something else
    times = {name: [] for name in runners}
    order = list(runners)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            start = time.perf_counter()
            runners[name]()
            times[name].append(time.perf_counter() - start)
    least, median = ({name: pick(t) for name, t in times.items()} for pick in (min, statistics.median))
    peer = HUGGING_FACE[layout]
    return {
        name: {
            "least_ms": round(1e3 * least[name], 3),
            "median_ms": round(1e3 * median[name], 3),
            "to_copy": round(median[name] / median[FLOOR], 3),
            "to_hugging_face": round(median[name] / median[peer], 3),
            "to_hugging_face_least": round(least[name] / least[peer], 3),
        }
        for name in runners
    }


def machine() -> dict[str, str | int]:
    """Describe what the numbers were measured on."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), processor)
    packages = ("torch", "transformers", "rotary-embedding-torch", "x-transformers")
    return {
        "processor": processor,
        "system": platform.system(),
        "python": platform.python_version(),
        "threads": torch.get_num_threads(),
    } | {name: version(name) for name in packages}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--store", action="store_true", help="write data/benchmark_rope.json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    result = {"shape": SHAPE, "dtype": "float32", "rounds": options.rounds, "machine": machine(), "layouts": {}}
    with torch.inference_mode():
        for layout in HUGGING_FACE:
            rows = result["layouts"][layout] = measure(layout, options.rounds)
            print(f'\nlayout="{layout}", {SHAPE} float32{"least ms":>18}{"median ms":>11}{"/ copy":>8}{"/ HF":>7}')
            for name, row in sorted(rows.items(), key=lambda item: item[1]["median_ms"]):
                print(
                    f"  {name:<46}{row['least_ms']:>9.2f}{row['median_ms']:>11.2f}"
                    f"{row['to_copy']:>8.2f}{row['to_hugging_face']:>7.2f}"
                )
    if options.store:
        target = Path(__file__).parents[2] / "data" / "benchmark_rope.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
