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

Understood: number, switch, select, sensor, binary_sensor, text, cover with a position, lock; value templates of the form
``{{ value_json.name }}``. Not done: discovery of whole devices in one message, climate and light entities, command templates.
"""

from vehicle.adapters.mqtt.adapter import MqttVehicle

__all__ = ["MqttVehicle"]
