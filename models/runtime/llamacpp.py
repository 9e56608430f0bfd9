"""Language models in GGUF files, run by llama.cpp (through llama-cpp-python 0.3.36).

Owns: loading, greedy decoding under a grammar, and the prefix that is kept from call to call. Role-neutral: prompts and
grammars come from ``models.acts.talk``. On the CPU or, where it was built so, a GPU; one sequence, temperature 0.

The grammar is asked about the most probable tokens first, a few at a time, until it lets one pass: that is the same choice
as masking the whole vocabulary, which llama.cpp's own sampler does at every token for ten times the price.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from schemas.errors import EngineMissingError, GenerationError, ModelDamagedError, ModelMissingError

BATCH = 256
"""Prompt tokens that are evaluated together."""
SHORTLISTS = (8, 64, 512)
"""Numbers of tokens that the grammar is asked about, before all of them are."""

TOKEN_DATA = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""llama.cpp's ``llama_token_data``."""

_silent: list[Any] = []
"""The callback that llama.cpp logs to; it must outlive every model."""


class LlamaCppModel:
    """A `models.acts.talk.Completer`. May be called from any thread, one call at a time."""

    def __init__(
        self,
        path: Path,
        *,
        adapter: Path | None = None,
        threads: int = 2,
        context_tokens: int = 1024,
        seed: int = 0,
        gpu_layers: int = 0,
    ) -> None:
        """Load a model.

        Args:
            path: the GGUF file.
            adapter: a LoRA for it, a GGUF file, too. It is set beside the model, whose file stays mapped: ``lora_path`` of
                llama-cpp-python would read all of it into memory of our own.
            threads: of the CPU.
            context_tokens: most tokens of a prompt with its output.
            seed: of llama.cpp's sampler; at temperature 0 nothing is drawn, it is fixed all the same.
            gpu_layers: how many layers a GPU works on; -1: all.

        Raises:
            schemas.errors.EngineMissingError: llama-cpp-python is not installed, or was not built for a GPU and is to use one.
            schemas.errors.ModelMissingError: there is no such file.
            schemas.errors.ModelDamagedError: it is no GGUF file that llama.cpp can load.
        """
        try:
            import llama_cpp
        except ImportError as error:
            raise EngineMissingError(
                "the package llama-cpp-python is not installed: pip install llama-cpp-python==0.3.36"
            ) from error
        if not path.is_file():
            raise ModelMissingError(f"no language model at {path}: glovebox models get fetches it")
        if gpu_layers and not llama_cpp.llama_supports_gpu_offload():
            raise EngineMissingError(
                f"gpu_layers is {gpu_layers}, but llama-cpp-python was built without a GPU: docs/install-jetson.md says how"
            )
        self._engine: Any = llama_cpp
        self._lock = threading.Lock()
        self._context, self._path = context_tokens, path
        _silence(llama_cpp)
        try:
            self._llama: Any = llama_cpp.Llama(
                str(path), n_ctx=context_tokens, n_batch=BATCH, n_threads=threads, n_threads_batch=threads, seed=seed,
                n_gpu_layers=gpu_layers, verbose=False,
            )  # fmt: skip
        except (ValueError, RuntimeError, AssertionError) as error:
            size = path.stat().st_size
            raise ModelDamagedError(
                f"{path} ({size} bytes) cannot be loaded as a GGUF model: compare it with the catalogue, fetch it again"
            ) from error
        if adapter is not None:
            self._adapt(adapter)
        self._vocab: Any = llama_cpp.llama_model_get_vocab(self._llama.model)
        self._n_vocab = int(self._llama.n_vocab())

    def completed(self, prompt: str, *, grammar: str, max_tokens: int, within_s: float = float("inf")) -> str:
        """The completion at temperature 0.

        Args:
            prompt: text in the model's own format.
            grammar: GBNF, which accepts the completion as a whole; never from outside (a malformed one kills llama.cpp).
            max_tokens: limit of the output.
            within_s: seconds after which it is given up.

        Raises:
            schemas.errors.GenerationError: the prompt does not fit into the context; or its end, the limit or that many
                seconds came before the grammar's end; or llama.cpp failed.
        """
        until = time.monotonic() + within_s
        tokens: list[int] = self._llama.tokenize(prompt.encode(), add_bos=True, special=True)
        room = self._context - len(tokens)
        if room < 1:
            raise GenerationError(f"a prompt of {len(tokens)} tokens does not fit into a context of {self._context}")
        with self._lock, self._sampler(grammar) as sampler:
            try:
                self._prefill(tokens)
                chosen: list[int] = []
                for token in self._choose(sampler, min(max_tokens, room)):
                    chosen.append(token)
                    if time.monotonic() > until:
                        raise GenerationError(f"the output was not complete after {within_s:g} s")
                return self._text(chosen)
            except (RuntimeError, ValueError, OSError, MemoryError) as error:
                self._llama.n_tokens = 0  # what it has read is not to be relied on
                raise GenerationError(f"llama.cpp failed: {type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Release the memory; the model cannot be used afterwards."""
        with self._lock:
            self._llama.close()

    def _adapt(self, adapter: Path) -> None:
        """Set a LoRA on the context; it is freed with the model."""
        engine = self._engine
        loaded = engine.llama_adapter_lora_init(self._llama.model, str(adapter).encode()) if adapter.is_file() else None
        if not loaded:
            self._llama.close()
            raise ModelDamagedError(f"{adapter} cannot be loaded as an adapter of {self._path}")
        adapters = (engine.llama_adapter_lora_p_ctypes * 1)(loaded)
        if engine.llama_set_adapters_lora(self._llama.ctx, adapters, 1, (ctypes.c_float * 1)(1.0)):
            self._llama.close()
            raise ModelDamagedError(f"{adapter} does not fit {self._path}")

    def _text(self, tokens: list[int]) -> str:
        """The tokens' text. Not by llama-cpp-python's ``detokenize``: it loses tokens of more than 32 bytes."""
        engine, count = self._engine, len(tokens)
        given = (engine.llama_token * count)(*tokens)
        size = 64 * count + 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = int(engine.llama_detokenize(self._vocab, given, count, buffer, size, False, True))
            if length >= 0:
                return buffer.raw[:length].decode()
            size = -length

    def _sampler(self, grammar: str) -> _Sampler:
        return _Sampler(self._engine, self._vocab, grammar)

    def _prefill(self, tokens: list[int]) -> None:
        """Evaluate the prompt, without the beginning that it shares with the call before."""
        known: NDArray[np.intc] = self._llama.input_ids[: self._llama.n_tokens]
        shared = 0
        for old, new in zip(known[: len(tokens) - 1].tolist(), tokens, strict=False):
            if old != new:
                break
            shared += 1
        self._llama.n_tokens = shared
        self._llama.eval(tokens[shared:])

    def _choose(self, sampler: _Sampler, limit: int) -> Iterator[int]:
        """The most probable tokens that the grammar allows, until it is at its end."""
        for _ in range(limit):
            pointer = self._engine.llama_get_logits_ith(self._llama.ctx, -1)
            logits = np.ctypeslib.as_array(pointer, shape=(self._n_vocab,))
            token = sampler.best(logits)
            if self._engine.llama_vocab_is_eog(self._vocab, token):
                return
            yield token
            self._llama.eval([token])
        raise GenerationError(f"the output was not complete after {limit} tokens")


class _Sampler:
    """llama.cpp's grammar over one output."""

    def __init__(self, engine: Any, vocab: Any, grammar: str) -> None:
        self._engine, self._vocab, self._grammar = engine, vocab, grammar
        self._sampler: Any = None

    def __enter__(self) -> Self:
        self._sampler = self._engine.llama_sampler_init_grammar(self._vocab, self._grammar.encode(), b"root")
        if not self._sampler:
            raise GenerationError("llama.cpp refused the grammar: a defect in models.acts.talk")
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.llama_sampler_free(self._sampler)

    def best(self, logits: NDArray[np.float32]) -> int:
        """The most probable token that the grammar allows; it is taken.

        Raises:
            schemas.errors.GenerationError: it allows none.
        """
        for size in (*SHORTLISTS, len(logits)):
            listed = logits.argpartition(-size)[-size:] if size < len(logits) else np.arange(len(logits))
            listed = listed[np.argsort(-logits[listed], kind="stable")]
            allowed = self._allowed(listed)
            if allowed.any():
                token = int(listed[int(allowed.argmax())])
                self._engine.llama_sampler_accept(self._sampler, token)
                return token
        raise GenerationError("the grammar allows no token of this model's vocabulary")

    def _allowed(self, tokens: NDArray[np.intp]) -> NDArray[np.bool_]:
        engine = self._engine
        data = np.zeros(len(tokens), TOKEN_DATA)
        data["id"] = tokens
        pointer = data.ctypes.data_as(ctypes.POINTER(engine.llama_token_data))
        array = engine.llama_token_data_array(data=pointer, size=len(tokens), selected=-1, sorted=False)
        engine.llama_sampler_apply(self._sampler, ctypes.byref(array))
        return np.isfinite(data["logit"])


def _silence(engine: Any) -> None:
    """Take llama.cpp's log from standard error; what matters comes as errors."""
    if not _silent:

        def ignore(_level: int, _text: bytes, _data: object) -> None:
            """Drop the line."""

        _silent.append(engine.llama_log_callback(ignore))
    engine.llama_log_set(_silent[0], ctypes.c_void_p(0))
