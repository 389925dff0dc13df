"""Old-web widgets that a person puts on a page with one line of HTML, without an account."""
