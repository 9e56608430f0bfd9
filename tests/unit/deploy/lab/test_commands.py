"""`eval commands`: reading, mixing, counting, what is printed, the grammar that comes with it."""

from __future__ import annotations

import json
import os
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from deploy.cli.main import main
from deploy.lab.orders import ears as commands_ears
from deploy.lab.orders import protocol as commands
from deploy.lab.orders import recordings as commands_orders
from deploy.lab.orders.ears import Heard, Listener
from deploy.lab.orders.protocol import Condition, Plan
from deploy.lab.orders.recordings import Order
from deploy.lab.report.page import render
from models.acoustics import active_level
from models.commands.matcher import TemplateMatcher
from models.commands.templates import Templates, load_templates
from models.training.voices import Prosody, available, speak
from schemas.errors import AudioFileError, EvaluationDataError
from schemas.events import FRAME, SAMPLE_RATE, Samples
from voice.asr.fake import FakeRecognizer
from voice.vad.endpoint import Endpointer
from voice.vad.fake import FakeVad
from voice.vad.hold import KEEP_S

ROOT = Path(__file__).parents[4]
COFFEE = ROOT / "deploy" / "lab" / "orders" / "grammars" / "coffee.yaml"
DATA = Path(os.environ.get("GLOVEBOX_DATA", str(ROOT.parent / "shared" / "data")))

TEA = """
intents:
  brew:
    data:
      - sentences: ["(brew|make) [me] a {size:size} {drink:drink} [please]"]
lists:
  size: {values: [small, {in: "(big|large)", out: large}]}
  drink: {values: [green tea, black tea]}
"""


