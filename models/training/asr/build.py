"""Makes the trigram model and the pronunciations of the domain from sentences that this project generates.

    python -m models.training.asr.build --out models/builtin/asr

Sentences: samples of the command templates, and what drivers say freely (``models.training.conversations.spoken``, the part
of the phrase bank that is trained on). Writes ``domain.lm.bin``, ``domain.dict`` and ``CARD.md``. The same seed gives the
same files.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random

import numpy as np
import pocketsphinx
from pocketsphinx.lm import ArpaBoLM

from models.commands.templates import Templates, load_templates
from models.training import conversations
from models.training.asr.pronunciation import pronounce, read_dictionary

COMMANDS = 20_000
"""Samples of the templates: as many as the research trial took (research: 20,000 in 0.6 s)."""
FREE = 40_000
"""Free sentences: statements, requests and small talk, a third each."""
DISCOUNT_MASS = 0.35
"""Share of the probability left to what was not seen. Perplexity of held-out free sentences / of held-out samples of the
templates: .2 -> 114 / 11, .35 -> 111 / 14, .5 -> 125 / 18."""
BREATH_SHARE = 0.1
"""Sentences that begin with the wake word or its tail, as an utterance said in one breath with it does."""
WAKE_WORD = "computer"

CARD = """# Domain trigram and pronunciations (built in)

What: `domain.lm.bin`, a trigram model over {words} words ({ngrams} n-grams), and `domain.dict`, their pronunciations in
ARPAbet. They work with the en-us acoustic model inside the `pocketsphinx` package (BSD), which is not copied here.

Made by: `python -m models.training.asr.build --out models/builtin/asr --seed {seed}` (about a minute on two cores; espeak-ng
is asked for the pronunciation of words that neither CMUdict nor our reviewed list has).

From: {commands} sentences sampled from `models/commands` and {free} from this project's phrase bank
(`models/training/phrases`, the part that is trained on). No sentence of any data set is in it. CMUdict's pronunciations are
BSD-licensed and come with the pocketsphinx package.

Kept out: {held_out:.1%} of the words of the bank's held-out sentences are unknown to it; a speaker's free words are worse.

How well it hears: docs/log.md, measured by `python -m deploy.lab.recogniser.recognition`, on synthetic voices; on real voices only
the acoustic model's own limits are known (research: .69 to .89 of the commands of another domain).

Not for: dictation, other languages, other domains without a build of their own.
"""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the model is made from."""

    commands: tuple[str, ...]
    free: tuple[str, ...]
    held_out: tuple[str, ...]
    """Free sentences that are not trained on."""

    @property
    def words(self) -> set[str]:
        """Every word that is trained on."""
        return {word for text in (*self.commands, *self.free) for word in text.split()}


def corpus(templates: Templates, seed: int, commands: int = COMMANDS, free: int = FREE) -> Corpus:
    """Sentences for the model, the same for the same seed."""
    rng = np.random.default_rng(seed)
    sampled = [text for text, _ in templates.sample(rng, commands)]
    chance = Random(seed)
    spoken = conversations.spoken(chance, free) if free else []
    held_out: list[str] = []
    if free:
        held_out += [item.text for item in conversations.statements(chance, 1000, held_out=True)]
        held_out += [item.text for item in conversations.requests(chance, 1000, held_out=True)]
    return Corpus(_in_one_breath(sampled, rng), _in_one_breath(spoken, rng), tuple(held_out))


def _in_one_breath(texts: list[str], rng: np.random.Generator) -> tuple[str, ...]:
    late = rng.random(len(texts)) < BREATH_SHARE
    return tuple(f"{WAKE_WORD} {text}" if first else text for text, first in zip(texts, late, strict=True))


def build(
    out: Path, seed: int = 2, commands: int = COMMANDS, free: int = FREE, *, templates: Templates | None = None
) -> dict[str, object]:
    """Write the model, the dictionary and the card to ``out``.

    Args:
        out: a folder; it is made.
        seed: the same seed gives the same files.
        commands: samples of the templates.
        free: sentences of the phrase bank.
        templates: those of another domain; Glovebox's own if left out.

    Returns:
        The figures of the card, and ``guessed``: the words that only espeak-ng could pronounce.

    Raises:
        schemas.errors.ModelError: a word has no pronunciation and espeak-ng is not there to guess one.
    """
    templates = templates or load_templates()
    sentences = corpus(templates, seed, commands, free)
    package = Path(pocketsphinx.get_model_path("en-us"))
    words = sentences.words | templates.vocabulary() | {WAKE_WORD}
    pronounced, guessed = pronounce(words, read_dictionary(package / "cmudict-en-us.dict"), templates.pronunciations)

    out.mkdir(parents=True, exist_ok=True)
    lines = (
        f"{word}{f'({number})' if number > 1 else ''} {phones}"
        for word, ways in pronounced.items()
        for number, phones in enumerate(ways, 1)
    )
    (out / "domain.dict").write_text("\n".join(lines) + "\n", encoding="utf-8")
    model = ArpaBoLM(
        text="".join(f"{text}\n" for text in (*sentences.commands, *sentences.free)),
        add_start=True,
        discount_mass=DISCOUNT_MASS,
    )
    for word in words - set(model.grams_1):
        model.grams_1[word] = 1
    model.compute()
    arpa = StringIO()
    model.write(arpa)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "domain.arpa"
        text.write_text(arpa.getvalue(), encoding="utf-8")
        kind = pocketsphinx.NGramModel.str_to_type("bin")
        pocketsphinx.NGramModel.readfile(str(text)).write(str(out / "domain.lm.bin"), kind)

    unknown = [word not in words for text in sentences.held_out for word in text.split()]
    figures: dict[str, object] = {
        "words": len(words), "ngrams": model.count_1 + model.count_2 + model.count_3, "seed": seed,
        "commands": len(sentences.commands), "free": len(sentences.free),
        "held_out": float(np.mean(unknown)) if unknown else 0.0, "guessed": guessed,
    }  # fmt: skip
    (out / "CARD.md").write_text(CARD.format(**figures), encoding="utf-8")
    return figures


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=2)
    chosen = parser.parse_args()
    figures = build(chosen.out, chosen.seed)
    if guessed := figures.pop("guessed"):
        print(f"pronounced by espeak-ng, not reviewed: {guessed}")
    for name, value in figures.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
