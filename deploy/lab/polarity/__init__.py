"""What memory makes of 300 sentences of both polarities, and what each group of English rules is worth on them."""
