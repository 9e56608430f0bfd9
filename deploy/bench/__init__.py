"""Measurements that are printed, never assumed: one script a question."""
