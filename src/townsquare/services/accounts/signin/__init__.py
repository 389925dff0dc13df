"""Every way into an account, and what comes after it.

- by password (`password`), by a code that was sent (`code`), through Google or GitHub (`providers`)
- `sessions` with their `tokens`, and `authentication`: who presents a token
- `verification_codes`, `delivery` and `messages`: making codes and sending them
- `address_ownership`: whose an address is once somebody has proved that it is theirs
"""
