"""What is usual in an answer, for suspicious.py: everything else is a reason for a look."""

import ast
import builtins
import sys
from functools import cache
from itertools import chain

import numpy as np
import torch
from torch import nn


def words(text: str) -> set[str]:
    return set(text.split())


NODES = words(
    "Module Expr Assign AnnAssign AugAssign FunctionDef ClassDef Return If For While Break Continue Pass Import "
    "ImportFrom Assert Raise Lambda BinOp BoolOp UnaryOp Compare Call IfExp Attribute Subscript Slice Name "
    "Constant Tuple List Set Dict ListComp SetComp DictComp GeneratorExp comprehension JoinedStr FormattedValue "
    "Starred keyword arg arguments alias Load Store"
)
KINDS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)  # all of these are usual
BUILTINS = words(
    "abs all any ascii bin bool callable chr complex dict divmod enumerate filter float format frozenset hasattr "
    "hex int __name__ isinstance iter len list map max min next object oct pow print range repr reversed round "
    "set slice sorted staticmethod str sum super tuple type zip Ellipsis NotImplemented"
) | {name for name in vars(builtins) if name.endswith(("Error", "Exception", "Warning", "Iteration"))}
HARMLESS = {"id", "input", "hash", "help", "license", "credits", "copyright"}  # builtins that answers do call their own
NO_NAMES = {"super", "type", "object", "staticmethod", "next", "print", "isinstance"}  # what no answer calls its own
NO_NAMES |= {name for name in vars(builtins) if not name.startswith("_")} - BUILTINS - HARMLESS
ITERATORS = {"iter", "map", "filter", "zip", "enumerate", "reversed"}  # remember how far they were read
EATERS = words("list tuple dict set frozenset sorted sum any all max min len")  # read an iterator to its end
METHODS = {"__init__", "__call__", "__repr__"}
BASES = {"torch.nn.Module", "object", "posenc_helpers.encodings.PositionalEncoding"}
COURSE = ("posenc_helpers.encodings", "posenc_helpers.transformer")  # what exercises ask to write anew

