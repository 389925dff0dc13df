"""The tables of the lexical index, and the database they are in."""

from pathlib import Path

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    text,
)
from sqlalchemy.engine import make_url

SCHEMA_VERSION = 6  # raise it when a table or the normaliser changes: the index is then made anew
READERS = 4  # connections, and threads that use them
BUSY_SECONDS = 30
PAGE_CACHE_KIB = 16_384

metadata = MetaData()
IN_BYTES = String().with_variant(String(collation="C"), "postgresql")  # sorted as SQLite sorts


films = Table(
    "search_films",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("standing", Integer, nullable=False),  # fame, then quality: the best known have the highest
    Column("year", Integer, nullable=False),
    Column("runtime", Integer),
    Column("certification", String, nullable=False),
    Column("source", String, nullable=False),
    Column("texts", Integer, nullable=False),  # how many it has
    Column("digest", String(16), nullable=False),  # of the record
    Column("record", LargeBinary, nullable=False),  # JSON
    Index("search_films_by_standing", "standing"),
    Index("search_films_by_source", "source"),
    Index(
        "search_films_with_texts", "id", sqlite_where=text("texts > 0"), postgresql_where=text("texts > 0")
    ),
)
facets = Table(
    "search_facets",
    metadata,
    Column("facet", String, primary_key=True),  # "genre horror", "decade 1980"
    Column("standing", Integer, primary_key=True),
    Column("film_id", BigInteger, primary_key=True),
    Index("search_facets_of_film", "film_id"),
    sqlite_with_rowid=False,  # rows lie in the order of the primary key
)
names = Table(
    "search_names",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("category", String, nullable=False),
    Column("name", String, nullable=False),
    Column("rank", Integer, nullable=False),  # the lower the better known
)
name_keys = Table(
    "search_name_keys",
    metadata,
    Column("key", IN_BYTES, primary_key=True),  # a name without spaces, as `normal.key_of` makes it
    Column("name_id", BigInteger, primary_key=True),
    Column("likeness", Integer, nullable=False),  # of a hundred
    sqlite_with_rowid=False,  # rows lie in the order of the primary key
)
name_films = Table(
    "search_name_films",
    metadata,
    Column("name_id", BigInteger, primary_key=True),
    Column("standing", Integer, primary_key=True),
    Column("film_id", BigInteger, primary_key=True),
    Column("weight", Integer, nullable=False),  # how much the film says about the name
    Index("search_name_films_of_film", "film_id"),
    sqlite_with_rowid=False,  # rows lie in the order of the primary key
)
tokens = Table(
    "search_tokens",
    metadata,
    Column(
        "token", String, primary_key=True
    ),  # of `tokens_of`; with a sign before it of `words_alone`, `beginnings`
    Column("rank", Integer, primary_key=True),
    Column("name_id", BigInteger, primary_key=True),
    Column("category", String, nullable=False),
    sqlite_with_rowid=False,  # rows lie in the order of the primary key
)
words = Table(
    "search_words",
    metadata,
    Column(
        "word", String, primary_key=True
    ),  # of texts, keywords, genres and titles, as `words.stem` makes it
    Column(
        "weight", Integer, primary_key=True
    ),  # of a thousand, negative: the best film of a word comes first
    Column("film_id", BigInteger, primary_key=True),
    Index("search_words_of_film", "film_id"),
    sqlite_with_rowid=False,  # rows lie in the order of the primary key
)
spellings = Table(
    "search_spellings",
    metadata,
    Column("key", IN_BYTES, primary_key=True),  # of `spelling.neighbourhood`
    Column("word", String, primary_key=True),
    sqlite_with_rowid=False,  # rows lie in the order of the primary key
)
facts = Table(
    "search_facts",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", String, nullable=False),
)


def open_sqlite(path: Path) -> Engine:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = create_engine(
        f"sqlite:///{path}",
        pool_size=READERS,
        connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: object, _: object) -> None:
        execute = connection.execute  # type: ignore[attr-defined]
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = NORMAL")
        execute("PRAGMA temp_store = MEMORY")
        execute(f"PRAGMA cache_size = -{PAGE_CACHE_KIB}")
        execute("PRAGMA mmap_size = 2147418112")

    return engine


def open_postgres(url: str) -> Engine:
    known = make_url(url).set(drivername="postgresql+psycopg")
    return create_engine(known, pool_size=READERS, pool_pre_ping=True)


def sign_of(connection: Connection) -> str:
    """What stands for a value in a statement that goes to the driver as it is written."""
    return "?" if connection.dialect.paramstyle == "qmark" else "%s"
