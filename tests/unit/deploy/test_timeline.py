"""What a timeline says about a question of memory and its answer."""

from __future__ import annotations

from datetime import UTC, datetime

from deploy.timeline import entry_of, reply_entries
from schemas.actions import parse_action
from schemas.events import ActionResult, ActionStatus, Reply, Route, Ruling, Verdict
from schemas.memory import Decision, Outcome, Proposal

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
JAZZ = Proposal(
    id="n7", detail="favorite_genres", value="jazz", sentence="jazz would be nice", said_at=NOW, conversation="c",
    confidence=0.4, expires_at=NOW,
)  # fmt: skip


def test_the_question_is_an_entry_with_the_id_to_answer_it_by() -> None:
    reply = Reply(text="22 degrees. By the way, ...?", route=Route.FAST, reason="fast", proposal=JAZZ)
    decided, proposed = reply_entries(reply, 3.0)
    assert decided.kind == "decided" and proposed.kind == "proposed" and proposed.at_s == 3.0
    assert proposed.text == "Music genres: “jazz”? (proposal n7)"
    assert proposed.data["id"] == "n7" and proposed.data["value"] == "jazz" and proposed.data["title"] == "Music genres"
    ended = reply.model_copy(update={"proposal": JAZZ.model_copy(update={"negated": True})})
    assert reply_entries(ended, 3.0)[1].text == "Music genres: no longer “jazz”? (proposal n7)"


def test_the_answer_is_an_entry_of_what_was_learnt() -> None:
    decision = Decision(outcome=Outcome.DECLINED, detail="favorite_genres", reason="you said no", proposal="n7")
    reply = Reply(text="Okay.", route=Route.MEMORY, reason="answer", decision=decision)
    _, learned = reply_entries(reply, 3.0)
    assert learned.kind == "learned" and learned.text == "declined: Music genres (you said no)"
    assert learned.data["outcome"] == "declined" and learned.data["proposal"] == "n7"


def test_what_is_to_be_asked_is_told_when_it_is_learnt() -> None:
    decision = Decision(outcome=Outcome.ASK, detail="favorite_genres", reason="unsure", value="jazz", proposal="n7")
    assert entry_of(0.0, decision).text == "to be asked: Music genres “jazz” (unsure)"


def test_a_way_to_a_place_that_nobody_knows_is_not_told_as_done() -> None:
    action = parse_action("navigate_to", {"destination": "xyzzy"})
    ruling = Ruling(verdict=Verdict.ALLOW, rule="navigate_to", reason="")
    result = ActionResult(action=action, status=ActionStatus.DONE, ruling=ruling)
    reply = Reply(text="I don't know of xyzzy around here.", route=Route.FAST, reason="fast", results=(result,))
    acted = reply_entries(reply, 0.0)[1]
    assert (acted.kind, acted.text) == ("refused", "navigate_to(destination=xyzzy): no such place is known")
    there = result.model_copy(update={"answer": {"name": "Xyzzy", "minutes": 3.0}})
    assert reply_entries(reply.model_copy(update={"results": (there,)}), 0.0)[1].kind == "moved"
