"""The lines in ``data/``: what a driver says just so, and what a short, honest reply to it is.

Owns: the files' format. One case a line, ``utterance => Reply.`` or ``[what is told] utterance => Reply.``; ``#`` begins a remark,
placeholders and ways of saying it are those of ``models.training.acts.lines``. What is told is written as `models.acts.talk.told`
writes it: ``brief`` or ``full``, ``knows you like jazz``, ``did Opening the roof.``, ``said open the roof``, with ``; `` between.

To a line without brackets something is told now and then that does not matter, so that nobody is told what nobody asked; to one
with empty brackets nothing is.

``python -m models.training.talk.lines`` writes what of these replies the program lets through, ``models/acts/sayings.txt``, and
what the built-in encoder sees in them, ``models/acts/exchanges.npz``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from models.acts import fitting, sayings
from models.acts.talk import PARTS, prompt
from models.catalog.shelf import BUILTIN
from models.runtime.onnx_encoder import OnnxEncoder
from models.text import spoken
from models.training.acts.lines import HOLE, NUMBERS, Line, lines, name, number, parts, placed
from schemas.ports import Encoder

FOLDER = Path(__file__).parent / "data"
BESIDE = 0.35
"""Share of lines without brackets that are told something that does not matter."""
LONGEST = 30
"""Words of a reply: on one slow thread a reply of thirty takes a second."""
DID = (
    "Opening the roof.", "The temperature is 21 degrees now.", "Playing jazz.", "Navigating home.", "The seat heating is on.",
    "Volume 40 percent.", "Closing the windows.", "The timer is set for ten minutes.", "Calling Anna.", "A bit warmer.",
)  # fmt: skip
LIKED = (
    "you like {genre}", "you like {cuisine} food", "you fill up at {gas_brand}", "you like it at 21 degrees",
    "you park in a garage", "you avoid motorways", "you listen to {station}", "you shop at {shop}", "you like blue light",
    "you follow {show}", "you like {artist}", "you can't stand traffic",
)  # fmt: skip
_RANGE = re.compile(r":\d+-\d+(?::[\d.]+)?(?=})")
_SAYS = re.compile(r"[A-Z][\w' ,.:?!-]*[.?!]")


@dataclass(frozen=True)
class Exchange:
    """Words and the reply."""

    utterance: str
    answer: str
    told: str = ""

    @property
    def prompt(self) -> str:
        """What the model reads."""
        return prompt(self.utterance, self.told)


def read() -> list[Line]:
    """All lines."""
    return lines(FOLDER)


def draw(rng: Random, line: Line) -> Exchange:
    """One exchange of a line.

    Raises:
        ValueError: the line is not in the format; the message says where and why.
    """
    with placed(line):
        return _draw(rng, line)


def _draw(rng: Random, line: Line) -> Exchange:
    told, text, answer = parts(rng, line)
    if not line.text.startswith("[") and rng.random() < BESIDE:
        told = beside(rng)
    said: dict[str, str] = {}

    def put(found: re.Match[str]) -> str:
        hole, at = found[1], found[1] + found[2]
        if at not in said:
            said[at] = f"{number(rng, found):g}" if hole in NUMBERS else name(rng, hole)
        return said[at]

    told, text, answer = (HOLE.sub(put, part) for part in (told, text, answer))
    utterance = spoken(text)
    for part in filter(None, told.split("; ")):
        if not part.startswith(PARTS):
            raise ValueError(f"{part!r} is nothing that is told")
    if not utterance:
        raise ValueError("no utterance")
    if not _SAYS.fullmatch(answer) or len(answer.split()) > LONGEST:
        raise ValueError(f"{answer!r} is no short reply")
    return Exchange(utterance, answer, told)


def beside(rng: Random) -> str:
    """Something that was done or is known, and does not matter."""
    if rng.random() < 0.5:
        return f"did {rng.choice(DID)}"
    return f"knows {', '.join(rng.sample(LIKED, rng.choice((1, 1, 2))))}"


def checked(all_: Sequence[Line]) -> Iterator[tuple[Line, str]]:
    """The lines that are not in the format, each with what is wrong."""
    for line in all_:
        try:
            for seed in range(3 if line.variety > 1 else 1):
                draw(Random(seed), line)
        except ValueError as error:
            yield line, str(error)


def drawn(rng: Random, all_: Sequence[Line]) -> list[Exchange]:
    """An exchange of every line, in any order."""
    return [_rough(rng, draw(rng, line)) for line in rng.sample(all_, len(all_))]


def _rough(rng: Random, one: Exchange) -> Exchange:
    """Now and then with a word of hesitation before it."""
    if rng.random() > 0.1:
        return one
    return replace(one, utterance=f"{rng.choice(('um', 'well', 'oh', 'hey', 'so', 'you know', 'hmm'))} {one.utterance}")


def allowed(all_: Sequence[Line]) -> list[tuple[str, str]]:
    """What of their replies the program lets through: what has to be given, and a sentence with its marks; sorted, each once."""
    return sorted({one for line in all_ for one in _allowed(line)})


def _allowed(line: Line) -> Iterator[tuple[str, str]]:
    _, _, answer = _RANGE.sub("", line.text).partition("=>")
    given, when = _given(line)
    for sentence in sayings.sentences(answer):
        found = [sayings.OWN if HOLE.fullmatch(word) else word for word in sayings.marked(sentence, given)]
        for one in when:
            yield one, " ".join(found)


def _given(line: Line) -> tuple[sayings.Given, list[str]]:
    """What a line is told, its placeholders being the values, and what has to be given for its reply."""
    left = _RANGE.sub("", line.text).partition("=>")[0].strip()
    parts = left[1:].partition("]")[0].split("; ") if left.startswith("[") else []
    facts = [fact for part in parts if part.startswith("knows ") for fact in part.removeprefix("knows ").split(", ")]
    given = sayings.Given(
        facts=tuple(facts),
        values=tuple(found[0] for fact in facts for found in HOLE.finditer(fact)),
        did=next((part.removeprefix("did ") for part in parts if part.startswith("did ")), ""),
        said=next((part.removeprefix("said ") for part in parts if part.startswith("said ")), ""),
    )
    when = [name for name in ("knows", "did", "said") if name in given.when]
    return given, when or ["nothing" if left.startswith("[]") else "any"]


def exchanges(all_: Sequence[Line], encoder: Encoder) -> fitting.Exchanges:
    """What the encoder sees in them, each drawn once."""
    found = [draw(Random(line.number), line) for line in all_]
    return fitting.Exchanges.of(
        encoder.encode([one.utterance for one in found]),
        [encoder.encode(sayings.sentences(one.answer)) for one in found],
        [_given(line)[1] for line in all_],
    )


def main() -> None:
    """Write both files."""
    all_ = read()
    sentences = allowed(all_)
    sayings.FILE.write_text("".join(f"{when}\t{sentence}\n" for when, sentence in sentences), encoding="utf-8")
    exchanges(all_, OnnxEncoder(BUILTIN / "encoder")).write()
    print(f"{sayings.FILE}: {len(sentences)} sentences; {fitting.FILE}: {len(all_)} exchanges")


if __name__ == "__main__":
    main()
