"""How long the gate and the adapters take, and random wishes under faults."""
