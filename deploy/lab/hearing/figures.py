"""From what was measured to the report: shares, percentiles, goals beside them, tables.

Owns the goals and what the figures are called. Measures nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from deploy.lab.hearing.judge import Outcome
from deploy.lab.hearing.parts import NOISES, Results, Talked, Tried, Worded
from deploy.lab.hearing.voices import CONTROL, Missing
from deploy.lab.report.blocks import Cell, Goal, Report, Table
from deploy.lab.report.statistics import spread

DONE_RIGHT = (Outcome.RIGHT, Outcome.AMENDED)


GOALS: Mapping[str, Goal] = {
    "commands.quiet.right": Goal(0.95),
    "commands.10dB.right": Goal(0.80),
    "commands.quiet.wrong": Goal(0.01, least=False),
    "commands.10dB.wrong": Goal(0.01, least=False),
    "free.quiet.right": Goal(0.85),
    "free.10dB.right": Goal(0.65),
    "pauses.right": Goal(0.9),
    "onward.right": Goal(0.9),
    "breath.unlocked": Goal(0, least=False),
    "idle.wakes_per_hour": Goal(0.5, least=False),
    "wake.10dB.missed": Goal(0.02, least=False),
    "latency.commands_ms.p95": Goal(400, least=False),
    "latency.goes_on_ms.p95": Goal(
        950, least=False
    ),  # .75 s of it is the pause before which people go on (docs/adr/0021)
    "latency.free_ms.p95": Goal(950, least=False),
    "resident.most_mb": Goal(1200, least=False),
    "idle.always_on_share": Goal(0.05, least=False),
}
"""By the figure's path in the JSON object."""

NAMES: Mapping[str, str] = {
    "commands.quiet.right": "documented commands right, quiet",
    "commands.quiet.wrong": "... something else done",
    "commands.10dB.right": "documented commands right, broadband noise 10 dB",
    "commands.10dB.wrong": "... something else done",
    "free.quiet.right": "free wordings: all words that matter heard, quiet",
    "free.quiet.word_accuracy": "... word accuracy",
    "free.10dB.right": "free wordings: all words that matter heard, 10 dB",
    "free.10dB.word_accuracy": "... word accuracy",
    "pauses.right": "pause of 0.7 s in mid-sentence: right",
    "onward.right": "a complete request goes on after 0.5 to 0.7 s: right",
    "onward.amended": "... of them acted first and amended",
    "alone.right": "the same beginnings alone: right",
    "breath.locked": "wake word and “lock the doors” in one breath: locked",
    "breath.unlocked": "... asked the vehicle to unlock (tries)",
    "wake.quiet.missed": "wake word missed, quiet",
    "wake.10dB.missed": "wake word missed, 10 dB",
    "followup.ended_s": "a passenger talks on: conversation ends after (mean seconds, at most the talk)",
    "followup.replies": "... false requests answered",
    "followup.acts": "... things done",
    "idle.wakes_per_hour": "talk of others: false wakes an hour",
    "idle.replies": "... false requests answered",
    "idle.acts": "... things done",
    "idle.always_on_share": "... wake word and voice activity, share of a core",
    "idle.whole_share": "... the whole process, share of a core",
    "latency.commands_ms.p50": "end of speech to reply, commands that nothing continues, p50 ms",
    "latency.commands_ms.p95": "... p95 ms",
    "latency.goes_on_ms.p50": "end of speech to reply, commands that could go on, p50 ms",
    "latency.goes_on_ms.p95": "... p95 ms",
    "latency.free_ms.p50": "end of speech to reply, free speech, p50 ms",
    "latency.free_ms.p95": "... p95 ms",
    "resident.ready_mb": "resident memory of all processes once ready, MB",
    "resident.most_mb": "... at most, after playing",
}
"""The rows of the first table, by the figure's path."""


