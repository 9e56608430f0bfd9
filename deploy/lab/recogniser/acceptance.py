"""How likely a command is what was said: the weights of ``voice.asr.decision``, fitted on sentences of this project.

    python -m deploy.lab.recogniser.acceptance FOLDER --model WHISPER [--adaptation FILE] [--grammar FILE] [--count 500]

Commands drawn from the templates, halves of them, requests in free words, preferences and talk (those that are held out) are spoken
by synthetic voices that thresholds may be chosen with, in the quiet car and in broadband noise down to 5 dB, cut by the assistant's
own voice activity detection and heard by both recognisers. FOLDER keeps the sound and what PocketSphinx made of it, so that another
Whisper, or another adaptation, takes a third of the time. The test voices (Pico, Piper's joe, festival's slt) say nothing here.

With a grammar of another domain its commands are said instead of the car's, by clearer voices: those weights are for Whisper as its
makers made it, on which none of our voices was trained.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from deploy.lab.hearing.scenes import in_car, joined
from deploy.lab.orders.ears import SENTENCES, Listener
from models.commands.matcher import TemplateMatcher
from models.commands.templates import Templates, load_templates
from models.runtime.phonemes import by_espeak
from models.training import conversations, voices
from models.training.asr import build
from schemas.events import FRAME, Command, Hypothesis, Samples, Transcript
from voice.asr.decision import FEATURES, OTHERWISE, features, otherwise
from voice.asr.expected import expected
from voice.asr.pocketsphinx import PocketSphinxRecognizer, trusted
from voice.asr.together import ASK_AT, SECOND_AT, TogetherRecognizer
from voice.asr.whisper import WhisperRecognizer, heard_inputs
from voice.vad.endpoint import Endpointer
from voice.vad.silero import SileroVad

BUILTIN = Path(__file__).parents[3] / "models" / "builtin"

SHARES = {"command": 0.60, "half": 0.08, "request": 0.14, "statement": 0.05, "talk": 0.13}
"""What is said."""
LONGEST = 14
"""Words."""
RATIOS: tuple[float | None, ...] = (None, None, None, 15.0, 10.0, 10.0, 10.0, 5.0, 5.0, 5.0)
"""Decibels of speech over noise, equally likely; None is the quiet car."""
WHO = voices.mixed(
    (0.4, voices.one_of("flite:", ("awb",))),
    (0.4, voices.espeak(voices.HELD_OUT_VARIANTS[1::2])),
    (0.2, voices.one_of("flite:", voices.FLITE_VOICES)),
)
"""Four of five were never trained on (``models.training.voices.DEV``)."""
CLEAR = voices.mixed((0.8, voices.READ), (0.2, voices.one_of("flite:", ("awb",))))
"""Who says what another domain has."""
LEAD_S, TAIL_S = 1.5, 1.2
FOLDS = 8
PRIOR = 0.5
"""Precision of the weights' normal prior: with some hundred utterances a weight must not rest on three of them."""
ACTS = (0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
"""Limits that are tried."""

NEAR_WORDS = 0.25
"""Share of words that may be wrong in words that count as heard."""

Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Clip:
    """An utterance, and what PocketSphinx made of it."""

    kind: str
    text: str
    voice: str
    snr: float | None
    begins: int
    ends: int
    followed: str
    """The grammar's words."""
    free: str
    """The open model's."""


@dataclass(frozen=True, slots=True)
class Case:
    """An utterance as the decision sees it."""

    clip: Clip
    rows: Doubles
    """Shape (1 + candidates, features): first "none of them", whose numbers stand behind those of the candidates."""
    right: int
    """The row of what was said; 0 for none of the candidates."""
    command: bool
    """What was said is a command."""
    agreed: bool
    """Both recognisers had the same command; then nothing was weighed, and ``right`` is 1 if it was the right one."""
    words: Doubles
    """Shape (2, 4): zeros, and what ``voice.asr.whisper.heard_probability`` goes by."""
    heard: int
    """1 if three of four of Whisper's words are what was said."""
    no_speech: float
    outcome: str
    """What the recogniser would have done, as it is: of ``OUTCOMES``."""


class Kept:
    """PocketSphinx as it heard a clip: stands in for ``PocketSphinxRecognizer``, whose decoding takes the most time."""

    def __init__(self) -> None:
        """Nothing is heard yet."""
        self.clip = Clip("", "", "", None, 0, 0, "", "")

    def reset(self) -> None:
        """Nothing to forget."""

    def start(self, before: Samples | None = None) -> None:
        """Nothing to begin."""

    def feed(self, chunk: Samples) -> None:
        """It was heard before."""

    def followed(self) -> str:
        """The grammar's words."""
        return self.clip.followed

    def partial(self) -> str:
        """The grammar's words where the open model agrees, else that one's."""
        return self.clip.followed if trusted(self.clip.followed, self.clip.free) else self.clip.free

    def finish(self) -> Transcript:
        """Both models' words."""
        said, free = Hypothesis(text=self.clip.followed), Hypothesis(text=self.clip.free)
        return Transcript(text=self.partial(), confidence=0.0, in_grammar=False, grammar=said, open=free)


def sentences(count: int, seed: int, templates: Templates) -> Iterator[tuple[str, str]]:
    """Kinds of ``SHARES`` with what is said."""
    rng = Random(seed)
    commands = [text for text, _ in templates.sample(np.random.default_rng(seed), 3 * count)]

    def half() -> str:
        words = rng.choice(commands).split()
        return " ".join(words[: rng.randint(1, max(1, len(words) - 1))])

    say: dict[str, Callable[[], str]] = {
        "command": lambda: rng.choice(commands),
        "half": half,
        "request": lambda: conversations.requests(rng, 1, held_out=True)[0].text,
        "statement": lambda: conversations.statements(rng, 1, held_out=True)[0].text,
        "talk": lambda: conversations.negatives(rng, 1, held_out=True)[0].text,
    }
    while count:
        (kind,) = rng.choices(list(SHARES), list(SHARES.values()))
        text = say[kind]()
        if 0 < len(text.split()) <= LONGEST:
            count -= 1
            yield kind, text


def record(folder: Path, count: int, seed: int, matcher: TemplateMatcher, *, foreign: bool) -> None:
    """Say, cut and have PocketSphinx hear ``count`` sentences, and keep them in the folder."""
    rng = np.random.default_rng(seed)
    domain, noise = BUILTIN / "asr", None
    if foreign:
        domain, noise = folder / "asr", domain / "noise.npz"
        build.build(domain, commands=SENTENCES, free=0, templates=matcher.templates)
    sphinx = PocketSphinxRecognizer(domain, matcher, noise=noise, guess=by_espeak)
    listener = Listener(SileroVad(BUILTIN / "vad" / "silero.onnx"), sphinx, matcher, Endpointer())
    sounds: list[Samples] = []
    begins = 0
    with (folder / "clips.jsonl").open("w", encoding="utf-8") as lines:
        for kind, text in sentences(count, seed, matcher.templates):
            who, snr = (CLEAR if foreign else WHO)(rng), RATIOS[int(rng.integers(len(RATIOS)))]
            scene = in_car(joined([voices.speak(text, who)], []), snr, rng, lead_s=LEAD_S, tail_s=TAIL_S).samples
            _, first, last = listener.cut(scene)
            sphinx.start(scene[:first])
            for start in range(first, last, FRAME):
                sphinx.feed(scene[start : min(start + FRAME, last)])
            heard = sphinx.finish()
            followed, free = (one.text if one is not None else "" for one in (heard.grammar, heard.open))
            clip = Clip(kind, text, who.voice, snr, begins, begins + last - first, followed, free)
            begins = clip.ends
            sounds.append(scene[first:last])
            lines.write(json.dumps(asdict(clip)) + "\n")
    np.save(folder / "sound.npy", np.concatenate(sounds))


def hear(folder: Path, whisper: WhisperRecognizer, matcher: TemplateMatcher) -> Iterator[Case]:
    """What the decision sees of every clip of the folder."""
    sound = np.load(folder / "sound.npy", mmap_mode="r")
    kept: Any = Kept()
    together = TogetherRecognizer(kept, whisper, matcher)
    for line in (folder / "clips.jsonl").read_text(encoding="utf-8").splitlines():
        kept.clip = clip = Clip(**json.loads(line))
        together.start()
        together.feed(np.asarray(sound[clip.begins : clip.ends]))
        together.pause()
        take = whisper.take()
        found = together.finish()
        said, weighed = matcher.match(clip.text), together.weighed()
        candidates = weighed.candidates if weighed is not None else ()
        rows = np.zeros((1 + len(candidates), len(FEATURES) + len(OTHERWISE)))
        if weighed is not None:
            rows[0, len(FEATURES) :] = otherwise(weighed.words)
        for row, candidate in zip(rows[1:], candidates, strict=True):
            row[: len(FEATURES)] = features(candidate)
        right = next((at for at, one in enumerate(candidates, 1) if said is not None and one.command == said), 0)
        words, heard, silent = np.zeros((2, 4)), 0, 1.0
        if take is not None and take.text:
            words[1], silent = (1.0, *heard_inputs(take.decoded)), take.decoded.no_speech
            wrong = Levenshtein.normalized_distance(clip.text.split(), take.text.split())
            heard = int(wrong <= NEAR_WORDS)
        yield Case(
            clip,
            rows,
            right,
            said is not None,
            weighed is not None and weighed.agreed,
            words,
            heard,
            silent,
            outcome(found, said, matcher),
        )


OUTCOMES = ("right", "wrong", "asked", "asked wrongly", "left")
"""Done as it was said, done otherwise, asked about with and without what was said among the two, and neither."""


def outcome(found: Transcript, said: Command | None, matcher: TemplateMatcher) -> str:
    """What becomes of an utterance."""
    one, other = matcher.match(found.text), matcher.match(found.alternative) if found.alternative else None
    if other is not None:
        return "asked" if said in (one, other) else "asked wrongly"
    if one is None or not (found.in_grammar or not found.misheard):
        return "left"
    return "right" if one == said else "wrong"


def likely(weights: Doubles, rows: Doubles) -> Doubles:
    """Probability of each row."""
    totals = rows @ weights
    powers = np.exp(totals - totals.max())
    return powers / powers.sum()


def fit(choices: Sequence[tuple[Doubles, int]]) -> Doubles:
    """The likeliest weights of rows of which one is right, by Newton's method."""
    size = choices[0][0].shape[1]
    weights = np.zeros(size)
    for _ in range(50):
        slope, curve = PRIOR * weights, PRIOR * np.eye(size)
        for rows, right in choices:
            chance = likely(weights, rows)
            mean = chance @ rows
            slope += mean - rows[right]
            curve += (rows.T * chance) @ rows - np.outer(mean, mean)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def crossed(choices: Sequence[tuple[Doubles, int]], weighed: Sequence[bool]) -> list[Doubles]:
    """Probabilities of each choice's rows by weights that were fitted without its eighth of them.

    Args:
        choices: rows, and which is right.
        weighed: those that are fitted on.
    """
    order = np.random.default_rng(0).permutation(len(choices))
    found: list[Doubles] = [np.ones(1)] * len(choices)
    for fold in range(FOLDS):
        left_out = {int(one) for one in order[fold::FOLDS]}
        weights = fit([one for at, one in enumerate(choices) if at not in left_out and weighed[at]])
        for at in left_out:
            found[at] = likely(weights, choices[at][0])
    return found


def tell(cases: Sequence[Case], outcomes: Sequence[str]) -> str:
    """Shares of the outcomes, of commands and of the rest."""
    parts = [
        [what for case, what in zip(cases, outcomes, strict=True) if case.command == command]
        for command in (True, False)
    ]
    commands, rest = (_shares({what: part.count(what) for what in OUTCOMES}) for part in parts)
    return f"commands ({len(parts[0])}) {commands}; the rest ({len(parts[1])}) {rest}"


def supposed(case: Case, chance: Doubles, act_at: float) -> str:
    """The outcome by these probabilities alone, whatever sounds alike; from ``act_at`` on a command is done at once."""
    if case.agreed:
        return "right" if case.right else "wrong"
    ranked = np.argsort(-chance[1:]) + 1
    first, second = (chance[ranked[at]] if len(ranked) > at else 0.0 for at in (0, 1))
    if first >= act_at:
        return "right" if case.right == ranked[0] else "wrong"
    if first + second >= ASK_AT and second >= SECOND_AT:
        return "asked" if case.right in ranked[:2] else "asked wrongly"
    return "left"


def _shares(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count / max(1, sum(counts.values())):.3f}" for name, count in counts.items() if count)


def reliability(given: Sequence[tuple[float, bool]]) -> str:
    """Of those given so much: how many there are, and the share that is right."""
    edges = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.01)
    parts = [(low, high, [ok for p, ok in given if low <= p < high]) for low, high in pairwise(edges)]
    return "; ".join(
        f"{low:g}..{min(1.0, high):g}: {len(part)}, {np.mean(part) if part else float('nan'):.2f}"
        for low, high, part in parts
    )


