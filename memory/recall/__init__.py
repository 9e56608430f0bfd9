"""Finding: search by meaning, words, tags and time, and how what is remembered fades."""
