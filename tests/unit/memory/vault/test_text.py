"""Text of any kind is stored and comes back as it was, or is refused with a reason, by the store and by the driver's memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memory.service import DriverMemory
from memory.store.conversations import Archive
from memory.store.preferences import LONGEST_SAID, Store
from memory.vault.lifecycle import Vault, check
from models.runtime.fake_encoder import KeywordEncoder
from models.text import plain
from schemas.errors import UnstorableTextError
from schemas.memory import Consent, Conversation, Episode, Preference, Proposal, Turn
from tests.vaults import KEY, NOW, clock, every_word, opened

ODD = [
    "",
    " ",
    "\0",
    "a\0b",
    "\x01\x07\x1b[31m\x7f\u0085",
    "line\r\nbreak\u2028",
    "\u202eright to left\u202c مرحبا שלום",
    "'; DROP TABLE preferences; --",
    "%_?1:name@x$y",
    "👩‍👩‍👧‍👦🎸\U0001f3f4\U000e0067\U000e007f",
    "e\u0301 é Å Å ﬁ",
    "\ufeff\ufffe\uffff",
    "x" * 1_000_000,
    "\U0001f3b8" * 250_000,
]
SURROGATES = ["\ud800", "half \udfff of it", "\udc80"]
TEXTS = st.one_of(st.text(), st.text(st.characters(codec="utf-8")), st.sampled_from(ODD), st.text(min_size=50))


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    with closing(Vault.open(tmp_path_factory.mktemp("texts"), "ada", KEY, clock=clock)) as vault:
        Store(vault).set_consent(Consent(opted_in=frozenset({"conversations"})))
        yield vault


def storable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@pytest.mark.slow
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_the_store_gives_back_what_it_took(vault: Vault, text: str) -> None:
    """Of a preference, its sentences, a proposal, a turn, an episode; read again from the file, not from a copy."""
    store, archive = Store(vault), Archive(vault, Store(vault))
    held = Preference.model_construct(
        id="p",
        detail="favorite_genres",
        value=text,
        sentences=(text,),
        conversation=text,
        confidence=1.0,
        valid_from=NOW,
    )
    asked = Proposal.model_construct(
        id="q", detail="favorite_genres", value=text, sentence=text, said_at=NOW, conversation=text, confidence=0.5,
        expires_at=NOW + timedelta(days=1),
    )  # fmt: skip
    said = Turn.model_construct(speaker="driver", text=text, at=NOW, confidence=1.0)
    kept = Episode.model_construct(id="e", conversation=text, at=NOW, driver=text, assistant=text)

    def write() -> None:
        store.add(held, NOW)
        store.propose(asked, NOW)
        store.note(said, text, NOW)
        archive.keep(kept, NOW)

    try:
        if not storable(text):
            for refused in (lambda: store.add(held, NOW), lambda: store.propose(asked, NOW),
                            lambda: store.note(said, "c", NOW), lambda: archive.keep(kept, NOW)):  # fmt: skip
                with pytest.raises(UnstorableTextError) as raised:
                    refused()
                assert text not in str(raised.value) and raised.value.__cause__ is None
            assert every_word(store) == []
            return
        write()
        (found,), (proposal,), (talk,), (episode,) = (
            store.preferences(), store.proposals(), store.waiting(), archive.episodes()
        )  # fmt: skip
        assert (found.value, found.sentences, found.conversation) == (text, (text,), text)
        assert (proposal.value, proposal.sentence, proposal.conversation) == (text, text, text)
        assert (talk.id, talk.turns[0].text) == (text, text)
        assert (episode.driver, episode.assistant, episode.conversation) == (text, text, text)
        assert store.merge(found, text, NOW, text, 1.0, NOW) is None and store.preferences()[0].sentences == (text,)
    finally:
        store.erase("preferences", ["p"])
        store.erase("proposals", ["q"])
        store.learnt(text) if storable(text) else None
        archive.delete(["e"])
    assert every_word(store) == []


for _text in (*ODD, *SURROGATES):
    test_the_store_gives_back_what_it_took = example(text=_text)(test_the_store_gives_back_what_it_took)


def test_what_was_stored_is_the_same_after_opening_again(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as vault:
        for number, text in enumerate(ODD):
            made = Preference(
                id=str(number), detail="favorite_genres", value=text, sentences=(text,), conversation=text,
                confidence=1.0, valid_from=NOW,
            )  # fmt: skip
            Store(vault).add(made, NOW)
    with closing(opened(tmp_path)) as vault:
        assert {p.id: (p.value, p.sentences) for p in Store(vault).preferences()} == {
            str(number): (text, (text,)) for number, text in enumerate(ODD)
        }
    check(tmp_path, "ada", KEY)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[DriverMemory]:
    memory = DriverMemory("ada", opened(tmp_path), encoder=KeywordEncoder(64), clock=clock)
    yield memory
    memory.close()


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_the_memory_takes_any_text_or_says_why_not(memory: DriverMemory, text: str) -> None:
    """Remembered by request, heard, learnt from, recalled: the words as they were, or a reason why not."""
    for said in (text, f"i really love jazz and {text}"):
        turn = Turn.model_construct(speaker="driver", text=said, at=NOW, confidence=1.0)
        talk = Conversation.model_construct(id="talk", turns=(turn,))
        acts = (
            lambda said=said: memory.remember(said, "favorite_genres"),
            lambda turn=turn: memory.note(turn, "talk"),
            lambda talk=talk: memory.learn(talk),
        )
        for act in acts:
            if storable(said) and len(said) <= LONGEST_SAID:
                act()
            else:
                with pytest.raises(UnstorableTextError) as raised:
                    act()
                assert len(str(raised.value)) < 200
        memory.learn_pending()
        if storable(said):
            memory.recall(said)
        for held in memory.preferences():
            assert all(sentence in plain(said) for sentence in held.sentences)
        memory.forget("everything")
        assert memory.preferences(history=True) == ()


for _text in (*ODD, *SURROGATES):
    test_the_memory_takes_any_text_or_says_why_not = example(text=_text)(test_the_memory_takes_any_text_or_says_why_not)
