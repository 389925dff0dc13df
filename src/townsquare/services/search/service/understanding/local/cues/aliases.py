"""Short names of films, series, studios and people, and a name by which the catalogue finds them."""

from typing import NamedTuple

from townsquare.services.search.models.understanding import EntityCategory
from townsquare.services.search.service.understanding.local.phrases import Phrases


class Alias(NamedTuple):
    category: EntityCategory
    name: str


def title(name: str) -> Alias:
    return Alias("movie_title", name)


def series(name: str) -> Alias:
    return Alias("franchise", name)


def studio(name: str) -> Alias:
    return Alias("studio", name)


def person(name: str) -> Alias:
    return Alias("person", name)


ALIASES: Phrases[Alias] = Phrases(
    {
        "lotr | lord of the rings | the lord of the rings": series("The Lord of the Rings"),
        "007 | bond": series("James Bond"),
        "mcu | marvel | マーベル": series("Marvel Cinematic Universe"),
        "dceu | dc | dc comics": series("DC Extended Universe"),
        "2001": title("2001: A Space Odyssey"),
        "t2": title("Terminator 2: Judgment Day"),
        "potc": series("Pirates of the Caribbean"),
        "bttf": title("Back to the Future"),
        "disney | walt disney | ディズニー": studio(
            "Disney"
        ),  # several houses: the shortest name finds them all
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
        "leo dicaprio | ディカプリオ | レオナルド・ディカプリオ": person("Leonardo DiCaprio"),
        "rdj": person("Robert Downey Jr."),
        "宮崎駿": person("Hayao Miyazaki"),
        "黒澤明 | 黒沢明": person("Akira Kurosawa"),
        "是枝裕和": person("Hirokazu Kore-eda"),
        "小津安二郎": person("Yasujiro Ozu"),
        "新海誠": person("Makoto Shinkai"),
        "北野武": person("Takeshi Kitano"),
        "高畑勲": person("Isao Takahata"),
        "今敏": person("Satoshi Kon"),
        "三船敏郎": person("Toshiro Mifune"),
        "トム・クルーズ | トムクルーズ": person("Tom Cruise"),
        "トム・ハンクス | トムハンクス": person("Tom Hanks"),
        "ブラッド・ピット | ブラピ": person("Brad Pitt"),
        "スピルバーグ": person("Steven Spielberg"),
        "タランティーノ": person("Quentin Tarantino"),
        "ヒッチコック": person("Alfred Hitchcock"),
        "クリストファー・ノーラン | ノーラン": person("Christopher Nolan"),
        "キューブリック": person("Stanley Kubrick"),
        "スコセッシ": person("Martin Scorsese"),
        "チャップリン": person("Charlie Chaplin"),
        "スターウォーズ | スター・ウォーズ": series("Star Wars"),
        "ハリーポッター | ハリー・ポッター": series("Harry Potter"),
        "ロード・オブ・ザ・リング": series("The Lord of the Rings"),
        "ゴッドファーザー": title("The Godfather"),
        "ブレードランナー": title("Blade Runner"),
        "インセプション": title("Inception"),
        "インターステラー": title("Interstellar"),
        "マトリックス": title("The Matrix"),
        "エイリアン": title("Alien"),
        "タイタニック": title("Titanic"),
        "ジョーズ": title("Jaws"),
        "アメリ": title("Amélie"),
        "サイコ": title("Psycho"),
        "パルプ・フィクション": title("Pulp Fiction"),
        "ジョーカー": title("Joker"),
        "セブン": title("Se7en"),
        "バック・トゥ・ザ・フューチャー": title("Back to the Future"),
        "ショーシャンクの空に": title("The Shawshank Redemption"),
        "パラサイト": title("Parasite"),
        "羊たちの沈黙": title("The Silence of the Lambs"),
        "時計じかけのオレンジ": title("A Clockwork Orange"),
        "2001年宇宙の旅": title("2001: A Space Odyssey"),
        "le parrain | el padrino": title("The Godfather"),
        "la guerre des étoiles | la guerra de las galaxias": title("Star Wars"),
        "le seigneur des anneaux | el señor de los anillos": series("The Lord of the Rings"),
        "les dents de la mer | tiburón": title("Jaws"),
        "le silence des agneaux | el silencio de los corderos": title("The Silence of the Lambs"),
        "retour vers le futur | regreso al futuro | volver al futuro": title("Back to the Future"),
        "origen": title("Inception"),
        "cadena perpetua | les évadés | sueño de fuga": title("The Shawshank Redemption"),
        "le voyage de chihiro | el viaje de chihiro": title("Spirited Away"),
        "il était une fois dans l'ouest | hasta que llegó su hora": title("Once Upon a Time in the West"),
    }
)
