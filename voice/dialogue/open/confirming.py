"""Answers to "Shall I ...?" that say yes or no by naming what is asked about: "ok add it", "no, leave it", "scratch the pharmacy".

Pure; what the answer does stands in the table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from schemas.actions import Action
from voice.dialogue.replies.examples import stems

_YES = r"(?:(?:yes|yeah|yep|yup|okay|ok|sure|fine|all right|alright|right|good|great|please|well|go ahead|then|and|just)\b ?)*"
_NO = r"(?:(?:no|nah|nope|oh|well|actually|never mind|okay|ok|please|just|and|then|wait|sorry)\b ?)*"
_IT = r"(?:it|that|this|them|those|so|one|that one|this one)"
_END = r"(?: (?:please|then|thanks|thank you|now|for me))*$"
_LEAVES = (
    rf"(?:(?:leave|let) {_IT}(?: (?:out|be|alone|there|at that|as (?:it|they) (?:is|are)|for now))?|"
    rf"(?:skip|drop|forget|scrap|scratch|cancel|bin|ditch)(?: {_IT})?|not (?:that|this)(?: one)?|"
    r"(?:don't|do not)(?: bother)?"
)
_ERASES = r"(?:skip|drop|forget|scrap|scratch|cancel|bin|ditch|lose|strike|delete|remove|cut|take out|leave out|not)"
_NAMES = re.compile(
    rf"^{_NO}(?:(?P<erases>{_ERASES})|(?P<leaves>leave)|keep) (?:the|that|this|my|our) (?P<thing>\w+(?: \w+){{0,3}}?)"
    rf"(?: (?:(?P<out>out|off)|alone|stop|in|there|again))*{_END}"
)
_TAKES_AWAY = frozenset({"remove_stop", "cancel_navigation", "cancel_timer"})
"""Actions that are asked for by such verbs themselves."""


def answer(question: str, actions: Sequence[Action], text: str) -> bool | None:
    """Whether words agree to a question (True) or turn it down (False) by naming it; None where they do neither.

    Args:
        question: as it was asked.
        actions: what it asks about.
        text: the words in their spoken form.
    """
    verbs = {word for found in re.finditer(r"(?:Shall I|and) ([a-z]+)", question) for word in (found[1],)}
    if re.match(rf"^{_YES}(?:do|{'|'.join(verbs) or 'do'}) {_IT}{_END}", text):
        return True
    if re.match(rf"^{_NO}(?:{_LEAVES}(?: (?:do|{'|'.join(verbs) or 'do'})(?: {_IT})?)?)){_END}", text):
        return False
    found = _NAMES.match(text)
    if found is None or not _named(found["thing"], question, actions):
        return None
    erases = found["erases"] or (found["leaves"] and found["out"])
    if found["leaves"] and not erases:
        return False
    return bool(erases) is any(action.name in _TAKES_AWAY for action in actions)


def _named(thing: str, question: str, actions: Collection[Action]) -> bool:
    """Whether every word of a thing that names something stands in what is asked."""
    said = stems(thing)
    told = " ".join(str(value).replace("_", " ") for action in actions for value in action.slots().values())
    return bool(said) and said <= stems(f"{question} {told}")
