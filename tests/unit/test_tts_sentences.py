"""Where a reply may be cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.tts.sentences import split_sentences

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
