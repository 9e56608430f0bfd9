"""Writes the addition as a GGUF adapter for llama.cpp, in half precision, and compares the two programs.

``python -m models.training.talk.export GGUF STATE OUT.gguf [--average BEFORE] [--compare 20]``: STATE is the ``state.pt`` of a
training; with ``--average`` each number is the mean of its own and that of the adapter with which the training began.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import gguf
import numpy as np
import torch
from torch import Tensor

from models.acts.talk import CONTEXT, GRAMMAR, MOST_TOKENS
from models.runtime.llamacpp import LlamaCppModel
from models.training.talk.lines import Exchange, drawn, read
from models.training.talk.network import ALPHA, Gemma
from models.training.talk.tokens import Spelling
from schemas.errors import GenerationError


def additions_of(path: Path) -> dict[str, Tensor]:
    """What a training's state or an adapter's file adds, as `Gemma.additions` names it, float32."""
    if path.suffix == ".pt":
        return dict(torch.load(path, weights_only=True, map_location="cpu")["additions"])
    found = dict[str, Tensor]()
    for one in gguf.GGUFReader(str(path)).tensors:
        block, letter = one.name.rsplit(".weight.lora_", 1)
        found[f"{block}.{letter}"] = torch.from_numpy(np.array(one.data, dtype=np.float32))
    return found


def write(path: Path, additions: Mapping[str, Tensor], base: str = "Gemma 3 270M") -> None:
    """Write the adapter.

    Args:
        path: of the file.
        additions: as `Gemma.additions` names them.
        base: name of the model that it belongs to.
    """
    writer = gguf.GGUFWriter(str(path), "gemma3")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_name("Glovebox talk")
    writer.add_string("general.base_model.0.name", base)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, ALPHA)
    for name, one in additions.items():
        block, letter = name.rsplit(".", 1)
        values = np.ascontiguousarray(one.detach().cpu().numpy().astype(np.float16))
        writer.add_tensor(f"{block}.weight.lora_{letter}", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def compare(weights: Path, adapter: Path, additions: Mapping[str, Tensor], cases: Sequence[Exchange]) -> list[str]:
    """The exchanges that PyTorch and llama.cpp answer differently, with the two answers."""
    network, spelling = Gemma(weights), Spelling(weights)
    network.add(dict(additions))
    network.know(torch.arange(network.table.shape[0]))
    runs, unequal = LlamaCppModel(weights, adapter=adapter, context_tokens=CONTEXT), list[str]()
    for case in cases:
        tokens = spelling.tokens(case.prompt, first=True)
        first = len(tokens)
        with torch.no_grad():
            while len(tokens) < first + MOST_TOKENS:
                rows = torch.tensor([tokens])
                last = torch.zeros_like(rows, dtype=torch.bool)
                last[0, -1] = True
                best = int((network.hidden(rows, last) @ network.table.T).argmax())
                if best == spelling.end:
                    break
                tokens.append(best)
        ours = spelling.text(tokens[first:]).strip()
        try:
            theirs = runs.completed(case.prompt, grammar=GRAMMAR, max_tokens=MOST_TOKENS).strip()
        except GenerationError as error:
            theirs = f"nothing: {error}"
        if ours != theirs:
            unequal.append(f"{case.prompt.strip()!r}: PyTorch {ours!r}, llama.cpp {theirs!r}")
    return unequal


def main() -> None:
    """Write and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("state", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--average", type=Path, help="the adapter with which the training began")
    parser.add_argument("--compare", type=int, default=20, help="so many held-out prompts")
    given = parser.parse_args()
    additions = additions_of(given.state)
    if given.average is not None:
        before = additions_of(given.average)
        additions = {name: (one + before[name]) / 2 for name, one in additions.items()}
    write(given.out, additions)
    print(f"{given.out}: {given.out.stat().st_size:,} bytes")
    if given.compare:
        cases = drawn(Random(1), [line for line in read() if line.held_out])[: given.compare]
        unequal = compare(given.gguf, given.out, additions, cases)
        print("\n".join([f"llama.cpp answers {len(cases) - len(unequal)} of {len(cases)} as PyTorch", *unequal]))


if __name__ == "__main__":
    main()
