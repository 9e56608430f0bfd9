"""Measures the encoder: ``python -m models.training.encoder.measure``. Trains and tunes nothing.

Two parts: phrases and values of this project's bank that were never trained on; and, where the data is there, CarMem's
development half (users 51-100), which is evaluation data only.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from models.runtime.onnx_encoder import NONE, OnnxEncoder
from models.training import conversations
from schemas.actions import ACTIONS
from schemas.preferences import BY_DETAIL, CATEGORIES

MODEL = Path(__file__).parents[2] / "builtin" / "encoder"
DATA = Path("../shared/data")
SEED = 4711
PRIOR_WEIGHT = 0.5
"""Weight of the topic's share beside the cosine; our choice, not tuned."""


def best(scores: dict[str, float]) -> str:
    """The label with the highest score."""
    return max(scores, key=scores.__getitem__)


def shares(scores: dict[str, float]) -> dict[str, float]:
    """How the probability of all categories but ``none`` is shared among them."""
    rest = sum(score for label, score in scores.items() if label != NONE) + 1e-12  # 1 - none would lose the digits
    return {label: score / rest for label, score in scores.items() if label != NONE}


def first(scores: dict[str, float], count: int) -> list[str]:
    """The first labels but ``none``."""
    return sorted((label for label in scores if label != NONE), key=scores.__getitem__, reverse=True)[:count]


def rate(hits: Sequence[bool]) -> str:
    """A share of hits with their number."""
    return f"{sum(hits) / len(hits):.3f} (n {len(hits)})"


