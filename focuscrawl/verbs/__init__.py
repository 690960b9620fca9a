"""What the commands do: each module is the work of some verbs, imported when one of them runs.

``commands/`` holds help and arguments, which Scrapy imports at every command, whichever it is; so what
costs time to import stands here. A verb of ``scrapy topic`` is a function of a `Call` and the words
behind its name; it returns what is printed, raises CannotDo when it cannot do what was asked (exit
status 2), and sets ``call.exit_status`` when it could but has bad news.
"""
