"""The demo is the main job: the whole drive, real parts only, must end as its script says. And its judge must be able to fail."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import soundfile

from deploy.config import load_config
from deploy.demo import play
from deploy.demo.judge import REPLY, judge, latency_table, with_truth
from deploy.demo.script import TRIPS
from deploy.timeline import TimelineEntry
from voice.dialogue.replies.responder import NOT_UNDERSTOOD


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, list[dict[str, Any]], Path]:
    """Exit code, JSON lines and folder of one played demo; shared, because it takes most of a minute.

    Of the profile that every machine can play; with real weights `./deploy/up demo` judges itself by the same script.
    """
    import contextlib
    import io

    out = tmp_path_factory.mktemp("demo")
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        code = play(load_config(flags={"profile": "small"}, environment={}), out, json_lines=True)
    return code, [json.loads(line) for line in told.getvalue().splitlines()], out


@pytest.mark.timeout(1200)
def test_the_drive_ends_as_it_should(lines: tuple[int, list[dict[str, Any]], Path]) -> None:
    code, told, _ = lines
    wrong = [
        line["check"]["text"]
        for line in told
        if "check" in line and line["check"]["decides"] and not line["check"]["ok"]
    ]
    assert wrong == []
    assert code == 0
    assert told[-1]["passed"] is True


def test_every_promised_thing_is_in_the_timeline(lines: tuple[int, list[dict[str, Any]], Path]) -> None:
    _, told, _ = lines
    entries = [line for line in told if "kind" in line]
    first = [entry for entry in entries if entry["trip"] == 1]
    kinds = {entry["kind"] for entry in first}
    assert {"wake", "heard", "decided", "moved", "refused", "asked", "said", "learned"} <= kinds
    moved = {entry["data"]["action"] for entry in first if entry["kind"] == "moved"}
    assert len(moved) >= 6
    learned = [entry["data"]["outcome"] for entry in first if entry["kind"] == "learned"]
    outcomes = sorted(outcome for outcome in learned if outcome != "dropped")  # misheard in noise, and not stored
    assert [outcome for outcome in outcomes if outcome != "refused"] == ["append", "append", "append", "pass", "update"]
    refused = next(e for e in first if e["kind"] == "learned" and e["data"]["outcome"] == "refused")
    assert refused["data"]["value"] is None, "what was opted out of must not even be told"
    routes = [entry["data"]["route"] for entry in entries if entry["trip"] == 2 and entry["kind"] == "decided"]
    assert routes == ["model", "model", "fast"]


def test_sound_and_page_are_written(lines: tuple[int, list[dict[str, Any]], Path]) -> None:
    _, told, out = lines
    info = soundfile.info(out / "drive.wav")
    audio = sum(line["summary"]["audio_s"] for line in told if "summary" in line)
    assert info.samplerate == 16_000
    assert info.frames / info.samplerate == pytest.approx(audio + 1.5, abs=10.0)
    page = (out / "drive.html").read_text(encoding="utf-8")
    assert "ended as it should" in page
    words = re.sub(r"base64,[A-Za-z0-9+/=]+", "", page)  # any four letters stand in a megabyte of sound by chance
    assert "http" not in words.replace("http-equiv", ""), "the page must need nothing from outside"
    assert "Trattoria Limoncella" in page


def _entry(kind: str, at: float = 1.0, text: str = "", **data: Any) -> TimelineEntry:
    return TimelineEntry(at_s=at, kind=kind, text=text, data=data)


def _summary(**changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "vehicle": {}, "vault": [], "resident_mb": 100.0, "always_on_share": 0.01,
        "engines": {"recogniser": "pocketsphinx", "voice": "espeak"},
    }  # fmt: skip
    return {**base, **changes}


def test_it_is_told_what_ran(lines: tuple[int, list[dict[str, Any]], Path]) -> None:
    _, told, out = lines
    engines = [line["engines"] for line in told if "engines" in line]
    assert len(engines) == len(TRIPS) and engines[0].keys() == {"recogniser", "voice", "small talk"}
    assert all(name in (out / "drive.html").read_text("utf-8") for name in engines[0].values())


@pytest.mark.parametrize(("engines", "limit"), [({}, 400.0), ({"voice": "piper-en-us-joe-medium"}, 1200.0)])
def test_what_was_fetched_may_weigh_more(engines: dict[str, str], limit: float) -> None:
    for resident, ok in ((limit - 1.0, True), (limit + 1.0, False)):
        summary = _summary(resident_mb=resident)
        summary["engines"] = {**summary["engines"], **engines}
        checks = judge({1: [], 2: []}, {1: summary, 2: _summary()}, [], 10.0)
        assert next(check.ok for check in checks if check.text.startswith("resident memory")) is ok


def test_a_drive_in_which_nothing_happened_fails() -> None:
    checks = judge({1: [], 2: []}, {1: _summary(), 2: _summary()}, [], 10.0)
    failed = [check.text for check in checks if check.decides and not check.ok]
    for trip in TRIPS:
        assert any(text.startswith(f"trip {trip.number}: vehicle ended") for text in failed)
        assert any(text.startswith(f"trip {trip.number}: vault holds") for text in failed)


@pytest.mark.parametrize("what", ["window", "vault", "extra"])
def test_one_thing_wrong_is_enough(what: str) -> None:
    trip = TRIPS[0]
    vehicle = dict(trip.vehicle)
    vault = [{"detail": detail, "value": value} for detail, value in trip.vault.items()]
    entries = [_entry(kind) for kind, least in trip.statuses.items() for _ in range(least)]
    entries += [_entry("said", text=f"“{NOT_UNDERSTOOD}”")] * trip.rejects
    entries += [_entry("learned", outcome=outcome) for outcome, count in trip.decisions.items() for _ in range(count)]
    summary = _summary(vehicle=vehicle, vault=vault)

    def decided(summary: dict[str, Any]) -> list[bool]:
        checks = judge({1: entries, 2: []}, {1: summary, 2: _summary()}, [], 10.0)
        return [check.ok for check in checks if check.decides and not check.text.startswith("trip 2")]

    assert all(decided(summary))
    wrong = {
        "window": _summary(vehicle={**vehicle, "window.driver": 0}, vault=vault),
        "vault": _summary(vehicle=vehicle, vault=vault[:-1]),
        "extra": _summary(
            vehicle=vehicle, vault=[*vault, {"detail": "favorite_podcast_genres", "value": "true crime"}]
        ),
    }[what]
    assert not all(decided(wrong))


def test_commands_that_were_waited_for_are_a_path_of_their_own() -> None:
    def turn(endpoint: str, total: float) -> list[TimelineEntry]:
        said: dict[str, Any] = {"route": "fast", "latency_ms": {"total": total}}
        return [_entry("heard", 1.0, endpoint=endpoint), _entry("said", 2.0, **said)]

    table = {stage.path: stage for stage in latency_table({1: [*turn("hurry", 300.0), *turn("middle", 800.0)]})}
    assert (table["fast"].p95, table["goes on"].p95) == (300.0, 800.0)


def test_latency_counts_from_the_true_end_of_the_line() -> None:
    said = _entry("said", 5.3, route="fast", latency_ms={"endpoint": 160.0, "total": 200.0})
    told = with_truth([said], [(1.0, 2.0, "before"), (3.0, 5.0, "this one"), (6.0, 7.0, "after")])
    assert told[0].data["latency_ms"][REPLY] == pytest.approx(300.0)
    table = {stage.stage: stage for stage in latency_table({1: told})}
    assert table[REPLY].p95 == pytest.approx(300.0)
    assert table["endpoint"].turns == 1