def burst(seconds: float, gap: float = 0.0) -> Samples:
    """Half a second of quiet, something loud, and quiet again; with a gap in its middle if asked for."""
    rng = np.random.default_rng(2)
    loud = (4000.0 * rng.standard_normal(round(seconds * SAMPLE_RATE))).astype(np.int16)
    quiet = np.zeros(SAMPLE_RATE // 2, np.int16)
    parts = [quiet, loud, np.zeros(round(gap * SAMPLE_RATE), np.int16), loud if gap else quiet[:0], quiet, quiet]
    return np.concatenate(parts)


def order(name: str, samples: Samples | None = None, **slots: str) -> Order:
    return Order(name, burst(0.5) if samples is None else samples, slots)


def heard(slots: dict[str, str] | None, guessed: dict[str, str] | None = None, utterances: int = 1) -> Heard:
    return Heard("", "", slots, slots if guessed is None else guessed, 0.5, utterances, 1.0, 0.1)


@pytest.fixture
def tea(tmp_path: Path) -> Path:
    path = tmp_path / "tea.yaml"
    path.write_text(TEA, "utf-8")
    return path


@pytest.fixture(scope="module")
def coffee() -> Templates:
    return load_templates(COFFEE)


@pytest.fixture(scope="module")
def coffee_matcher(coffee: Templates) -> TemplateMatcher:
    return TemplateMatcher(coffee)


def test_labelled_recordings_are_read_and_the_rest_is_left_alone(tmp_path: Path) -> None:
    for name in ("b.wav", "a.wav", "unlabelled.wav"):
        sf.write(tmp_path / name, burst(0.3), SAMPLE_RATE)
    labels = tmp_path / "labels.json"
    labels.write_text(
        json.dumps({"b.wav": {"size": "Twelve  Ounce"}, "a.wav": {"shots": 2, "none": None}, "gone.wav": {}})
    )
    found = commands_orders.read(tmp_path, labels)
    assert [one.name for one in found] == ["a.wav", "b.wav"]
    assert found[1].slots == {"size": "twelve ounce"} and found[0].slots == {"shots": "2"}
    assert found[0].seconds == pytest.approx(1.8)
    assert [one.name for one in commands_orders.read(tmp_path, labels, limit=1)] == ["a.wav"]


def test_data_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    labels = tmp_path / "labels.json"
    with pytest.raises(EvaluationDataError, match="cannot read the labels"):
        commands_orders.read(tmp_path, labels)
    for text, words in (("{", "no JSON"), ("[1]", "right form"), ("{}", "right form"), ('{"a.wav": 3}', "right form")):
        labels.write_text(text)
        with pytest.raises(EvaluationDataError, match=words):
            commands_orders.read(tmp_path, labels)
    labels.write_text('{"a.wav": {"size": "small"}}')
    with pytest.raises(EvaluationDataError, match="no folder"):
        commands_orders.read(tmp_path / "none", labels)
    with pytest.raises(EvaluationDataError, match="none of the 1 recordings"):
        commands_orders.read(tmp_path, labels)
    (tmp_path / "a.wav").write_bytes(b"no sound")
    with pytest.raises(AudioFileError, match="not a readable sound file"):
        commands_orders.read(tmp_path, labels)
    sf.write(tmp_path / "a.wav", np.zeros(SAMPLE_RATE, np.int16), SAMPLE_RATE)
    with pytest.raises(AudioFileError, match="is silent"):
        commands_orders.read(tmp_path, labels)


@pytest.mark.parametrize("seconds", [0.2, 60.0, None])
def test_noise_lies_under_the_speech_at_the_ratio(seconds: float | None) -> None:
    rng = np.random.default_rng(1)
    noise = None if seconds is None else (0.3 * rng.standard_normal(round(seconds * SAMPLE_RATE))).astype(np.float32)
    said = order("a")
    mixed = commands_orders.in_noise(said, noise, 10.0, seed=1)
    added = mixed.astype(np.float32) - said.samples.astype(np.float32)
    ratio = active_level(said.samples.astype(np.float32)) / float(np.sqrt(np.mean(added**2)))
    assert 20.0 * np.log10(ratio) == pytest.approx(10.0, abs=0.3)
    assert (commands_orders.in_noise(said, noise, 10.0, seed=1) == mixed).all()
    assert (commands_orders.in_noise(said, noise, 10.0, seed=2) != mixed).any()
    assert (commands_orders.in_noise(order("b"), noise, 10.0, seed=1) != mixed).any()


def test_an_order_counts_only_if_every_slot_is_right_and_none_too_many() -> None:
    said = [order(name, size="small", drink="tea") for name in "abcde"]
    right = {"size": "small", "drink": "tea"}
    condition = Condition(
        10.0,
        said,
        (
            heard(right),
            heard({"size": "small"}),
            heard({**right, "sugar": "some"}),
            heard({"size": "large", "drink": "tea"}, utterances=2),
            heard(None, guessed=right),
        ),
    )
    figures = condition.json()
    assert figures["n"] == 5
    assert figures["acceptance"] == 0.2
    assert figures["wrong"] == 0.6
    assert figures["rejected"] == 0.2
    assert figures["grammar_right"] == 0.4
    assert figures["slot_accuracy"] == 0.6
    assert figures["split"] == 0.2
    assert figures["rtf"] == pytest.approx(0.5 / (5 * 2.0), abs=1e-4)
    assert figures["rtf_speech"] == pytest.approx(0.1)
    assert condition.slot("size").value == 0.6
    assert condition.mistakes()["sugar", "–", "some"] == 1
    assert condition.mistakes()["drink", "tea", "–"] == 1


class Echo:
    """An ear that understands what it was told to, in turn."""

    def __init__(self, answers: list[dict[str, str] | None]) -> None:
        self._answers = list(answers)
        self.sounds: list[Samples] = []

    def hear(self, samples: Samples) -> Heard:
        self.sounds.append(samples)
        return heard(self._answers.pop(0))


def test_every_ratio_hears_the_same_orders_and_the_report_has_the_keys_that_are_promised() -> None:
    said = [order("a", size="small"), order("b", size="large")]
    plan = Plan(said, (20.0, 5.0), None, "road", "tea.yaml", "echo")
    ear = Echo([{"size": "small"}, {"size": "large"}, {"size": "small"}, {"size": "small"}, None, None])
    missed: list[tuple[str, str]] = []
    conditions = commands.measure(ear, plan, tell=lambda what, which, _: missed.append((what.name, which.name)))
    assert [len(sound) for sound in ear.sounds] == [len(said[0].samples)] * 6
    assert (ear.sounds[0] == said[0].samples).all() and (ear.sounds[2] != said[0].samples).any()
    report = commands.report(conditions, plan)
    figures = report.figures
    assert {"acceptance", "slot_accuracy", "rtf", "by_snr"} <= set(figures)
    assert figures["acceptance"] == 1.0 and figures["n"] == 2
    assert figures["by_snr"]["20"]["acceptance"] == 0.5 and figures["by_snr"]["5"]["rejected"] == 1.0
    low, high = figures["by_snr"]["20"]["acceptance_interval"]
    assert 0.0 <= low <= 0.5 <= high <= 1.0
    assert figures["by_slot"]["size"] == {"clean": 1.0, "20": 0.5, "5": 0.0}
    assert missed == [("20", "b"), ("5", "a"), ("5", "b")]
    page = render(report, "glovebox eval commands")
    assert "Orders understood" in page and "<svg" in page and "http" not in page.replace("http://www.w3.org", "")


def test_the_recogniser_gets_what_lies_between_pre_roll_and_the_pause(tea: Path) -> None:
    matcher = TemplateMatcher(load_templates(tea))
    recognizer = FakeRecognizer(["make a large green tea"] * 3, match=matcher.match)
    listener = Listener(FakeVad(), recognizer, matcher, Endpointer())
    found = listener.hear(burst(1.0))
    assert found.slots == {"size": "large", "drink": "green tea"} == found.guessed
    assert found.utterances == 1
    assert found.speech_s == pytest.approx(0.3 + 1.0 + KEEP_S, abs=3 * FRAME / SAMPLE_RATE)
    assert found.cpu_s > 0.0
    split = listener.hear(burst(1.0, gap=1.0))
    assert split.utterances == 2 and split.speech_s > 3.0
    silent = listener.hear(np.zeros(SAMPLE_RATE, np.int16))
    assert silent.utterances == 0 and silent.speech_s == 1.0


def test_a_rejected_text_gives_no_slots_but_its_guess_is_kept(tea: Path) -> None:
    matcher = TemplateMatcher(load_templates(tea))
    listener = Listener(FakeVad(), FakeRecognizer(["make a large green tea"]), matcher, Endpointer())
    found = listener.hear(burst(1.0))
    assert found.slots is None and found.guessed == {"size": "large", "drink": "green tea"}


def test_the_command_prints_one_object_and_understands_a_new_grammar(
    tmp_path: Path, tea: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not available():
        pytest.skip("espeak-ng is not installed: nobody there to speak")
    said = {
        "make me a large black tea": ("large", "black tea"),
        "brew a small green tea please": ("small", "green tea"),
    }
    labels: dict[str, Any] = {}
    folder = tmp_path / "audio"
    folder.mkdir()
    for number, (text, (size, drink)) in enumerate(said.items()):
        spoken = np.pad(speak(text, Prosody("en-us+m6", 140, 50)), SAMPLE_RATE // 2)
        faint = np.random.default_rng(number).normal(0.0, 12.0, spoken.size)
        sf.write(folder / f"{number}.wav", (spoken / 2.0 + faint).astype(np.int16), SAMPLE_RATE)
        labels[f"{number}.wav"] = {"size": size, "drink": drink}
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    page = tmp_path / "page.html"
    arguments = [
        "eval",
        "commands",
        "--audio",
        str(folder),
        "--labels",
        str(tmp_path / "labels.json"),
        "--grammar",
        str(tea),
    ]
    assert main([*arguments, "--snr", "20", "--json", "--page", str(page)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["acceptance"] == 1.0 == figures["slot_accuracy"]
    assert list(figures["by_snr"]) == ["20"] and figures["by_snr"]["20"]["n"] == 2
    assert 0.0 < figures["rtf"] < 1.0
    assert page.read_text("utf-8").count("<svg") >= 1
    assert main([*arguments, "--snr", "loud"]) != 0


def test_every_slot_of_coffee_takes_every_order_before_the_drink(coffee_matcher: TemplateMatcher) -> None:
    for frame, sizes in product(
        ("can i get a", "i'd like a", "give me an", "make me a", ""), ("small", "twelve ounce")
    ):
        for parts in ("{s} dark roast double shot", "double shot {s} dark roast", "dark roast double shot {s}"):
            found = coffee_matcher.match(
                f"{frame} {parts.format(s=sizes)} iced mocha with a lot of cream and brown sugar please"
            )
            assert found is not None
            assert found.slots == {
                "size": sizes, "roast": "dark roast", "numberOfShots": "double shot", "coffeeDrink": "iced mocha",
                "milkAmount": "a lot of cream", "sugarAmount": "brown sugar",
            }  # fmt: skip


@pytest.mark.parametrize(
    "text", ["a coffee with", "small small latte", "latte with milk and cream", "turn on the radio", "with milk"]
)
def test_what_is_no_order_does_not_parse(coffee_matcher: TemplateMatcher, text: str) -> None:
    assert coffee_matcher.match(text) is None


def test_the_grammar_has_every_value_that_is_labelled(coffee: Templates) -> None:
    path = DATA / "commands" / "labels.json"
    if not path.is_file():
        pytest.skip(f"no evaluation data under GLOVEBOX_DATA ({path}): nothing to compare with")
    lists = {"size": "size", "roast": "roast", "numberOfShots": "shots", "coffeeDrink": "drink", "milkAmount": "milk",
             "sugarAmount": "sugar"}  # fmt: skip
    known = {slot: {value.out for value in coffee.lists[name]} for slot, name in lists.items()}
    for own in json.loads(path.read_text("utf-8")).values():
        for slot, value in own.items():
            assert value in known[slot]


def test_a_new_grammar_needs_nothing_but_its_templates(tea: Path, tmp_path: Path) -> None:
    recognizer, matcher = commands_ears.recognizer_for(load_templates(tea), tmp_path / "made")
    recognizer.start()
    recognizer.feed(np.zeros(SAMPLE_RATE, np.int16))
    assert not recognizer.finish().in_grammar
    assert matcher.match("brew a big black tea") is not None
