"""How Redis is reached.

wire          connections, one node or a cluster, addresses, channels
engine        the Valkey that comes along
scripts       Lua: headers, signatures, the text that Redis runs
coordination  effects, claims, leases, jobs, limits: work that spans homes or processes

`store.py` is the one door to all of it, `keys.py` declares what it needs for itself.
"""
