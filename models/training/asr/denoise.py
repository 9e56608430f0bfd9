"""Trains the network that takes noise out of the recogniser's cepstra: speech in made-up noise, heard as in quiet.

    python -m models.training.asr.denoise --out models/builtin/asr --speech ../shared/data/wake

For every frame the network is shown the mel energies before and after PocketSphinx's own noise removal, and answers with
what to add to the noisy cepstra so that they become those of the same scene without the noise. What counts is what the
acoustic model makes of them: how far its senones' probabilities are from those in quiet; and, less, the distance of the
cepstra themselves in units of the model's spread. That needs no transcripts, so any clean speech helps; without ``--speech``
synthetic voices alone speak. Writes ``noise.npz``. A function of the seed, the counts, the recordings, the phrase bank, and
the versions of PyTorch, espeak-ng and flite. A run that was stopped goes on from its checkpoint.
"""

from __future__ import annotations

import argparse
import math
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pocketsphinx
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.runtime import cepstra, denoiser
from models.training.asr import gaussians, noisy
from models.training.asr.likelihood import EDGE, Chosen, Likelihood, features

HIDDEN = 128
BATCH = 24
PEAK_RATE, LEAST_RATE, WARM_UP = 2e-3, 1e-5, 100
TEMPER = 0.3
"""Factor on log likelihoods before they become probabilities: at 1 a frame would have one senone and teach little."""
FRAMES, OTHERS = 500, 500
"""Frames of a batch that go through the acoustic model, and senones drawn beside the 126 of plain phones."""
KEPT_OTHERS, CHANGE_EVERY = 1500, 10
CEPSTRAL_SHARE = 0.2
"""Weight of the cepstral distance beside the senones'."""
PAUSES = 0.5
"""Weight of a frame in a pause."""
SLOPE_WEIGHTS = (1.0, 0.5)
"""Weight of the errors of the first and second slopes beside those of the cepstra."""
SOFT = 0.3
"""Errors well under this share of the model's spread count by their square, well over it by themselves."""
CHUNK, RENEW_EVERY, KEPT = 512, 4, 256
"""Scenes made at once, chunks between two makings of the noises, and scenes kept out, the first."""
SAVE_EVERY = 200

CARD = """# Network that takes noise out of the recogniser's cepstra (built in)

What: `noise.npz`, two gated recurrent layers of {hidden} units ({weights} weights in half precision). Of every frame it is
shown the mel energies before and after PocketSphinx's noise removal and says, {late} ms later, what to add to the 13 cepstra so
that the acoustic model makes of them what it makes of the same speech without noise. It works with the en-us acoustic model
inside the `pocketsphinx` package, unchanged.

Made by: `python -m models.training.asr.denoise --out models/builtin/asr{speech} --sentences {sentences} --scenes {scenes}
--steps {steps} --seed {seed}` (PyTorch on one core; espeak-ng and flite speak).

From: {scenes} scenes. In {shares} {sentences} sentences ({minutes:.0f} minutes) sampled from `models/commands` and from this
project's phrase bank (the part that is trained on), said by espeak-ng's voices and by flite's four{real}. They are in
made-up rooms and by made-up microphones, in noises that `models/training/asr/kitchen_noise.py` and `wake/noises.py` beside it
make (kitchens, clatter, roads, music, coloured noise) or among other voices of the same kind, -1 to 20 dB, 8 dB the
likeliest; every tenth without noise. No recorded noise is in it, and no transcript of a recording was needed.

On {kept} scenes kept out: divergence of the senones' probabilities from those in quiet (log likelihoods times {temper})
{divergence:.3f}, without the network {divergence_without:.3f}; distance from the quiet cepstra and their slopes, in units of the
acoustic model's spread, {distance:.3f}, without {distance_without:.3f}. What that means for commands on real voices: docs/log.md.

Limits: noise louder than the voice; other people's voices stay. Licence: as the project.
"""

REAL = """; in the other half real
speakers' {clips} recordings ({minutes:.0f} minutes) of six wake words, several one after the other: Picovoice's
wake-word-benchmark, Apache-2.0. No recording is in the network, but what it learnt from them is"""


