"""Commands of the scrapy command line: help and arguments, nothing else.

Scrapy imports the whole folder at every command, whichever it is. The invariant: it imports nothing of
ours but the words it speaks with, and the verb when it runs (``verbs/``); ``benchmarks.startup`` says what else it would cost.
"""
