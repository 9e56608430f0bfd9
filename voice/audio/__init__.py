"""Sound in and out: files, devices, chimes."""
