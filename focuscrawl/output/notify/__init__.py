"""Who is told what is new, by mail or any other channel: [[notify]].

``choice`` asks the results which changes somebody is to be told, ``times`` says when, ``messages`` makes
plain values of them, and a file each speaks to one kind of receiver. ``outbox`` joins them over the table
``notices``. The invariant: what is due is put under the id of its message, in a commit, before the message
is sent, and is noted as sent in the commit after the answer. So nothing is lost, and only who is killed
between the two sends something twice, under the same id.
"""
