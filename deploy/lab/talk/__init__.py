"""False claims in generated replies to small talk: written cases, a judge of its own, and the count."""
