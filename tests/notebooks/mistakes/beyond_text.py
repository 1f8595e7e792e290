"""Mistakes that notebook 10 must notice."""

from tests.notebooks.mistakes.common import TRANSFORMER, shared

EXPLORER = "posenc_helpers/lessons/beyond_text/explorer.py"
GRAPH = "posenc_helpers/lessons/beyond_text/other_positions.py"
GRID = "posenc_helpers/encodings/grid.py"
PICTURES = "posenc_helpers/lessons/beyond_text/shapes.py"
TURNED = "posenc_helpers/encodings/grid_rope.py"

MISTAKES = [
    # grids and tables
    ("positions: height and width swapped", GRID,
     "torch.cartesian_prod(rows, columns)", "torch.cartesian_prod(columns, rows)"),
    ("2-D sinusoids: column first", GRID,
     "return sinusoidal(positions, dim // 2", "return sinusoidal(positions.flip(-1), dim // 2"),
    ("2-D sinusoids: half of the exponents", GRID,
     "sinusoidal(positions, dim // 2, base)", "sinusoidal(positions, dim // 2, base**0.5)"),
    ("class row resized, too", GRID, "return torch.cat([table[:prefix],", "return torch.cat([0.9 * table[:prefix],"),
    ("grid resized with corners lined up", GRID,
     "align_corners=align_corners)  # (1, d", "align_corners=mode == 'bicubic')  # (1, d"),
    ("grid resized with edges lined up, always", GRID,
     "align_corners=align_corners)  # (1, d", "align_corners=False)  # (1, d"),
    ("grid laid out by columns", GRID,
     "unflatten(0, (height, width)).permute(2, 0, 1)", "unflatten(0, (width, height)).permute(2, 1, 0)"),
    ("Swin: times the window", GRID, "return dy * (2 * width - 1) + dx", "return dy * width + dx"),
    ("Swin: times the height's line", GRID, "return dy * (2 * width - 1) + dx", "return dy * (2 * height - 1) + dx"),
    # rotation
    ("axial: rows and columns exchanged", TURNED,
     "return angles(positions, frequencies).flatten(-2)", "return angles(positions.flip(-1), frequencies).flatten(-2)"),
    ("axial: one axis for all", TURNED,
     "return angles(positions, frequencies).flatten(-2)",
     "return angles(positions[..., :1].expand_as(positions), frequencies).flatten(-2)"),
    ("mixed: one axis alone", TURNED,
     "return angles(positions, matrix).sum(-2)", "return angles(positions, matrix)[..., 0, :]"),
    ("M-RoPE: what follows starts behind the last patch", TURNED, "start += max(counts)", "start += len(ids[-1])"),
    ("M-RoPE: nothing turns", TURNED,
     "angles(positions[..., axes], frequencies", "angles(0 * positions[..., axes], frequencies"),
    # what is measured
    ("attention: the mask hides nothing", TRANSFORMER, "(~mask & some, -math.inf)", "(~mask & some & False, -math.inf)"),
    ("toy: the label is the other axis", PICTURES,
     'places = rows if self.question == "above" else columns', "places = rows"),
    ("similarity with the first patch", EXPLORER, "(unit @ unit[query])", "(unit @ unit[0])"),
    ("shortest paths: one edge is all there is", GRAPH, "distance[now & ~reached] = far", "distance[now & ~reached] = 1"),
    ("shortest paths: the reach doubles", GRAPH,
     "reached.float() @ step.float()", "reached.float() @ (step | reached).float()"),
    # what other notebooks notice, too
    *shared("differences are always 0", "no training step"),
]  # fmt: skip
