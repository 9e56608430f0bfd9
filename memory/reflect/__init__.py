"""After a conversation: episodes, summaries, thoughts, the profile, and what is let go."""
