"""The demo: two trips, spoken by synthesised drivers in a noisy cabin, through the whole assistant."""

from __future__ import annotations

from deploy.demo.play import play

__all__ = ["play"]
