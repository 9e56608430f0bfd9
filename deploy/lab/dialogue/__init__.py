"""What the assembled assistant does with sentences that drivers type, judged from outside.

``suite`` reads the cases, ``driving`` has them said in simulated cars, ``seen`` is what was observed, ``wording`` knows what
kind of a sentence a reply is, ``expected`` whether an expectation holds; ``verdict`` judges, ``figures`` reports.
"""
