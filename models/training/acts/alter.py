"""The same meaning in other words: politeness, hesitation, a recogniser's mistakes, two lines in one, or after another act."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from models.training.acts.form import Act
from models.training.acts.lines import Case, says

BEFORE = (
    "please", "hey", "um", "uh", "er", "okay", "right", "so", "well", "oh", "hey car", "listen", "sorry", "actually", "alright",
    "quickly", "oh and", "erm", "hi", "look", "hmm", "yeah", "excuse me", "um so", "right then", "ok so", "you know what",
    "oh by the way",
)  # fmt: skip
AFTER = (
    "please", "thanks", "thank you", "would you", "will you", "if you can", "if you don't mind", "now", "right now", "okay",
    "mate", "darling", "cheers", "when you can", "please and thank you", "can you", "could you", "quickly", "love",
    "if possible",
)  # fmt: skip
ASKED = (
    "can you", "could you", "would you", "will you", "can you please", "could you please", "i'd like you to", "i want you to",
    "please can you", "would you mind if i asked you to", "i need you to", "go ahead and", "just", "be so kind and",
    "you could", "do me a favor and", "let's", "i would like you to", "could you possibly", "any chance you could",
)  # fmt: skip
"""Before a sentence that begins with a verb."""
VERBS = frozenset(
    "turn switch put set open close shut play start stop lower raise wind roll dim make give show take navigate drive find call "
    "ring phone move tilt fold lock unlock skip pause resume cancel remind add remove change increase decrease warm cool heat "
    "defrost mute shuffle repeat send email charge direct blow crank bump".split()
)
JOINS = (
    "and", "and", "and", "and then", "then", "and also", "also", "oh and", "plus", "and after that", "as well as that",
    "and please", "and can you", "and while you're at it", "", "and could you",
)  # fmt: skip
MISHEARD: dict[str, tuple[str, ...]] = {
    "the": ("", "", "a", "da"), "a": ("", "the"), "to": ("", "too"), "of": ("", "off"), "is": ("", "as"),
    "i'd": ("i", "i would"), "it's": ("its", "is"), "please": ("", "peas"), "windscreen": ("wind screen", "windows screen"),
    "sunroof": ("sun roof", "son roof"), "heating": ("eating", "heading"), "heat": ("heed", "eat"),
    "seat": ("seed", "sit", "sheet"), "boot": ("boots", "boat"), "vents": ("events",), "ambient": ("ambience", "ambien"),
    "mirrors": ("mirror",), "mirror": ("mirrors",), "defrost": ("the frost", "de frost"), "fan": ("van",), "lights": ("light",),
    "route": ("root",), "tolls": ("tools",), "beam": ("bean", "being"), "radio": ("radios",), "volume": ("volumes",),
    "window": ("windows", "windo"), "temperature": ("temprature", "temperatures"), "i'm": ("am", "i am"), "could": ("good",),
    "would": ("wood",), "my": ("by", "mine"), "with": ("",), "wheel": ("will",), "steering": ("stearing", "starring"),
    "massage": ("message",), "charge": ("charged",), "charger": ("charge a",), "timer": ("time a", "timers"),
    "there": ("their",), "your": ("you're",), "you": ("ya",), "an": ("a", ""), "at": ("that", ""), "for": ("four", ""),
    "degrees": ("degree",), "percent": ("per cent",), "navigate": ("navigates",), "podcast": ("pot cast",),
    "playlist": ("play list",), "track": ("truck",), "brighter": ("bright a",),
}  # fmt: skip
"""Words and what a recogniser makes of them (empty: swallowed); nothing that turns the meaning round."""
LEANING = re.compile(
    r"\b(?:it|that|this|these|those|them|there|one|ones|same|again|too|more|less|other|both|also|back|instead|no|not|don't|never"
    r"|yes|first|second|third|enough|further|another|else|undo|wait|him|her|he|she|they|what about|how about|only|just|and|wrong"
    r"|actually|meant|as well)\b"
)
"""Words that may lean on what was said before."""
ALONE = frozenset(
    "yes no cancel stop repeat choose get_last why refrain chat none undo thanks praise blame goodbye hello how_are_you "
    "forget_last help".split()
)
"""Acts that mean something else after something was done, or nothing beside another."""


def complete(case: Case) -> bool:
    """Whether it means the same whatever came before: four words or more, none that leans on something."""
    return (
        not case.context
        and len(case.utterance.split()) >= 4
        and not any(act.name in ALONE for act in case.acts)
        and LEANING.search(case.utterance) is None
    )


def joined(rng: Random, cases: Sequence[Case]) -> Case:
    """Some cases in one sentence."""
    text = cases[0].utterance
    for case in cases[1:]:
        join = rng.choice(JOINS)
        if join.endswith(("can you", "could you")) and case.utterance.split()[0] not in VERBS:
            join = "and"
        text = f"{text} {join} {case.utterance}" if join else f"{text} {case.utterance}"
    acts: list[Act] = [act for case in cases for act in case.acts]
    return Case(text, tuple(acts), "", "joined")


def framed(rng: Random, case: Case) -> Case:
    """With a word of politeness or hesitation around it."""
    text = case.utterance
    if text.split()[0] in VERBS and rng.random() < 0.5:
        text = f"{rng.choice(ASKED)} {text}"
    elif rng.random() < 0.6:
        text = f"{rng.choice(BEFORE)} {text}"
    else:
        text = f"{text} {rng.choice(AFTER)}"
    return replace(case, utterance=text)


def misheard(rng: Random, case: Case) -> Case:
    """With one or two words that a recogniser got wrong; never those of a slot."""
    words = case.utterance.split()
    weak = [at for at, word in enumerate(words) if word in MISHEARD]
    for at in rng.sample(weak, min(len(weak), rng.choice((1, 1, 2)))):
        words[at] = rng.choice(MISHEARD[words[at]])
    text = " ".join(word for word in words if word)
    if not text or not all(says(f"{text} {case.context}", value) for act in case.acts for value in act.said):
        return case
    return replace(case, utterance=text)


def after_something(rng: Random, case: Case, done: Sequence[Case]) -> Case:
    """With something that was done before, which does not matter: one of ``done``."""
    return replace(case, context=f"did {rng.choice(done).answer}")
