"""Whisper's tokenizer as Whisper itself uses it.

Owns one repair: the ``tokenizer.json`` that is published with the multilingual models in CTranslate2's format lacks the first merge
of the vocabulary, "Ġ t" (it was taken for a heading). It decodes well, but writes every word that begins with t as a space and a
rest ("Ġ", "the"), which Whisper never does: such a prompt is strange to it, and sentences are scored too low (-12 and -9 instead of
-0.1 for " the"). The English models have the merge.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIRST = ("Ġ", "t")
"""The first merge of GPT-2's vocabulary, and so of Whisper's."""


def tokenizer(folder: Path) -> Any:
    """The ``tokenizers.Tokenizer`` of a model's folder, with the first merge where it lacks it.

    Raises:
        OSError: there is no ``tokenizer.json``.
        ValueError: it is no JSON.
        KeyError: it describes no tokenizer.
    """
    from tokenizers import Tokenizer

    described: dict[str, Any] = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    model: dict[str, Any] = described["model"]
    merges: list[Any] = model.get("merges") or []
    if merges and "".join(FIRST) in model["vocab"]:
        first = " ".join(FIRST) if isinstance(merges[0], str) else list(FIRST)
        if first not in merges:
            merges.insert(0, first)
    return Tokenizer.from_str(json.dumps(described))
