"""A finished turn as the screen shows it: what was heard, the reply, what was done, the best guess where nothing was understood."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from memory.screen.assistant.talk import Act, Came, Exchange, Talk
from models.commands.nearest import alike
from models.text import spoken
from schemas.events import ActionResult, ActionStatus, Reply, Route, Transcript, TurnRecord, WakeDetection
from schemas.ports import CommandMatcher
from voice.account import Observer
from voice.dialogue.replies import responder

_CAME = {ActionStatus.DONE: Came.DONE, ActionStatus.DENIED: Came.REFUSED, ActionStatus.FAULT: Came.FAULT}

LIKE = 0.5
"""Share of the letters that a guess has in common with what was heard. Our choice: the recogniser's best command for nonsense has a
quarter ("purple monkey dishwasher"), a command with a word or two heard wrong two thirds and more."""


class ShownTurns:
    """Shows every finished turn, and tells another observer of it, too; meets ``voice.account.Observer``."""

    def __init__(self, observer: Observer, talk: Talk, matcher: CommandMatcher, now: Callable[[], datetime]) -> None:
        """Between the loop and that observer; ``matcher`` tells whether a guess is a command."""
        self._observer, self._talk, self._matcher, self._now = observer, talk, matcher, now

    def woke(self, at: float, detection: WakeDetection) -> None:
        """See ``Observer``."""
        self._observer.woke(at, detection)

    def finished(self, record: TurnRecord) -> None:
        """See ``Observer``; the screen is told first, since the reply sounds already."""
        shown = exchange_of(record, self._matcher, self._now())
        if shown is not None:
            self._talk.replied(shown, record.era)
        self._observer.finished(record)

    def ended(self, at: float, conversation: str) -> None:
        """See ``Observer``."""
        self._observer.ended(at, conversation)


def exchange_of(record: TurnRecord, matcher: CommandMatcher, now: datetime) -> Exchange | None:
    """What is shown of a turn; None for one that was not meant for the assistant, and got no answer."""
    reply = record.reply
    told = _words(reply.text) if reply is not None else ""
    if reply is None or not reply.text or not (told or reply.results):
        return None if record.error is None else Exchange(heard_of(record.transcript), "", now, missed=True)
    acts = tuple(_act(result) for result in reply.results if _shown(result))
    missed = reply.route is Route.REJECT or reply.text.startswith(responder.NOT_UNDERSTOOD)
    return Exchange(
        heard_of(record.transcript),
        told,
        now,
        acts,
        undo=_undoable(reply),
        missed=missed and not acts,
        guess=guess(record.transcript, matcher) if missed and not acts else "",
    )


def heard_of(transcript: Transcript | None) -> str:
    """The words that were heard."""
    return _words(transcript.text) if transcript is not None else ""


def _words(text: str) -> str:
    """A text; empty where it has signs only, as a recogniser writes a sigh and a language model a pause."""
    return text if any(map(str.isalnum, text)) else ""


def guess(transcript: Transcript | None, matcher: CommandMatcher) -> str:
    """The complete command that the sound was nearest to, if it is like the words that were heard; else empty."""
    if transcript is None:
        return ""
    others = sorted(transcript.others, key=lambda one: -one.log_score)
    heard = [transcript.grammar, *others] if transcript.grammar is not None else others
    said = spoken(transcript.text)
    return next(
        (
            one.text
            for one in heard
            if one.text != transcript.text and alike(said, one.text) >= LIKE and matcher.match(one.text) is not None
        ),
        "",
    )


def _shown(result: ActionResult) -> bool:
    return result.status in _CAME and not (result.action.query and result.status is ActionStatus.DONE)


def _act(result: ActionResult) -> Act:
    return Act(result.action.name, result.action.slots(), _CAME[result.status], result.ruling.reason)


def _undoable(reply: Reply) -> bool:
    """Whether what was done last can be taken back: it moved something, and was no taking back itself."""
    done = [result for result in reply.results if result.status is ActionStatus.DONE]
    return bool(done) and not done[-1].action.query and done[-1].action.name != "undo" and not done[-1].already
