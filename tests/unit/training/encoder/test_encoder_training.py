"""What the encoder's heads are taught, and which pieces of the vocabulary are kept."""

from __future__ import annotations

from random import Random

from models.training import conversations as talk
from models.training import phrases
from models.training.encoder import examples, origin
from models.training.encoder.examples import NONE, Example
from models.training.encoder.names import PLAINLY


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - repeatable on purpose


def stated(text: str, said: str = "jazz", detail: str = "favorite_genres") -> talk.Statement:
    return talk.Statement(text, detail, said, said, negated=False)


def test_a_declaration_asks_for_nothing() -> None:
    assert examples.statement(stated("i love listening to jazz when i drive")).request == NONE


def test_a_statement_that_may_be_an_order_says_nothing_about_requests() -> None:
    for text in ("put on some jazz that's my kind of music", "i want jazz", "do you have some jazz i adore that"):
        assert examples.statement(stated(text)).request is None


def test_other_peoples_preferences_reveal_nothing() -> None:
    other = examples.of_somebody_else(seeded(1), stated("i love listening to jazz when i drive"))
    assert other is not None
    assert other.text.endswith(" loves listening to jazz when they drive")
    assert (other.strength, other.said, other.request) == ("none", (), NONE)
    assert max(other.details, key=other.details.__getitem__) == "favorite_genres"
    assert examples.of_somebody_else(seeded(1), stated("nothing beats jazz")) is None


def test_a_vague_request_teaches_what_it_is_about_but_reveals_nothing() -> None:
    made = examples.request(talk.Request("well i'm hungry", (), "find_place", "find_place", {"kind": "restaurant"}))
    assert "favourite_cuisine" in made.details
    assert made.strength == "none"
    assert made.request == "find_place"


def test_names_are_made_up_where_the_value_is_a_name() -> None:
    named = stated("for petrol i go to shell", "shell", "preferred_gas_station")
    made = [examples.coined(seeded(seed), named) for seed in range(40)]
    assert 5 < sum(item.said != "shell" for item in made) < 30
    assert all(item.said in item.text and item.text.startswith("for petrol i go to ") for item in made)
    assert examples.coined(seeded(1), stated("i love jazz")).said == "jazz"


def test_orders_are_put_politely_now_and_then() -> None:
    order = Example("turn on the radio", strength="none", request="play_radio")
    texts = {examples.framed(seeded(seed), order).text for seed in range(60)}
    assert "turn on the radio" in texts and len(texts) > 5
    assert all("turn on the radio" in text for text in texts)
    feeling = Example("i'm freezing", strength="none", request="change_temperature")
    assert examples.framed(seeded(1), feeling) == feeling


def test_roughening_changes_the_text_only() -> None:
    said = (("preferred_temperature", "twenty two degrees"),)
    plain = Example("well i like it at twenty two degrees in the car", {"preferred_temperature": 1.0}, "stated", said)
    made = [examples.roughened(seeded(seed), plain) for seed in range(60)]
    assert all((item.details, item.strength, item.request) == (plain.details, "stated", None) for item in made)
    assert all(item.said[0][1] in item.text for item in made)
    assert any("22 degrees" in item.text for item in made)
    assert any(item.text == plain.text for item in made)


def test_a_name_comes_with_what_was_asked_for_before() -> None:
    for seed in range(40):
        made = examples.in_context(seeded(seed))
        ((detail, name),) = made.said
        assert made.details == {detail: 1.0} and made.strength in {"stated", "hinted"}
        assert name in made.text
        assert any(made.text.startswith(opening) for opening in phrases.contexts().openings[detail])


def test_the_fewest_words_tell_a_preference() -> None:
    made = [examples.plainly(seeded(seed)) for seed in range(200)]
    assert all(item.strength == "stated" and item.request == "none" for item in made)
    assert {detail for item in made for detail in item.details} == set(PLAINLY)
    assert "i'm vegan" in {item.text for item in (examples.plainly(seeded(seed)) for seed in range(4000))}


def test_commands_come_from_the_cars_own_templates() -> None:
    made = examples.commanded(seeded(1), 300)
    assert len(made) == 300 and {item.request for item in made} < set(examples.REQUESTS)
    assert all(item.strength in {"none", None} for item in made)
    by_action = {item.request: item for item in made}
    assert len(by_action) > 60


def test_border_lines_are_said_more_often_and_never_held_out_ones() -> None:
    made = talk.borders(seeded(2), 400)
    apart = (
        part
        for topic in phrases.topics().values()
        for lines in (topic.reveals, topic.hints)
        for part in (phrases.part(lines.patterns, held_out=True), phrases.part(lines.sentences, held_out=True))
    )
    held = {str(line) for part in apart for line in part} & phrases.border_lines()
    assert {item.detail for item in made} >= {"tolerance_for_traffic", "favorite_artists_or_bands"}
    assert not any(line in item.text for item in made for line in held if "{value}" not in line)


def test_examples_cover_every_label() -> None:
    made = examples.examples(seeded(3), 4500)
    assert {detail for item in made for detail in item.details} == set(examples.DETAILS)
    assert {item.request for item in made} == {*examples.REQUESTS, None}
    assert {item.strength for item in made} == {*examples.STRENGTHS, None}
    assert {item.choice for item in made} - {None} == set(examples.CHOICES)
    assert all(abs(sum(item.details.values()) - 1.0) < 1e-6 for item in made if item.details)


def test_kept_pieces_are_special_single_needed_and_frequent_ones() -> None:
    vocabulary = [
        "[PAD]",
        "[unused1]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "a",
        "##a",
        "the",
        "of",
        "1987",
        "né",
        "##ing",
        "vet",
    ]
    kept = [vocabulary[i] for i in origin.kept_pieces(vocabulary, {"vet"}, count=9)]
    assert kept == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##a", "the", "##ing", "vet"]


def test_the_tokenizer_lowers_splits_and_cuts() -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "jazz", "play", "##ing", "'", "s"]
    cut = origin.tokenizer(pieces)
    assert cut.encode("Playing JAZZ's thing").tokens == ["[CLS]", "play", "##ing", "jazz", "'", "s", "[UNK]", "[SEP]"]
    assert len(cut.encode("jazz " * 500).ids) == origin.MAX_PIECES
