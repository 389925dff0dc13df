"""Words that say how the wanted film differs from one that it is like: "like Heat but funnier"."""

from typing import Literal, NamedTuple

from townsquare.services.search.models.films import Channel
from townsquare.services.search.service.understanding.local.phrases import Phrases

Measure = Literal["older", "newer", "shorter", "longer"]


class Comparative(NamedTuple):
    """What the wanted film must have, or have less or more of than the other, or words to look for.

    Where a genre says it, likeness alone orders.
    """

    genres: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()  # no limit
    without: tuple[str, ...] = ()
    measure: Measure | None = None
    text: str = ""
    channel: Channel = "viewer_experience"


def feels(text: str) -> Comparative:
    return Comparative(text=text)


COMPARATIVES: Phrases[Comparative] = Phrases(
    {
        "older | earlier | plus vieux | plus ancien | más antigua | más vieja": Comparative(measure="older"),
        "newer | later | recent | more recent | modern | more modern | plus récent | más reciente"
        " | más nueva": Comparative(measure="newer"),
        "shorter | not as long | less long | plus court | más corta": Comparative(measure="shorter"),
        "longer | plus long | más larga": Comparative(measure="longer"),
        "funnier | more funny | more fun | more comedic | more humor | more humour | more jokes | plus drôle"
        " | más divertida | más graciosa": Comparative(genres=("comedy",)),
        "scarier | more scary | creepier | spookier | more frightening | more terrifying | plus effrayant"
        " | más terrorífica": Comparative(genres=("horror",)),
        "more romantic | more romance | plus romantique | más romántica": Comparative(genres=("romance",)),
        "lighter | less dark | less heavy | less serious | less grim | more lighthearted"
        " | more light-hearted | plus léger | más ligera": Comparative(
            text="light-hearted, playful, warm, fun", likely=("comedy",)
        ),
        "happier | less sad | less depressing | less bleak | more hopeful | more uplifting": feels(
            "uplifting, hopeful, joyful"
        ),
        "darker | grimmer | bleaker | grittier | more serious | plus sombre | más oscura": feels(
            "dark, bleak, grim"
        ),
        "sadder | more sad | more tragic | plus triste | más triste": feels("sad, heartbreaking, tragic"),
        "weirder | stranger | more surreal | plus bizarre | más rara": feels("weird, strange, surreal"),
        "slower | calmer | quieter | more quiet": feels("slow, quiet, calm, contemplative"),
        "faster | faster-paced | more action-packed | more exciting": feels("fast-paced, exciting, kinetic"),
        "less scary | less frightening | less creepy | moins effrayant": Comparative(without=("horror",)),
        "gentler | less violent | less gory | less bloody | moins violent": feels("gentle, mild, tender"),
        "gorier | bloodier | more violent | more brutal": feels("violent, bloody, brutal"),
        "smarter | more intelligent | more cerebral": feels("smart, cerebral, thought-provoking"),
    }
)
