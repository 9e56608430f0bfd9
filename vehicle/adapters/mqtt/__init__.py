"""A vehicle behind an MQTT broker, announced as Home Assistant entities. Needs the extra ``mqtt`` and a broker with MQTT 5.

A gateway in the car announces its entities (``homeassistant/<component>/.../config``, retained), reports their states, and takes
commands. The mapping says which entity is which signal; what is announced decides what is offered. The adapter announces
itself, with a last will, on ``glovebox/<client_id>/availability``.

- Commands are never retained, and expire in the broker after the deadline. Each goes out only over a connection that has
  just answered an echo, and counts as accepted when the broker acknowledges it and somebody listens.
- Every connection is a new client with a clean session: nothing is sent again after a reconnect.
- States that were retained may be old: a speed that was is unknown until the next report.
- MQTT has no transaction. If the gateway has a topic for several commands at once (``batch_topic`` in the mapping), a write over
  several signals is one message; otherwise they are separate messages, sent together after all were checked.

Understood: number, switch, select, sensor, binary_sensor, text, lock, cover (with positions on any scale, or without), light, fan
and climate, announced one by one or as a device with its components; all modes of availability; templates that look at the message
alone. What is not understood is named by ``check``. A switch without a state topic is taken to be as it was told.
"""

from vehicle.adapters.mqtt.adapter import MqttVehicle

__all__ = ["MqttVehicle"]
