"""From words to a reply: coordinator, operator, validator, responder (Mercedes' persistent-memory roles)."""
