"""Messages about what is new, by mail or any other channel: [[notify]].

``choice`` reads from the results which changes a receiver gets, ``times`` says when, ``messages`` makes
plain values of them, and a file each sends to one kind of receiver. ``outbox`` joins them over the table
``notices``. The invariant: what is due is put under the id of its message, in a commit, before the message
is sent, and is noted as sent in the commit after the answer. So nothing is lost, and only a process that is
killed between the two sends a message twice, under the same id.
"""
