"""Whisper in PyTorch, from the weights that CTranslate2 runs, with low-rank additions that can be trained.

Owns: the computation (Radford et al. 2022, "Robust Speech Recognition via Large-Scale Weak Supervision") and its addition (Hu et
al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models"). Names of weights are CTranslate2's; query, key and value are one
matrix there and have one addition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

RANK = 32
"""Of every addition: 4 % of the weights it adds to."""
HEADS = 8
"""Of Whisper base: 512 wide, 64 a head."""


PADDING_S = 1.0
"""Digital silence after each utterance at least, as ``voice.asr.whisper`` pads."""
STEP = 40
"""Lengths are multiples of so many frames: PyTorch prepares itself for each length anew."""
_RATE, _NFFT, _HOP = 16_000, 400, 160


class Added(nn.Module):
    """A linear layer whose weights stay, and an addition of low rank: ``W + up @ down``."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """Around given weights, shape (out, in); the addition is zero at first."""
        super().__init__()
        self.register_buffer("weight", weight.to(torch.bfloat16), persistent=False)
        self.register_buffer("bias", None if bias is None else bias.to(torch.bfloat16), persistent=False)
        self.down = nn.Parameter(torch.randn(RANK, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.up = nn.Parameter(torch.zeros(weight.shape[0], RANK))

    def forward(self, given: Tensor) -> Tensor:
        """Shape (..., in) to (..., out)."""
        plain = functional.linear(given, self.weight, self.bias)  # type: ignore[arg-type]
        small = functional.linear(given, self.down.to(given.dtype))
        return plain + functional.linear(small, self.up.to(given.dtype))


class _Part(nn.Module):
    """What has weights of CTranslate2's file below one name."""

    def __init__(self, weights: Mapping[str, Tensor], name: str) -> None:
        super().__init__()
        self._weights, self.name = weights, name

    def _linear(self, name: str) -> Added:
        at = f"{self.name}/{name}"
        return Added(self._weights[f"{at}/weight"], self._weights.get(f"{at}/bias"))

    def _norm(self, name: str) -> nn.LayerNorm:
        at = f"{self.name}/{name}"
        norm = nn.LayerNorm(self._weights[f"{at}/gamma"].shape[0])
        norm.weight.data, norm.bias.data = self._weights[f"{at}/gamma"].clone(), self._weights[f"{at}/beta"].clone()
        return norm.requires_grad_(False)


class Attention(_Part):
    """Self-attention, or attention to the encoder's output."""

    def __init__(self, weights: Mapping[str, Tensor], name: str, *, across: bool) -> None:
        """Below one name."""
        super().__init__(weights, name)
        self.across = across
        self.norm = self._norm("layer_norm")
        self.first = self._linear("linear_0")
        self.middle = self._linear("linear_1") if across else None
        self.last = self._linear("linear_2" if across else "linear_1")

    def layers(self) -> tuple[Added, ...]:
        """In the order of their numbers."""
        return (self.first, self.last) if self.middle is None else (self.first, self.middle, self.last)

    def forward(self, given: Tensor, heard: Tensor | None = None, *, causal: bool = False) -> Tensor:
        """Shape (batch, length, width), added to what was given."""
        normed = _normed(self.norm, given)
        if self.middle is not None and heard is not None:
            query = self.first(normed)
            key, value = self.middle(heard).chunk(2, dim=-1)
        else:
            query, key, value = self.first(normed).chunk(3, dim=-1)
        mixed = functional.scaled_dot_product_attention(_heads(query), _heads(key), _heads(value), is_causal=causal)
        batch, _, length, _ = mixed.shape
        return given + self.last(mixed.transpose(1, 2).reshape(batch, length, -1))


class FeedForward(_Part):
    """Two layers with GELU between."""

    def __init__(self, weights: Mapping[str, Tensor], name: str) -> None:
        """Below one name."""
        super().__init__(weights, name)
        self.norm = self._norm("layer_norm")
        self.first, self.last = self._linear("linear_0"), self._linear("linear_1")

    def layers(self) -> tuple[Added, ...]:
        """In the order of their numbers."""
        return self.first, self.last

    def forward(self, given: Tensor) -> Tensor:
        """Shape (batch, length, width), added to what was given."""
        return given + self.last(functional.gelu(self.first(_normed(self.norm, given))))


