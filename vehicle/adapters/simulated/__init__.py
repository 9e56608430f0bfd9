"""A simulated electric car: the default vehicle, for development, the demo and tests.

Time comes from the injected clock alone: nothing runs in the background, the plant catches up whenever it is read or
written. The drive (speed, gear, ignition, weather) follows a named profile from the moment of construction.

Simulated: the cabin's temperature drifts; windows, sunroof, sunshade, trunk and seat take their seconds; the glass roof waits
for its sunshade; speed follows the profile with straight lines between way-points; driving empties the battery; the time
to the destination runs down while the car moves.

Not simulated: the car's place and the road (profiles know no route, the minutes to go are an estimate that runs down); sound;
how people, doors' handles or a remote key interfere; humidity and fogging; the sun; battery temperature, heating's share
of the range and charging; tyres losing air; brakes, steering and everything else that has no signal; pinch protection;
latency and loss on a bus (but see ``Faults``); zones beyond driver and passenger.
"""

from vehicle.adapters.simulated.adapter import Faults, SimulatedVehicle
from vehicle.adapters.simulated.drives import DRIVES

__all__ = ["DRIVES", "Faults", "SimulatedVehicle"]