class Net(nn.Module):
    """(batch, frames, 50) -> what to add to the cepstra in units of their spread, (batch, frames, 13), ``AHEAD`` frames late."""

    def __init__(self) -> None:
        """Fresh weights."""
        super().__init__()
        self.enter = nn.Linear(2 * cepstra.BANDS, HIDDEN)
        self.first = nn.GRU(HIDDEN, HIDDEN, batch_first=True)
        self.second = nn.GRU(HIDDEN, HIDDEN, batch_first=True)
        self.leave = nn.Linear(2 * HIDDEN, cepstra.COEFFICIENTS)
        nn.init.zeros_(self.leave.weight)
        nn.init.zeros_(self.leave.bias)

    def forward(self, shown: Tensor) -> Tensor:
        """Run a batch from the start of its streams."""
        first, _ = self.first(torch.tanh(self.enter(shown)))
        second, _ = self.second(first)
        return self.leave(torch.cat([first, second], dim=2))


def spreads() -> NDArray[np.float32]:
    """Spread within the Gaussians of the package's acoustic model, mean over all: (3, 13) for cepstra and two slopes."""
    model = Path(pocketsphinx.get_model_path("en-us/en-us"))
    return np.sqrt(gaussians.read(model / "variances").mean(axis=(0, 2))).astype(np.float32)


def loss_of(answer: Tensor, plain: Tensor, wanted: Tensor, weight: Tensor, spread: Tensor) -> Tensor:
    """Distance between cepstra and their slopes, (n, frames, 13) each, by spread (3, 13)."""
    ahead = denoiser.AHEAD
    error = answer[:, ahead:] * spread[0] + (plain - wanted)[:, :-ahead]
    weight = weight[:, :-ahead]
    total = _soft(error / spread[0], weight)
    slope = error[:, 4:] - error[:, :-4]
    total = total + SLOPE_WEIGHTS[0] * _soft(slope / spread[1], weight[:, 2:-2])
    bend = slope[:, 2:] - slope[:, :-2]
    return total + SLOPE_WEIGHTS[1] * _soft(bend / spread[2], weight[:, 3:-3])


def _soft(error: Tensor, weight: Tensor) -> Tensor:
    size = (torch.sqrt(error.square() + SOFT**2) - SOFT).mean(dim=2)
    return (size * weight).sum() / weight.sum()


class Scenes:
    """What is trained on, in memory: the arrays of ``noisy.Pairs`` over all chunks."""

    def __init__(self, chunks: list[Path]) -> None:
        """Load the chunks."""
        parts = [np.load(path) for path in chunks]
        self._arrays = [np.concatenate([part[name] for part in parts]) for name in noisy.Pairs.__slots__]
        self.count = len(self._arrays[0])

    def batch(self, rows: NDArray[np.intp]) -> list[Tensor]:
        """Those scenes' shown, plain, wanted and weight, cut to the longest."""
        found = [torch.from_numpy(array[rows].astype(np.float32)) for array in self._arrays]
        longest = min(found[0].shape[1], int((found[3] > 0.0).sum(dim=1).max()) + denoiser.AHEAD)
        return [array[:, :longest] for array in found]


