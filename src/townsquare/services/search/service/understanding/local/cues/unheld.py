"""What people state of films and no fact of the catalogue tells: it is said aloud that it may not hold."""

from typing import NamedTuple

from townsquare.services.search.service.understanding.local.phrases import Phrases


class Unheld(NamedTuple):
    only_unwanted: bool = False  # "a sequel" is a thing to look for in texts, "no sequels" is a limit
    kept: bool = False  # texts tell of it often enough: its words are searched where it is wanted
    sequels: bool = False  # the catalogue knows series, and which film of one is the first
    instead: str = ""  # to search for where it is not wanted


COLOUR = "black and white"
UNHELD: Phrases[Unheld] = Phrases(
    {
        "black and white | black-and-white | b&w | b/w | monochrome | noir et blanc | blanco y negro"
        " | 白黒 | モノクロ": Unheld(kept=True),
        "in color | in colour | color | colour | colored | coloured | en couleur | en couleurs | en color"
        " | カラー": Unheld(only_unwanted=True, instead=COLOUR),
        "sequel | sequels | secuela | secuelas | suites | 続編": Unheld(only_unwanted=True, sequels=True),
        "prequel | prequels | remake | remakes | reboot | reboots | spin-off | spin-offs"
        " | spinoff | spinoffs | adaptation | adaptations | リメイク": Unheld(only_unwanted=True),
        "female director | female directors | woman director | women directors | female filmmaker"
        " | female filmmakers | directed by a woman | directed by women | made by women | made by a woman"
        " | réalisatrice | réalisatrices | réalisé par une femme | dirigida por una mujer"
        " | dirigidas por mujeres | 女性監督": Unheld(),  # an encoder finds films about women
        "male director | male directors | directed by a man | directed by men": Unheld(),
        "on netflix | on hulu | on amazon prime | on prime video | on prime | on disney plus | on disney+"
        " | on hbo | on hbo max | on apple tv | sur netflix | en netflix | netflixで": Unheld(),
    }
)
UNLESS = Phrases(  # an exception from what was said: to the end of its clause
    {"unless | except if | except when | à moins que | sauf si | a menos que | salvo si | excepto si": True}
)
