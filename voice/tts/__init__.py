"""From a sentence to sound."""
