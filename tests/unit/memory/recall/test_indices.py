"""Comparing and the graph: the two ways to the nearest vectors that must agree."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.recall.exact import ExactIndex
from memory.recall.hnsw import EXACT_UP_TO, HnswIndex


def vectors(count: int, dimension: int = 32, seed: int = 1) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def both(count: int) -> tuple[ExactIndex, HnswIndex]:
    exact, graph = ExactIndex(32), HnswIndex(32, capacity=16)
    for index in (exact, graph):
        index.add(np.arange(count), vectors(count))
    graph.exact_up_to = 0
    graph.grow(threading.RLock(), threading.Event())
    assert graph.walks
    return exact, graph


def mask(count: int, *allowed: int) -> NDArray[np.bool_]:
    made = np.zeros(count, bool)
    made[list(allowed)] = True
    return made


def agreement(exact: ExactIndex, graph: HnswIndex, limit: int = 10, among: NDArray[np.bool_] | None = None) -> float:
    shares: list[float] = []
    for query in vectors(40, seed=2):
        wanted, _ = exact.search(query, limit, among)
        found, scores = graph.search(query, limit, among)
        assert len(found) == len(wanted)
        assert scores.tolist() == sorted(scores.tolist(), reverse=True)
        shares.append(len(set(wanted.tolist()) & set(found.tolist())) / max(len(wanted), 1))
    return float(np.mean(shares))


def test_the_graph_finds_what_comparing_finds() -> None:
    assert agreement(*both(1500)) > 0.98


def test_they_agree_after_removing_and_adding() -> None:
    exact, graph = both(600)
    for index in (exact, graph):
        index.remove(np.arange(0, 600, 3))
        index.add(np.arange(600, 750), vectors(150, seed=3))
        assert len(index) == 550 and 0 not in index and 600 in index
        assert sorted(index.rows().tolist()) == sorted({*range(1, 600)} - {*range(0, 600, 3)} | {*range(600, 750)})
    assert agreement(exact, graph) > 0.98


def test_they_agree_within_a_filter() -> None:
    exact, graph = both(700)
    for compared in (EXACT_UP_TO, 0):  # few enough to be compared, and walked with a filter
        graph.exact_up_to = compared
        assert agreement(exact, graph, among=mask(700, *range(5))) == 1.0
        assert agreement(exact, graph, among=mask(700, *range(0, 700, 2))) > 0.98
        assert agreement(exact, graph, limit=700, among=mask(700, *range(0, 700, 2))) == 1.0
    assert agreement(exact, graph, limit=700) == 1.0


@pytest.mark.parametrize("kind", [ExactIndex, HnswIndex])
def test_small_and_empty_indices(kind: type[ExactIndex | HnswIndex]) -> None:
    index, (one, two) = kind(32), vectors(2)
    row, nothing = np.array([0]), np.zeros(1, bool)
    assert len(index.search(one, 3)[0]) == 0 and len(index) == 0
    index.remove(np.array([99]))
    index.add(row, one[None])
    index.add(row, two[None])
    found, scores = index.search(two, 3)
    assert found.tolist() == [0] and scores[0] == pytest.approx(1.0, abs=1e-5)
    assert np.allclose(index.vectors(row)[0], two, atol=1e-3)
    with pytest.raises(KeyError):
        index.vectors(np.array([5]))
    assert len(index.search(two, 3, nothing)[0]) == 0
    index.remove(row)
    assert len(index.search(two, 3)[0]) == 0 and len(index) == 0


def test_a_removed_vector_is_overwritten_in_memory() -> None:
    exact, graph = both(9)
    array = exact._vectors
    for index in (exact, graph):
        index.remove(np.array([1]))
    graph._graph.unmark_deleted(1)
    assert not np.any(np.asarray(graph._graph.get_items([1]))) and not np.any(array[8])
    assert np.allclose(exact.vectors(np.array([2])), vectors(9)[2])


def test_small_stores_are_compared_and_large_ones_walked() -> None:
    index = HnswIndex(32)
    index.exact_up_to = 50
    index.add(np.arange(50), vectors(50))
    assert not index.outgrown
    index.add(np.arange(50, 51), vectors(1, seed=9))
    assert index.outgrown and not index.walks
    index.grow(threading.RLock(), threading.Event())
    assert index.walks and not index.outgrown


def test_what_comes_and_goes_while_a_graph_is_built_is_made_up_for() -> None:
    index, given = HnswIndex(32), vectors(700)
    index.exact_up_to = 100
    index.add(np.arange(600), given[:600])

    class Meanwhile:
        """A lock that somebody else holds between two looks."""

        def __init__(self) -> None:
            self.changes = [lambda: index.add(np.arange(600, 700), given[600:]), lambda: index.remove(np.arange(50))]

        def __enter__(self) -> None:
            if self.changes and index.rows().size:
                self.changes.pop()()

        def __exit__(self, *told: object) -> None:
            pass

    index.grow(Meanwhile(), threading.Event())
    assert index.walks and len(index) == 650
    found = [index.search(given[row], 1)[0].tolist() for row in range(700)]
    assert sum(rows == [row] for row, rows in enumerate(found) if row >= 50) >= 640
    assert all(0 <= rows[0] - 50 < 650 for rows in found)


def test_a_graph_is_given_up_when_it_is_told_to_end_or_is_not_needed_any_more() -> None:
    index, ending = HnswIndex(32), threading.Event()
    index.exact_up_to = 100
    index.add(np.arange(200), vectors(200))
    ending.set()
    index.grow(threading.RLock(), ending)
    assert index.outgrown
    index.remove(np.arange(150))
    index.grow(threading.RLock(), threading.Event())
    assert not index.walks and not index.outgrown
