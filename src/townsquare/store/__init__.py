"""How Redis is reached.

wire          connections, one node or a cluster, addresses, channels
engine        the embedded Valkey server
scripts       Lua: headers, signatures, the text that Redis runs
coordination  effects, claims, leases, jobs, limits: work that spans homes or processes

`store.py` is what services call, `keys.py` declares what the store needs for itself.
"""
