"""Commands that are understood by rules alone: one file of sentence templates, and what is made from it.

Owns: the templates and their lists, the text matcher, the word graph that recognisers follow, samples for training. Does not
own sound, scores, or what becomes of a command.
"""
