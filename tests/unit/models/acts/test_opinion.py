"""Whether a sentence tells something special, by the language model: what it reads, what it may answer, and no answer."""

from __future__ import annotations

import re

from models.acts.opinion import LONGEST, MOST_TOKENS, WITHIN_S, SecondOpinion
from schemas.errors import GenerationError
from schemas.preferences import KINDS


class _Wrote:
    """A stub: writes what it is told to, if the grammar has that, and keeps the prompt."""

    def __init__(self, answer: str | None) -> None:
        self.answer, self.prompt, self.grammar = answer, "", ""

    def scored(self, prompt: str, *, grammar: str, max_tokens: int, within_s: float) -> tuple[str, float]:
        assert (max_tokens, within_s) == (MOST_TOKENS, WITHIN_S)
        self.prompt, self.grammar = prompt, grammar
        if self.answer is None:
            raise GenerationError("nothing")
        return self.answer, 0.25


def test_the_question_has_a_word_of_its_own_before_the_spoken_words() -> None:
    model = _Wrote("health")
    assert SecondOpinion(model).ordinary("I'm 5!") == 0.25
    assert (model.prompt, model.grammar) == ("kind [i'm five]\n", 'root ::= "ordinary"')


def test_an_answer_is_a_kind_of_ours() -> None:
    model = _Wrote("belief")
    assert SecondOpinion(model).kind("we pray at noon") == "belief"
    assert set(re.findall(r'"(\w+)"', model.grammar)) == set(KINDS)


def test_of_a_long_sentence_the_end_is_read() -> None:
    model = _Wrote("ordinary")
    SecondOpinion(model).ordinary(" ".join(["so"] * LONGEST) + " we pray")
    assert model.prompt == "kind [" + " ".join(["so"] * (LONGEST - 2)) + " we pray]\n"


def test_where_the_model_fails_there_is_no_opinion() -> None:
    silent = SecondOpinion(_Wrote(None))
    assert silent.ordinary("x") is None
    assert silent.kind("x") is None