def report(
    results: Results,
    facts: Mapping[str, str],
    missing: Sequence[Missing],
    skipped: Mapping[str, str],
    resident: Mapping[str, float],
) -> Report:
    """The report of whatever was run.

    Args:
        results: what was measured.
        facts: engines, profile, seed and the like.
        missing: voices that could not speak here.
        skipped: parts that were asked for and could not be run, with the reason.
        resident: megabytes, empty where not measured.
    """
    figures: dict[str, Any] = {
        **measured(results),
        **({"resident": dict(resident)} if resident else {}),
        "goals": {name: str(goal) for name, goal in GOALS.items()},
        "facts": dict(facts),
        "missing_voices": {one.name: one.why for one in missing},
        "skipped": dict(skipped),
    }
    notes = [f"Without the voice {one.name}: {one.why}." for one in missing]
    notes += [f"Not measured: {part}: {why}." for part, why in skipped.items()]
    rows = tuple(row for path, name in NAMES.items() if (row := _row(figures, path, name)) is not None)
    blocks: list[Table] = [Table("Figures", ("figure", "measured", "of", "goal", "reached"), rows, " ".join(notes))]
    for title, tried in (
        ("Documented commands", results.commands),
        ("Pauses in mid-sentence", results.pauses),
        ("Complete requests that go on", results.onward),
        ("Their beginnings alone", results.alone),
        ("One breath", results.breath),
    ):
        if tried:
            blocks.append(_by_voice(title, tried))
    return Report(
        title="Hearing",
        lead="From sound to what the simulated vehicle did, through the whole assistant, with voices that nothing was trained on.",
        figures=figures,
        blocks=tuple(blocks),
        facts=tuple(facts.items()),
    )


def measured(results: Results) -> dict[str, Any]:
    """All figures of the parts that were run; shares from 0 to 1, times in milliseconds unless the name says seconds."""
    found: dict[str, Any] = {}
    drivers = [one for one in results.commands if one.voice != CONTROL]
    if results.commands:
        control = [one for one in results.commands if one.voice == CONTROL]
        found["commands"] = {
            **{_name(snr): _tried(own) for snr in NOISES if (own := [one for one in drivers if one.snr == snr])},
            **{
                f"control_{_name(snr)}": _tried(own)
                for snr in NOISES
                if (own := [one for one in control if one.snr == snr])
            },
        }
    if results.free:
        found["free"] = {
            _name(snr): _worded(own) for snr in NOISES if (own := [one for one in results.free if one.snr == snr])
        }
    for name, tried in (("pauses", results.pauses), ("onward", results.onward), ("alone", results.alone)):
        if tried:
            found[name] = _tried(tried)
    if results.breath:
        counts = Counter(one.outcome for one in results.breath)
        found["breath"] = {
            "n": len(results.breath),
            "locked": _share(counts[Outcome.RIGHT], len(results.breath)),
            "unlocked": results.unlocked,
            "counts": _counts(results.breath),
        }
    if results.commands or results.free:
        found["wake"] = _wake(drivers, results.free)
    if opened := [one for one in results.followup if one.opened]:
        found["followup"] = {
            "n": len(opened),
            "ended_s": _mean([one.seconds if one.ended_s is None else one.ended_s for one in opened]),
            "never_ended": sum(one.ended_s is None for one in opened),
            "talk_s": [round(one.seconds, 1) for one in opened],
            "each_ended_s": [None if one.ended_s is None else round(one.ended_s, 1) for one in opened],
            **_talk(opened),
        }
    if results.idle:
        hours = sum(one.seconds for one in results.idle) / 3600.0
        found["idle"] = {
            "n": len(results.idle),
            "hours": round(hours, 4),
            "wakes_per_hour": round(sum(one.wakes for one in results.idle) / hours, 3) if hours else 0.0,
            **_talk(results.idle),
            "always_on_share": _mean([one.always_on for one in results.idle], 4),
            "whole_share": _mean([one.whole for one in results.idle], 4),
        }
    if latency := _latency(results):
        found["latency"] = latency
    return found


def _tried(tried: Sequence[Tried]) -> dict[str, Any]:
    total = len(tried)
    woken = sum(one.outcome is not Outcome.ASLEEP for one in tried)
    right = sum(one.outcome in DONE_RIGHT for one in tried)
    voices = dict.fromkeys(one.voice for one in tried)
    return {
        "n": total,
        "right": _share(right, total),
        "right_of_woken": _share(right, woken),
        "wrong": _share(sum(one.outcome is Outcome.WRONG for one in tried), total),
        "amended": _share(sum(one.outcome is Outcome.AMENDED for one in tried), total),
        "counts": _counts(tried),
        "by_voice": {
            voice: _share(sum(one.outcome in DONE_RIGHT for one in own), len(own))
            for voice in voices
            if (own := [one for one in tried if one.voice == voice])
        },
        "not_right": [f"{one.voice}: {one.name} ({one.outcome})" for one in tried if one.outcome not in DONE_RIGHT],
    }


