"""A simulated electric car: the default vehicle, for development, the demo and tests.

Time comes from the injected clock alone: nothing runs in the background, the plant catches up whenever it is read or
written. The drive (speed, gear, ignition, weather) follows a named profile from the moment of construction.

Simulated: the cabin's temperature drifts, by hand or with automatic climate; windows, sunroof, sunshade, trunk and seat take
their seconds, also to a stored position; the glass roof waits for its sunshade; speed follows the profile with straight
lines between way-points; driving empties the battery and counts kilometres, an 11 kW box fills it to its limit; time and
way to the destination run down while the car moves, and its place goes straight towards it; the position in what plays runs
on while it plays.

Not simulated: the road (profiles know no route, the minutes to go are an estimate that runs down); sound; the end of a song;
how people, doors' handles or a remote key interfere; humidity and fogging; the sun; battery
temperature, heating's share of the range and a charger's curve; the charging timer; tyres losing air; brakes, steering
and everything else that has no signal; pinch protection; fuel. What a bus does badly is injected: see ``Faults``.
"""

from vehicle.adapters.simulated.adapter import Faults, SimulatedVehicle
from vehicle.adapters.simulated.drives import DRIVES

__all__ = ["DRIVES", "Faults", "SimulatedVehicle"]