# The functions of modules that answers use. Of this course an answer may use what the lessons import.
_WRITTEN = {
    "torch": "zeros ones arange linspace logspace eye full empty zeros_like ones_like full_like empty_like rand randn "
    "randint randperm rand_like randn_like cat concat concatenate stack hstack vstack dstack column_stack where "
    "einsum tensor as_tensor asarray from_numpy meshgrid cartesian_prod combinations cdist pdist polar complex "
    "view_as_real view_as_complex outer block_diag tensordot equal is_tensor Tensor Generator manual_seed Size device "
    "dtype pi inf nan e broadcast_tensors bucketize searchsorted atleast_1d atleast_2d range bincount tril_indices "
    "triu_indices normal set_printoptions nn linalg fft special set_grad_enabled no_grad inference_mode result_type "
    "is_complex is_floating_point cosine_similarity layer_norm softmax log_softmax embedding testing",
    "torch.testing": "assert_close",
    "torch.nn": "functional init Parameter",
    "torch.nn.functional": "pad one_hot softmax log_softmax relu gelu silu sigmoid tanh cross_entropy mse_loss "
    "embedding linear layer_norm normalize cosine_similarity interpolate unfold fold scaled_dot_product_attention "
    "dropout nll_loss softplus grid_sample elu leaky_relu pairwise_distance l1_loss smooth_l1_loss huber_loss",
    "torch.nn.init": "normal_ zeros_ ones_ constant_ uniform_ xavier_uniform_ xavier_normal_ kaiming_uniform_ "
    "kaiming_normal_ trunc_normal_ eye_ orthogonal_",
    "torch.fft": "fft ifft rfft irfft fft2 ifft2 fftn ifftn fftfreq rfftfreq fftshift ifftshift",
    "numpy": "array asarray zeros ones full empty arange linspace logspace geomspace eye identity zeros_like "
    "ones_like full_like empty_like stack hstack vstack concatenate column_stack block where einsum outer kron dot "
    "matmul inner tensordot cross meshgrid indices tile repeat roll flip fliplr flipud append diff interp pad isclose "
    "allclose array_equal unique sign median percentile quantile average histogram bincount digitize tril triu "
    "tril_indices triu_indices diag diagflat expand_dims broadcast_to atleast_1d atleast_2d moveaxis swapaxes rot90 "
    "gradient trapezoid convolve correlate vectorize nonzero argwhere flatnonzero count_nonzero isin union1d "
    "intersect1d setdiff1d pi e inf nan newaxis ndarray float16 float32 float64 int8 int16 int32 int64 uint8 bool_ "
    "str_ complex64 complex128 integer floating number linalg random fft set_printoptions array_split split "
    "nan_to_num poly1d polyfit polyval sinc real imag angle deg2rad rad2deg ix_ cumsum cumprod amax amin round_ "
    "around ndindex ndenumerate",
    "numpy.random": "default_rng seed rand randn randint permutation shuffle choice normal uniform standard_normal random",
    "numpy.fft": "fft ifft rfft irfft fft2 ifft2 fftfreq rfftfreq fftshift ifftshift",
    "random": "random randint randrange choice sample shuffle uniform seed gauss Random",
    "statistics": "mean median stdev pstdev variance pvariance fmean",
    "fractions": "Fraction",
    "functools": "reduce partial",
    "collections": "Counter defaultdict deque OrderedDict abc",
    "collections.abc": "Callable Iterable Iterator Sequence Mapping",
    "typing": "Any Callable Iterable Iterator Sequence Mapping Optional Union List Dict Tuple Set Literal",
    "copy": "copy deepcopy",
    "re": "findall fullmatch match search split sub",
    "bisect": "bisect bisect_left bisect_right",
    "matplotlib": "pyplot",
    "matplotlib.pyplot": "plot imshow figure subplots subplot show title xlabel ylabel legend colorbar axis grid bar "
    "scatter hist tight_layout close",
    "einops": "rearrange repeat reduce einsum",
}
MODULES = {*_WRITTEN, "torch.linalg", "torch.special", "numpy.linalg", "math", "cmath", "itertools"}
_METHODS_OF_OTHERS = words(
    "rotate manual_seed permutation permuted integers standard_normal normal uniform random shuffle choice seed "
    "from_pretrained most_common appendleft popleft numerator denominator solution eigenvalues eigenvectors U S Vh "
    "group groups plot imshow scatter bar set_title set_xlabel set_ylabel set_xticks set_yticks legend colorbar "
    "weight heads rows data weights slopes dim size names bias __name__ in_features out_features embedding_dim "
    "num_embeddings"
)
_TYPES = (torch.Tensor, nn.Module, np.ndarray, list, dict, str, tuple, int, float, complex, set, frozenset, bool)
# What reaches further, or changes how all tensors work.
_FAR = words(
    "as_subclass as_strided as_strided_ tofile dump dumps ctypes base storage storage_type storage_offset "
    "untyped_storage compile grad_fn load_state_dict share_memory share_memory_ modules named_modules children "
    "named_children get_submodule set_submodule get_buffer get_extra_state set_extra_state T_destination "
    "call_super_init dump_patches setflags setfield getfield format_map from_bytes to_bytes encode translate "
    "maketrans obj backward retain_grad resize_ resize_as_ rename rename_ add_module xpu ipu mtia "
    "module_load reinforce"
)
_BEGINS = tuple(words("_ set_ gi_ cr_ ag_ tb_ co_ f_ func_ apply map map2 register requires_"))
_KEPT = tuple(words("set_title set_xlabel set_ylabel set_xticks set_yticks requires_grad"))


@cache
def attributes() -> frozenset[str]:
    """Return the attributes that an answer may use of a value, whatever it is."""
    found = {name for kind in _TYPES for name in dir(kind)} | _METHODS_OF_OTHERS
    return frozenset(name for name in found if name == "__name__" or not far(name))


