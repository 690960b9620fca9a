"""Signals: what feeds, sitemaps and boards say of pages, when that is believed, and whom.

A signal is a trigger, never proof: a signalled page is worth max(V, q·b/a), where q is the share of
signalled visits that found a change. A silent page on a site that announces a share r of its changes
changes that much more seldom unseen. Both are learnt per site from counts, since sites lie.
"""