def report(cases: Sequence[Case]) -> None:
    """Fit, and print weights and what they are worth."""
    agreed = [case for case in cases if case.agreed]
    print(f"{len(cases)} utterances; both have the same command in {len(agreed)}, right {sum(c.right for c in agreed)}")
    choices = [(case.rows, case.right) for case in cases]
    weighed = [not case.agreed and len(case.rows) > 1 for case in cases]
    found = fit([one for one, used in zip(choices, weighed, strict=True) if used])
    chances = crossed(choices, weighed)
    candidate, none = (", ".join(f"{value:.2f}" for value in part) for part in np.split(found, [len(FEATURES)]))
    print(f"Weights(({candidate}), ({none}))")
    best = [
        (float(chance[1:].max()), case.right == int(chance[1:].argmax()) + 1)
        for case, chance, used in zip(cases, chances, weighed, strict=True)
        if used
    ]
    print("likeliest command, given: how many, right:", reliability(best))
    for act in ACTS:
        crosswise = [supposed(case, chance, act) for case, chance in zip(cases, chances, strict=True)]
        print(f"act at {act}:", tell(cases, crosswise))
    print("as it is:", tell(cases, [case.outcome for case in cases]))
    for snr in dict.fromkeys(RATIOS):
        part = [case for case in cases if case.clip.snr == snr]
        print(f"{'quiet' if snr is None else f'{snr:g} dB'}:", tell(part, [case.outcome for case in part]))

    words = [(case.words, case.heard) for case in cases]
    used = [bool(case.words[1, 0]) for case in cases]
    sure = fit([one for one, use in zip(words, used, strict=True) if use])
    print(f"HEARD = ({', '.join(f'{value:.2f}' for value in sure)})")
    given = [
        (float(chance[1]) * (1.0 - case.no_speech), bool(case.heard))
        for case, chance, use in zip(cases, crossed(words, used), used, strict=True)
        if use
    ]
    print("words, given: how many, heard:", reliability(given))


def main() -> None:
    """Record what is not there yet, hear, fit and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where sound is kept")
    parser.add_argument("--model", type=Path, required=True, help="folder of Whisper")
    parser.add_argument("--adaptation", type=Path, help="what is added to its weights")
    parser.add_argument("--grammar", type=Path, help="templates of another domain; default: the car's")
    parser.add_argument("--count", type=int, default=500, help="utterances")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    matcher = TemplateMatcher(load_templates(given.grammar) if given.grammar is not None else None)
    given.folder.mkdir(parents=True, exist_ok=True)
    if not (given.folder / "sound.npy").is_file():
        record(given.folder, given.count, given.seed, matcher, foreign=given.grammar is not None)
    whisper = WhisperRecognizer(
        given.model, matcher.match, threads=1, likely=expected(matcher.templates), adaptation=given.adaptation
    )
    if whisper.plain:
        print(whisper.plain)
    report(list(hear(given.folder, whisper, matcher)))


if __name__ == "__main__":
    main()
