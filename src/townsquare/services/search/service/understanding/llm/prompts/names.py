"""Questions about names."""

from townsquare.services.search.models.understanding import EntityCategory

CHANNEL_WEIGHTS = """\
How much should each kind of search count? lexical_relevance: it names a title, person, character,
studio or series. metadata_relevance: it names facts such as genre, year, length, language, rating,
standing. vector_relevance: it describes plot, theme, mood, occasion, technique, making or reception in
words. A bare title or name: lexical large, vector not_relevant. A bare mood: vector large, lexical
not_relevant.
"""
ENTITIES = """\
List the {what} that the query names. phrase: the words exactly as they stand in the query.
corrected_name: the usual English name, spelled right. exclude: true if the person does not want it
("without Tom Cruise"). A film after "like" or "similar to" is no entity. "It" with a capital may be the
film, "it" is the pronoun. An ordinary word is no name. An empty list if there are none.
"""
WHAT: dict[EntityCategory, str] = {
    "movie_title": "titles of films",
    "person": "actors, directors, writers and composers",
    "character": "fictional characters",
    "studio": "studios and production companies",
    "franchise": "film series and franchises",
}
SIMILAR_TO = """\
List the titles of films that the wanted film should resemble ("like X", "similar to X", "X meets Y",
"in the vein of X"), in their usual English spelling. An empty list if there are none, or if the film
itself is wanted.
"""
