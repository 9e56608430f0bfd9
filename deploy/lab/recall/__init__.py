"""Whether memory finds what answers a question: LoCoMo and GVD."""
