"""One spelling for a certification of the USA, however it is typed or another catalogue writes it."""

SPELLINGS = ("G", "PG", "PG-13", "R", "NC-17", "Not Rated", "Unrated", "Approved", "Passed")
BY_LOWER = {spelling.lower(): spelling for spelling in SPELLINGS}


def certification_of(text: str) -> str:
    text = " ".join(text.split())
    return BY_LOWER.get(text.lower()) or text.upper()
