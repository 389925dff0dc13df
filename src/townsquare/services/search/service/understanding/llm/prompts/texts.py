"""Questions about the seven texts of a film."""

from townsquare.services.search.models.films import Channel

SUBQUERY = """\
Each film has a text about {what}. Which part of the query speaks of that? Answer it in a few words,
cleaned of names, genres, dates and other limits, in the language of the query; null if no part does.
justification: a few words.
"""
WHAT: dict[Channel, str] = {
    "plot_events": "what happens: who, where, the turn of events",
    "plot_analysis": "what it is about below the plot: themes, conflicts, relationships",
    "viewer_experience": "how it feels to watch: mood, pace, tension, humour, tears",
    "watch_context": "when, with whom and for whom to watch it: occasions, company",
    "narrative_techniques": "how it is told: structure, point of view, twists, camera, sound",
    "production": "how, where and by whom it was made: budget, effects, source, score",
    "reception": "how critics and audiences took it: cult, controversy, prizes, influence",
}
WEIGHTS = """\
Each film has seven texts: plot_events (what happens), plot_analysis (themes), viewer_experience (how it
feels), watch_context (occasions and company), narrative_techniques (how it is told), production (how it
was made), reception (how it was taken). How much does the query speak of each? justification: a few
words.
"""
