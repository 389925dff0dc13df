"""What can go wrong with a search."""

from townsquare.problems import Invalid, NotFound, Problem


class BadQuery(Invalid):
    code, title = "bad_query", "This is no query"


class UnknownFilter(Invalid):
    """Of a value that no film has; the detail lists those that there are."""

    code, title = "unknown_filter", "No film has what a filter asks for"


class FilmNotFound(NotFound):
    code, title = "film_not_found", "There is no such film"


class SearchNotInstalled(Problem):
    """The packages that search needs are an extra, so that nobody else has to install them."""

    code, status, title = "search_not_installed", 503, "Movie search is not installed on this server"


class BadImportSource(Invalid):
    code, title = "bad_import_source", "These films cannot be imported"
