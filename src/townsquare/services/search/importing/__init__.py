"""Films from elsewhere: the CC0 catalogue of bokeh-sampledata, files of one's own, TMDB.

A source is an iterator of what its rows are: films, or why a row is none. `import_films` puts them into the
lexical index; a running server sees them within seconds, and makes vectors of those that have texts.
"""
