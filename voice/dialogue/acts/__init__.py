"""From acts to what is done and said: what the parser is told, what of its acts holds, and which way each of them goes."""
