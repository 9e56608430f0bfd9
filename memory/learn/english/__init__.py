"""The English wording that learning looks at."""
