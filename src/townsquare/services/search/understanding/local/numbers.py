"""Numbers in words and digits."""

from collections.abc import Sequence

from townsquare.services.search.understanding.local.tokens import Token, form_of

WORDS = {
    form_of(word): value
    for value, words in {
        1: "a an one un une una uno hour 一",
        2: "two deux dos 二 couple",
        3: "three trois tres 三",
        4: "four quatre cuatro 四",
        5: "five cinq cinco 五",
        6: "six seis",
        7: "seven sept siete",
        8: "eight huit ocho",
        9: "nine neuf nueve",
        10: "ten dix diez 十",
        15: "fifteen quinze quince",
        20: "twenty vingt veinte",
        25: "twentyfive",
        30: "thirty trente treinta",
        40: "forty quarante cuarenta",
        45: "fortyfive",
        50: "fifty cinquante cincuenta",
        60: "sixty soixante sesenta",
        90: "ninety noventa",
        100: "hundred cent cien",
        120: "",
    }.items()
    for word in words.split()
    if word != "hour"
}
LONGEST = 6  # digits: nobody means more, and int() of many takes long


def number_at(tokens: Sequence[Token], at: int) -> float | None:
    if not 0 <= at < len(tokens):
        return None
    form = tokens[at].form
    if form in WORDS:
        return WORDS[form]
    plain = form.replace(",", ".")
    if len(plain) <= LONGEST and plain[:1].isdecimal() and plain.replace(".", "", 1).isdecimal():
        return float(plain)
    return None
