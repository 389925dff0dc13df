"""For whom a film is allowed, in the certificates of the USA."""

import msgspec

from townsquare.services.search.service.understanding.local.phrases import Phrases

CHILDREN = ("G", "PG")
LADDER = ("G", "PG", "PG-13", "R", "NC-17")


class AgeRating(msgspec.Struct, frozen=True, kw_only=True):
    allowed: tuple[str, ...]
    stated: bool = True
    without: tuple[str, ...] = ()  # genres that nobody means: some horror of the seventies is PG
    says_more: bool = False  # an occasion: it stays in the text
    genres: tuple[str, ...] = ()


def up_to(rating: str) -> AgeRating:
    return AgeRating(allowed=LADDER[: LADDER.index(rating) + 1])


def exactly(*ratings: str) -> AgeRating:
    return AgeRating(allowed=ratings)


def for_children() -> AgeRating:
    return AgeRating(allowed=CHILDREN, without=("horror",), says_more=True)


def for_the_family() -> AgeRating:
    return AgeRating(allowed=CHILDREN, without=("horror",), says_more=True, genres=("family",))


# whose parents ask for them: "for my 4 year old"
AGES = (*range(2, 12), "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
OF_AGES = " | ".join(
    f"for {whose} {age} year {old}"
    for age in AGES
    for whose, old in (("a", "old"), ("an", "old"), ("my", "old"), ("our", "old"), ("my", "olds"))
)

RATINGS: Phrases[AgeRating] = Phrases(
    {
        OF_AGES: for_children(),
        "for the whole family | for all the family | for the family | pour toute la famille"
        " | para toda la familia": for_the_family(),
        "for kids | for children | for the kids | for my kids | for my children | with my kids"
        " | with the kids"
        " | with kids | with my children | with children | for little kids | for small children"
        " | for young children"
        " | for toddlers | for my son | for my daughter | for my little | kid friendly | kid-friendly"
        " | child-friendly"
        " | child friendly | kids can watch | safe for kids | suitable for children | suitable for kids"
        " | for a child"
        " | family friendly | family-friendly | for all ages"
        " | family movie night | with the whole family | with my family and kids | for preschoolers"
        " | age appropriate"
        " | for my niece | for my nephew"
        " | for my grandchildren | for grandchildren | with my grandkids": for_children(),
        "pour enfants | pour les enfants | en famille | tout public"
        " | avec mes enfants"
        " | avec les enfants | pour mes enfants": for_children(),
        "para niños | para los niños | en familia | para mis hijos | con mis hijos"
        " | con niños | apta para niños": for_children(),
        "子供向け | 子ども向け | 子供と | 子どもと | 家族で | 家族向け | 親子で": for_children(),
        "r-rated | rated r | r rated": exactly("R"),
        "nc-17": exactly("NC-17"),
        "unrated | not rated": exactly("Not Rated", "Unrated"),
        "rated pg | pg-rated | pg rated": exactly("PG"),
        "rated pg-13 | pg-13 rated | pg-13 | pg13": exactly("PG-13"),
        "rated g | g-rated | g rated": exactly("G"),
        "pg-13 at most | at most pg-13 | pg-13 or lower | pg-13 or below | pg-13 or less | pg-13 max"
        " | max pg-13"
        " | up to pg-13 | no more than pg-13 | nothing above pg-13 | nothing over pg-13 | not above pg-13"
        " | pg-13 or under | pg-13 maximum | nothing r-rated | nothing rated r | teen friendly"
        " | teen-friendly"
        " | for teens | for teenagers | not higher than pg-13 | pg-13 or milder": up_to("PG-13"),
        "pg at most | at most pg | pg or lower | pg or below | max pg | up to pg | no more than pg"
        " | nothing above pg"
        " | nothing over pg | pg or under | pg maximum | g or pg | pg or g": up_to("PG"),
        "for adults | for adults only | adults only | grown-up | for grown-ups | 大人向け | pour adultes"
        " | para adultos": AgeRating(allowed=("R", "NC-17"), stated=False, says_more=True),
    }
)
UNWANTED: dict[tuple[str, ...], tuple[str, ...]] = {
    ("R",): ("R", "NC-17")
}  # who wants no R wants nothing above
