"""Where a reply may be cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.tts.sentences import LONGEST, split_clauses, split_long, split_sentences

REPLIES = [
    ("Done.", ["Done."]),
    ("Done. The fan is at three.", ["Done.", "The fan is at three."]),
    ("It is 21.5 degrees. Shall I raise it?", ["It is 21.5 degrees.", "Shall I raise it?"]),
    ("Version 2.0.1 is fine.", ["Version 2.0.1 is fine."]),
    ("I'll wake you at 7.30 tomorrow.", ["I'll wake you at 7.30 tomorrow."]),
    ("We arrive at 5 p.m. today.", ["We arrive at 5 p.m. today."]),
    ("We arrive at 5 p.m. The road is clear.", ["We arrive at 5 p.m.", "The road is clear."]),
    ("Dr. Smith lives at 12 St. James Rd. near you.", ["Dr. Smith lives at 12 St. James Rd. near you."]),
    ("No. That window is broken.", ["No.", "That window is broken."]),
    ("Take exit no. 5 now.", ["Take exit no. 5 now."]),
    ("Calling J. Miller.", ["Calling J. Miller."]),
    ("It was I. You were asleep.", ["It was I.", "You were asleep."]),
    ("Really?! Yes… I think so.", ["Really?!", "Yes…", "I think so."]),
    ('You said "stop." I did.', ['You said "stop."', "I did."]),
    ("Use fuel, e.g. diesel, i.e. the black nozzle.", ["Use fuel, e.g. diesel, i.e. the black nozzle."]),
    ("One line\nand another", ["One line", "and another"]),
    ("  Spaces   are\tsqueezed.  ", ["Spaces are squeezed."]),
    ("No stop at the end", ["No stop at the end"]),
    ("Wait... What?", ["Wait...", "What?"]),
    ("The U.S. Army came.", ["The U.S. Army came."]),
    ("", []),
    (" ... !? ", []),
    ("Hm. ! Yes.", ["Hm.", "Yes."]),
]


@pytest.mark.parametrize(("reply", "sentences"), REPLIES)
def test_replies(reply: str, sentences: list[str]) -> None:
    assert list(split_sentences(reply)) == sentences


@given(st.text(alphabet="aB1 .!?…,'\"\n", max_size=80))
def test_no_word_is_lost_or_moved(text: str) -> None:
    sentences = split_sentences(text)
    kept = [letter for letter in "".join(sentences) if letter.isalnum()]
    assert kept == [letter for letter in text if letter.isalnum()]
    assert all(sentence == sentence.strip() and any(map(str.isalnum, sentence)) for sentence in sentences)


CLAUSES = [
    ("Okay, I've set it.", ["Okay, I've set it."]),
    ("You like jazz, rock, and pop.", ["You like jazz, rock, and pop."]),
    (
        "I've set the temperature to twenty one degrees, and the fan is at three.",
        ["I've set the temperature to twenty one degrees,", "and the fan is at three."],
    ),
    ("Because it is cold outside now: shall I warm it?", ["Because it is cold outside now:", "shall I warm it?"]),
    (
        "It is warm in here – shall I open all of the windows?",
        ["It is warm in here,", "shall I open all of the windows?"],
    ),
    (
        "The battery is at 43 percent and that is enough for 180 kilometres before you have to charge again.",
        ["The battery is at 43 percent,", "and that is enough for 180 kilometres before you have to charge again."],
    ),
    (
        "From 1,000 to 2,000 kilometres it is a long way for you.",
        ["From 1,000 to 2,000 kilometres it is a long way for you."],
    ),
    (
        "You can ask for the climate, windows, lights, music, or the way somewhere.",
        ["You can ask for the climate, windows, lights, music,", "or the way somewhere."],
    ),
]


@pytest.mark.parametrize(("sentence", "clauses"), CLAUSES)
def test_a_long_sentence_begins_with_a_clause(sentence: str, clauses: list[str]) -> None:
    assert list(split_clauses(sentence)) == clauses


@given(st.text(alphabet="aB1 .,;:–and", max_size=200))
def test_no_letter_of_a_clause_is_lost_or_moved(text: str) -> None:
    letters = [letter for letter in "".join(split_clauses(text)) if letter.isalnum()]
    assert letters == [letter for letter in text if letter.isalnum()]


@given(st.text(alphabet="ab ", max_size=1500))
def test_no_piece_is_too_long(text: str) -> None:
    pieces = split_long(text)
    assert all(0 < len(piece) <= LONGEST for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


def test_a_long_reply_that_begins_with_a_word_of_its_own_begins_with_that() -> None:
    long = "Okay, from now on I remember nothing about radio and podcasts."
    assert split_clauses(long) == ("Okay,", "from now on I remember nothing about radio and podcasts.")
    assert split_clauses("Okay, I learn again.") == ("Okay, I learn again.",)
