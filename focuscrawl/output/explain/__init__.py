"""Why a page is in the results, or is not: what is known of an address as plain values, and these in words.

An address is stored, read and left out, asked for in vain, waiting, on its way, known and no more, or was
never seen. ``facts`` holds the values, ``log_book`` reads them from the results, ``verdict`` chooses the one
sentence that answers, ``words`` says all of it, with ``reasons`` and ``scores`` in words. What lies with a
feature it says itself, by its hook ``explain``.
"""
