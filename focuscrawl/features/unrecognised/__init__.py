"""What a run has read and could not make out: it is reported, since "finished" is not a summary.

The invariant: an address counts once, whatever leads to it. Most is known at once; that a list looks like an
article only at the end, when the patterns of its site have been learnt. Nothing is kept over a run.
"""
