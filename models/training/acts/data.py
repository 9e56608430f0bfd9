"""What the model is trained on: rounds of cases drawn from the lines in ``data/`` and the phrase bank.

``python -m models.training.acts.data [--lines FOLDER]`` says which lines are not in the format, which stand there twice and which
contradict each other, and ends with 1 if there are any of the first or the last kind.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path
from random import Random

from models.training.acts import alter, bank
from models.training.acts.lines import FOLDER, Case, Line, checked, draw, lines
from schemas.actions import BY_NAME

BANKED = 0.12
"""Share of the phrase bank and the templates in a round."""
JOINED, FRAMED, MISHEARD, AFTER = 0.1, 0.08, 0.05, 0.2
"""Shares of cases that were joined, put in a frame, misheard, or said after something that does not matter."""


YOUNG = 3
"""Our choice: what a model that goes on to learn has read before it must only not forget."""


class Corpus:
    """The lines of a folder, divided. Lines that are not in the format are left out and told."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Read them."""
        all_ = lines(folder)
        self.broken = list(checked(all_))
        wrong = {line for line, _ in self.broken}
        good = [line for line in all_ if line not in wrong]
        self.twice, self.contrary = conflicts(good)
        seen: set[str] = set()
        self.lines = [line for line in good if not (line.text in seen or seen.add(line.text))]
        self.train = [line for line in self.lines if not line.held_out]
        self.held_out = [line for line in self.lines if line.held_out]

    def tests(self, seed: int = 1) -> list[Case]:
        """One case of every line that is held out."""
        rng = Random(seed)
        return [draw(rng, line) for line in self.held_out]

    def round(self, seed: int, young: Collection[str] = ()) -> list[Case]:
        """Every line that is trained on once to three times, by its variety; the bank's share; some of both altered. Shuffled.

        Args:
            seed: of what is drawn.
            young: files that the model has not read yet: their lines come `YOUNG` times as often.
        """
        rng = Random(seed)
        own = [
            draw(rng, line) for line in self.train for _ in range(line.variety * (YOUNG if line.file in young else 1))
        ]
        meant = {(case.context, case.utterance): case.answer for case in own}
        banked = bank.cases(rng, int(len(own) * BANKED / (1 - BANKED)))
        cases = own + [one for one in banked if meant.get(("", one.utterance), one.answer) == one.answer]
        whole = [
            case for case in cases if len(case.acts) == 1 and alter.complete(case) and len(case.utterance.split()) < 14
        ]
        done = [case for case in cases if len(case.acts) < 3 and any(act.name in BY_NAME for act in case.acts)]
        altered: list[Case] = []
        for case in cases:
            one, chance = case, rng.random()
            if chance < MISHEARD:
                one = alter.misheard(rng, case)
            elif chance < MISHEARD + FRAMED and alter.complete(case):
                one = alter.framed(rng, case)
            if alter.complete(one) and rng.random() < AFTER:
                one = alter.after_something(rng, one, done)
            altered.append(one)
        for _ in range(int(len(cases) * JOINED)):
            pair = alter.joined(rng, rng.sample(whole, rng.choice((2, 2, 2, 2, 3))))
            if len({str(act) for act in pair.acts}) == len(pair.acts):
                altered.append(alter.after_something(rng, pair, done) if rng.random() < AFTER else pair)
        rng.shuffle(altered)
        return altered


def conflicts(all_: Sequence[Line]) -> tuple[list[Line], list[tuple[Line, Line]]]:
    """Lines that stand there a second time, and pairs whose same words mean different things."""
    first: dict[str, Line] = {}
    twice: list[Line] = []
    contrary: list[tuple[Line, Line]] = []
    for line in all_:
        words = line.text.partition("=>")[0].strip()
        before = first.setdefault(words, line)
        if before is line:
            continue
        same = str(draw(Random(0), before).answer) == str(draw(Random(0), line).answer)
        if same:
            twice.append(line)
        else:
            contrary.append((before, line))
    return twice, contrary


def main() -> None:
    """Check the lines and say what there is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=Path, default=FOLDER, help="folder of the lines")
    parser.add_argument("--show", type=int, default=0, help="so many cases of a round")
    given = parser.parse_args()
    corpus = Corpus(given.lines)
    for _, problem in corpus.broken:
        print(problem)
    for line in corpus.twice:
        print(f"{line.file}.txt:{line.number}: stands there twice: {line.text}")
    for before, line in corpus.contrary:
        print(
            f"{line.file}.txt:{line.number}: {line.text}\n    contradicts {before.file}.txt:{before.number}: {before.text}"
        )
    made = corpus.round(1)
    acts: dict[str, int] = defaultdict(int)
    for case in made:
        for name in {act.name for act in case.acts}:
            acts[name] += 1
    by_file = Counter(line.file for line in corpus.lines)
    print(f"{len(corpus.lines)} lines {dict(by_file)}; {len(corpus.held_out)} held out; {len(made)} cases in a round")
    print(
        "acts in a round: "
        + ", ".join(f"{name} {count}" for name, count in sorted(acts.items(), key=lambda item: item[1]))
    )
    for case in made[: given.show]:
        print(f"{case.group:12} {case.prompt.strip()} => {case.answer}")
    sys.exit(1 if corpus.broken or corpus.contrary else 0)


if __name__ == "__main__":
    main()
