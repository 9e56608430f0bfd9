"""Published protocols, run on the real parts of the assistant: ``glovebox eval``.

A protocol's module measures and returns a `deploy.lab.report.blocks.Report`: one JSON object, and tables and plots that the
command line prints and `deploy.lab.report.page` turns into one HTML file. How to run them and what the figures mean:
docs/evaluation.md.
"""
