"""Has the language model reply to written cases of small talk, and counts what its replies claim that nothing bears out.

Replies are made and held as in the car (`voice.dialogue.replies.talking`), without the time limit, whose keeping is a figure of its
own. What the model wrote is judged, too, before anything of it is cut: that is what the holding is for.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deploy.lab.report.blocks import Cell, Goal, Progress, Report, Table
from deploy.lab.talk.judge import Case, claims
from models.acts.fitting import Fitting
from models.acts.sayings import Given
from models.acts.talk import told
from models.text import spoken
from schemas.errors import GenerationError
from schemas.ports import ActParser, Talker
from voice.dialogue.replies.talking import WITHIN_S, answered, held

GOAL = Goal(0, least=False)
PATIENCE_S = 20.0
"""Seconds for a reply here."""


@dataclass(frozen=True, slots=True)
class Replied:
    """What became of a case."""

    group: str
    case: Case
    written: str
    """What the model wrote; empty where it gave nothing."""
    said: str
    """What of it is said; empty where the sentence of ours is."""
    seconds: float
    talk: bool
    """Whether the parser takes these words for small talk, so that they get here."""

    @property
    def false(self) -> list[str]:
        """What is said and false."""
        return claims(self.said, self.case) if self.said else []

    def line(self) -> str:
        """For a person."""
        cut = "" if self.written == self.said else f"   [wrote: {self.written}]"
        return f"{self.group}: {self.case.say} -> {self.said or '(ours)'}{cut}{''.join(f'   FALSE {one}' for one in self.false)}"


def run(
    groups: Mapping[str, Sequence[Case]],
    talker: Talker,
    parser: ActParser,
    offers: Collection[str],
    fitting: Fitting,
    tell: Progress,
) -> list[Replied]:
    """Reply to all cases."""
    found: list[Replied] = []
    total = sum(map(len, groups.values()))
    for group, cases in groups.items():
        for case in cases:
            tell("cases", len(found), total)
            found.append(_one(group, case, talker, parser, offers, fitting))
    return found


def _one(
    group: str, case: Case, talker: Talker, parser: ActParser, offers: Collection[str], fitting: Fitting
) -> Replied:
    said = spoken(case.say)
    if answered(said) is not None:
        return Replied(group, case, "", "", 0.0, talk=True)
    given = Given(tuple(case.knows), tuple(case.knows.values()), case.did, spoken(case.said))
    began = time.perf_counter()
    try:
        written = talker.reply(said, told(case.style, given.facts, given.did, given.said), within_s=PATIENCE_S)
    except GenerationError:
        written = ""
    kept = held(written, said, given, offers, fitting)
    seconds = time.perf_counter() - began
    try:
        talk = [act.name for act in parser.parse(said).acts] == ["chat"]
    except GenerationError:
        talk = False
    return Replied(group, case, written, kept, seconds, talk)


def report(replied: Sequence[Replied], facts: Mapping[str, str]) -> Report:
    """The report of a run."""
    spoke = [one for one in replied if one.said]
    late = np.percentile([1000 * one.seconds for one in replied if one.seconds], (50, 95))
    figures: dict[str, Any] = {
        "cases": len(replied),
        "false": sum(bool(one.false) for one in replied),
        "written_false": sum(bool(claims(one.written, one.case)) for one in replied if one.written),
        "not_asked": sum(not one.seconds for one in replied),
        "by_model": len(spoke),
        "whole": sum(one.said == one.written for one in spoke),
        "small_talk": sum(one.talk for one in replied),
        "reply_ms": {"p50": round(float(late[0])), "p95": round(float(late[1]))},
        "too_late": sum(one.seconds > WITHIN_S for one in replied),
    }
    rows: list[tuple[Cell, ...]] = [
        ("replies with a false claim", figures["false"], str(GOAL), "yes" if GOAL.met(figures["false"]) else "no"),
        ("... as the model wrote them, before anything was cut", figures["written_false"], None, None),
        ("replies by the model; the others are a sentence of ours", figures["by_model"], None, None),
        ("cases that no model is asked about", figures["not_asked"], None, None),
        ("... of the replies by the model whole", figures["whole"], None, None),
        ("cases that the parser takes for small talk", figures["small_talk"], None, None),
        ("time for a reply, p50, ms", figures["reply_ms"]["p50"], None, None),
        ("... p95, ms", figures["reply_ms"]["p95"], None, None),
        (f"replies later than {WITHIN_S:g} s, which the car does without", figures["too_late"], None, None),
    ]
    groups = dict.fromkeys(one.group for one in replied)
    by: list[tuple[Cell, ...]] = [
        (group, len(some), sum(bool(one.said) for one in some), sum(bool(one.false) for one in some))
        for group in groups
        if (some := [one for one in replied if one.group == group])
    ]
    return Report(
        title="Small talk",
        lead=f"{len(replied)} written cases, each with what the reply may say; judged by rules of the laboratory's own.",
        figures=figures,
        blocks=(
            Table("Figures", ("figure", "measured", "goal", "reached"), tuple(rows)),
            Table("By group", ("group", "cases", "by the model", "false"), tuple(by)),
        ),
        facts=tuple(facts.items()),
    )
