"""The words of Glovebox: values, events, ports and errors.

Owns every type that two packages exchange. Owns no I/O, no clock and no engine: this package imports nothing of the
project and nothing that loads a model. Importing it tells the packages that load models to stay off the network
(`schemas.offline`).
"""

from schemas.offline import switch_off

switch_off()