class Whisper(_Part):
    """Log mel spectrogram and tokens in, the next token's logits out."""

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """From the arrays of a ``model.bin`` (``models.runtime.ct2_file.read``)."""
        weights = {
            name: torch.from_numpy(np.asarray(array, np.float32)) for name, array in arrays.items() if array.ndim > 0
        }
        super().__init__(weights, "encoder")
        for name in ("conv1", "conv2"):
            for kind in ("weight", "bias"):
                self.register_buffer(f"{name}_{kind}", weights[f"encoder/{name}/{kind}"].bfloat16(), persistent=False)
        self.register_buffer("places", weights["encoder/position_encodings/encodings"].bfloat16(), persistent=False)
        self.register_buffer(
            "text_places", weights["decoder/position_encodings/encodings"].bfloat16(), persistent=False
        )
        self.register_buffer("embeddings", weights["decoder/embeddings/weight"].bfloat16(), persistent=False)
        self.encoder_norm = self._norm("layer_norm")
        self.name = "decoder"
        self.decoder_norm = self._norm("layer_norm")
        self.encoder_layers = nn.ModuleDict()
        self.decoder_layers = nn.ModuleDict()
        number = 0
        while f"encoder/layer_{number}/ffn/linear_0/weight" in weights:
            at = f"encoder/layer_{number}"
            self.encoder_layers[f"{number}_a"] = Attention(weights, f"{at}/self_attention", across=False)
            self.encoder_layers[f"{number}_b"] = FeedForward(weights, f"{at}/ffn")
            at = f"decoder/layer_{number}"
            self.decoder_layers[f"{number}_a"] = Attention(weights, f"{at}/self_attention", across=False)
            self.decoder_layers[f"{number}_b"] = Attention(weights, f"{at}/attention", across=True)
            self.decoder_layers[f"{number}_c"] = FeedForward(weights, f"{at}/ffn")
            number += 1

    def encode(self, mel: Tensor) -> Tensor:
        """Log mel spectrogram (batch, 80, frames) to (batch, frames / 2, width)."""
        hidden = functional.gelu(functional.conv1d(mel.bfloat16(), self.conv1_weight, self.conv1_bias, padding=1))  # type: ignore[arg-type]
        hidden = functional.gelu(functional.conv1d(hidden, self.conv2_weight, self.conv2_bias, stride=2, padding=1))  # type: ignore[arg-type]
        hidden = hidden.transpose(1, 2)
        hidden = hidden + self.places[: hidden.shape[1]]  # type: ignore[index]
        for layer in self.encoder_layers.values():
            hidden = layer(hidden)
        return _normed(self.encoder_norm, hidden)

    def decode(self, tokens: Tensor, heard: Tensor) -> Tensor:
        """Tokens (batch, length) and the encoder's output to what the decoder says of each place (batch, length, width)."""
        hidden = self.embeddings[tokens] + self.text_places[: tokens.shape[1]]  # type: ignore[index]
        for name, layer in self.decoder_layers.items():
            if name.endswith("a"):
                hidden = layer(hidden, causal=True)
            elif name.endswith("b"):
                hidden = layer(hidden, heard)
            else:
                hidden = layer(hidden)
        return _normed(self.decoder_norm, hidden)

    def logits(self, hidden: Tensor) -> Tensor:
        """What the decoder says of some places (n, width) to the next token's logits (n, vocabulary)."""
        return functional.linear(hidden, self.embeddings)  # type: ignore[arg-type]

    def _added(self) -> dict[str, Added]:
        """Layers that can be trained, by CTranslate2's names of their weights."""
        found: dict[str, Added] = {}
        for part in self.modules():
            if isinstance(part, Attention | FeedForward):
                for number, layer in enumerate(part.layers()):
                    found[f"{part.name}/linear_{number}/weight"] = layer
        return found

    def additions(self) -> dict[str, NDArray[np.float16]]:
        """What was trained: ``NAME.down`` (rank, in) and ``NAME.up`` (out, rank) for each matrix of CTranslate2's file."""
        found: dict[str, NDArray[np.float16]] = {}
        for name, layer in self._added().items():
            found[f"{name}.down"] = layer.down.detach().float().numpy().astype(np.float16)
            found[f"{name}.up"] = layer.up.detach().float().numpy().astype(np.float16)
        return found

    def add(self, changes: Mapping[str, tuple[NDArray[np.float16], NDArray[np.float16]]]) -> None:
        """Go on from what was trained before: matrix -> down and up."""
        for name, layer in self._added().items():
            down, up = changes[name]
            layer.down.data = torch.from_numpy(down.astype(np.float32))
            layer.up.data = torch.from_numpy(up.astype(np.float32))


def log_mel(waves: Sequence[NDArray[np.float32]], filters: Tensor) -> Tensor:
    """Whisper's log mel spectrogram of some utterances, padded to the same length: (n, 80, frames), a multiple of ``STEP``.

    Args:
        waves: the utterances.
        filters: mel filters, shape (80, 201).
    """
    length = max(wave.size for wave in waves) + round(PADDING_S * _RATE)
    length += -length % (STEP * _HOP)
    stacked = torch.zeros(len(waves), length)
    for row, wave in zip(stacked, waves, strict=True):
        row[: wave.size] = torch.from_numpy(wave)
    spectrum = torch.stft(stacked, _NFFT, _HOP, window=torch.hann_window(_NFFT), return_complex=True)[..., :-1]
    mel = (filters @ spectrum.abs() ** 2).clamp(min=1e-10).log10()
    mel = torch.maximum(mel, mel.amax(dim=(1, 2), keepdim=True) - 8.0)
    return (mel + 4.0) / 4.0


def _heads(given: Tensor) -> Tensor:
    batch, length, width = given.shape
    return given.reshape(batch, length, HEADS, width // HEADS).transpose(1, 2)


def _normed(norm: nn.LayerNorm, given: Tensor) -> Tensor:
    return norm(given.float()).to(given.dtype)
