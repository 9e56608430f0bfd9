"""Adapting Whisper to a car: its words, its noise, and cut-off beginnings.

Owns: a low-rank addition to the weights of Whisper base (Hu et al. 2021, "LoRA"), made from synthetic voices in synthetic noise.
Runs outside the car; the result is ``models/builtin/asr/whisper_base_adaptation.npz``. Does not own the weights that it adds to,
which are fetched, nor how they are used (``voice.asr``).

1. ``python -m models.training.whisper.speech OUT`` speaks sentences with voices that may be trained on.
2. ``python -m models.training.whisper.train SPEECH MODEL OUT`` trains.
3. ``python -m models.training.whisper.average OUT STATE...`` takes the mean of several states of a training.
"""
