"""Genres of the catalogue, by all their names.

`stated` names are a limit; the others say what a film is likely to be. `in_prose` are also ordinary words ("a
family moves", "solves a mystery"): they name a genre only beside another word of that kind.
"""

import msgspec

from townsquare.services.search.service.understanding.local.phrases import Phrases


class Genre(msgspec.Struct, frozen=True, kw_only=True):
    names: tuple[str, ...] = ()
    stated: bool = True
    in_prose: bool = False
    says_more: bool = False  # than its genres: it stays in the text that is searched
    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    unwanted: tuple[str, ...] | None = None  # what "no …" excludes, if not its names


def genre(*names: str) -> Genre:
    return Genre(names=names)


def prose(*names: str) -> Genre:
    return Genre(names=names, in_prose=True)


def flavour(*names: str, countries: tuple[str, ...] = ()) -> Genre:
    """Surely of that genre, and of a particular kind."""
    return Genre(names=names, says_more=True, countries=countries)


def likely(*names: str, unwanted: tuple[str, ...] | None = None) -> Genre:
    return Genre(names=names, stated=False, says_more=True, unwanted=unwanted)


def hint(*names: str) -> Genre:
    """Likely of that genre; who does not want it wants no other genre for that."""
    return likely(*names, unwanted=())


GENRES: Phrases[Genre] = Phrases(
    {
        "horror | horrors | horror film | horreur | épouvante | de terror | cine de terror | de miedo"
        " | ホラー | 恐怖映画": genre("horror"),
        "comedy | comedies | comédie | comédies | comedia | comedias | コメディ | コメディー | 喜劇": genre(
            "comedy"
        ),
        "drama | dramas | drame | drames | ドラマ": genre("drama"),
        "thriller | thrillers | スリラー | サスペンス | suspense film | suspense movie | suspenso"
        " | de suspense | film à suspense | films à suspense": genre("thriller"),
        "western | westerns | cowboy film | cowboy movie | cowboy movies | películas del oeste"
        " | del oeste | de vaqueros"
        " | 西部劇 | ウエスタン": genre("western"),
        "sci-fi | scifi | sci fi | science fiction | science-fiction | sf | ciencia ficción | SF映画"
        " | サイエンスフィクション"
        " | sciencefiction": genre("science fiction"),
        "animation | animated | cartoon | cartoons | animations | animada | animadas | animados"
        " | dessin animé | dessins animés | dibujos animados | アニメーション | アニメ映画 | アニメ": genre(
            "animation"
        ),
        "anime | japanese animation": Genre(names=("animation",), languages=("ja",), countries=("JP",)),
        "documentary | documentaries | docu | doc | documentaire | documentaires | documental"
        " | documentales"
        " | ドキュメンタリー": genre("documentary"),
        "biopic | biopics | biographical | biography | biographie | biográfica | 伝記映画 | 伝記": genre(
            "biography"
        ),
        "musical | musicals | comédie musicale | comédies musicales | musicales | ミュージカル": genre(
            "musical"
        ),
        "film noir | films noirs | noir | noirs | film-noir | フィルムノワール | ノワール": flavour(
            "film-noir"
        ),
        "neo-noir | neo noir | neonoir": likely("crime", "thriller"),
        "superhero | superheroes | super hero | super heroes | superhéros | superhéroes | comic book movie"
        " | comic book film | ヒーロー映画 | スーパーヒーロー": genre("superhero"),
        "fantasy film | fantasy movie | high fantasy | epic fantasy | dark fantasy | ファンタジー"
        " | fantastique"
        " | fantasía | fantástica": genre("fantasy"),
        "fantasy": genre("fantasy"),
        "romance | romances | romantique | romántica | románticas | 恋愛 | ラブストーリー | ロマンス": prose(
            "romance"
        ),
        "romantic comedy | romantic comedies | rom-com | rom-coms | romcom | romcoms | comédie romantique"
        " | comédies romantiques | comedia romántica | comedias románticas | ラブコメ | ラブコメディ"
        " | ロマンティックコメディ": genre("romance", "comedy"),
        "rom com | rom coms": genre("romance", "comedy"),
        "romantic drama": genre("romance", "drama"),
        "action | d'action | acción | アクション": prose("action"),
        "adventure | adventures | aventure | aventures | aventuras | 冒険 | アドベンチャー": prose(
            "adventure"
        ),
        "mystery | mysteries | mystère | misterio | ミステリー | 推理": prose("mystery"),
        "crime | policier | polar | criminal | クライム | policíaca | policiaca": prose("crime"),
        "policiers | polars | film policier | films policiers | policiacas | policíacas"
        " | policial | policiales"
        " | cine policial | 刑事もの | 犯罪もの": genre("crime"),
        "cine negro": flavour("film-noir"),
        "korean war | vietnam war | civil war | world war | second world war | first world war"
        " | world war ii"
        " | world war two | ww2 | wwii | ww1 | gulf war": likely("war"),
        "cold war": Genre(stated=False, says_more=True),
        "war | guerre | guerra | bélica | bélicas | 戦争": prose("war"),
        "恋愛映画 | 恋愛もの": genre("romance"),
        "犯罪映画": genre("crime"),
        "歴史映画": genre("history"),
        "音楽映画": genre("music"),
        "アクション映画": genre("action"),
        "戦争映画 | cine bélico | film de guerre | films de guerre | 戦争もの": genre("war"),
        "history | historical | historique | histórica | históricas | 歴史 | 時代劇": prose("history"),
        "family | familial | familiar | ファミリー": prose("family"),
        "sport | sports | sportif | deportiva | deportes | スポーツ": prose("sport"),
        "music": prose("music"),
        "whodunit | whodunits | whodunnit | whodunnits | murder mystery | murder mysteries": flavour(
            "mystery"
        ),
        "creature feature | creature features | monster movie | monster movies | monster film"
        " | monster films"
        " | 怪獣映画": likely("horror", "science fiction"),
        "kaiju": likely("science fiction"),
        "slasher | slashers | splatter | torture porn | found footage horror | body horror"
        " | folk horror | giallo"
        " | gialli | スラッシャー": flavour("horror"),
        "j-horror | j horror | jhorror | japanese horror": flavour("horror", countries=("JP",)),
        "k-horror": flavour("horror", countries=("KR",)),
        "zombie movie | zombie movies | zombie film | zombie films": likely("horror"),
        "vampire movie | vampire movies | vampire film | vampire films": likely("horror"),
        "spaghetti western | spaghetti westerns | western spaghetti | マカロニウエスタン": flavour("western"),
        "space opera | space operas | cyberpunk | steampunk": likely("science fiction"),
        "heist movie | heist film | heist films | heist movies | gangster movie | gangster movies"
        " | gangster film"
        " | gangster films | mafia movie | mafia film | mob movie | film de gangsters": likely("crime"),
        "psychological thriller | psychological thrillers | erotic thriller | conspiracy thriller"
        " | spy thriller"
        " | political thriller | legal thriller": flavour("thriller"),
        "courtroom drama | courtroom dramas | period drama | period dramas | costume drama | costume dramas"
        " | family drama | kitchen sink drama | legal drama | political drama | melodrama | melodramas"
        " | mélodrame | melodrama romántico": flavour("drama"),
        "black comedy | black comedies | dark comedy | dark comedies | screwball comedy"
        " | screwball comedies | screwball"
        " | slapstick | comedia negra | comédie noire | stoner comedy | teen comedy | buddy comedy"
        " | satire | satires"
        " | parody | parodies | spoof | spoofs": flavour("comedy"),
        "dramedy | comedy-drama | comedy drama | tragicomedy": genre("comedy", "drama"),
        "horror comedy | horror comedies | comedy horror": genre("horror", "comedy"),
        "martial arts | kung fu | kung-fu | wuxia | arts martiaux | artes marciales | カンフー": likely(
            "action"
        ),
        "swashbuckler | swashbucklers | sword and sandal | peplum": flavour("adventure"),
        "disaster movie | disaster movies | disaster film | disaster films": likely("action"),
        "love story | love stories | histoire d'amour | historia de amor | romantic movie | romantic movies"
        " | romantic film | romantic films | film romantique | película romántica | chick flick"
        " | chick flicks": likely("romance"),
        "romantic": likely("romance"),
        "scary | frightening | spooky | terrifying | terrorífica | aterradora | effrayant"
        " | qui fait peur | da miedo"
        " | 怖い": likely("horror"),
        "funny | hilarious | drôle | marrant | graciosa | divertida | 笑える | 面白い": likely("comedy"),
        "edge of my seat | edge of your seat | nail-biting | nail biting | nail-biter | heart-pounding"
        " | heart pounding | suspenseful | haletant | 手に汗握る": hint("thriller"),
        "make me laugh | makes me laugh | laugh out loud | belly laughs | laugh | rire | reír | 爆笑": hint(
            "comedy"
        ),
        "good cry | make me cry | makes me cry | tearjerker | tear-jerker | tear jerker | pleurer | llorar"
        " | 泣ける | 泣きたい": hint("drama"),
        "date night | first date | en amoureux | デート": hint("romance"),
        "swashbuckling": hint("adventure"),
        "live action | live-action": Genre(stated=False, says_more=True),  # no action film
        "with songs | with singing | full of songs | with musical numbers | with song and dance": flavour(
            "musical"
        ),
        "singing | songs | song and dance": Genre(stated=False, says_more=True, unwanted=("musical",)),
        "kids movie | kids movies | kids film | kids films | children's film | children's films"
        " | children's movie"
        " | children's movies | family movie | family movies | family film | family films": genre("family"),
        "biographical drama": genre("biography", "drama"),
        "恐怖片 | 恐怖电影": genre("horror"),
        "喜剧片 | 喜剧": genre("comedy"),
        "动画片 | 动画": genre("animation"),
        "科幻片 | 科幻": genre("science fiction"),
        "动作片": genre("action"),
        "爱情片": genre("romance"),
        "战争片": genre("war"),
        "纪录片": genre("documentary"),
        "惊悚片": genre("thriller"),
    }
)
