"""Teaching the language model to write what an utterance means: ``turn it up a bit`` -> ``change_volume(change=up)``.

A second, smaller task of the same addition are short replies to small talk (``talk``).

Owns: an addition (low-rank adapter) to Gemma 3 270M, whose own weights are fetched and stay as they are. Does not own the meaning
of the acts nor how they are carried out.

1. ``python -m models.training.acts.data`` reads the lines in ``data/`` and says what is wrong with them.
2. ``python -m models.training.acts.train GGUF OUT --minutes 45`` trains; the same command goes on from where it ended.
3. ``python -m models.training.acts.export GGUF OUT/state.pt acts.gguf`` writes the adapter for llama.cpp and compares the two.
4. ``python -m models.training.acts.measure GGUF acts.gguf`` counts the right answers.
"""
