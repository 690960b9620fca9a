"""Pages that are missing: gone for good, or answered by an error page that says 200.

A page is there, failing (tried again), or gone (a tombstone with a date and a reason, until something
says that it is back). It is gone after ``gone_after`` failures that say so, spread over ``gone_within``,
or at once when a fetch confirms what its absence suggests. A server that does not answer says nothing about
its pages.
"""
