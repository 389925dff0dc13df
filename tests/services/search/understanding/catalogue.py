"""A few films whose names are easily taken for something else."""

from townsquare.services.search.models.films import Film, FilmRole

PEOPLE = {
    "Alien": ("Ridley Scott", "Sigourney Weaver=Ellen Ripley"),
    "Heat": ("Michael Mann", "Al Pacino=Vincent Hanna; Robert De Niro=Neil McCauley"),
    "The Godfather": ("Francis Ford Coppola", "Marlon Brando=Vito Corleone; Al Pacino=Michael Corleone"),
    "Vertigo": ("Alfred Hitchcock", "James Stewart=Scottie; Kim Novak=Madeleine"),
    "Psycho": ("Alfred Hitchcock", "Anthony Perkins=Norman Bates"),
    "Rear Window": ("Alfred Hitchcock", "James Stewart=Jeff; Grace Kelly=Lisa"),
    "The Grand Budapest Hotel": ("Wes Anderson", "Ralph Fiennes=M. Gustave"),
    "Boogie Nights": ("Paul Thomas Anderson", "Mark Wahlberg=Dirk Diggler"),
    "Top Gun": ("Tony Scott", "Tom Cruise=Maverick"),
    "Jaws": ("Steven Spielberg", "Roy Scheider=Martin Brody"),
    "The Departed": ("Martin Scorsese", "Leonardo DiCaprio=Billy Costigan"),
    "Big": ("Penny Marshall", "Tom Hanks=Josh"),
    "Se7en": ("David Fincher", "Brad Pitt=David Mills; Morgan Freeman=William Somerset"),
    "Pulp Fiction": ("Quentin Tarantino", "Uma Thurman=Mia Wallace; John Travolta=Vincent Vega"),
    "The Silence of the Lambs": (
        "Jonathan Demme",
        "Jodie Foster=Clarice Starling; Anthony Hopkins=Hannibal Lecter",
    ),
    "Wall Street": ("Oliver Stone", "Charlie Sheen=Bud Fox"),
    "Chaplin": ("Richard Attenborough", "Robert Downey Jr.=Charlie Chaplin"),
    "Modern Times": ("Charlie Chaplin", "Charlie Chaplin=The Tramp"),
    "The Bodyguard": ("Mick Jackson", "Kevin Costner=Frank Farmer; Whitney Houston=Rachel Marron"),
    "Ratatouille": ("Brad Bird", "Patton Oswalt=Remy; Lou Romano=Chef"),
}
PEOPLE |= {
    "Star Wars": ("George Lucas", "Harrison Ford=Han Solo"),
    "Pirates of the Caribbean": ("Gore Verbinski", "Johnny Depp=Jack Sparrow"),
    "Saving Private Ryan": ("Steven Spielberg", "Tom Hanks=Captain Miller"),
    "Die Hard": ("John McTiernan", "Bruce Willis=John McClane"),
    "Rebecca": ("", "Nigel Bruce=Giles Lacy"),
    "Blow-Up": ("Michelangelo Antonioni", "Gillian Hills=Old Lady"),
    "Hero": ("Zhang Yimou", "Tony Leung Chiu-wai=Broken Sword"),
    "Cold War": ("", "Nicholas Sparks=A reader"),
}
STUDIOS = {
    "Spirited Away": "Studio Ghibli",
    "Ratatouille": "Pixar",
    "Bambi": "Walt Disney Productions",
    "The Lion King": "Walt Disney Pictures",
}
SERIES = {
    "Alien": "Alien",
    "The Godfather": "The Godfather",
    "Goldfinger": "James Bond",
    "Iron Man": "Marvel Cinematic Universe",
    "Before Sunrise": "Before",
    "I Know What You Did Last Summer": "I Know What You Did Last Summer",
    "2001: A Space Odyssey": "Space Odyssey",
}
TITLES = """It|2017 Her|2013 Us|2019 Up|2009 Heat|1995 Alien|1979 Jaws|1975 Psycho|1960 Vertigo|1958 Big|1988
Se7en|1995
The Thing|1982 The Godfather|1972 Scary Movie|2000 Romance|1999 War Horse|2011 1917|2019 1984|1984 300|2006
2001: A Space Odyssey|1968 No Country for Old Men|2007 10 Things I Hate About You|1999 Some Like It Hot|1959
In the Mood for Love|2000 Blade Runner|1982 Die Hard|1988 Home Alone|1990 Star Wars|1977 Inception|2010
The Grand Budapest Hotel|2014 Boogie Nights|1997 Top Gun|1986 Pulp Fiction|1994 The Silence of the Lambs|1991
Wall Street|1987 Chaplin|1992 Modern Times|1936 Rear Window|1954 Goldfinger|1964 Iron Man|2008
Before Sunrise|1995
Bambi|1942 The Lion King|1994 Ratatouille|2007 Amélie|2001 Mad Max: Fury Road|2015 The Bodyguard|1992
Interstellar|2014 The Shawshank Redemption|1994 Not Another Teen Movie|2001 Cold War|2018 Parasite|2019
The Departed|2006 Star Wars: Episode I – The Phantom Menace|1999
Memento|2000 Arrival|2016 Godzilla|1954 Batman|1989 Brazil|1985 Scarface|1983 Princess Mononoke|1997
Doctor Zhivago|1965 8½|1963 Pirates of the Caribbean|2003 Saving Private Ryan|1998 Hero|2002 Rebecca|1940
Blow-Up|1966 Beverly Hills Cop|1984 I Know What You Did Last Summer|1997"""


def films() -> list[Film]:
    titles = [one.strip() for line in TITLES.splitlines() for one in _split(line)]
    titles.append("Spirited Away|2001")
    return [_film(number, *one.rsplit("|", 1)) for number, one in enumerate(titles, 1)]


def _split(line: str) -> list[str]:
    """Titles have spaces: each ends with its year."""
    found, rest = [], line.split("|")
    title = rest[0]
    for part in rest[1:]:
        year, _, following = part.partition(" ")
        found.append(f"{title}|{year}")
        title = following
    return found


def _film(id: int, title: str, year: str) -> Film:
    director, cast = PEOPLE.get(title, ("", ""))
    return Film(
        id=id,
        title=title,
        original_title="千と千尋の神隠し" if title == "Spirited Away" else "",
        year=int(year),
        directors=(director,) if director else (),
        cast=tuple(FilmRole(*one.split("=")) for one in cast.split("; ") if one),
        studios=(STUDIOS[title],) if title in STUDIOS else (),
        franchise=SERIES.get(title, ""),
        runtime=170 if title == "Heat" else None,
        fame=50,
    )
