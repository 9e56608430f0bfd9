"""Has an adapter reply to words that nobody wrote a reply to: ``python -m models.training.talk.replies GGUF ADAPTER FILE``.

The words are those of the lines of acts that ask for nothing (``models/training/acts/data``). A line of FILE, JSON, is a pair: the
driver's words, and the reply. A smaller adapter learns from them (``models.training.talk.train``, ``--teacher``).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random

from models.acts.talk import CONTEXT, LONGEST, Talker
from models.runtime.llamacpp import LlamaCppModel
from models.training.acts import lines as acts
from models.training.talk.lines import Exchange
from schemas.errors import GenerationError

TALK = frozenset({"chat()", "praise()", "blame()", "how_are_you()", "tell()"})
"""Acts of words that may get such a reply."""
MOST, WITHIN_S = 1_000, 5.0
"""Replies that are written, and seconds for each."""


def read(path: Path) -> list[Exchange]:
    """The exchanges of a file."""
    return [Exchange(*json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def said() -> list[str]:
    """Words that ask for nothing, those without holes and context, in any order."""
    drawn = (acts.draw(Random(1), line) for line in acts.lines())
    found = {one.utterance for one in drawn if not one.context and str(one.answer) in TALK}
    return Random(1).sample(sorted(one for one in found if len(one.split()) <= LONGEST), min(MOST, len(found)))


def main() -> None:
    """Ask and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    talker = Talker(LlamaCppModel(given.gguf, adapter=given.adapter, threads=given.threads, context_tokens=CONTEXT))
    with given.file.open("w", encoding="utf-8") as file:
        for words in said():
            try:
                file.write(json.dumps([words, talker.reply(words, within_s=WITHIN_S)]) + "\n")
            except GenerationError:
                continue


if __name__ == "__main__":
    main()
