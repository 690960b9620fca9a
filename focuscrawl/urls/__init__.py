"""Addresses: their canonical form, whose they are, and which lead nowhere.

An address is read once, to its canonical form; its key is the MD5 of the form in which two addresses of
one page are equal (A8), its key number the partition of its registrable domain above 58 bits of that.
Nothing here raises for a bad address: the answer is None, "" or a reason.
"""
