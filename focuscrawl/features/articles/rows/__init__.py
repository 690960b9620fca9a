"""Articles in the results: their rows and files, the words they are found by, judging them anew.

The latest version of an article is its row; earlier ones are in ``versions``, each a way back from the
next. One that misses a part never replaces one that is complete.
"""
