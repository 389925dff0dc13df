"""Questions about facts of a film: `stated` is a limit that the person states, not what one may infer."""

RELEASE_DATE = """\
When should the film have come out? Dates as YYYY-MM-DD. before and after leave the day itself out;
between includes both. "80s" is between 1980-01-01 and 1989-12-31, "before 1990" is before 1990-01-01.
null if nothing is said. Today is not known to you: for "recent" or "new" answer after 2019-12-31.
without lists stretches that are not wanted, each between two dates: "not from the 80s" is 1980-01-01 to
1989-12-31. "70s or 90s" is between 1970-01-01 and 1999-12-31, without 1980-01-01 to 1989-12-31. An empty
list if there are none.
"""
DURATION = """\
How long may the film be, in minutes? "under two hours" is at_most 119, "not too long" at_most 120,
"epic length" at_least 150, "90 minutes" between 80 and 95. null if nothing is said.
"""
GENRES = """\
Which genres are wanted, which are not ("no horror", "nothing scary", "not animated")? stated is true if
the person names a genre ("thriller"), false if it is only likely ("funny"). null if nothing is said.
"""
LANGUAGES = """\
In which spoken languages should the film be, or not be? ISO 639-1 codes. "korean" is ko, "not in
English" excludes en. The country alone ("british", "american") says nothing here. null if nothing is
said.
"""
COUNTRIES = """\
From which countries should the film come, or not come? ISO 3166 codes, SU for the Soviet Union. Where
the story is set says nothing here. null if nothing is said.
"""
PROVIDERS = """\
On which streaming services should the film be, or not be? null if nothing is said.
"""
MATURITY = """\
Which certificates of the USA are allowed, or not? "for kids" and "family friendly" are G and PG; "PG-13
at most" is G, PG and PG-13; "R-rated" is R. null if nothing is said.
"""
POPULAR = """\
Does the person ask for films that are trending right now, or for popular, well-known ones?
"""
RECEPTION = """\
Does the person ask for films that critics praised ("oscar winning", "best", "masterpiece"), or for
poorly received ones ("so bad it's good")? no_preference if nothing is said.
"""
