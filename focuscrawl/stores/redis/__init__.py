"""The crawl's own state on a Redis that several processes share; see stores.state.protocol.Store.

A partition is free, or held by one worker under an epoch; a worker lives as long as its lease (``lease``), which
each beat renews. What a worker writes into a partition counts only under its epoch (the fence): of what
comes too late only links are kept, which go to the partition's inbox. Links into others' partitions go
there, too, and are stored before the pages they were found on are acknowledged: acknowledgements go one
window later. So whatever dies, a URL is in some partition's rows, in some inbox, or done.

One Redis, or one behind Sentinel; no Cluster, since a beat goes through all keys of a worker at once.
"""