def far(name: str) -> bool:
    """Whether an attribute of this name reaches further than values and their methods."""
    if name in ("register_buffer", "register_parameter"):
        return False
    return name in _FAR or "hook" in name or (name.startswith(_BEGINS) and not name.startswith(_KEPT))


TAKEN = frozenset(chain(dir(torch.Tensor), dir(str), dir(dict), dir(np.ndarray))) - METHODS - {"names"}
STANDARD = frozenset(sys.stdlib_module_names)  # `self.os` may be that of a module that is handed over as self


@cache
def functions(module: str) -> frozenset[str]:
    """Return the names of `module` that an answer may use."""
    found = words(_WRITTEN.get(module, ""))
    if module in ("math", "cmath", "itertools"):
        found |= {name for name in dir(sys.modules.get(module) or __import__(module)) if not name.startswith("_")}
    elif module == "torch":
        same = [name for name in dir(torch) if name in dir(torch.Tensor) and not far(name)]
        found |= {name for name in same if callable(getattr(torch, name))}
        found |= {name for name, value in vars(torch).items() if isinstance(value, torch.dtype)}
    elif module == "torch.nn":
        kinds = [(name, value) for name, value in vars(nn).items() if isinstance(value, type) and not far(name)]
        found |= {name for name, value in kinds if issubclass(value, nn.Module)}
    elif module in ("torch.linalg", "torch.special", "numpy.linalg"):
        found |= set(_public({"torch.linalg": torch.linalg, "torch.special": torch.special}.get(module, np.linalg)))
    elif module == "numpy":
        found |= {name for name, value in vars(np).items() if isinstance(value, np.ufunc)}
        found |= {name for name in dir(np.ndarray) if callable(getattr(np, name, None)) and not far(name)}
    return frozenset(found)


def _public(module) -> list[str]:
    kinds = (type(torch.linalg.norm), type(np.linalg.norm), type(torch.abs), type(lambda: 0))
    return [name for name, value in vars(module).items() if isinstance(value, kinds) and not name.startswith("_")]


def meanings(lines) -> dict[str, set[str]]:
    """Return {name: what it stands for} of all that `lines` import: {"nn": {"torch.nn"}}."""
    found: dict[str, set[str]] = {}
    for node in (node for line in lines for node in ast.walk(line)):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            if isinstance(node, ast.ImportFrom):
                found.setdefault(alias.asname or alias.name, set()).add(f"{node.module}.{alias.name}")
            else:
                first = alias.name.split(".")[0]
                found.setdefault(alias.asname or first, set()).add(alias.name if alias.asname else first)
    return found


def made_of(lines: list[ast.stmt], imported: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return {name: what of the course it is made of} of all that `lines`, those of a lesson, define: {"rope": {...}}."""
    found: dict[str, set[str]] = {}
    for line in lines:  # each is made of what stands above it
        names = {getattr(line, "name", "")} | {n.id for n in ast.walk(line) if isinstance(n, ast.Name) and _stored(n)}
        read = [n for n in ast.walk(line) if isinstance(n, ast.Name | ast.Attribute) and not _stored(n)]
        made = {means for n in read for means in dotted(n, imported) if means.startswith(COURSE)}
        made |= set().union(*(found.get(n.id, set()) for n in read if isinstance(n, ast.Name)))
        for name in names - {""} if made else ():
            found.setdefault(name, set()).update(made)
    return found


def _stored(node) -> bool:
    return not isinstance(node.ctx, ast.Load)


def dotted(node, imported: dict[str, set[str]]) -> set[str]:
    """Return what a dotted name stands for: {"torch.nn.Module"} for nn.Module."""
    if isinstance(node, ast.Attribute):
        return {f"{base}.{node.attr}" for base in dotted(node.value, imported)}
    name = getattr(node, "id", "?")
    return imported.get(name, {name})
