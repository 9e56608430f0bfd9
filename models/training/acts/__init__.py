"""Teaching the small network to write what an utterance means: ``turn it up a bit`` -> ``change_volume(change=up)``.

Owns: the sentences, what is made of them, and the training. Does not own the meaning of the acts nor how they are carried out.

1. ``python -m models.training.acts.data`` reads the lines in ``data/`` and says what is wrong with them.
2. ``python -m models.training.acts.pointing.train WORK --start --minutes 75 --out OUT`` trains the network
   and its branch of the encoder.
3. ``python -m models.training.acts.pointing.measure`` counts the right answers.
"""
