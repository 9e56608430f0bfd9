"""Counts how many utterances the small network understands, as in the program.

``python -m models.training.acts.pointing.measure models/builtin/parser/acts.npz [FILE]``: FILE is one of labelled lines, as those
in ``models/training/acts/data``; without it the lines that are held out of training. The tables are those of
``models.training.acts.measure``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from random import Random

from models.acts.pointing import PointingParser
from models.acts.spelling import write
from models.runtime.onnx_encoder import OnnxEncoder
from models.training.acts.data import Corpus
from models.training.acts.lines import FOLDER, Case, draw, lines
from models.training.acts.measure import Answer, report
from models.training.acts.pointing.train import ENCODER
from schemas.errors import GenerationError


def answered(parser: PointingParser, case: Case) -> Answer:
    """What the parser makes of a case."""
    began = time.perf_counter()
    try:
        parsed = parser.parse(case.utterance, case.context)
    except GenerationError:
        return Answer(case, "", 0.0, time.perf_counter() - began)
    return Answer(case, write(parsed.acts), parsed.sure, time.perf_counter() - began)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("file", type=Path, nargs="?", help="labelled lines; without it those that are held out")
    parser.add_argument("--lines", type=Path, default=FOLDER, help="folder of the lines, of which some are held out")
    parser.add_argument("--wrong", type=int, default=0, help="show so many wrong answers")
    given = parser.parse_args()
    rng = Random(1)
    cases = [draw(rng, line) for line in lines(given.file)] if given.file else Corpus(given.lines).tests()
    own = PointingParser(given.network, OnnxEncoder(ENCODER))
    answers = [answered(own, case) for case in cases]
    for line in report(answers):
        print(line)
    for one in [one for one in answers if not one.right][: given.wrong]:
        print(f"  {one.case.prompt.strip()!r}: {one.case.answer}\n      wrote {one.text} ({one.sure:.2f})")


if __name__ == "__main__":
    main()
