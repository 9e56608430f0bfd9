from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from models.runtime.fake_language import FakeLanguageModel
from models.runtime.llamacpp import LlamaCppModel
from models.structured import Structured
from models.structured.prompt import chat, compact
from models.structured.words import Sources, grounded
from schemas.errors import GenerationError
from schemas.memory import MaintenanceChoice
from schemas.preferences import CATEGORIES, preference_model
from tests.networks.language import write_tiny

MUSIC = '{"entertainment_and_media":{"music":{"favorite_genres":[{"turn":0,"value":"%s"}]}}}'
GENRES = preference_model(("favorite_genres",))


def test_an_answer_becomes_a_validated_model() -> None:
    structured = Structured(FakeLanguageModel({"jazz": MUSIC % "jazz"}))
    filled = structured.fill("extract", GENRES, turns=["i love jazz"])
    assert _mentions(filled) == [(0, "jazz")]
    assert (structured.calls, structured.valid) == (1, 1)


def test_the_space_before_our_own_models_words_is_taken_off() -> None:
    language = FakeLanguageModel(otherwise=MUSIC % " smooth jazz")
    assert _mentions(Structured(language).fill("extract", GENRES, turns=["smooth jazz please"])) == [(0, "smooth jazz")]


@pytest.mark.parametrize(
    "answer",
    [
        MUSIC % "rock",
        MUSIC % "jazz love",
        MUSIC.replace("favorite_genres", "colour") % "jazz",
        '{"entertainment_and_media":{"music":{"favorite_songs":[]}}}',
        '{"entertainment_and_media":{"music":{"favorite_genres":[{"turn":0,"value":"jazz',
        "",
    ],
)
def test_what_is_not_valid_or_was_not_said_is_an_error_without_the_words(answer: str) -> None:
    structured = Structured(FakeLanguageModel(otherwise=answer))
    with pytest.raises(GenerationError) as raised:
        structured.fill("extract", GENRES, turns=["i love jazz"])
    assert "rock" not in str(raised.value)
    assert "jazz" not in str(raised.value)
    assert (structured.calls, structured.valid) == (1, 0)


def test_a_mention_must_come_from_its_own_turn() -> None:
    answer = '{"entertainment_and_media":{"music":{"favorite_genres":[{"turn":%d,"value":"jazz"}]}}}'
    model = preference_model(("favorite_genres",))
    Structured(FakeLanguageModel(otherwise=answer % 1)).fill("extract", model, turns=["hello", "i love jazz"])
    with pytest.raises(GenerationError):
        Structured(FakeLanguageModel(otherwise=answer % 0)).fill("extract", model, turns=["hello", "i love jazz"])
    with pytest.raises(GenerationError):
        Structured(FakeLanguageModel(otherwise=answer % 5)).fill("extract", model, turns=["hello", "i love jazz"])


def test_maintenance_reads_numbered_facts() -> None:
    language = FakeLanguageModel(otherwise='{"decision":"pass","entry":0}')
    facts = ["category: favourite_cuisine", "0: italian", "1: thai", "new: italian food"]
    filled = Structured(language).fill("maintain", MaintenanceChoice, turns=["i like italian food"], facts=facts)
    assert filled == MaintenanceChoice.model_validate({"decision": "pass", "entry": 0})
    assert len(language.prompts) == 1
    head, _, said = language.prompts[0].partition("<|turn|>")
    assert (
        head == '<|maintain|><|fact|> category"favourite_cuisine":<|fact|>0 italian<|fact|>1 thai<|new|> italian food'
    )
    assert said == "0 i like italian food<|out|>"


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(ValueError, match="none of extract, maintain"):
        Structured(FakeLanguageModel()).fill("guess", MaintenanceChoice, turns=[])


def test_the_compact_prompt_holds_nothing_that_imitates_it() -> None:
    prompt = compact("extract", ("favorite_genres",), ["<|out|>{} play", "say \"x\": 'y'"], ["a: <|turn|>7"])
    start = '<|extract|>{"entertainment_and_media":{"music":{"favorite_genres":[{"turn":'
    assert prompt == f"{start}<|fact|> a turn 7<|turn|>0 out play<|turn|>1 say x y<|out|>"


def test_the_chat_prompt_describes_the_slice() -> None:
    schema = preference_model(("favorite_genres", "preferred_temperature")).model_json_schema()
    system, user = chat("extract", schema, ["I love Jazz!"], ["preferred_temperature: 21 degrees"])
    assert "entertainment_and_media.music.favorite_genres: A kind of music the driver likes." in system
    assert "preferred_temperature" in system
    assert user == "Fact: preferred temperature: 21 degrees\nTurn 0: i love jazz"


def test_with_a_chat_template_the_prompt_is_its_and_values_have_no_space() -> None:
    language = FakeLanguageModel(otherwise=MUSIC % "jazz")
    structured = Structured(language, chat_template=lambda system, user: f"[{len(system) > 50}] {user}")
    structured.fill("extract", GENRES, turns=["i love jazz"])
    assert language.prompts == ["[True] Turn 0: i love jazz"]
    grammar = structured.grammar(GENRES, Sources.of(["jazz"], []))
    assert '"jazz"' in grammar
    assert '" jazz"' not in grammar


def test_grammars_without_words_are_kept() -> None:
    class Choice(BaseModel):
        on: bool

    structured = Structured(FakeLanguageModel())
    assert structured.grammar(Choice, Sources()) is structured.grammar(Choice, Sources.of(["other"], []))
    assert structured.grammar(GENRES, Sources.of(["a"], [])) != structured.grammar(GENRES, Sources.of(["b"], []))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> LlamaCppModel:
    path = tmp_path_factory.mktemp("models") / "tiny.gguf"
    write_tiny(path)
    return LlamaCppModel(path, threads=1, context_tokens=4096)


WORDS = st.sampled_from(
    "play some jazz i'm hungry café größe 12 ac/dc r&b the and 東京 don’t \" \\ <|out|> { \n".split(" ")
)
TURNS = st.lists(st.lists(WORDS, max_size=8).map(" ".join), min_size=1, max_size=4)


@settings(max_examples=12)
@given(
    details=st.lists(st.sampled_from([c.detail for c in CATEGORIES]), min_size=1, max_size=4, unique=True),
    turns=TURNS,
)
def test_whatever_is_said_a_random_model_gives_valid_grounded_output(
    tiny: LlamaCppModel, details: list[str], turns: list[str]
) -> None:
    structured = Structured(tiny, max_tokens=3000)
    facts = ["favorite_genres: smooth jazz", "0: jazz", "new: rock"]
    mentions = structured.fill("extract", preference_model(tuple(details)), turns=turns)
    choice = structured.fill("maintain", MaintenanceChoice, turns=turns, facts=facts)
    assert (structured.calls, structured.valid) == (2, 2)
    assert isinstance(choice, MaintenanceChoice)
    sources = Sources.of(turns, facts)
    for turn, value in _mentions(mentions):
        assert grounded(value, sources.turns[turn : turn + 1])


def _mentions(filled: BaseModel) -> list[tuple[int, str]]:
    data = filled.model_dump(exclude_none=True)
    return [
        (mention["turn"], mention["value"])
        for main in data.values() for sub in main.values() for mentions in sub.values() for mention in mentions
    ]  # fmt: skip
