"""Counts how many utterances the small network understands, as in the program.

``python -m models.training.acts.pointing.measure models/builtin/parser/acts.npz [FILE]``: FILE is one of labelled lines, as those
in ``models/training/acts/data``; without it the lines that are held out of training. The tables are those of
``models.training.acts.measure``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from models.acts.pointing import PointingParser
from models.acts.spelling import write
from models.runtime.onnx_encoder import OnnxEncoder
from models.training.acts.lines import FOLDER, Case
from models.training.acts.measure import Answer, drawn, tell
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
    own = PointingParser(given.network, OnnxEncoder(ENCODER))
    tell([answered(own, case) for case in drawn(given.file, given.lines)], given.wrong)


if __name__ == "__main__":
    main()
