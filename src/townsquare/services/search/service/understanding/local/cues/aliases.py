"""Short names of films, series, studios and people, and a name by which the catalogue finds them."""

from townsquare.services.search.service.understanding.local.cues.alias import (
    Alias,
    person,
    series,
    studio,
    title,
)
from townsquare.services.search.service.understanding.local.cues.foreign_people import FOREIGN_PEOPLE
from townsquare.services.search.service.understanding.local.cues.foreign_titles import FOREIGN_TITLES
from townsquare.services.search.service.understanding.local.phrases import Phrases

ALIASES: Phrases[Alias] = Phrases(
    {
        "lotr | lord of the rings | the lord of the rings": series("The Lord of the Rings"),
        "007 | bond": series("James Bond"),
        "mcu | marvel | マーベル": series("Marvel Cinematic Universe"),
        "dceu | dc | dc comics": series("DC Extended Universe"),
        "a new hope | star wars a new hope | star wars episode 4 | star wars episode iv": title("Star Wars"),
        "star wars episode 5 | star wars episode v": title("The Empire Strikes Back"),
        "star wars episode 6 | star wars episode vi": title("Return of the Jedi"),
        "e.t. | et": title("E.T. the Extra-Terrestrial"),
        "2001": title("2001: A Space Odyssey"),
        "t2": title("Terminator 2: Judgment Day"),
        "potc": series("Pirates of the Caribbean"),
        "bttf": title("Back to the Future"),
        "disney | walt disney | ディズニー": studio("Disney"),  # of several houses the shortest finds all
        "pixar | ピクサー": studio("Pixar"),
        "ghibli | studio ghibli | ジブリ | スタジオジブリ": studio("Studio Ghibli"),
        "dreamworks": studio("DreamWorks"),
        "a24": studio("A24"),
        "mgm": studio("Metro-Goldwyn-Mayer"),
        "20th century fox": studio("20th Century Fox"),
        "warner brothers | warner bros": studio("Warner Bros."),
        "rko": studio("RKO"),
        "aardman": studio("Aardman"),
        "blumhouse": studio("Blumhouse"),
        "hammer films | hammer film | hammer horror": studio("Hammer"),
        "leo dicaprio": person("Leonardo DiCaprio"),
        "rdj": person("Robert Downey Jr."),
        **FOREIGN_PEOPLE,
        **FOREIGN_TITLES,
    }
)
