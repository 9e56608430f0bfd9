"""Who drives: switching drivers, their keys, reminders, trips and time zone."""
