"""Teaching the language model small talk: ``long day`` is answered with ``Take it easy.``, or so.

Owns: an addition (low-rank adapter) to Gemma 3 270M, whose own weights are fetched and stay as they are. Does not own what of a
reply is said: ``models.acts.sayings`` and ``models.acts.fitting`` do, with what ``lines`` writes for them.

1. ``python -m models.training.talk.lines`` reads the lines in ``data/`` and writes what of their replies may be said.
2. ``python -m models.training.talk.train GGUF OUT --minutes 45 --rank 16`` trains a large addition; the same command goes on from
   where it ended.
3. ``python -m models.training.talk.export GGUF OUT/state.pt large.gguf`` writes it for llama.cpp and compares the two.
4. ``python -m models.training.talk.replies GGUF large.gguf replies.jsonl`` has it reply to words that nobody wrote a reply to.
5. ``python -m models.training.talk.train GGUF SMALL --minutes 10 --teacher large.gguf --replies replies.jsonl`` trains the small
   one that ships, to write as that does; ``export`` writes it, too.
6. ``glovebox eval talk`` counts the false claims in its replies.
"""
