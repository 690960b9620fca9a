"""Withheld pages: a server answers 200, and shows something in front of the page that was asked for.

It asks whether the visitor is human (Cloudflare, Anubis, a slider), says that a firewall has stopped the request,
that the system is under maintenance, or asks for consent or a log-in. Such an answer says nothing about the page: it is
no article, no change, and nothing is gone. It is tried later, like a server that does not answer.
"""
