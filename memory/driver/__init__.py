"""One driver's memory while it is open: its parts over one session, which know locks and consent."""
