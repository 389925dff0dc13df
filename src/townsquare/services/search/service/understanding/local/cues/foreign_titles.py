"""Films by the titles under which they ran in French, Spanish and Japanese cinemas, where those differ."""

from townsquare.services.search.service.understanding.local.cues.alias import Alias, series, title

FOREIGN_TITLES: dict[str, Alias] = {
    "le parrain | el padrino | ゴッドファーザー": title("The Godfather"),
    "la guerre des étoiles | la guerra de las galaxias": title("Star Wars"),
    "l'empire contre-attaque | el imperio contraataca | 帝国の逆襲": title("The Empire Strikes Back"),
    "le retour du jedi | el retorno del jedi | ジェダイの帰還": title("Return of the Jedi"),
    "スターウォーズ | スター・ウォーズ": series("Star Wars"),
    "ハリーポッター | ハリー・ポッター": series("Harry Potter"),
    "le seigneur des anneaux | el señor de los anillos | ロード・オブ・ザ・リング": series(
        "The Lord of the Rings"
    ),
    "ジェームズ・ボンド": series("James Bond"),
    "les dents de la mer | tiburón | ジョーズ": title("Jaws"),
    "le silence des agneaux | el silencio de los corderos | 羊たちの沈黙": title("The Silence of the Lambs"),
    "retour vers le futur | regreso al futuro | volver al futuro | バック・トゥ・ザ・フューチャー": title(
        "Back to the Future"
    ),
    "origen | インセプション": title("Inception"),
    "cadena perpetua | les évadés | sueño de fuga | sueños de fuga | ショーシャンクの空に": title(
        "The Shawshank Redemption"
    ),
    "le voyage de chihiro | el viaje de chihiro": title("Spirited Away"),
    "mon voisin totoro | mi vecino totoro": title("My Neighbor Totoro"),
    "princesse mononoké | la princesa mononoke": title("Princess Mononoke"),
    "le château ambulant | el castillo ambulante": title("Howl's Moving Castle"),
    "le château dans le ciel | el castillo en el cielo": title("Castle in the Sky"),
    "le tombeau des lucioles | la tumba de las luciérnagas": title("Grave of the Fireflies"),
    "il était une fois dans l'ouest | hasta que llegó su hora | érase una vez en el oeste": title(
        "Once Upon a Time in the West"
    ),
    "il était une fois en amérique | érase una vez en américa": title("Once Upon a Time in America"),
    "le bon la brute et le truand | el bueno el feo y el malo | 続・夕陽のガンマン": title(
        "The Good, the Bad and the Ugly"
    ),
    "pour une poignée de dollars | por un puñado de dólares | 荒野の用心棒": title("A Fistful of Dollars"),
    "les sept mercenaires | los siete magníficos | 荒野の七人": title("The Magnificent Seven"),
    "les sept samouraïs | los siete samuráis | los siete samurais": title("Seven Samurai"),
    "l'impossible monsieur bébé | la fiera de mi niña": title("Bringing Up Baby"),
    "la mort aux trousses | con la muerte en los talones | 北北西に進路を取れ": title("North by Northwest"),
    "sueurs froides | de entre los muertos | めまい": title("Vertigo"),
    "psychose | psicosis | サイコ": title("Psycho"),
    "fenêtre sur cour | la ventana indiscreta | 裏窓": title("Rear Window"),
    "les oiseaux | los pájaros": title("The Birds"),
    "l'inconnu du nord-express | extraños en un tren | 見知らぬ乗客": title("Strangers on a Train"),
    "certains l'aiment chaud | con faldas y a lo loco | お熱いのがお好き": title("Some Like It Hot"),
    "la garçonnière | アパートの鍵貸します": title("The Apartment"),
    "boulevard du crépuscule | el crepúsculo de los dioses | サンセット大通り": title("Sunset Boulevard"),
    "assurance sur la mort | 深夜の告白": title("Double Indemnity"),
    "douze hommes en colère | doce hombres sin piedad | 12人の怒れる男 | 十二人の怒れる男": title(
        "12 Angry Men"
    ),
    "autant en emporte le vent | lo que el viento se llevó | 風と共に去りぬ": title("Gone with the Wind"),
    "le magicien d'oz | el mago de oz | オズの魔法使い": title("The Wizard of Oz"),
    "les temps modernes | tiempos modernos | モダン・タイムス": title("Modern Times"),
    "les lumières de la ville | luces de la ciudad | 街の灯": title("City Lights"),
    "le dictateur | el gran dictador": title("The Great Dictator"),
    "la ruée vers l'or | la quimera del oro | 黄金狂時代": title("The Gold Rush"),
    "¡qué bello es vivir! | qué bello es vivir | 素晴らしき哉、人生！": title("It's a Wonderful Life"),
    "la vie est belle | la vida es bella | ライフ・イズ・ビューティフル": title("Life Is Beautiful"),
    "vacances romaines | vacaciones en roma | ローマの休日": title("Roman Holiday"),
    "diamants sur canapé | desayuno con diamantes | ティファニーで朝食を": title("Breakfast at Tiffany's"),
    "chantons sous la pluie | cantando bajo la lluvia | 雨に唄えば": title("Singin' in the Rain"),
    "la mélodie du bonheur | sonrisas y lágrimas | la novicia rebelde | サウンド・オブ・ミュージック": title(
        "The Sound of Music"
    ),
    "le pont de la rivière kwai | el puente sobre el río kwai | 戦場にかける橋": title(
        "The Bridge on the River Kwai"
    ),
    "lawrence d'arabie | アラビアのロレンス": title("Lawrence of Arabia"),
    "la grande évasion | la gran evasión | 大脱走": title("The Great Escape"),
    "2001 l'odyssée de l'espace | 2001 una odisea del espacio | 2001年宇宙の旅": title(
        "2001: A Space Odyssey"
    ),
    "orange mécanique | la naranja mecánica | 時計じかけのオレンジ": title("A Clockwork Orange"),
    "docteur folamour | teléfono rojo | 博士の異常な愛情": title("Dr. Strangelove"),
    "les sentiers de la gloire | senderos de gloria": title("Paths of Glory"),
    "el resplandor | シャイニング": title("The Shining"),
    "la chaqueta metálica | フルメタル・ジャケット": title("Full Metal Jacket"),
    "vol au-dessus d'un nid de coucou | alguien voló sobre el nido del cuco | atrapado sin salida"
    " | カッコーの巣の上で": title("One Flew Over the Cuckoo's Nest"),
    "voyage au bout de l'enfer | ディア・ハンター": title("The Deer Hunter"),
    "タクシードライバー": title("Taxi Driver"),
    "les affranchis | uno de los nuestros | buenos muchachos | グッドフェローズ": title("Goodfellas"),
    "les infiltrés | ディパーテッド": title("The Departed"),
    "le loup de wall street | el lobo de wall street": title("The Wolf of Wall Street"),
    "スティング": title("The Sting"),
    "les hommes du président | todos los hombres del presidente | 大統領の陰謀": title(
        "All the President's Men"
    ),
    "rencontres du troisième type | encuentros en la tercera fase | 未知との遭遇": title(
        "Close Encounters of the Third Kind"
    ),
    "les aventuriers de l'arche perdue | en busca del arca perdida | レイダース": title(
        "Raiders of the Lost Ark"
    ),
    "il faut sauver le soldat ryan | salvar al soldado ryan | プライベート・ライアン": title(
        "Saving Private Ryan"
    ),
    "la liste de schindler | la lista de schindler | シンドラーのリスト": title("Schindler's List"),
    "arrête-moi si tu peux | atrápame si puedes | キャッチ・ミー・イフ・ユー・キャン": title(
        "Catch Me If You Can"
    ),
    "piège de cristal | la jungla de cristal | duro de matar | ダイ・ハード | ダイハード": title("Die Hard"),
    "s.o.s. fantômes | sos fantômes | los cazafantasmas | ゴーストバスターズ": title("Ghostbusters"),
    "maman j'ai raté l'avion | solo en casa | mi pobre angelito | ホーム・アローン": title("Home Alone"),
    "un jour sans fin | atrapado en el tiempo | el día de la marmota | 恋はデジャ・ブ": title(
        "Groundhog Day"
    ),
    "quand harry rencontre sally | cuando harry encontró a sally | 恋人たちの予感": title(
        "When Harry Met Sally..."
    ),
    "coup de foudre à notting hill | ノッティングヒルの恋人": title("Notting Hill"),
    "quatre mariages et un enterrement | cuatro bodas y un funeral": title("Four Weddings and a Funeral"),
    "le cercle des poètes disparus | el club de los poetas muertos | いまを生きる": title(
        "Dead Poets Society"
    ),
    "danse avec les loups | bailando con lobos | ダンス・ウィズ・ウルブズ": title("Dances with Wolves"),
    "sin perdón": title("Unforgiven"),
    "usual suspects | sospechosos habituales | ユージュアル・サスペクツ": title("The Usual Suspects"),
    "la ligne verte | la milla verde | グリーンマイル": title("The Green Mile"),
    "sixième sens | el sexto sentido | シックス・センス": title("The Sixth Sense"),
    "le roi lion | el rey león | ライオン・キング": title("The Lion King"),
    "la belle et la bête | la bella y la bestia | 美女と野獣": title("Beauty and the Beast"),
    "la petite sirène | la sirenita | リトル・マーメイド": title("The Little Mermaid"),
    "blanche-neige | blancanieves | 白雪姫": title("Snow White and the Seven Dwarfs"),
    "le livre de la jungle | el libro de la selva": title("The Jungle Book"),
    "le monde de nemo | buscando a nemo | ファインディング・ニモ": title("Finding Nemo"),
    "là-haut | カールじいさんの空飛ぶ家": title("Up"),
    "les indestructibles | los increíbles | mr.インクレディブル": title("The Incredibles"),
    "la reine des neiges | アナと雪の女王": title("Frozen"),
    "vice-versa | del revés | intensamente | インサイド・ヘッド": title("Inside Out"),
    "リメンバー・ミー": title("Coco"),
    "レミーのおいしいレストラン": title("Ratatouille"),
    "モンスターズ・インク": title("Monsters, Inc."),
    "トイ・ストーリー": title("Toy Story"),
    "l'étrange noël de monsieur jack | pesadilla antes de navidad": title("The Nightmare Before Christmas"),
    "edward aux mains d'argent | eduardo manostijeras | シザーハンズ": title("Edward Scissorhands"),
    "les ailes du désir | el cielo sobre berlín | ベルリン・天使の詩": title("Wings of Desire"),
    "la vie des autres | la vida de los otros | 善き人のためのソナタ": title("The Lives of Others"),
    "el hundimiento | ヒトラー 最期の12日間": title("Downfall"),
    "la cité de dieu | ciudad de dios | シティ・オブ・ゴッド": title("City of God"),
    "le labyrinthe de pan | パンズ・ラビリンス": title("Pan's Labyrinth"),
    "dans ses yeux | 瞳の奥の秘密": title("The Secret in Their Eyes"),
    "les nouveaux sauvages": title("Wild Tales"),
    "tout sur ma mère | オール・アバウト・マイ・マザー": title("All About My Mother"),
    "parle avec elle": title("Talk to Her"),
    "le voleur de bicyclette | ladrón de bicicletas | 自転車泥棒": title("Bicycle Thieves"),
    "huit et demi | ocho y medio": title("8½"),
    "le guépard | el gatopardo | 山猫": title("The Leopard"),
    "los cuatrocientos golpes | 大人は判ってくれない": title("The 400 Blows"),
    "al final de la escapada | 勝手にしやがれ": title("Breathless"),
    "le mépris | el desprecio": title("Contempt"),
    "le salaire de la peur | el salario del miedo | 恐怖の報酬": title("The Wages of Fear"),
    "les enfants du paradis | los niños del paraíso | 天井桟敷の人々": title("Children of Paradise"),
    "les parapluies de cherbourg | los paraguas de cherburgo | シェルブールの雨傘": title(
        "The Umbrellas of Cherbourg"
    ),
    "la règle du jeu | la regla del juego": title("The Rules of the Game"),
    "la grande illusion | la gran ilusión": title("Grand Illusion"),
    "el silencio de un hombre": title("Le Samouraï"),
    "l'armée des ombres | el ejército de las sombras": title("Army of Shadows"),
    "le septième sceau | el séptimo sello | 第七の封印": title("The Seventh Seal"),
    "les fraises sauvages | fresas salvajes | 野いちご": title("Wild Strawberries"),
    "le cuirassé potemkine | el acorazado potemkin | 戦艦ポチョムキン": title("Battleship Potemkin"),
    "m le maudit | m el vampiro de düsseldorf": title("M"),
    "le troisième homme | el tercer hombre | 第三の男": title("The Third Man"),
    "la nuit du chasseur | la noche del cazador | 狩人の夜": title("The Night of the Hunter"),
    "la soif du mal | sed de mal | 黒い罠": title("Touch of Evil"),
    "ciudadano kane | 市民ケーン": title("Citizen Kane"),
    "el halcón maltés | le faucon maltais | マルタの鷹": title("The Maltese Falcon"),
    "カサブランカ": title("Casablanca"),
    "le train sifflera trois fois | solo ante el peligro | 真昼の決闘": title("High Noon"),
    "la prisonnière du désert | centauros del desierto | 捜索者": title("The Searchers"),
    "la chevauchée fantastique | la diligencia | 駅馬車": title("Stagecoach"),
    "la fureur de vivre | rebelde sin causa | 理由なき反抗": title("Rebel Without a Cause"),
    "un tramway nommé désir | un tranvía llamado deseo | 欲望という名の電車": title(
        "A Streetcar Named Desire"
    ),
    "le lauréat | el graduado": title("The Graduate"),
    "macadam cowboy | cowboy de medianoche | 真夜中のカーボーイ": title("Midnight Cowboy"),
    "la planète des singes | el planeta de los simios | 猿の惑星": title("Planet of the Apes"),
    "l'exorciste | el exorcista | エクソシスト": title("The Exorcist"),
    "massacre à la tronçonneuse | la matanza de texas | 悪魔のいけにえ": title(
        "The Texas Chain Saw Massacre"
    ),
    "la nuit des morts-vivants | la noche de los muertos vivientes": title("Night of the Living Dead"),
    "les griffes de la nuit | pesadilla en elm street | エルム街の悪夢": title("A Nightmare on Elm Street"),
    "la mouche | la mosca | ザ・フライ": title("The Fly"),
    "el silencio de los inocentes": title("The Silence of the Lambs"),
    "seul au monde | náufrago | キャスト・アウェイ": title("Cast Away"),
    "seul sur mars | オデッセイ": title("The Martian"),
    "インターステラー": title("Interstellar"),
    "le cinquième élément | el quinto elemento | フィフス・エレメント": title("The Fifth Element"),
    "l'armée des douze singes | doce monos | 12モンキーズ": title("12 Monkeys"),
    "les fils de l'homme | hijos de los hombres | トゥモロー・ワールド": title("Children of Men"),
    "ブレードランナー": title("Blade Runner"),
    "マトリックス": title("The Matrix"),
    "エイリアン": title("Alien"),
    "ターミネーター": title("The Terminator"),
    "ジュラシック・パーク | ジュラシックパーク": title("Jurassic Park"),
    "タイタニック": title("Titanic"),
    "アバター": title("Avatar"),
    "アメリ": title("Amélie"),
    "レオン": title("Léon: The Professional"),
    "最強のふたり | intouchables": title("The Intouchables"),
    "パルプ・フィクション": title("Pulp Fiction"),
    "ファイト・クラブ | el club de la lucha | el club de la pelea": title("Fight Club"),
    "フォレスト・ガンプ": title("Forrest Gump"),
    "メメント": title("Memento"),
    "セブン": title("Se7en"),
    "ジョーカー": title("Joker"),
    "パラサイト | parásitos": title("Parasite"),
    "オールド・ボーイ": title("Oldboy"),
    "新感染": title("Train to Busan"),
    "殺人の追憶 | crónica de un asesino en serie": title("Memories of Murder"),
    "花様年華 | deseando amar": title("In the Mood for Love"),
    "恋する惑星": title("Chungking Express"),
    "燃えよドラゴン | opération dragon | operación dragón": title("Enter the Dragon"),
    "きっと、うまくいく": title("3 Idiots"),
    "ラ・ラ・ランド": title("La La Land"),
    "スタンド・バイ・ミー | cuenta conmigo": title("Stand by Me"),
    "グーニーズ | los goonies": title("The Goonies"),
    "天空の城": title("Castle in the Sky"),
    "プラダを着た悪魔 | el diablo viste de prada | le diable s'habille en prada": title(
        "The Devil Wears Prada"
    ),
    "エターナル・サンシャイン | olvídate de mí": title("Eternal Sunshine of the Spotless Mind"),
    "ノーカントリー | no es país para viejos": title("No Country for Old Men"),
    "pozos de ambición | petróleo sangriento": title("There Will Be Blood"),
    "el gran lebowski": title("The Big Lebowski"),
    "el indomable will hunting | グッド・ウィル・ハンティング": title("Good Will Hunting"),
    "el show de truman | トゥルーマン・ショー": title("The Truman Show"),
    "el gran hotel budapest | グランド・ブダペスト・ホテル": title("The Grand Budapest Hotel"),
    "la forme de l'eau | la forma del agua | シェイプ・オブ・ウォーター": title("The Shape of Water"),
    "portrait de la jeune fille en feu | retrato de una mujer en llamas | 燃ゆる女の肖像": title(
        "Portrait of a Lady on Fire"
    ),
    "anatomie d'une chute | anatomía de una caída": title("Anatomy of a Fall"),
    "la vie d'adèle | la vida de adèle": title("Blue Is the Warmest Colour"),
    "le scaphandre et le papillon": title("The Diving Bell and the Butterfly"),
    "les triplettes de belleville": title("The Triplets of Belleville"),
}