class Losses:
    """Both losses of a batch."""

    def __init__(self, model: Likelihood) -> None:
        """Judge with this acoustic model."""
        self._model, self._spread = model, torch.from_numpy(spreads())

    def __call__(
        self, net: Net, batch: list[Tensor], chosen: Chosen, rng: np.random.Generator
    ) -> tuple[Tensor, Tensor]:
        """How far the senones' probabilities are off (in nats a frame), and the cepstra (``loss_of``)."""
        shown, plain, wanted, weight = batch
        answer, ahead = net(shown), denoiser.AHEAD
        distance = loss_of(answer, plain, wanted, weight, self._spread)
        given, wanted, weight = (
            plain[:, :-ahead] + answer[:, ahead:] * self._spread[0],
            wanted[:, :-ahead],
            weight[:, :-ahead],
        )
        inside = (weight > 0.0).float()[..., None]
        mean, quiet = (
            (side * inside).sum(dim=1, keepdim=True) / inside.sum(dim=1, keepdim=True) for side in (given, wanted)
        )
        # The engine's running mean lies between that of what it hears in this noise and that of what it heard before.
        mean = torch.where(torch.from_numpy(rng.random((len(shown), 1, 1)) < 0.5), mean, quiet)
        counts = torch.where(weight > 0.5, 1.0, torch.where(weight > 0.0, PAUSES, 0.0))[:, EDGE:-EDGE].reshape(-1)
        some = np.flatnonzero(counts.numpy() > 0.0)
        rows = torch.from_numpy(rng.choice(some, min(FRAMES, some.size), replace=False))
        with torch.no_grad():
            target = self._probabilities(wanted - quiet, rows, chosen)
        found = self._probabilities(given - mean, rows, chosen)
        apart = (target.exp() * (target - found)).sum(dim=1) * counts[rows]
        return apart.sum() / counts[rows].sum(), distance

    def _probabilities(self, normalised: Tensor, rows: Tensor, chosen: Chosen) -> Tensor:
        streams = [stream.reshape(-1, cepstra.COEFFICIENTS)[rows] for stream in features(normalised)]
        return torch.log_softmax(TEMPER * self._model(streams, chosen), dim=1)


def rate_at(step: int, steps: int) -> float:
    """Learning rate: up over the first steps, then down along a cosine."""
    return PEAK_RATE * min(1.0, step / WARM_UP) * 0.5 * (1.0 + math.cos(math.pi * step / steps)) + LEAST_RATE


