"""What a page says of its article: text, title, date, author, source; and articles of several pages.

Nothing is guessed: what a page does not say is "" or None. An article of several pages is first seen in
parts (``Gathered``): wanted, there, aside or lost; it has ended when none is wanted that may still come.
Text: two readings that correct each other, a line stands when both have half of its runs of letters.
"""
