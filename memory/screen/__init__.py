"""The driver's screen: see, correct, switch off and delete what is remembered, on a page that belongs in a car.

``memory.screen.app`` makes the application of what it is given (``memory.screen.parts``); who serves it, and to whom, is
``deploy``'s business. docs/screen.md tells what it looks like, what it allows while the car moves and who it is safe from.
"""
