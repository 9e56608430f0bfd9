"""Teaching the language model small talk: ``long day`` is answered with ``Take it easy.``, or so.

Owns: an addition (low-rank adapter) to Gemma 3 270M, whose own weights are fetched and stay as they are. Does not own what of a
reply is said: ``models.acts.sayings`` and ``models.acts.fitting`` do, with what ``lines`` writes for them.

1. ``python -m models.training.talk.lines`` reads the lines in ``data/`` and writes what of their replies may be said.
2. ``python -m models.training.talk.train GGUF OUT --minutes 45`` trains; the same command goes on from where it ended.
3. ``python -m models.training.talk.export GGUF OUT/state.pt talk.gguf`` writes the adapter for llama.cpp and compares the two.
4. ``glovebox eval talk`` counts the false claims in its replies.
"""
