"""The head that tells a wish to have something forgotten (``voice.dialogue.memory.erasing``): its sentences and its training."""
