"""Templates that ``topic new`` copies and that a topic's ``extends`` may name: data, no code.

They travel in the wheel and in eggs, where importlib.resources reads them.
"""
