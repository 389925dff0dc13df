"""Countries and languages, by the words with which people ask for their films."""

import re

import msgspec

from townsquare.services.search.service.understanding.local.phrases import Phrases, words_of


class Origin(msgspec.Struct, frozen=True):
    """Where films come from; with one language where a country has one."""

    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    only_films: bool = False  # it means films and nothing else: "bollywood"


def origin(countries: str = "", languages: str = "", *, only_films: bool = False) -> Origin:
    return Origin(tuple(countries.split()), tuple(languages.split()), only_films)


LATIN_WORD = re.compile("[a-zà-ÿ]{4,}")  # not "uk", "usa"


def with_plurals(table: dict[str, Origin]) -> dict[str, Origin]:
    """ "américain" and "américains", "español" and "españoles"."""
    return {
        " | ".join(
            f"{word} | {word}s | {word}es" if LATIN_WORD.fullmatch(word) else word
            for word in map(str.strip, words.split("|"))
        ): value
        for words, value in table.items()
    }


NORDIC = "SE DK NO FI IS"
EUROPE = f"FR DE IT ES GB {NORDIC} PL CZ CS HU RO AT BE NL CH GR PT IE SU RU YU RS BG"

ADJECTIVES: dict[str, Origin] = {
    "korean | south korean | coréen | coréenne | coreana | coreano | 韓国": origin("KR", "ko"),
    "japanese | japonais | japonaise | japonesa | japonés | 日本": origin("JP", "ja"),
    "邦画 | 日本映画": origin("JP", "ja", only_films=True),
    "韓国映画": origin("KR", "ko", only_films=True),
    "フランス映画": origin("FR", "fr", only_films=True),
    "イタリア映画": origin("IT", "it", only_films=True),
    "中国映画": origin("CN HK TW", "zh cn yue cmn", only_films=True),
    "香港映画": origin("HK", only_films=True),
    "インド映画": origin("IN", only_films=True),
    "スペイン映画": origin("ES", "es", only_films=True),
    "ドイツ映画": origin("DE", "de", only_films=True),
    "アメリカ映画": origin("US", only_films=True),
    "イギリス映画": origin("GB", only_films=True),
    "french | français | française | francés | francesa | フランス": origin("FR", "fr"),
    "italian | italien | italienne | italiana | italiano | イタリア": origin("IT", "it"),
    "spanish | espagnol | espagnole | española | español | スペイン": origin("ES", "es"),
    "german | allemand | allemande | alemana | alemán | ドイツ": origin("DE", "de"),
    "chinese | chinois | chinoise | china | chino | 中国": origin("CN HK TW", "zh cn yue cmn"),
    "hong kong | hongkong | 香港": origin("HK"),
    "taiwanese | taïwanais | taiwanesa | 台湾": origin("TW"),
    "indian | indien | indienne | インド": origin("IN"),
    "bollywood | ボリウッド": origin("IN", "hi", only_films=True),
    "tollywood": origin("IN", "te", only_films=True),
    "nollywood": origin("NG", only_films=True),
    "british | english film | english films | uk | britannique | anglais | anglaise | británica"
    " | británico"
    " | inglesa | イギリス": origin("GB"),
    "american | us | usa | américain | américaine | americana | americano | estadounidense"
    " | アメリカ": origin("US"),
    "hollywood": origin("US"),
    "russian | russe | rusa | ruso | ロシア": origin("RU SU", "ru"),
    "soviet | soviétique | soviética | ソ連": origin("SU"),
    "swedish | suédois | suédoise | sueca | sueco | スウェーデン": origin("SE", "sv"),
    "danish | danois | danoise | danesa | danés | デンマーク": origin("DK", "da"),
    "norwegian | norvégien | norvégienne | noruega | noruego": origin("NO", "no nb"),
    "finnish | finlandais | finlandesa": origin("FI", "fi"),
    "icelandic | islandais": origin("IS", "is"),
    "nordic | scandinavian | scandinave | nórdica | escandinava | 北欧": origin(NORDIC),
    "dutch | néerlandais | holandesa": origin("NL", "nl"),
    "belgian | belge | belga": origin("BE"),
    "austrian | autrichien | austriaca": origin("AT", "de"),
    "swiss | suisse | suiza": origin("CH"),
    "polish | polonais | polonaise | polaca | polaco | ポーランド": origin("PL", "pl"),
    "czech | tchèque | checa": origin("CZ CS", "cs"),
    "hungarian | hongrois | hongroise | húngara": origin("HU", "hu"),
    "romanian | roumain | roumaine | rumana": origin("RO", "ro"),
    "greek | grec | grecque | griega": origin("GR", "el"),
    "portuguese | portugais | portuguesa": origin("PT BR", "pt"),
    "irish | irlandais | irlandesa": origin("IE"),
    "turkish | turc | turque | turca": origin("TR", "tr"),
    "iranian | persian | iranien | iranienne | iraní": origin("IR", "fa"),
    "israeli | israélien": origin("IL", "he"),
    "egyptian | égyptien": origin("EG", "ar"),
    "arabic | arabe": origin("", "ar"),
    "mexican | mexicain | mexicaine | mexicana | mexicano | メキシコ": origin("MX", "es"),
    "brazilian | brésilien | brésilienne | brasileña | brasileño | ブラジル": origin("BR", "pt"),
    "argentine | argentinian | argentinean | argentin | argentina | argentino": origin("AR", "es"),
    "chilean | chilien | chilena": origin("CL", "es"),
    "colombian | colombiana": origin("CO", "es"),
    "cuban | cubana": origin("CU", "es"),
    "latin american | latinoamericana | latino-américain": origin("MX BR AR CL CO PE CU UY VE GT"),
    "canadian | canadien | canadienne | canadiense": origin("CA"),
    "australian | aussie | australien | australienne | australiana": origin("AU"),
    "new zealand | kiwi": origin("NZ"),
    "thai | thaïlandais | tailandesa | タイ映画": origin("TH", "th"),
    "vietnamese": origin("VN", "vi"),
    "indonesian": origin("ID", "id"),
    "filipino | philippine": origin("PH"),
    "african | africain | africaine | africana": origin("NG SN ZA EG MA DZ TN ML BF KE ET CD TD MR LS GH"),
    "lebanese | libanais | libanaise | libanesa": origin("LB", "ar"),
    "ukrainian | ukrainien | ukrainienne | ucraniana": origin("UA", "uk"),
    "serbian | yugoslav | yugoslavian | yougoslave": origin("RS YU"),
    "peruvian | péruvien | peruana": origin("PE", "es"),
    "nigerian": origin("NG"),
    "senegalese": origin("SN"),
    "south african": origin("ZA"),
    "asian | asiatique | asiática | アジア": origin("JP KR CN HK TW IN TH VN ID PH IR"),
    "european | européen | européenne | europea | europeo | ヨーロッパ": origin(EUROPE),
}
ORIGINS: Phrases[Origin] = Phrases(with_plurals(ADJECTIVES))
COUNTRY_NAMES: Phrases[Origin] = Phrases(  # after "from": a place where a film is set is another thing
    {
        "korea | south korea | corée | corea": origin("KR"),
        "japan | japon | japón": origin("JP"),
        "france | francia": origin("FR"),
        "italy | italie | italia": origin("IT"),
        "spain | espagne | españa": origin("ES"),
        "germany | allemagne | alemania": origin("DE"),
        "china | chine": origin("CN HK TW"),
        "hong kong": origin("HK"),
        "taiwan": origin("TW"),
        "india | inde": origin("IN"),
        "britain | great britain | the uk | uk"
        " | england | the united kingdom | angleterre | inglaterra": origin("GB"),
        "america | the us | the usa | usa | the united states | états-unis | estados unidos": origin("US"),
        "russia | russie | rusia": origin("RU SU"),
        "the soviet union": origin("SU"),
        "sweden | suède | suecia": origin("SE"),
        "denmark | danemark | dinamarca": origin("DK"),
        "norway | norvège | noruega": origin("NO"),
        "finland": origin("FI"),
        "poland | pologne | polonia": origin("PL"),
        "iran": origin("IR"),
        "turkey | turquie": origin("TR"),
        "mexico | mexique | méxico": origin("MX"),
        "brazil | brésil | brasil": origin("BR"),
        "argentina | argentine": origin("AR"),
        "chile": origin("CL"),
        "canada": origin("CA"),
        "australia | australie": origin("AU"),
        "new zealand": origin("NZ"),
        "ireland | irlande | irlanda": origin("IE"),
        "thailand": origin("TH"),
        "latin america": origin("MX BR AR CL CO PE CU UY VE GT"),
        "africa | afrique": origin("NG SN ZA EG MA DZ TN ML BF KE ET CD TD MR LS GH"),
        "asia | asie": origin("JP KR CN HK TW IN TH VN ID PH IR"),
        "europe | europa": origin(EUROPE),
        "scandinavia": origin(NORDIC),
        "iceland | islande | islandia": origin("IS"),
        "austria | autriche": origin("AT"),
        "switzerland | suisse | suiza": origin("CH"),
        "belgium | belgique | bélgica": origin("BE"),
        "the netherlands | holland | netherlands | pays-bas": origin("NL"),
        "portugal": origin("PT"),
        "greece | grèce | grecia": origin("GR"),
        "hungary | hongrie | hungría": origin("HU"),
        "romania | roumanie | rumanía": origin("RO"),
        "czechia | the czech republic | czechoslovakia | tchécoslovaquie": origin("CZ CS"),
        "ukraine | ucrania": origin("UA"),
        "yugoslavia | serbia": origin("RS YU"),
        "israel": origin("IL"),
        "lebanon | liban": origin("LB"),
        "egypt | égypte | egipto": origin("EG"),
        "senegal | sénégal": origin("SN"),
        "nigeria": origin("NG"),
        "south africa": origin("ZA"),
        "cuba": origin("CU"),
        "colombia | colombie": origin("CO"),
        "peru | pérou | perú": origin("PE"),
        "vietnam": origin("VN"),
        "indonesia | indonésie": origin("ID"),
        "the philippines | philippines": origin("PH"),
    }
)
LANGUAGES: Phrases[str] = Phrases(  # after "in", or before "language", "spoken", "subtitles"
    {
        "english | anglais | inglés | 英語": "en",
        "french | français | francés | フランス語": "fr",
        "spanish | espagnol | español | castellano | スペイン語": "es",
        "german | allemand | alemán | ドイツ語": "de",
        "italian | italien | italiano | イタリア語": "it",
        "japanese | japonais | japonés | 日本語": "ja",
        "korean | coréen | coreano | 韓国語": "ko",
        "chinese | mandarin | cantonese | chinois | chino | 中国語": "zh",
        "hindi": "hi",
        "russian | russe | ruso | ロシア語": "ru",
        "portuguese | portugais | portugués": "pt",
        "swedish | suédois | sueco": "sv",
        "danish | danois | danés": "da",
        "norwegian": "no",
        "polish | polonais | polaco": "pl",
        "farsi | persian": "fa",
        "arabic | arabe | árabe": "ar",
        "turkish | turc": "tr",
        "hebrew": "he",
        "thai": "th",
        "telugu": "te",
        "tamil": "ta",
        "malayalam": "ml",
        "bengali": "bn",
        "finnish": "fi",
        "dutch": "nl",
        "greek": "el",
        "hungarian": "hu",
        "romanian": "ro",
        "czech": "cs",
    }
)
ALSO = {"zh": ("zh", "cn", "yue", "cmn"), "no": ("no", "nb")}  # codes that catalogues use for one language
IN = words_of("in en spoken speaking")
FROM = words_of("from out of de du")
BEFORE_A_PLACE = Phrases(  # what follows is where a film was made or is set, whatever film is called so
    {
        "from | made in | set in | takes place in | taking place in | shot in | filmed in"
        " | living in | lives in"
        " | se passe à | tourné à | ambientada en | rodada en | se déroule à": True
    }
)
LANGUAGE_WORDS = words_of("language languages spoken speaking audio dub dubbed 語")
NOT_ENGLISH = Phrases(
    {
        "foreign language | foreign-language | foreign film | foreign films | foreign movie"
        " | foreign movies | non-english | subtitled | with subtitles | world cinema | international film"
        " | international films | film étranger | películas extranjeras | película extranjera": True
    }
)
FOREIGN = words_of(
    "foreign étranger étrangère extranjera extranjeras"
)  # beside a kind of film: "foreign horror"
ENGLISH = Phrases(
    {"no subtitles | without subtitles | english language | english-language | sans sous-titres": True}
)
