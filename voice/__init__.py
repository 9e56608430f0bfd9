"""From sound to sound: wake word, voice activity, recogniser, the turn, the dialogue and the voice."""
