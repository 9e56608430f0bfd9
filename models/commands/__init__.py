"""Commands that are understood by rules alone: files of sentence templates, one a domain, and what is made from them.

Owns: the templates and their lists, the text matcher, the word graph that recognisers follow, samples for training. Does not
own sound, scores, or what becomes of a command.
"""
