"""Two parsers, of which the thorough one is asked only where the quick one is not sure."""

import pytest

from models.acts.cascade import ALONE_AT, CascadeParser, combined
from schemas.actions.acts import Act, Parsed
from schemas.errors import GenerationError

WINDOW, ROOF = Act("set_window", {"window": "driver"}), Act("open_sunroof")


class Says:
    """Gives the same answer to everything; None: fails."""

    def __init__(self, sure: float | None, *acts: Act) -> None:
        self.sure, self.acts = sure, acts
        self.asked = list[tuple[str, str]]()

    def skim(self, text: str, context: str = "") -> Parsed:
        return self.parse(text, context)

    def parse(self, text: str, context: str = "") -> Parsed:
        self.asked.append((text, context))
        if self.sure is None:
            raise GenerationError("nothing")
        return Parsed(self.acts, self.sure)


def test_a_sure_answer_of_the_quick_one_asks_nobody_else() -> None:
    thorough = Says(1.0, ROOF)
    assert CascadeParser(Says(ALONE_AT, WINDOW), thorough).parse("a") == Parsed((WINDOW,), ALONE_AT)
    assert thorough.asked == []


def test_both_are_asked_for_the_same() -> None:
    quick, thorough = Says(0.4, WINDOW), Says(0.4, WINDOW)
    CascadeParser(quick, thorough).parse("a", "b")
    assert quick.asked == thorough.asked == [("a", "b")]


@pytest.mark.parametrize(("quick", "thorough"), [(0.4, 0.5), (0.5, 0.4)])
def test_two_that_agree_are_as_sure_as_the_surer_one(quick: float, thorough: float) -> None:
    assert combined(Parsed((WINDOW, ROOF), quick), Parsed((ROOF, WINDOW), thorough)).sure == 0.5


@pytest.mark.parametrize(
    ("quick", "thorough", "acts", "sure"),
    [
        (0.1, 0.8, ROOF, 0.8),
        (0.5, 0.8, ROOF, 0.8),
        (0.75, 0.75, ROOF, 0.5),
        (0.75, 0.2, WINDOW, 0.75),
        (0.75, 0.7, WINDOW, 9 / 16),
    ],
)
def test_where_they_differ_the_surer_one_counts_the_less_the_surer_the_other_is(
    quick: float, thorough: float, acts: Act, sure: float
) -> None:
    found = combined(Parsed((WINDOW,), quick), Parsed((ROOF,), thorough))
    assert found.acts == (acts,)
    assert found.sure == pytest.approx(sure)


@pytest.mark.parametrize(
    ("fuller", "acts", "sure"), [(0.6, (WINDOW, ROOF), 0.06 / 0.42), (0.2, (WINDOW,), 0.72 / 0.74)]
)
def test_what_one_leaves_out_was_mostly_said(fuller: float, acts: tuple[Act, ...], sure: float) -> None:
    for one, other in (
        (Parsed((WINDOW, ROOF), fuller), Parsed((WINDOW,), 0.9)),
        (Parsed((WINDOW,), 0.9), Parsed((WINDOW, ROOF), fuller)),
    ):
        found = combined(one, other)
        assert found.acts == acts
        assert found.sure == pytest.approx(min(0.9, sure))


def test_other_slots_are_another_answer() -> None:
    assert combined(Parsed((WINDOW,), 0.8), Parsed((Act("set_window", {"window": "passenger"}),), 0.8)).sure == 0.5


def test_two_that_know_nothing_divide_by_nothing() -> None:
    assert combined(Parsed((WINDOW,), 0.0), Parsed((ROOF,), 0.0)).sure == 0.0


def test_either_may_fail() -> None:
    assert CascadeParser(Says(None), Says(0.4, ROOF)).parse("a") == Parsed((ROOF,), 0.4)
    assert CascadeParser(Says(0.4, WINDOW), Says(None)).parse("a") == Parsed((WINDOW,), 0.4)
    with pytest.raises(GenerationError):
        CascadeParser(Says(None), Says(None)).parse("a")


def test_skimming_asks_the_quick_one_alone() -> None:
    thorough = Says(1.0, ROOF)
    assert CascadeParser(Says(0.1, WINDOW), thorough).skim("a") == Parsed((WINDOW,), 0.1)
    assert thorough.asked == []
