"""The saved pictures of a notebook as files, and as HTML with their descriptions."""

import base64
import html
from pathlib import Path

from nbformat import NotebookNode

PAN = '<p class="pan" hidden>The picture is wider than this screen: push it sideways.</p>'  # pan.js shows it where it is so


def stored(output: NotebookNode, file: Path, source: str, where: str, attributes: str = "") -> str:
    """Write the picture of `output` to `file`, and return it as HTML that loads it from `source`.

    Raises ValueError, which names `where`, for a picture that is not described.
    """
    facts = output.metadata.get("image/png", {})
    if not facts.get("alt"):
        raise ValueError(f"{where}: a picture without alternative text")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(base64.b64decode(output.data["image/png"]))
    size = f' width="{facts["width"]}" height="{facts["height"]}"' if "width" in facts else ""
    return f'<img src="{source}" alt="{html.escape(facts["alt"])}"{size}{attributes}>'
