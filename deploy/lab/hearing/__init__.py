"""`glovebox eval hearing`: every figure of what the assistant hears, from sound to the vehicle, in one run.

The assistant is the one that `deploy.app.assemble` makes; sound goes in through `play_back`, and what counts is what the
simulated vehicle did and what was replied. `cases` is what is said, `voices` says it, `scenes` puts it into a car, `rig` plays
it, `judge` decides, `parts` are the measurements, `figures` the report.
"""

from __future__ import annotations
