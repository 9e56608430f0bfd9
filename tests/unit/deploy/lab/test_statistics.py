from __future__ import annotations

import pytest

from deploy.lab.report.statistics import Ratio, calibration, chance, hit, micro, paired, percentile, share, wilson


def sets(*pairs: tuple[str, str]) -> list[tuple[frozenset[str], frozenset[str]]]:
    return [(frozenset(true.split()), frozenset(said.split())) for true, said in pairs]


def test_micro_scores_by_hand() -> None:
    # a right; b right with an extra c; b missed for c; nothing said: 2 TP, 2 FP, 2 FN
    scores = micro(sets(("a", "a"), ("b", "b c"), ("b", "c"), ("a", "")))
    assert scores.counts == (2, 2, 2)
    assert scores.precision.value == 0.5 and scores.recall.value == 0.5 and scores.f1.value == 0.5
    assert scores.exact.value == 0.25


def test_precision_and_recall_differ_where_they_should() -> None:
    # 1 TP, 3 FP, 0 FN: P 1/4, R 1, F1 2/5
    scores = micro(sets(("a", "a b c d")))
    assert (scores.precision.value, scores.recall.value, scores.f1.value) == (0.25, 1.0, 0.4)
    assert scores.exact.value == 0.0


def test_with_no_true_label_nothing_said_is_exact() -> None:
    scores = micro(sets(("", ""), ("", "a")))
    assert scores.exact.value == 0.5 and scores.f1.value == 0.0


def test_published_counts_give_the_published_scores() -> None:
    # GPT-4o's detail level: 407 TP, 133 FP, 93 FN
    pairs = sets(*[("a", "a")] * 407, *[("a", "b")] * 93, *[("", "b")] * 40)
    scores = micro(pairs)
    assert scores.counts == (407, 133, 93)
    assert [round(r.value, 3) for r in (scores.precision, scores.recall, scores.f1)] == [0.754, 0.814, 0.783]


def test_a_share_of_nothing_is_zero() -> None:
    assert share(()).value == 0.0 and share((True, False, True, True)).value == 0.75
    assert share(()).interval(()) == (0.0, 0.0)


def test_the_bootstrap_draws_whole_users() -> None:
    # two users, one always right and one always wrong: a draw of two users gives 0, .5 or 1 and nothing between
    ratio = share((True,) * 9 + (False,) * 9)
    assert ratio.interval([0] * 9 + [1] * 9) == (0.0, 1.0)
    # the same items drawn one by one vary far less
    low, high = ratio.interval(range(18))
    assert 0.2 < low < 0.35 and 0.65 < high < 0.8


def test_the_bootstrap_weighs_users_by_their_items() -> None:
    # 1 of 1 and 0 of 3: the ratio of sums is 1/4, or 1 or 0 when one user is drawn twice; never the mean of shares, 1/2
    ratio = Ratio((1.0, 0.0, 0.0, 0.0), (1.0,) * 4)
    assert ratio.value == 0.25
    assert ratio.interval([0, 1, 1, 1]) == (0.0, 1.0)


def test_users_who_are_alike_have_no_interval() -> None:
    assert share((True, False) * 10).interval([n // 2 for n in range(20)]) == (0.5, 0.5)


def test_the_bootstrap_is_repeatable() -> None:
    ratio, users = share(n * n % 7 < 3 for n in range(60)), [n // 6 for n in range(60)]
    assert ratio.interval(users) == ratio.interval(users)
    assert ratio.interval(users, seed=1) != ratio.interval(users, seed=2)


@pytest.mark.parametrize(
    ("gold", "others", "places", "expected"),
    [
        (0.9, (0.5, 0.4), 1, 1.0),
        (0.5, (0.9, 0.4), 1, 0.0),
        (0.5, (0.9, 0.4), 2, 1.0),
        (0.5, (0.5,), 1, 0.5),  # tied for the only place
        (0.5, (0.9, 0.5, 0.5), 2, 1 / 3),  # three share the second place
        (0.5, (0.9, 0.5, 0.5), 3, 2 / 3),
        (0.5, (0.5, 0.5), 5, 1.0),  # more places than entries
        (0.5, (), 1, 1.0),
    ],
)
def test_hits_with_ties(gold: float, others: tuple[float, ...], places: int, expected: float) -> None:
    assert hit(gold, others, places) == pytest.approx(expected)


def test_the_chance_level() -> None:
    assert chance(10, 2) == 0.2 and chance(3, 5) == 1.0 and chance(0, 1) == 0.0
    # a store in which all are tied gives the chance level
    assert hit(0.1, [0.1] * 9, 2) == pytest.approx(chance(10, 2))


def test_percentiles() -> None:
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0 and percentile([0.0, 100.0], 95) == 95.0 and percentile([], 50) == 0.0


def test_mcnemar_by_hand() -> None:
    # 6 ours alone, 1 theirs alone: 2 * (C(7,0) + C(7,1)) / 2^7 = 16 / 128
    pair = paired([True] * 6 + [False] + [True, False], [False] * 6 + [True] + [True, False])
    assert (pair.both, pair.ours_only, pair.theirs_only, pair.neither) == (1, 6, 1, 1)
    assert pair.p == 0.125
    assert paired([True, False], [True, False]).p == 1.0
    assert paired([True] * 3 + [False] * 3, [False] * 3 + [True] * 3).p == 1.0


def test_calibration_bins() -> None:
    bins = calibration([(0.12, False), (0.18, True), (0.95, True), (1.0, True)])
    assert [(round(c, 3), right, n) for c, right, n in bins] == [(0.15, 0.5, 2), (0.975, 1.0, 2)]


@pytest.mark.parametrize(("share", "count", "low", "high"), [(0.0, 50, 0.0, 0.071), (0.5, 100, 0.404, 0.596)])
def test_interval_of_a_share(share: float, count: int, low: float, high: float) -> None:
    assert wilson(share, count) == (pytest.approx(low, abs=0.001), pytest.approx(high, abs=0.001))
    assert wilson(0.0, 0) == (0.0, 1.0)
