"""Microphone and loudspeaker: opened, watched and opened again."""
