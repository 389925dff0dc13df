from scripts.generators import generate

for path, text in generate().items():
    path.write_text(text, encoding="utf-8")
