from scripts.generators import generate, vectors

for path, text in generate().items():
    path.write_text(text, encoding="utf-8")
vectors.update()