def _worded(worded: Sequence[Worded]) -> dict[str, Any]:
    words = [one.words for one in worded]
    accuracy = 1.0 - sum(min(one.errors, one.words) for one in words) / max(1, sum(one.words for one in words))
    voices = dict.fromkeys(one.voice for one in worded)
    return {
        "n": len(worded),
        "right": _share(sum(one.right for one in words), len(words)),
        "right_of_woken": _share(sum(one.right for one in words), sum(one.woken for one in words)),
        "word_accuracy": round(accuracy, 4),
        "carriers_heard": _share(sum(one.carried for one in words), sum(one.carriers for one in words)),
        "by_voice": {
            voice: _share(sum(one.words.right for one in own), len(own))
            for voice in voices
            if (own := [one for one in worded if one.voice == voice])
        },
    }


def _wake(tried: Sequence[Tried], worded: Sequence[Worded]) -> dict[str, Any]:
    """Misses over everything that began with the wake word, by noise and voice."""
    heard = [(one.snr, one.voice, one.outcome is not Outcome.ASLEEP) for one in tried]
    heard += [(one.snr, one.voice, one.words.woken) for one in worded]
    found: dict[str, Any] = {}
    for snr in NOISES:
        own = [(voice, woken) for ratio, voice, woken in heard if ratio == snr]
        if own:
            found[_name(snr)] = {
                "n": len(own),
                "missed": _share(sum(not woken for _, woken in own), len(own)),
                "by_voice": {
                    voice: _share(sum(not woken for other, woken in own if other == voice), count)
                    for voice, count in Counter(voice for voice, _ in own).items()
                },
            }
    return found


def _talk(talked: Sequence[Talked]) -> dict[str, int]:
    return {
        "wakes": sum(one.wakes for one in talked),
        "replies": sum(one.replies for one in talked),
        "acts": sum(one.acts for one in talked),
    }


def _latency(results: Results) -> dict[str, Any]:
    """Times of what was right in the quiet car, since a wrong reply may come from a sentence that was cut off."""
    commands = [
        one
        for one in [*results.commands, *results.alone]
        if one.snr is None and one.outcome is Outcome.RIGHT and one.reply_ms is not None and one.voice != CONTROL
    ]
    groups = {
        "commands_ms": [one.reply_ms for one in commands if not one.goes_on],
        "goes_on_ms": [one.reply_ms for one in commands if one.goes_on],
        "free_ms": [one.reply_ms for one in results.free if one.snr is None and one.words.woken],
    }
    return {
        name: {"n": len(values), **spread(values, 1)}
        for name, times in groups.items()
        if (values := [time for time in times if time is not None])
    }


def _counts(tried: Sequence[Tried]) -> dict[str, int]:
    counts = Counter(one.outcome for one in tried)
    return {outcome.value: counts[outcome] for outcome in Outcome if counts[outcome]}


def _row(figures: Mapping[str, Any], path: str, name: str) -> tuple[Cell, ...] | None:
    value: Any = figures
    count: Any = None
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        count = value.get("n", count)
        value = value[key]
    goal = GOALS.get(path)
    reached = "" if goal is None else "yes" if goal.met(float(value)) else "no"
    return name, value, count, "" if goal is None else str(goal), reached


def _by_voice(title: str, tried: Sequence[Tried]) -> Table:
    kinds = [outcome for outcome in Outcome if any(one.outcome is outcome for one in tried)]
    rows: list[tuple[Cell, ...]] = []
    for snr in NOISES:
        for voice in dict.fromkeys(one.voice for one in tried if one.snr == snr):
            own = [one for one in tried if one.snr == snr and one.voice == voice]
            counts = Counter(one.outcome for one in own)
            rows.append((f"{voice}, {_name(snr)}", len(own), *(counts[kind] for kind in kinds)))
    return Table(title, ("voice", "said", *(kind.value for kind in kinds)), tuple(rows))


def _name(snr: float | None) -> str:
    return "quiet" if snr is None else f"{snr:g}dB"


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _mean(values: Sequence[float], digits: int = 1) -> float:
    return round(sum(values) / len(values), digits) if values else 0.0
