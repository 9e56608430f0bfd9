"""The response generator: one or two short sentences, from templates and results, never from imagination.

Every word comes from an action's slots, a result of the vehicle, a remembered value or this file.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.actions import Action
from schemas.events import ActionResult, ActionStatus
from schemas.memory import Recollection
from voice.dialogue.answers import answer
from voice.dialogue.done import DONE, THINGS
from voice.dialogue.likes import because


def question(action: Action) -> str:
    """What to ask before an action that needs a yes."""
    done = DONE[action.name](action.model_dump(mode="json")) if action.name in DONE else action.name.replace("_", " ")
    return f"{done}: shall I? Say yes or no."


def report(results: Sequence[ActionResult], used: Sequence[Recollection] = ()) -> str:
    """The reply to what was done, denied, asked or failed, and which memory was used."""
    reasons = " and ".join(dict.fromkeys(because(r.preference) for r in used))
    sentences = [_sentence(result) for result in results]
    if reasons and len(results) == 1 and results[0].action.name == "set_temperature":
        return f"{reasons[0].upper()}{reasons[1:]}, so I've set that."
    if reasons and sentences[0].endswith("."):
        sentences[0] = f"{sentences[0][:-1]}, because {reasons}."
    return " ".join(sentences)


def _sentence(result: ActionResult) -> str:
    if result.status is ActionStatus.DENIED:
        return result.ruling.reason
    if result.status is ActionStatus.NEEDS_CONFIRMATION:
        return f"{result.ruling.reason.rstrip('.')}. {question(result.action)}"
    if result.status is ActionStatus.FAULT:
        return "The car did not do that." if result.error != "not_moved" else "I asked the car, but nothing moved."
    slots = result.action.model_dump(mode="json")
    if result.action.name in DONE:
        return f"{DONE[result.action.name](slots)}."
    return f"{answer(result.action.name, slots, result.answer)}."


HELP = (
    "You can ask for the climate, windows, lights, music, or the way somewhere. "
    "Tell me what you like, or ask what I remember about you."
)
NOT_UNDERSTOOD = "Sorry, I didn't understand that."
NOTHING_PENDING = "There is nothing waiting for an answer."
CANCELLED = "Okay, I won't."


def noted(forbidden: str | None) -> str:
    """The reply to a preference that the driver tells. It promises nothing: extraction decides later, on all that was said."""
    if forbidden is None:
        return "Okay, noted."
    return f"Okay. I won't keep that: {forbidden}."


def lacks(names: Sequence[str]) -> str:
    """The reply to what this vehicle does not have; ``names`` are of actions, most likely first."""
    thing = next((THINGS[name] for name in names if name in THINGS), None)
    return f"This car has no {thing}." if thing else "This car can't do that."
