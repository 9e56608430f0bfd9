"""Whether an utterance has words for what a model found in it: a second look at what cannot be taken back.

The parser's grammar holds it to words that were said, but not to what they mean. Here nothing is erased, switched on or off,
written to a file, handed to another driver or agreed to unless a word of the utterance speaks of such a thing, however sure the
model is. Pure. What no word asks for and can be undone is asked about (``accounted``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from schemas.actions import Action
from schemas.actions.acts import MEMORY, Act

_ERASING = re.compile(
    r"\b(?:(?<!did you )(?<!do you )forget\w*|(?<!you )forgot\w*|delet\w*|eras\w*|remov\w*|wip\w*|clear\w*|empty|throw|purge|"
    r"scrap|scrub|strike|scratch|drop|tear|rid|bin|"
    r"lose|reset|blank|clean|pretend|un(?:remember|learn|register)|disregard|take (?:me|that|it|back|out)|start over|from scratch|"
    r"never said|(?:don't|do not|needn't|no need to|shouldn't|not|nothing|none|stop|wasn't)\b.*\b(?:keep|kept|remember|sav\w+|"
    r"stor\w+|not(?:e|ing)|know\w*|stay|think\w*|profile|memory)|out of (?:your|the) memory|know nothing|has to go|can go|"
    r"let go|hold on to|hang on to|vanish|release|out with|out of there|never happened|cancel|unknow|no memories|remain)\b"
)
_LEARNING = re.compile(
    r"\b(?:remember\w*|learn\w*|memor\w+|stor(?:e|ed|ing)|track\w*|not(?:e|es|ing)|keep\w*|opt\w*|mind|may|allow\w*|paus\w*|"
    r"unpause|resume|priva\w+|secret|incognito|off the record|record\w*|log|know\w*|listen\w*|attention|collect\w*|sav(?:e|ing)|"
    r"curious|interest|notebook)\b|\b(?:start|turn (?:it|that)|(?:that|it|mode|trip)) (?:again|on|off|over)\b"
)
_WHO = re.compile(
    r"\b(?:guests?|driv\w+|wheel|i'm|i am|it's|this is|names?|name's|profile|account|settings|switch\w*|change|log in|owner|"
    r"speaking|borrow\w*|lend\w*|taking (?:over|the)|me (?:now|again)|here)\b"
)
_FILE = re.compile(
    r"\b(?:export\w*|copy|download\w*|file|stick|back ?up|save|write|print|hand|give|data|know about me)\b"
)
_AGREEING = re.compile(
    r"\b(?:yes\w*|yeah|yep|yup|yea|aye|sure|surely|ok|okay|alright|all right|please|uh huh|mhm|go (?:ahead|on|for it)|"
    r"(?:do|open|close|lock|unlock|send|call|take|play|set|turn|save|keep|write|ring|put|make|start|let's do) "
    r"(?:it|that|so|him|her|them)|make it so|correct|exactly|absolutely|definitely|certainly|naturally|indeed|totally|quite so|"
    r"of course|by all means|no problem|confirm\w*|agree\w*|affirmative|positive|why not|i suppose|i guess so|be my guest|you bet|"
    r"roger|deal|proceed|carry on|continue|if you (?:like|would|want)|don't mind|i'd (?:like|love) that|"
    r"if you must|why ever not|too right|get on with it|"
    r"(?:that's|that is|that would be|that'd be|would be|sounds?|be) "
    r"(?:\w+ )?(?:fine|good|great|right|perfect|lovely|nice|it|the one|me))\b|\bfine$|"
    r"^(?:oh |well |then |and |um )*(?:go|do|right|fine|good|great|perfect|lovely|brilliant|whatever|you decide)\b"
)
_WORDS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("forget", "forget_last", "forget_all", "forget_period", "delete_me"), _ERASING),
    **dict.fromkeys(("opt_in", "resume_learning", "private_trip"), _LEARNING),
    **dict.fromkeys(("guest_mode", "switch_driver"), _WHO),
    "export_data": _FILE,
    "yes": _AGREEING,
}
"""Words of which an act needs one, as far as it takes something away or opens something: a private trip only where it ends. They
were gathered from the training data's lines with such an act; of 211 lines that were written afterwards 19 had none, whose words
are in it by now, too."""
_ASKED_FOR = re.compile(r"^(?:needs|did|asked) (\w+)\(")
"""A context in which such an act was begun: what follows may be a word or two."""

_OPENING = "open opened opening close closed closing shut crack wind roll lower raise"
_THINGS: Mapping[str, frozenset[str]] = {
    part: frozenset(f"{_OPENING} {words}".split())
    for part, words in {
        "window": "window windows glass pane air vent ventilate",
        "sunroof": "roof sunroof moonroof top tilt air",
        "sunshade": "shade sunshade blind sun",
        "trunk": "trunk boot tailgate hatch",
        "door_locks": "lock locks locked locking unlock unlocked door doors",
        "child_lock": "child childproof children kids lock locks",
        "mirror": "mirror mirrors fold unfold",
        "seat": "seat seats chair backrest back forward forwards closer nearer further position sit recline lean lie upright legs",
        "charge_port": "charge charging charger port flap plug",
    }.items()
}
"""Words that speak of what moves and may pinch or open, by a part of the action's name."""


def unworded(acts: Sequence[Act], text: str, context: str = "") -> str:
    """Why an utterance cannot mean these acts; empty where nothing speaks against them.

    Args:
        acts: what a model found.
        text: the utterance in its spoken form.
        context: what the model was told.
    """
    said = _tokens(f"{text} {re.sub(r'[a-z_]+[(=]', ' ', context)}")
    begun = _ASKED_FOR.match(context)
    for act in acts:
        for slot, value in act.words.items():
            if not _tokens(value) <= said:
                return f"nobody said the {slot} of {act.name}"
        words = None if act.slots.get("on") is True and act.name == "private_trip" else _WORDS.get(act.name)
        if words is not None and not words.search(text) and not (begun and _of_a_kind(begun[1], act.name)):
            return f"no word of it asks for {act.name}"
    return ""


def unnamed(action: Action, text: str, context: str = "") -> bool:
    """Whether no word speaks of what an action moves; arguments as for `unworded`."""
    named = action.named_by or next((words for part, words in _THINGS.items() if part in action.name), frozenset())
    return bool(named) and named.isdisjoint(_tokens(f"{text} {context.replace('_', ' ')}"))


def _of_a_kind(begun: str, name: str) -> bool:
    """Whether an act goes on with one that was begun; a yes never does."""
    return name in MEMORY and _WORDS.get(begun) is _WORDS[name]


def _tokens(text: str) -> frozenset[str]:
    """The words of a text; of "turner's" also "turner"."""
    found = re.findall(r"[\w'.-]+", text.lower())
    return frozenset(found) | {word.removesuffix("'s") for word in found}
