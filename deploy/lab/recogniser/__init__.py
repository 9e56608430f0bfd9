"""How well the recognisers hear, and how their decisions are fitted."""
