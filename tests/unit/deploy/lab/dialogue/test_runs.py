"""`eval dialogue`: the form of a suite, cases said to a whole assistant that knows a few words, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.cli.main import main
from deploy.config import Config, load_config
from deploy.engines import Engines
from deploy.lab.dialogue import figures, suite
from deploy.lab.dialogue.driving import Fleet, Played
from deploy.lab.dialogue.seen import Result
from deploy.lab.dialogue.suite import Case
from deploy.lab.dialogue.verdict import judge
from deploy.lab.report.blocks import silent
from schemas.errors import EvaluationDataError


def written(path: Path, *cases: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(case) + "\n\n" for case in cases), "utf-8")
    return path


def case(name: str = "a", group: str = "openings", *turns: dict[str, Any], **setup: Any) -> dict[str, Any]:
    return {"id": name, "group": group, "setup": setup, "turns": list(turns) or [{"say": "hello", "right": []}]}


# The suite ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        ({"say": "hello", "rihgt": []}, "rihgt"),
        ({"say": "hello", "right": [{"declined": True}]}, "declined"),
        ({"say": "hello", "right": [{"reply": "(a"}]}, "not a regular expression"),
        ({"right": []}, "say"),
    ],
)
def test_an_expectation_that_nobody_would_look_at_is_an_error(tmp_path: Path, turns: dict[str, Any], told: str) -> None:
    with pytest.raises(EvaluationDataError, match="line 3 of") as error:
        suite.read(written(tmp_path / "suite.jsonl", case("a"), case("b", "x", turns)))
    assert told in str(error.value)


def test_cases_are_chosen_by_group_and_id(tmp_path: Path) -> None:
    path = written(tmp_path / "suite.jsonl", case("a", "x"), case("b", "y"), case("c", "y"))
    assert [one.id for one in suite.read(path)] == ["a", "b", "c"]
    assert [one.id for one in suite.read(path, group="y")] == ["b", "c"]
    assert [one.id for one in suite.read(path, group="y", only=["c"])] == ["c"]
    with pytest.raises(EvaluationDataError, match="no case d"):
        suite.read(path, only=["d"])
    with pytest.raises(EvaluationDataError, match="groups: x, y"):
        suite.read(path, group="z")
    with pytest.raises(EvaluationDataError, match="a twice"):
        suite.read(written(tmp_path / "twice.jsonl", case("a"), case("a")))
    with pytest.raises(EvaluationDataError, match="cannot be read"):
        suite.read(tmp_path / "none.jsonl")


# In the car -----------------------------------------------------------------------------------------------------------


BUILT_IN = Engines.encoder


pytestmark = pytest.mark.usefixtures("fakes")


def driven(tmp_path: Path, *cases: dict[str, Any]) -> list[Played]:
    fleet = Fleet(load_config(environment={}), tmp_path)
    played = list(fleet.run([Case.model_validate(one) for one in cases], silent))
    assert list(tmp_path.iterdir()) == []
    return played


def test_every_case_has_a_car_a_memory_and_a_day_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engines, "encoder", BUILT_IN)
    wish = {"say": "open the passenger window halfway", "right": [{"state": {"window.passenger": 50}}]}
    remind = {
        "say": "remind me at eleven to call mum",
        "right": [{"timer": {"kind": "reminder", "at": "11:00", "minutes": 60}}],
    }
    time = {"say": "what time is it", "right": [{"reply": "10:00"}]}
    played = driven(
        tmp_path, case("a", "x", wish, motion="parked"), case("b", "x", wish, state={"window.passenger": 10}),
        case("c", "x", remind), case("d", "x", time),
    )  # fmt: skip
    assert [str(one.judged.verdict) for one in played if one.judged] == ["right"] * 4
    assert [one.result.before["window.passenger"] for one in played] == [0, 10, 0, 0]
    assert all(not one.said.failed and one.said.seconds > 0 for one in played)


def test_an_offer_gets_its_yes_and_after_a_wrong_one_the_dialogue_goes_on_without(tmp_path: Path) -> None:
    unlock = {"say": "unlock the doors", "right": [{"state": {"doors.locked": False}}]}
    locked = {"state": {"doors.locked": True}, "motion": "parked"}
    done = driven(
        tmp_path, case("a", "x", unlock, {"say": "is the car locked", "right": [{"reply": "unlocked"}]}, **locked)
    )
    assert done[0].result.yes is not None and done[0].result.before["doors.locked"] is True
    assert [one.judged.verdict.well for one in done if one.judged] == [True, True]
    refused = {**unlock, "right": [{"declines": True}]}
    after = driven(
        tmp_path,
        case("a", "x", refused, {"say": "is the car locked", "right": [{"reply": "(?<!un)locked"}]}, **locked),
    )
    assert [str(one.judged.verdict) for one in after if one.judged] == ["wrong", "right"]
    unanswered = driven(tmp_path, case("a", "x", {**unlock, "yes": False}, **locked))
    assert unanswered[0].result.yes is None and unanswered[0].result.asked


def test_timers_and_what_was_said_before_are_seen(tmp_path: Path) -> None:
    timer = {"say": "set a timer for ten minutes", "right": [{"timer": [{"kind": "timer", "minutes": 10}]}]}
    stop = {"say": "cancel the timer", "right": [{"timer_gone": [{}]}]}
    again = {"say": "a bit more", "right": [{"state": {"climate.fan": 4}}]}
    before = {"said": ["set the fan to three"], "continues": True}
    played = driven(tmp_path, case("a", "x", timer, stop), case("b", "x", again, **before))
    assert [str(one.judged.verdict) for one in played if one.judged] == ["right"] * 3


def test_a_driver_who_has_become_a_guest_is_followed_on(tmp_path: Path) -> None:
    become = {"say": "switch to guest mode", "right": [{"reply": "guest"}]}
    fan = {"say": "set the fan to three", "right": [{"state": {"climate.fan": 3}}]}
    played = driven(tmp_path, case("a", "x", become, fan))
    assert [str(one.judged.verdict) for one in played if one.judged] == ["right", "right"]


def test_mail_in_the_outbox_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engines, "encoder", BUILT_IN)
    mail = {"say": "email anna berg that I am late", "right": [{"mail": {"to": "^anna@", "text": "^i am late$"}}]}
    wish = {**mail, "right": [{"declines": True}, {"reply": "e-mail", "reply_not": "shall i", "idle": True}]}
    played = driven(tmp_path, case("a", "x", mail, mail=True), case("b", "x", wish))
    assert [one.judged.verdict.well for one in played if one.judged] == [True, True]


def test_an_error_is_a_finding_and_a_wrong_setup_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EvaluationDataError, match="the case a cannot be set up"):
        driven(
            tmp_path,
            case(state={"window.driver": 500}),
        )
    from voice.dialogue.agent import Dialogue

    def broken(self: Dialogue, text: str) -> None:
        raise ZeroDivisionError(text)

    monkeypatch.setattr(Dialogue, "typed", broken)
    played = driven(tmp_path, case())
    assert played[0].said.failed == "ZeroDivisionError: hello" and played[0].result.reply.startswith("(error: Zero")
    assert figures.report(played, 1.0, {}).figures["failed"] == 1


# The command ----------------------------------------------------------------------------------------------------------

SUITE = (
    case("a", "openings", {"say": "open the passenger window halfway", "right": [{"state": {"window.passenger": 50}}]}),
    case("b", "carbench", {"say": "open my window", "right": [{"state": {"window.driver": 50}}]}),
    case(
        "c", "dialogue", {"say": "set the fan to three", "right": [{"state": {"climate.fan": 3}}]},
        {"say": "a bit more", "right": [{"state": {"climate.fan": 2}}]},
    ),
    case("d", "tricks", {"say": "hello", "right": [{"silent": True}], "ok": [{"reply": "."}], "forbidden": "^window"}),
)  # fmt: skip


def test_the_command_tells_shares_by_group_and_writes_what_was_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fakes: list[Config]
) -> None:
    data, results = written(tmp_path / "suite.jsonl", *SUITE), tmp_path / "out.jsonl"
    arguments = ["eval", "dialogue", "--data", str(data), "--results", str(results), "--small", "--json"]
    assert main(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert fakes[0].profile == "small"
    assert told["single"]["well"] == 1.0 and told["single"]["n"] == 1
    assert told["carbench"]["counts"]["harmful"] == 1 and told["carbench"]["intervals"]["harmful"][1] == 1.0
    assert (told["first"]["well"], told["later"]["well"]) == (1.0, 0.0)
    assert told["dialogues"] == {"n": 1, "all_well": 0} and told["forbidden"] == {"n": 1, "moved": 0}
    assert [one["verdict"] for one in told["turns"]][:3] == ["right", "harmful", "right"]
    lines = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    assert [(line["id"], line["turn"]) for line in lines] == [("a", 0), ("b", 0), ("c", 0), ("c", 1), ("d", 0)]
    assert lines[0]["before"]["window.passenger"] == 0 and lines[0]["after"]["window.passenger"] == 50
    cases = {one.id: one for one in suite.read(data)}
    again = [judge(cases[one.id].turns[one.turn], one) for one in map(Result.model_validate, lines)]
    assert [one.verdict.value for one in again] == [one["verdict"] for one in told["turns"]]


def test_tables_a_page_and_the_turns_that_went_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, page = written(tmp_path / "suite.jsonl", *SUITE), tmp_path / "page.html"
    arguments = ["eval", "dialogue", "--data", str(data), "--only", "a,b", "--show", "harmful", "--page", str(page)]
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert "CAR-bench's wording: right or acceptable" in said.out and "2 turns judged" in said.out
    assert "b.0 carbench [harmful] open my window ->" in said.err and "a.0" not in said.err
    assert "Right or acceptable" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["--show", "bad"], 10, "there is no verdict bad"),
        (["--only", "z"], 71, "no case z"),
        (["--results", "missing/out.jsonl"], 10, "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], code: int, told: str
) -> None:
    data = written(tmp_path / "suite.jsonl", case())
    assert main(["eval", "dialogue", "--data", str(data), *more]) == code
    assert told in capsys.readouterr().err
