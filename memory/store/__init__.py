"""Everything that is stored, as rows: preferences, conversations, reminders. What is read or written in SQL stands here."""
