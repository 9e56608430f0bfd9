"""Talk about memory: remembering, forgetting, and memory's own question."""
