"""Names of languages and countries in other catalogues, and their codes: ISO 639-1 and ISO 3166."""

OF_LANGUAGES = """
en english, american english, british english; fr french; es spanish; de german; it italian; ja japanese;
hi hindi; ru russian; ar arabic; he hebrew; zh cantonese, yue chinese, mandarin, standard chinese,
chinese, putonghua, standard taiwanese mandarin, cn; ko korean; sv swedish; pt portuguese; fa persian; da
danish; nl dutch; pl polish; no norwegian; th thai; ro romanian; hu hungarian; cs czech; tr turkish; is
icelandic; la latin; fi finnish; vi vietnamese; sr serbian; el modern greek, greek; ca catalan; id
indonesian; ka georgian; ur urdu; ta tamil; te telugu; ml malayalam; bn bengali, bangla; pa punjabi; af
afrikaans; uk ukrainian; yi yiddish; bo tibetan; tl tagalog; bs bosnian; ga irish; sq albanian; bg
bulgarian; sw swahili; sh serbo-croatian; hr croatian; sk slovak; sl slovene; ku kurdish language
"""
OF_COUNTRIES = """
US united states, united states of america, usa, american; GB united kingdom, uk, british; FR france,
french; DE germany, west germany, german; CA canada, canadian; IT italy, italian; AU australia,
australian; JP japan, japanese; ES spain; IN india, bollywood, tamil, telugu, malayalam; BE belgium; MX
mexico; HK hong kong, british hong kong; SE sweden; CN people's republic of china, china, chinese; DK
denmark; IE ireland; CH switzerland; NL netherlands; KR south korea, south_korean; IL israel; AT austria;
AR argentina; RU russia, russian; SU soviet union; NO norway; ZA south africa; BR brazil; PL poland; NZ
new zealand; IR iran; CZ czech republic; CS czechoslovakia; HU hungary; RO romania; PT portugal; LU
luxembourg; TW taiwan; TH thailand; FI finland; IS iceland; CL chile; GR greece; TR turkey, turkish; CO
colombia; PH philippines; EG egypt; PE peru; PS palestine; YU yugoslavia; MA morocco; CU cuba; BG
bulgaria; RS serbia; ID indonesia; GE georgia; VE venezuela; VN vietnam; SN senegal; UA ukraine; BD
bangladeshi; MY malaysian, malaysia; SG singapore; LB lebanon; DZ algeria; TN tunisia; SK slovakia; HR
croatia; SI slovenia; EE estonia; LV latvia; LT lithuania
"""


def by_name(table: str) -> dict[str, str]:
    """Of "en english, american english; fr french"."""
    entries = (" ".join(entry.split()).partition(" ") for entry in table.split(";"))
    return {name: code for code, _, names in entries for name in names.split(", ")}


LANGUAGES = by_name(OF_LANGUAGES)
COUNTRIES = by_name(OF_COUNTRIES)
