"""The cases of a suite in other processes: each has a fleet of cars of its own, which is loaded once.

Owns what goes there and comes back. What is done with a case is `deploy.lab.dialogue.driving`'s.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.config import Config
from deploy.lab.dialogue.driving import Fleet, Played, play
from deploy.lab.dialogue.speaking import Speakers
from deploy.lab.dialogue.suite import Case
from deploy.lab.report.blocks import Progress
from deploy.lab.spreading import Spread


@dataclass(frozen=True, slots=True)
class _Seen:
    turns: tuple[Played, ...]
    talks_with: str
    heard_with: str


class AwayFleet:
    """Stands where a fleet stands; nothing is loaded in this process.

    Attributes:
        talks_with: as of ``Fleet``; empty before anything was played.
        heard_with: as of ``Fleet``.
    """

    def __init__(self, spread: Spread, config: Config, organizer: Path) -> None:
        """Where to; arguments as of ``Fleet``, whose files must be there under the same names."""
        self._spread, self._config, self._organizer = spread, config, organizer
        self.talks_with = self.heard_with = ""

    def close(self) -> None:
        """Nothing is open."""

    def run(self, cases: Sequence[Case], tell: Progress, speakers: Speakers | None = None) -> Iterator[Played]:
        """As ``Fleet.run``, when all is done.

        Raises:
            schemas.errors.GloveboxError: as there, and as of `deploy.lab.spreading.Spread.each`.
        """
        if speakers is not None:
            speakers.prepare(cases)
        one = functools.partial(_played, self._config, self._organizer, speakers)
        what = "dialogues" if speakers is None else f"dialogues, spoken {speakers.noise}"
        for seen in self._spread.each(one, list(enumerate(cases)), what, tell):
            self.talks_with, self.heard_with = seen.talks_with, seen.heard_with
            yield from seen.turns


def _played(config: Config, organizer: Path, speakers: Speakers | None, numbered: tuple[int, Case]) -> _Seen:
    number, case = numbered
    fleet = _fleet(config.model_dump_json(), organizer)
    turns = tuple(play(fleet, case, number, speakers))
    return _Seen(turns, fleet.talks_with, fleet.heard_with)


@functools.cache
def _fleet(config: str, organizer: Path) -> Fleet:
    """This process's own; its folder goes with the worker's."""
    from distributed import get_worker

    folder = Path(tempfile.mkdtemp(prefix="cars-", dir=get_worker().local_directory))
    return Fleet(Config.model_validate_json(config), folder, organizer)
