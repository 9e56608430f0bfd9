"""Reports: tables, plots, statistics, one page."""
