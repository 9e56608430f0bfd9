"""Trains the network that takes noise out of the recogniser's cepstra: synthetic voices in made-up noise, heard as in quiet.

    python -m models.training.asr.denoise --out models/builtin/asr

For every frame the network is shown the mel energies before and after PocketSphinx's own noise removal, and answers with what to
add to the noisy cepstra so that they become those of the same sentence without the noise. What counts is the distance in units of
the acoustic model's spread, for cepstra and their slopes. Writes ``noise.npz``. A function of the seed, the number of sentences
and epochs, and the versions of PyTorch, espeak-ng and flite. A run that was stopped goes on from its checkpoint.
"""

from __future__ import annotations

import argparse
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

HIDDEN = 64
BATCH = 16
PEAK_RATE = 3e-3
SLOPE_WEIGHTS = (1.0, 0.5)
"""Weight of the errors of the first and second slopes beside those of the cepstra."""
SOFT = 0.3
"""Errors well under this share of the model's spread count by their square, well over it by themselves."""


CARD = """# Network that takes noise out of the recogniser's cepstra (built in)

What: `noise.npz`, two gated recurrent layers of {hidden} units ({weights} weights in half precision). Of every frame it is
shown the mel energies before and after PocketSphinx's noise removal and says, 40 ms later, what to add to the 13 cepstra so
that they become those of the same sentence without the noise. It works with the en-us acoustic model inside the
`pocketsphinx` package, unchanged.

Made by: `python -m models.training.asr.denoise --out models/builtin/asr --sentences {sentences} --draws {draws}
--epochs {epochs} --seed {seed}` (PyTorch on one core, about ten minutes; espeak-ng and flite speak).

From: {sentences} sentences ({minutes:.0f} minutes) sampled from `models/commands` and from this project's phrase bank (the
part that is trained on), said by espeak-ng's voices and by flite's four, in made-up rooms and by made-up microphones, each
{draws} times in noises that `models/training/wake/noises.py` makes (kitchens, clatter, roads, music, coloured noise) or in a
babble of the same voices, -3 to 24 dB; every seventh without noise. No recording of any kind is in it.

Distance from the quiet cepstra and their slopes on sentences kept out, in units of the acoustic model's spread:
{unseen:.3f}, without the network {without:.3f}. What that means for commands on real voices: docs/log.md.

Limits: synthetic voices only; noise louder than the voice; other people's voices stay. Licence: as the project.
"""


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


def train(
    draws: list[noisy.Pairs], kept: noisy.Pairs, epochs: int, seed: int, checkpoint: Path, out: Path
) -> tuple[float, float]:
    """Train on each draw in turn, ``epochs`` times, and write the network after each; resumes from the checkpoint.

    Returns:
        The loss on what was kept out, with the network and without.
    """
    torch.manual_seed(seed)
    spread, net = torch.from_numpy(spreads()), Net()
    optimiser = torch.optim.AdamW(net.parameters(), PEAK_RATE, weight_decay=1e-3)
    batches = -(-len(draws[0].shown) // BATCH)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, total_steps=epochs * len(draws) * batches)
    begun = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        net.load_state_dict(state["net"])
        optimiser.load_state_dict(state["optimiser"])
        plan.load_state_dict(state["plan"])
        begun = state["round"]
    for number in range(begun, epochs * len(draws)):
        pairs, clock, losses = draws[number % len(draws)], time.monotonic(), []
        net.train()
        for rows in np.array_split(np.random.default_rng([seed, number]).permutation(len(pairs.shown)), batches):
            found = _loss(net, pairs, rows, spread)
            optimiser.zero_grad()
            found.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            plan.step()
            losses.append(found.item())
        net.eval()
        unseen = _kept_loss(net, kept)
        print(
            f"round {number + 1}: {np.mean(losses):.4f}, unseen {unseen:.4f}, {time.monotonic() - clock:.0f} s",
            flush=True,
        )
        torch.save({"net": net.state_dict(), "optimiser": optimiser.state_dict(), "plan": plan.state_dict(),
                    "round": number + 1}, checkpoint)  # fmt: skip
        write(net, out)
    return _kept_loss(net, kept), _kept_loss(Net(), kept)


def _kept_loss(net: Net, kept: noisy.Pairs) -> float:
    with torch.no_grad():
        return float(_loss(net, kept, np.arange(len(kept.shown)), torch.from_numpy(spreads())))


def _loss(net: Net, pairs: noisy.Pairs, rows: NDArray[np.intp], spread: Tensor) -> Tensor:
    shown, plain, wanted, weight = (torch.from_numpy(getattr(pairs, name)[rows]) for name in noisy.Pairs.__slots__)
    return loss_of(net(shown), plain, wanted, weight, spread)


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
    parser.add_argument("--cache", type=Path, default=Path("denoise-cache"), help="for speech and checkpoint")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=3, help="noises drawn for every sentence before training")
    parser.add_argument("--epochs", type=int, default=8, help="times over all draws")
    parser.add_argument("--seed", type=int, default=11)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    chosen.cache.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    clips = _cached(chosen.cache / "speech.pkl", lambda: noisy.speech(chosen.sentences, chosen.seed))
    minutes = sum(clip.size for clip in clips) / 960_000
    print(f"{len(clips)} sentences, {minutes:.0f} minutes, {time.monotonic() - begun:.0f} s", flush=True)
    kept, draws = _cached(chosen.cache / "pairs.pkl", lambda: _drawn(clips, chosen.draws, chosen.seed))
    print(f"noise drawn, {time.monotonic() - begun:.0f} s", flush=True)
    unseen, without = train(
        draws, kept, chosen.epochs, chosen.seed, chosen.cache / "checkpoint.pt", chosen.out / "noise.npz"
    )
    card = CARD.format(
        hidden=HIDDEN, weights=sum(weight.numel() for weight in Net().parameters()), sentences=len(clips), minutes=minutes,
        draws=chosen.draws, epochs=chosen.epochs, seed=chosen.seed, unseen=unseen, without=without,
    )  # fmt: skip
    (chosen.out / "NOISE.md").write_text(card, encoding="utf-8")


def _drawn(clips: list[noisy.Clip], draws: int, seed: int) -> tuple[noisy.Pairs, list[noisy.Pairs]]:
    """One clip in twenty for looking at the result, the rest ``draws`` times for training."""
    rng = np.random.default_rng(seed)
    sounds, held = noisy.Sounds(clips, rng), len(clips) // 20
    return noisy.pairs(clips[:held], sounds, rng), [noisy.pairs(clips[held:], sounds, rng) for _ in range(draws)]


def _cached(path: Path, make: Callable[[], Any]) -> Any:
    if not path.exists():
        path.write_bytes(pickle.dumps(make(), protocol=5))
    return pickle.loads(path.read_bytes())  # noqa: S301 -- written by this program into its own cache


if __name__ == "__main__":
    main()
