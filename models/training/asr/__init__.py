"""The trigram model and the pronunciations of the domain: ``python -m models.training.asr.build``."""
