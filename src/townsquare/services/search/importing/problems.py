from townsquare.problems import Invalid


class BadImportSource(Invalid):
    code, title = "bad_import_source", "These films cannot be imported"
