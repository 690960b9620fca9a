"""When an article was published, as its page states or prints it; a page that shows no date has none.

Statements for programs come first, then marked elements, then the line with the most points (label,
place between title and text, what is beside it), then the address. See ``published`` for the order.
"""