def train(scenes: Scenes, model: Likelihood, steps: int, seed: int, checkpoint: Path, out: Path) -> Net:
    """Train, and write the network every ``SAVE_EVERY`` steps; resumes from the checkpoint."""
    torch.manual_seed(seed)
    net, losses, begun = Net(), Losses(model), 0
    optimiser = torch.optim.AdamW(net.parameters(), PEAK_RATE, weight_decay=1e-3)
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        net.load_state_dict(state["net"])
        optimiser.load_state_dict(state["optimiser"])
        begun = state["step"]
    clock, chosen = time.monotonic(), model.choose(np.random.default_rng([seed, begun]), OTHERS)
    for step in range(begun, steps):
        rng = np.random.default_rng([seed, step])
        if step % CHANGE_EVERY == 0:
            chosen = model.choose(rng, OTHERS)
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, steps)
        rows = min(KEPT, scenes.count // 2) + rng.choice(scenes.count - min(KEPT, scenes.count // 2), BATCH)
        divergence, distance = losses(net, scenes.batch(rows), chosen, rng)
        optimiser.zero_grad()
        (divergence + CEPSTRAL_SHARE * distance).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % SAVE_EVERY == 0 or step + 1 == steps:
            unseen = kept_losses(net, scenes, model)
            print(
                f"step {step + 1}: unseen {unseen[0]:.4f} {unseen[1]:.4f}, {time.monotonic() - clock:.0f} s", flush=True
            )
            torch.save({"net": net.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1}, checkpoint)
            write(net, out)
    return net


def kept_losses(net: Net, scenes: Scenes, model: Likelihood) -> tuple[float, float]:
    """Both losses on the scenes kept out."""
    rng, losses = np.random.default_rng(5), Losses(model)
    chosen, kept = model.choose(np.random.default_rng(7), min(KEPT_OTHERS, model.count)), min(KEPT, scenes.count // 2)
    with torch.no_grad():
        found = [
            [float(loss) for loss in losses(net, scenes.batch(rows), chosen, rng)]
            for rows in np.array_split(np.arange(kept), min(8, kept))
        ]
    divergence, distance = np.mean(found, axis=0)
    return float(divergence), float(distance)


def write(net: Net, path: Path) -> None:
    """The network as ``denoiser.Denoiser`` reads it, in half precision."""
    state = {name: value.detach().numpy() for name, value in net.state_dict().items()}
    spread = spreads()[0]
    arrays = {
        "enter": state["enter.weight"].T, "enter_bias": state["enter.bias"],
        "leave": state["leave.weight"].T * spread, "leave_bias": state["leave.bias"] * spread,
    }  # fmt: skip
    for layer, suffix in (("first", ""), ("second", "_2")):
        arrays |= {
            f"input{suffix}": state[f"{layer}.weight_ih_l0"].T, f"recur{suffix}": state[f"{layer}.weight_hh_l0"].T,
            f"input_bias{suffix}": state[f"{layer}.bias_ih_l0"], f"recur_bias{suffix}": state[f"{layer}.bias_hh_l0"],
        }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **{name: arrays[name].astype(np.float16) for name in denoiser.NAMES})


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the recogniser's files")
    parser.add_argument(
        "--cache", type=Path, default=Path("denoise-cache"), help="for speech, scenes (1.6 GB) and checkpoint"
    )
    parser.add_argument(
        "--speech", type=Path, help="folder of recorded clean speech (FLAC or WAV, 16 kHz) to train on, too"
    )
    parser.add_argument("--sentences", type=int, default=2500)
    parser.add_argument("--scenes", type=int, default=20_480)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=11)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    chosen.cache.mkdir(parents=True, exist_ok=True)
    clips = _cached(chosen.cache / "speech.pkl", lambda: noisy.speech(chosen.sentences, chosen.seed))
    real = noisy.recorded(chosen.speech) if chosen.speech is not None else []
    scenes = Scenes(made(clips, real, chosen.scenes, chosen.seed, chosen.cache))
    model = Likelihood(Path(pocketsphinx.get_model_path("en-us/en-us")))
    net = train(scenes, model, chosen.steps, chosen.seed, chosen.cache / "checkpoint.pt", chosen.out / "noise.npz")
    unseen, without = kept_losses(net, scenes, model), kept_losses(Net(), scenes, model)
    told = REAL.format(clips=len(real), minutes=_minutes(real)) if real else ""
    card = CARD.format(
        hidden=HIDDEN, weights=sum(weight.numel() for weight in net.parameters()), late=10 * denoiser.AHEAD,
        speech=f" --speech {chosen.speech}" if real else "", sentences=len(clips), scenes=scenes.count, steps=chosen.steps,
        seed=chosen.seed, shares="half of them" if real else "them", minutes=_minutes(clips), real=told, temper=TEMPER,
        kept=min(KEPT, scenes.count // 2), divergence=unseen[0], divergence_without=without[0], distance=unseen[1],
        distance_without=without[1],
    )  # fmt: skip
    (chosen.out / "NOISE.md").write_text(card, encoding="utf-8")


def made(clips: list[noisy.Clip], real: list[noisy.Clip], count: int, seed: int, folder: Path) -> list[Path]:
    """Files of ``count`` scenes; those that are there already are kept."""
    found: list[Path] = []
    sounds: noisy.Sounds | None = None
    for number in range(-(-count // CHUNK)):
        path = folder / f"scenes-{number:03}.npz"
        found.append(path)
        if path.exists():
            continue
        if sounds is None or number % RENEW_EVERY == 0:
            sounds = noisy.Sounds(clips, real, np.random.default_rng([seed, number]))
        drawn = noisy.pairs(sounds, min(CHUNK, count - CHUNK * number), np.random.default_rng([seed, number, 1]))
        half = {name: getattr(drawn, name).astype(np.float16) for name in ("shown", "weight")}
        whole = path.with_suffix(".part.npz")
        np.savez(whole, **half, plain=drawn.plain, wanted=drawn.wanted)
        whole.rename(path)
    return found


def _minutes(clips: list[noisy.Clip]) -> float:
    return sum(clip.size for clip in clips) / (60 * cepstra.SAMPLE_RATE)


def _cached(path: Path, make: Callable[[], Any]) -> Any:
    if not path.exists():
        path.write_bytes(pickle.dumps(make(), protocol=5))
    return pickle.loads(path.read_bytes())  # noqa: S301 -- written by this program into its own cache


if __name__ == "__main__":
    main()
