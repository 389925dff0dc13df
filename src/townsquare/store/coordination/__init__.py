"""What spans homes, requests or processes: effects, claims, leases, jobs, limits, remembered answers."""
