"""The reply to a plan for which nothing is to be done: the car has no such thing, it is refused, or it was not understood.

Pure rules over the words and the plan.
"""

from __future__ import annotations

import re

from schemas.events import Reply, Route, Transcript
from schemas.ports import CommandMatcher
from voice.dialogue.coordinator import Plan
from voice.dialogue.replies import responder

_REFUSED = re.compile(r"^(?:please )?(?:don't|do not|never) (?:you )?")


def at_once(plan: Plan, transcript: Transcript, matcher: CommandMatcher) -> Reply | None:
    """The reply to what needs nothing done; None where something is to be done first."""
    said = transcript.text.lower()
    if plan.meant:
        return None
    if plan.command is None and responder.DRIVES.search(said):
        return Reply(text=responder.DRIVING, route=Route.REJECT, reason="asks for what drives the car")
    refused = _REFUSED.match(said) if plan.command is None else None
    if refused is not None and matcher.match(transcript.text[refused.end() :]) is not None:
        return Reply(text=responder.CANCELLED, route=Route.CONTROL, reason="asked not to do something")
    if plan.route is Route.FAST:
        return None
    text = responder.lacks(plan.lacks) if plan.lacks else responder.NOT_UNDERSTOOD
    return Reply(text=text, route=Route.REJECT, reason=plan.reason)
