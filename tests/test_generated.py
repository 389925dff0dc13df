from scripts.generators import generate


def test_generated_files_are_up_to_date() -> None:
    outdated = [str(path) for path, text in generate().items() if path.read_text(encoding="utf-8") != text]
    assert not outdated, f"run scripts/generate: {outdated}"
