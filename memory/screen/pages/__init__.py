"""The pages, a tab of the screen a module. Each function takes a visit and says what to show or where to go on."""
