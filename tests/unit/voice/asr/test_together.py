"""Both recognisers side by side: the decision, on an engine that says what a test lets it say."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.acoustics import road_noise
from models.commands.matcher import TemplateMatcher
from models.commands.nearest import nearest
from models.commands.templates import load_templates
from models.training.voices import Prosody, available, speak
from schemas.events import Hypothesis, Samples, Transcript
from voice.asr.expected import expected
from voice.asr.pocketsphinx import PocketSphinxRecognizer
from voice.asr.together import TogetherRecognizer, sounding_alike
from voice.asr.whisper import Take, WhisperRecognizer, repeats
from voice.asr.whisper_model import Decoded, said_once

BUILTIN = Path(__file__).parents[4] / "models" / "builtin" / "asr"
SOUND = np.zeros(16_000, np.int16)


class Sphinx:
    """A fake of ``PocketSphinxRecognizer``: follows a sentence, of which it is sure or not."""

    def __init__(self, said: str, *, sure: bool) -> None:
        self.said, self.sure = said, sure

    def reset(self) -> None: ...
    def start(self, before: Samples | None = None) -> None: ...
    def feed(self, chunk: Samples) -> None: ...

    def followed(self) -> str:
        return self.said

    def partial(self) -> str:
        return self.said if self.sure else f"{self.said} or so"

    def finish(self) -> Transcript:
        said = Hypothesis(text=self.said)
        free = Hypothesis(text=self.partial())
        return Transcript(text=self.partial(), confidence=0.9, in_grammar=self.sure, grammar=said, open=free)


class Whisper:
    """A fake of ``WhisperRecognizer``: hears a text, and scores texts as it is told (its own -10, the rest -20)."""

    seconds = 1.0
    samples = 16_000
    adapted = True

    def __init__(self, beside: Sphinx, heard: str, scores: Mapping[str, float], confidence: float) -> None:
        self.beside = beside
        """The other one, which follows what is said at the same time."""
        self.heard, self.told, self.confidence, self.decoded = heard, scores, confidence, 0
        self.unprompted_as = heard
        self.kept: Take | None = None
        self.plainly = 0
        self.scored: list[str] = []

    def reset(self) -> None: ...

    def start(self, before: Samples | None = None) -> None:
        self.kept = None

    def feed(self, chunk: Samples) -> None:
        self.kept = None

    def taken(self) -> Take | None:
        return self.kept

    def take(self) -> Take:
        if self.kept is None:
            self.decoded += 1
            self.kept = Take(16_000, Decoded(self.heard, -0.1, 0.0, 1.0), None, self.heard, self.confidence)
        return self.kept

    def unprompted(self) -> Take:
        self.plainly += 1
        said = self.unprompted_as
        return Take(16_000, Decoded(said, -0.1, 0.0, 1.0), None, said, self.confidence)

    def misheard(self, confidence: float) -> bool:
        return confidence < 0.45

    def scores(self, take: Take, texts: list[str]) -> list[float]:
        self.scored += texts
        return [self.told.get(text, -10.0 if text in (self.heard, self.unprompted_as) else -20.0) for text in texts]


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher()


def together(
    matcher: TemplateMatcher,
    grammar: str,
    whisper: str,
    scores: Mapping[str, float] | None = None,
    confidence: float = 0.9,
    *,
    sure: bool = False,
    adapted: bool = True,
) -> tuple[TogetherRecognizer, Whisper]:
    follower: Any = Sphinx(grammar, sure=sure)
    ear: Any = Whisper(follower, whisper, scores or {}, confidence)
    ear.adapted = adapted
    found = TogetherRecognizer(follower, ear, matcher)
    found.start()
    found.feed(SOUND)
    return found, ear


def test_what_both_hear_is_done(matcher: TemplateMatcher) -> None:
    found = together(matcher, "unlock the doors", "please unlock the doors")[0].finish()
    assert (found.text, found.in_grammar, found.alternative) == ("please unlock the doors", True, "")
    assert found.confidence > 0.8


@pytest.mark.parametrize(("behind", "done"), [(1.2, False), (4.4, True)])
def test_what_both_hear_is_asked_about_where_the_wake_word_s_end_may_have_made_the_opposite(
    matcher: TemplateMatcher, behind: float, *, done: bool
) -> None:
    scores = {"unlock the doors": -0.5, "lock the doors": -0.5 - behind}
    recognizer = together(matcher, "unlock the doors", "unlock the doors", scores, sure=True)[0]
    recognizer.pause()
    found = recognizer.finish()
    assert (found.text, found.in_grammar) == ("unlock the doors", done)
    assert found.alternative == ("" if done else "lock the doors")
    joined = {"unlock the doors": -0.5, "lock the doors": -6.0, "and lock the doors": -0.5 - behind}
    found = together(matcher, "unlock the doors", "unlock the doors", joined, sure=True)[0].finish()
    assert (found.in_grammar, found.alternative) == (done, "" if done else "lock the doors")
    scores = {"lock the doors": -0.5, "unlock the doors": -0.5 - behind}
    assert together(matcher, "lock the doors", "lock the doors", scores, sure=True)[0].finish().in_grammar


def test_where_whisper_agrees_without_a_prompt_nothing_else_is_decoded(matcher: TemplateMatcher) -> None:
    found, ear = together(matcher, "unlock the doors", "unlock the doors")
    found.pause()
    assert found.partial() == "unlock the doors"
    assert ear.decoded == 0
    found, ear = together(matcher, "unlock the doors", "lock the doors")
    ear.unprompted_as = "clock the doors"
    found.pause()
    assert ear.decoded == 1


@pytest.mark.parametrize(
    ("grammar_then", "more_s", "again"),
    [
        ("unlock the doors", 0.1, False),
        ("unlock the doors", 0.3, True),
        ("unlock the doors please", 0.1, True),
        ("lock the doors", 0.1, True),
    ],
)
def test_a_pause_confirms_what_both_had_when_the_voice_faded(
    matcher: TemplateMatcher, grammar_then: str, more_s: float, again: bool
) -> None:
    found, ear = together(matcher, "unlock the doors", "unlock the doors")
    found.pause()
    ear.beside.said = grammar_then
    ear.samples += int(more_s * 16_000)
    found.feed(np.zeros(int(more_s * 16_000), np.int16))
    found.pause()
    assert ear.plainly == 1 + again
    found.finish()
    assert ear.plainly <= 2


def test_other_words_are_told_each_once_and_not_those_that_are_the_same() -> None:
    also = (("Put on new beat.", 0.2), ("Put on music!", 0.3), ("But I need you", 0.05), ("put on new beat", 0.1))
    others = Take(0, Decoded("Put on music.", -0.1, 0.0, 1.0, others=also), None, "put on music", 0.9).others()
    assert [(one.text, round(math.exp(one.log_score), 6)) for one in others] == [
        ("put on new beat", 0.3),
        ("but i need you", 0.05),
    ]
    assert Take(0, Decoded("Bye.", -2.0, 0.9, 1.0, others=also), None, "", 0.0).others() == ()


def test_the_end_scores_no_text_again_that_the_pause_scored(matcher: TemplateMatcher) -> None:
    found, ear = together(matcher, "turn the seat heating on", "turn the seed heating of", sure=True)
    found.pause()
    before = len(ear.scored)
    ear.beside.said = "turn the seat heating off"
    found.finish()
    assert ear.scored.count("turn the seed heating of") == 1
    assert len(ear.scored) == len(set(ear.scored)) >= before > 1


def test_a_pause_confirms_nothing_on_which_they_did_not_agree(matcher: TemplateMatcher) -> None:
    found, ear = together(matcher, "unlock the doors", "lock the doors")
    ear.unprompted_as = "lock the doors"
    found.pause()
    ear.samples += 1_600
    found.feed(np.zeros(1_600, np.int16))
    found.pause()
    assert ear.decoded == 2


def test_a_command_of_which_the_grammar_is_sure_is_done_though_whisper_hears_none(matcher: TemplateMatcher) -> None:
    scores = {"see teeding high": -4.0, "seat heating high": -5.0}
    found, ear = together(matcher, "seat heating high", "see teeding high", scores, confidence=0.6, sure=True)
    found.pause()
    assert found.partial() == "seat heating high"
    transcript = found.finish()
    assert (transcript.text, transcript.in_grammar, transcript.alternative) == ("seat heating high", True, "")
    assert ear.decoded == 1


def test_free_speech_is_not_decoded_for_what_the_grammar_makes_of_it(matcher: TemplateMatcher) -> None:
    found, ear = together(matcher, "navigate to a restaurant", "i never liked those noisy restaurants")
    ear.beside.partial = lambda: "i never like those noise a restaurant"  # type: ignore[method-assign]
    likely = found.likely()
    assert likely is not None and not likely.in_grammar
    found.pause()
    ear.beside.said = "navigate to the airport"
    found.finish()
    assert (ear.decoded, ear.plainly) == (1, 0)


def test_a_sure_command_that_another_sounds_like_needs_the_sound(matcher: TemplateMatcher) -> None:
    clear = {"unblock a door": -2.0, "unlock the doors": -1.0, "lock the doors": -9.0}
    assert together(matcher, "unlock the doors", "unblock a door", clear, sure=True)[0].finish().in_grammar
    close = {"love the doors": -2.0, "unlock the doors": -1.0, "lock the doors": -2.0}
    asked = together(matcher, "unlock the doors", "love the doors", close, sure=True)[0].finish()
    assert (asked.in_grammar, asked.text, asked.alternative) == (False, "unlock the doors", "lock the doors")


def test_a_sure_command_is_asked_about_where_whisper_hears_another(matcher: TemplateMatcher) -> None:
    scores = {"open the sunroof": -4.0, "open the sunshade": -3.0}
    asked = together(matcher, "open the sunroof", "open the sunshade", scores, sure=True)[0].finish()
    assert not asked.in_grammar
    assert {asked.text, asked.alternative} == {"open the sunroof", "open the sunshade"}


def test_commands_that_the_sound_tells_apart_badly_are_asked_about(matcher: TemplateMatcher) -> None:
    scores = {"lock the doors": -4.0, "unlock the doors": -4.5}
    found = together(matcher, "unlock the doors", "lock the doors", scores)[0].finish()
    assert not found.in_grammar
    assert {found.text, found.alternative} == {"lock the doors", "unlock the doors"}


def test_a_grammar_alone_does_not_unlock_where_locking_sounds_the_same(matcher: TemplateMatcher) -> None:
    scores = {"you are locking the doors": -6.0, "unlock the doors": -6.0, "lock the doors": -6.2}
    found = together(matcher, "unlock the doors", "you are locking the doors", scores)[0].finish()
    assert not found.in_grammar


def test_whisper_s_command_wins_where_the_grammar_has_none(matcher: TemplateMatcher) -> None:
    scores = {"set the volume to fifty percent": -3.0}
    found = together(matcher, "", "set the volume to fifty percent", scores)[0].finish()
    assert (found.text, found.in_grammar) == ("set the volume to fifty percent", True)


def test_a_command_close_to_what_was_heard_is_taken_if_it_sounds_so(matcher: TemplateMatcher) -> None:
    scores = {"close the son roof": -9.0, "close the sunroof": -9.3}
    found = together(matcher, "close the sunroof", "close the son roof", scores)[0].finish()
    assert (found.text, found.in_grammar) == ("close the sunroof", True)


@pytest.mark.parametrize("adapted", [True, False])
def test_whisper_s_own_command_is_done_where_the_grammar_s_does_not_fit_the_sound(
    matcher: TemplateMatcher, *, adapted: bool
) -> None:
    heard = "open the sunshade"
    for grammar, confidence, behind, done in (
        ("open the sunroof", 0.8, 9.0, True),
        ("open the sunroof", 0.8, 2.0, False),
        ("open the sunroof", 0.4, 9.0, adapted),
        ("unlock the doors", 0.8, 30.0, True),
        ("", 0.8, 0.0, True),
    ):
        scores = {heard: -3.0, grammar: -3.0 - behind}
        found = together(matcher, grammar, heard, scores, confidence, sure=True, adapted=adapted)[0].finish()
        assert (found.in_grammar and found.text == heard) is done, (grammar, confidence, behind)
        assert found.text == heard or not found.in_grammar


def test_a_command_that_fits_as_well_as_the_words_that_whisper_wrote_for_it_is_done(matcher: TemplateMatcher) -> None:
    heard, meant = "close the son roof", "close the sunroof"
    for own, fits, other, done in ((-3.0, -4.0, -20.0, True), (-3.0, -7.0, -20.0, False), (-3.0, -4.0, -6.0, False)):
        scores = {heard: own, meant: fits, "close the sunshade": other, "open the roof": other, "close the roof": other}
        found = together(matcher, "close the sunshade", heard, scores, 0.7, adapted=False)[0].finish()
        assert (found.in_grammar and found.text == meant) is done, (own, fits, other)


def test_free_speech_stays_what_whisper_heard(matcher: TemplateMatcher) -> None:
    heard = "i never liked those noisy restaurants"
    found = together(matcher, "navigate to a restaurant", heard, {heard: -5.0})[0].finish()
    assert (found.text, found.in_grammar) == (heard, False)
    assert found.confidence == pytest.approx(0.9)


def test_words_that_were_invented_are_nothing_whatever_the_grammar_follows(matcher: TemplateMatcher) -> None:
    found = together(matcher, "lock the doors", "", confidence=0.0)[0].finish()
    assert (found.text, found.in_grammar, found.confidence) == ("", False, 0.0)


def test_noise_in_which_whisper_hardly_heard_words_is_no_command(matcher: TemplateMatcher) -> None:
    scores = {"good morning": -4.0, "bye": -3.0}
    found = together(matcher, "bye", "good morning", scores, confidence=0.01, sure=True)[0].finish()
    assert (found.in_grammar, found.alternative, found.misheard) == (False, "", True)


def test_a_pause_decodes_once_and_the_end_uses_it(matcher: TemplateMatcher) -> None:
    recognizer, ear = together(matcher, "unlock the doors", "unlock the doors")
    ear.unprompted_as = "clock the doors"
    recognizer.pause()
    recognizer.pause()
    assert (recognizer.partial(), ear.decoded, ear.plainly) == ("unlock the doors", 1, 1)
    assert recognizer.likely() == recognizer.finish()
    assert (ear.decoded, ear.plainly) == (1, 1)


def test_what_was_decided_at_a_pause_is_what_the_end_says(matcher: TemplateMatcher) -> None:
    for grammar, whisper, sure in (
        ("unlock the doors", "unlock the doors", True),
        ("open the sunroof", "open the sunshade", True),
        ("navigate to a restaurant", "i never liked those noisy restaurants", False),
        ("", "set the volume to fifty percent", False),
    ):
        scores = {"open the sunroof": -4.0, "open the sunshade": -3.0, "set the volume to fifty percent": -3.0}
        at_once = together(matcher, grammar, whisper, scores, sure=sure)[0].finish()
        paused, ear = together(matcher, grammar, whisper, scores, sure=sure)
        paused.pause()
        decoded = (ear.decoded, ear.plainly)
        found = paused.finish()
        assert (found.text, found.in_grammar, found.alternative) == (
            at_once.text,
            at_once.in_grammar,
            at_once.alternative,
        )
        assert (ear.decoded, ear.plainly) == decoded, "nothing is decoded twice"


def test_a_command_of_which_the_grammar_is_sure_is_likely_before_whisper_has_heard_it(matcher: TemplateMatcher) -> None:
    found, ear = together(matcher, "seat heating high", "see teeding high", sure=True)
    likely = found.likely()
    assert likely is not None
    assert (likely.text, likely.in_grammar, ear.plainly) == ("seat heating high", True, 0)


def test_words_that_were_hardly_heard_are_said_to_be_misheard(matcher: TemplateMatcher) -> None:
    assert together(matcher, "mirror heating on", "time freezing in here", confidence=0.3)[0].finish().misheard
    assert not together(matcher, "mirror heating on", "time freezing in here", confidence=0.6)[0].finish().misheard


def test_sentences_that_sound_alike() -> None:
    assert sounding_alike("lock the doors") == ["unlock the doors"]
    assert sounding_alike("turn on the fan for fifteen minutes") == [
        "turn off the fan for fifteen minutes", "turn on the fan for fifty minutes",
    ]  # fmt: skip
    assert sounding_alike("play some jazz") == []


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("lock the door", "lock the doors"),
        ("open the passenger window half way please", "open the passenger window half way please"),
        ("close the son roof", "close the sunroof"),
    ],
)
def test_the_nearest_sentence(matcher: TemplateMatcher, heard: str, meant: str) -> None:
    assert " ".join(nearest(matcher.graph, heard.split())[0].words) == meant


def test_nothing_is_near_to_free_speech(matcher: TemplateMatcher) -> None:
    assert nearest(matcher.graph, "our neighbours are building a swimming pool".split()) == ()
    assert nearest(matcher.graph, []) == ()


def test_a_short_utterance_that_was_written_twice_is_said_once() -> None:
    assert said_once("Make me a latte. Make me a latte. Make me") == "Make me a latte."
    assert said_once("You're locking the doors locking the doors locking the") == "You're locking the doors"
    assert (
        said_once("Set it to ten percent, and the other to ten percent")
        == "Set it to ten percent, and the other to ten percent"
    )
    assert repeats("la la la la la") and not repeats("no no no")


def test_what_is_expected_has_the_domain_s_words_and_the_driver_s_names() -> None:
    text = expected(load_templates(names={"contact": ("Zyxa Brown", "my wife")}))
    assert "Zyxa Brown" in text and "My Wife" not in text
    assert len(text.split()) < 110
    assert text == expected(load_templates(names={"contact": ("Zyxa Brown", "my wife")}))


@pytest.mark.skipif(not available(), reason="espeak-ng is not installed: nobody there to speak")
def test_real_weights_hear_commands_and_free_speech_and_invent_nothing(
    matcher: TemplateMatcher, real_models: Callable[[str], Path]
) -> None:
    ear = WhisperRecognizer(real_models("whisper-base"), matcher.match, threads=1, likely=expected(matcher.templates))
    recognizer = TogetherRecognizer(PocketSphinxRecognizer(BUILTIN, matcher), ear, matcher)

    def heard(samples: Samples) -> Any:
        recognizer.start()
        recognizer.feed(samples)
        return recognizer.finish()

    def said(text: str) -> Samples:
        return np.pad(speak(text, Prosody("en-us", 140, 50)), (4800, 2560))

    found = heard(said("set the temperature to twenty one degrees"))
    assert found.in_grammar and "twenty one" in found.text
    free = "we should really visit your grandmother on sunday"
    found = heard(said(free))
    assert not found.in_grammar and len(set(free.split()) & set(found.text.split())) >= 7  # of 8 different words
    rng = np.random.default_rng(3)
    for quiet in (np.zeros(32_000, np.int16), (road_noise(2.0, rng) * 8000.0).astype(np.int16)):
        found = heard(quiet)
        assert not found.in_grammar and found.confidence < 0.5
