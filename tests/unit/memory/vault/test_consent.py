"""Consent beneath Python: what the triggers of the vault refuse."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memory.store.preferences import Store
from memory.vault.lifecycle import utc_text
from schemas.errors import ConsentError, MemoryStoreError
from schemas.memory import Consent, Proposal, Turn
from tests.vaults import NOW, opened, preference


def forbid(store: Store, consent: Consent) -> None:
    store.set_consent(consent)
    assert store.consent() == consent


@pytest.mark.parametrize(
    ("consent", "detail"),
    [
        (Consent(opted_out=frozenset({"favorite_genres"})), "favorite_genres"),
        (Consent(opted_out=frozenset({"music"})), "favorite_genres"),
        (Consent(opted_out=frozenset({"entertainment_and_media"})), "favorite_genres"),
        (Consent(private_trip=True), "favorite_genres"),
        (Consent(paused_until=NOW + timedelta(seconds=1)), "favorite_genres"),
        (Consent(), "dietary_preference"),
    ],
)
def test_no_sql_gets_round_consent(tmp_path: Path, consent: Consent, detail: str) -> None:
    vault = opened(tmp_path)
    store = Store(vault)
    store.add(preference("held"), NOW)
    forbid(store, consent)
    refused = preference("p1", detail=detail)
    with pytest.raises(ConsentError):
        store.add(refused, NOW)
    columns = "id, detail, value, conversation, confidence, status, valid_from"
    insert = f"INSERT INTO preferences ({columns}) VALUES (?, ?, 'v', 'c', 1, 'active', ?)"  # noqa: S608
    with pytest.raises(ConsentError), vault.transaction():
        vault.write(insert, ("p1", detail, utc_text(NOW)))
    with pytest.raises(ConsentError), vault.transaction():
        vault.write(insert.replace("INSERT", "INSERT OR REPLACE"), ("held", detail, utc_text(NOW)))
    with pytest.raises(ConsentError), vault.transaction():
        vault.write("UPDATE preferences SET detail = ?", (detail,))
    if detail == "favorite_genres":
        with pytest.raises(ConsentError):
            store.merge(preference("held"), "again", NOW, "c", 1.0, NOW)
        with pytest.raises(ConsentError), vault.transaction():
            vault.write("INSERT INTO sentences (preference, text, said_at, conversation) VALUES ('held', 's', '', '')")
    assert store.preferences(history=True) == (preference("held"),)
    vault.close()


@pytest.mark.parametrize(
    ("consent", "detail"),
    [
        (Consent(opted_out=frozenset({"favorite_genres"})), "favorite_genres"),
        (Consent(opted_out=frozenset({"entertainment_and_media"})), "favorite_genres"),
        (Consent(private_trip=True), "favorite_genres"),
        (Consent(paused_until=NOW + timedelta(seconds=1)), "favorite_genres"),
        (Consent(), "dietary_preference"),
        (Consent(), "blood_type"),
    ],
)
def test_no_sql_gets_a_proposal_round_consent(tmp_path: Path, consent: Consent, detail: str) -> None:
    vault = opened(tmp_path)
    store = Store(vault)
    held = Proposal(
        id="held", detail="favourite_cuisine", value="thai", sentence="s", said_at=NOW, conversation="c",
        confidence=0.4, expires_at=NOW + timedelta(days=1),
    )  # fmt: skip
    store.propose(held, NOW)
    store.set_consent(consent)
    if detail != "blood_type":
        with pytest.raises(ConsentError):
            store.propose(held.model_copy(update={"id": "n", "detail": detail}), NOW)
    insert = "INSERT INTO proposals VALUES (?, ?, 'v', 's', ?, 'c', 1, 0, ?, 0, NULL, 'likes', '[]')"
    for name, verb in (("n", "INSERT"), ("held", "INSERT OR REPLACE")):
        with pytest.raises(ConsentError), vault.transaction():
            vault.write(insert.replace("INSERT", verb), (name, detail, utc_text(NOW), utc_text(NOW)))
    for column in ("id", "detail", "value", "sentence", "conversation", "negated", "sense", "conditions"):
        with pytest.raises((ConsentError, MemoryStoreError)), vault.transaction():
            vault.write(f"UPDATE proposals SET {column} = ?", (detail,))  # noqa: S608 - names of this list
    assert store.proposals() == (held,)
    vault.close()


def test_a_category_that_is_in_no_tree_cannot_be_stored(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    Store(vault)
    with pytest.raises(ConsentError), vault.transaction():
        vault.write(
            "INSERT INTO preferences (id, detail, value, conversation, confidence, status, valid_from) "
            "VALUES ('p', 'blood_type', 'v', 'c', 1, 'active', '')"
        )
    vault.close()


@pytest.mark.parametrize("consent", [Consent(private_trip=True), Consent(paused_until=NOW + timedelta(days=1))])
def test_no_turn_and_no_entry_of_the_log_while_silent(tmp_path: Path, consent: Consent) -> None:
    vault = opened(tmp_path)
    store = Store(vault)
    forbid(store, consent)
    with pytest.raises(ConsentError):
        store.note(Turn(speaker="driver", text="hello", at=NOW), "c", NOW)
    with pytest.raises(ConsentError), vault.transaction():
        vault.write("INSERT INTO turns (conversation, text, at, confidence) VALUES ('c', 't', '', 1)")
    with pytest.raises(ConsentError), vault.transaction():
        vault.write("INSERT INTO decisions (at, conversation, outcome) VALUES ('', 'c', 'pass')")
    assert store.turns() == () and store.logged() == []
    vault.close()


def test_the_log_is_append_only(tmp_path: Path) -> None:
    vault = opened(tmp_path)
    with vault.transaction():
        vault.write("INSERT INTO decisions (at, conversation, outcome) VALUES ('', 'c', 'pass')")
    for sql in ("UPDATE decisions SET outcome = 'append'", "DELETE FROM decisions"):
        with pytest.raises(MemoryStoreError), vault.transaction():
            vault.write(sql)
    assert len(Store(vault).logged()) == 1
    vault.close()
