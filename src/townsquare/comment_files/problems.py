from townsquare.problems import Invalid


class BadImportFile(Invalid):
    code, title = "bad_import_file", "The file cannot be imported"


class BadExportFile(Invalid):
    code, title = "bad_export_file", "The file cannot be written"