def held_out(encoder: OnnxEncoder, count: int) -> None:
    """Figures on phrases that were never trained on."""
    chance = Random(SEED)
    said = conversations.statements(chance, count, held_out=True)
    asked = conversations.requests(chance, count, held_out=True)
    neither = conversations.negatives(chance, count // 2, held_out=True)
    clear = [item.text for item in neither if not item.asks]
    topics = [(item.detail, encoder.topics(item.text)) for item in said]
    known = [best(scores) == detail for detail, scores in topics]
    nothing = [best(encoder.topics(item.text)) == NONE for item in neither]
    plain = [best(encoder.topics(item.text)) == NONE for item in asked]
    print("phrases and values never trained on")
    print(f"  topic, 41 + none, statements                    {rate(known)}")
    print(f"  topic, 41 + none, negatives are none            {rate(nothing)}")
    print(f"  topic, 41 + none, requests are none             {rate(plain)}")
    print(f"  topic, 41 + none, all of these                  {rate([*known, *nothing, *plain])}")
    for number in (1, 3, 5, 8):
        hits = [detail in first(scores, number) for detail, scores in topics]
        print(f"  statement's category among the first {number}          {rate(hits)}")
    found = [best(encoder.requests(item.text)) == item.intent for item in asked]
    silent = [best(encoder.requests(text)) == NONE for text in clear]
    third = [item.intent in first(encoder.requests(item.text), 3) for item in asked]
    actions = len(ACTIONS)
    print(f"  request, {actions} + none, requests                   {rate(found)}")
    print(f"  request, {actions} + none, negatives are none         {rate(silent)}")
    print(f"  request, {actions} + none, all of these               {rate([*found, *silent])}")
    print(f"  request's action among the first 3              {rate(third)}")
    reads(
        encoder, said, asked, [item.text for item in neither], conversations.asides(chance, count // 2, held_out=True)
    )
    rough = [conversations.misheard(chance, item.text, item.said) for item in said]
    heard = [best(encoder.topics(text)) == item.detail for text, item in zip(rough, said, strict=True)]
    print(f"  topic of statements with misheard words         {rate(heard)}")


def reads(
    encoder: OnnxEncoder,
    said: Sequence[conversations.Statement],
    asked: Sequence[conversations.Request],
    talk: Sequence[str],
    asides: Sequence[conversations.Aside],
) -> None:
    """How clearly a text reveals a preference, in which words, which value; and whether probabilities mean what they say."""

    def strength(text: str) -> str:
        return best(encoder.strength(text))

    kinds = {"stated": [], "hinted": [], "ended": []}  # type: dict[str, list[bool]]
    for item in said:
        kind = "ended" if item.negated else "hinted" if item.hinted else "stated"
        kinds[kind].append(strength(item.text) == kind)
    for kind, hits in kinds.items():
        print(f"  strength, {kind:38}{rate(hits)}")
    print(f"  strength, asides reveal nothing                 {rate([strength(a.text) == 'none' for a in asides])}")
    found = [(item, encoder.words(item.text, item.detail)) for item in said]
    exact = [bool(words) and words[0].text == item.said for item, words in found]
    touched = [bool(words) and bool(set(words[0].text.split()) & set(item.said.split())) for item, words in found]
    print(f"  words of the value, exactly                     {rate(exact)}")
    print(f"  words of the value, at least one                {rate(touched)}")
    closed = [(item, chosen) for item in said if (chosen := encoder.choices(item.text, item.detail))]
    right = [best(chosen) == item.value for item, chosen in closed]
    print(f"  value of a closed category                      {rate(right)}")
    pairs = [(max(t.values()), best(t) == item.detail) for item in said for t in [encoder.topics(item.text)]]
    texts = [*(item.text for item in asked), *talk, *(a.text for a in asides)]
    pairs += [(max(t.values()), best(t) == NONE) for text in texts for t in [encoder.topics(text)]]
    bins = np.minimum((np.array([p for p, _ in pairs]) * 10).astype(int), 9)
    hits_all, sure = np.array([hit for _, hit in pairs]), np.array([p for p, _ in pairs])
    error = 0.0
    for number in sorted(set(bins.tolist())):
        inside = bins == number
        error += inside.mean() * abs(sure[inside].mean() - hits_all[inside].mean())
        print(f"  topic said with {sure[inside].mean():.2f}: right {hits_all[inside].mean():.2f} (n {inside.sum()})")
    print(f"  expected calibration error                      {error:.3f}")


def speed(encoder: OnnxEncoder, count: int) -> None:
    """Milliseconds a sentence, first time seen."""
    chance = Random(SEED + 1)
    walls, cores = [], []
    for item in conversations.statements(chance, count):
        wall, core = time.perf_counter(), time.thread_time()
        encoder.topics(f"{item.text} {len(walls)}")
        walls.append((time.perf_counter() - wall) * 1e3)
        cores.append((time.thread_time() - core) * 1e3)
    wall_ms, core_ms = np.percentile(walls, [50, 95]), np.percentile(cores, [50, 95])
    print(f"one thread, ms a sentence: wall median {wall_ms[0]:.1f}, 95 % {wall_ms[1]:.1f}; ", end="")
    print(f"processor median {core_ms[0]:.1f}, 95 % {core_ms[1]:.1f} (n {count})")


@dataclass(frozen=True)
class Item:
    """One CarMem item: its category, value, the driver's turns and the question that needs the preference."""

    detail: str
    value: str
    turns: tuple[str, ...]
    question: str


def carmem(folder: Path) -> list[list[Item]]:
    """The users of the development half with their items."""
    with (folder / "categories_v4.csv").open(encoding="utf-8", newline="") as file:
        names = [row["Detail Category"].strip() for row in csv.DictReader(file, delimiter="#")]
    details = dict(zip(names, (category.detail for category in CATEGORIES), strict=True))

    def item(entry: dict[str, Any]) -> Item:
        _, _, name, value = (part.strip() for part in entry["user_preference"].split(";", 3))
        said = (turn.get("USER") for turn in entry["extraction_conversation"])
        return Item(details[name], value, tuple(t for t in said if t), entry["next_conversation_question"])

    lines = (folder / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [[item(entry) for entry in json.loads(line)["data"]] for line in lines]


def sentences(turn: str) -> list[str]:
    """The sentences of a turn."""
    return [part for part in re.split(r"(?<=[.!?])\s+", turn) if part.strip()]


def on_carmem(encoder: OnnxEncoder, users: list[list[Item]]) -> None:
    """Category of the conversation, and search over every user's ten preferences."""
    items = [item for user in users for item in user]
    print(f"CarMem, development half: {len(users)} users, {len(items)} conversations")
    ways: dict[str, Callable[[Item], list[str]]] = {
        "each sentence, the highest counts": lambda item: [s for turn in item.turns for s in sentences(turn)],
        "each turn, the highest counts": lambda item: list(item.turns),
    }
    for name, texts in ways.items():
        scores = []
        for item in items:
            found = [encoder.topics(text) for text in texts(item)]
            scores.append({category.detail: max(f[category.detail] for f in found) for category in CATEGORIES})
        for number in (1, 3, 5, 8):
            hits = [item.detail in first(score, number) for item, score in zip(items, scores, strict=True)]
            print(f"  category among the first {number}, {name}: {rate(hits)}")
    _search(encoder, users)


def _search(encoder: OnnxEncoder, users: list[list[Item]]) -> None:
    hits: dict[str, list[list[bool]]] = {"sentence alone": [], "enriched": [], "enriched and topic": []}
    ranks: list[list[float]] = []
    for user in users:
        told = [max(item.turns, key=lambda turn: encoder.topics(turn)[item.detail]) for item in user]
        full = [f"{i.detail.replace('_', ' ')}: {i.value}. {s}." for i, s in zip(user, told, strict=True)]
        alone, enriched = encoder.encode(told), encoder.encode(full)
        for place, item in enumerate(user):
            query = encoder.encode([item.question])[0]
            share = shares(encoder.topics(item.question))
            prior = np.array([share[other.detail] for other in user], np.float32)
            stored = sum(BY_DETAIL[other.detail].sub == BY_DETAIL[item.detail].sub for other in user)
            cuts = [min(stored + more, len(user)) for more in (0, 1, 2)]
            for name, values in (
                ("sentence alone", alone @ query),
                ("enriched", enriched @ query),
                ("enriched and topic", enriched @ query + PRIOR_WEIGHT * prior),
            ):
                rank = int((values > values[place]).sum())
                hits[name].append([rank < cut for cut in cuts])
            ranks.append([cut / len(user) for cut in cuts])
    for name, rows in hits.items():
        at = np.mean(rows, axis=0)
        print(f"  search, {name}: hit@n {at[0]:.3f}, n+1 {at[1]:.3f}, n+2 {at[2]:.3f} (n {len(rows)})")
    at = np.mean(ranks, axis=0)
    print(f"  search, by chance: hit@n {at[0]:.3f}, n+1 {at[1]:.3f}, n+2 {at[2]:.3f}")


def main() -> None:
    """Read the command line and print the figures."""
    parser = argparse.ArgumentParser(description="Measure the sentence encoder.")
    parser.add_argument("--model", type=Path, default=MODEL, help="the encoder's folder")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with carmem/ (default %(default)s)")
    parser.add_argument("--count", type=int, default=1000, help="generated sentences a kind (default %(default)s)")
    given = parser.parse_args()
    encoder = OnnxEncoder(given.model)
    held_out(encoder, given.count)
    speed(encoder, min(given.count, 300))
    if (given.data / "carmem" / "dev.jsonl").is_file():
        on_carmem(encoder, carmem(given.data / "carmem"))
    else:
        print(f"no CarMem in {given.data}: not measured")


if __name__ == "__main__":
    main()
