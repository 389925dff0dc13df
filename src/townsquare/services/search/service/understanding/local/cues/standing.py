"""What others think of a film: known, trending, praised or laughed at."""

from typing import Literal

from townsquare.services.search.service.understanding.local.phrases import Phrases, words_of

Standing = Literal["trending", "popular", "acclaimed", "poor", "unknown"]

STANDINGS: Phrases[Standing] = Phrases(
    {
        "trending | trending now | popular right now | popular now | popular these days | popular this week"
        " | everyone is watching | everybody is watching | everyone's watching | what's hot"
        " | hot right now | buzzing"
        " | everyone is talking about | people are watching now | in theaters now | in cinemas now"
        " | most watched this week"
        " | tendance | tendances | du moment | en ce moment | tendencia | tendencias | de moda"
        " | del momento"
        " | 話題の | 話題 | トレンド | 流行 | 流行りの | 今人気": "trending",
        "popular | famous | well known | well-known | blockbuster | blockbusters | box office hit"
        " | box office hits"
        " | biggest hits | big hit | most watched | mainstream | crowd-pleaser | crowd pleaser"
        " | everyone has seen"
        " | everybody knows | iconic | populaire | populaires | célèbre | célèbres | connu | populares"
        " | famosa | famosas"
        " | conocida | taquillera | taquilleras | 人気 | 人気の | 有名 | 有名な | 大ヒット": "popular",
        "oscar winning | oscar-winning | oscar winner | oscar winners | won an oscar | won the oscar"
        " | won oscars"
        " | won best picture | best picture | best picture winner | best picture winners"
        " | academy award | academy awards"
        " | academy award winning | academy award winner | award winning | award-winning | award winner"
        " | award winners"
        " | palme d'or | golden lion | golden bear | cannes winner | critically acclaimed | acclaimed"
        " | masterpiece"
        " | masterpieces | top rated | top-rated | highly rated | highest rated | highest-rated"
        " | critics loved"
        " | critically praised | all-time great | all time great | all time greats"
        " | greatest of all time | best of all time"
        " | best ever | greatest ever | must-see | must see | essential cinema | universally praised"
        " | beloved by critics"
        " | chef-d'œuvre | chefs-d'œuvre | chef d'oeuvre | primé | primée | récompensé | oscarisé"
        " | oscarisée"
        " | acclamé | salué par la critique | obra maestra | obras maestras | premiada | premiadas"
        " | ganadora del oscar"
        " | ganadoras del oscar | aclamada | aclamadas | mejor valoradas | 名作 | 傑作 | アカデミー賞"
        " | アカデミー賞受賞"
        " | 最高傑作 | 最高の | 評価の高い | 受賞作": "acclaimed",
        "so bad it's good | so bad its good | so bad it is good | so bad they're good"
        " | so-bad-it's-good | worst"
        " | worst ever | worst rated | razzie | razzies | trashy | box office bomb | critically panned"
        " | panned"
        " | terrible movie | terrible movies | terrible film | terrible films | awful movie"
        " | awful movies | bad movie"
        " | bad movies | bad film | bad films | hilariously bad | unintentionally funny | low rated"
        " | poorly received"
        " | poorly reviewed | badly reviewed | hated by critics | critics hated | flop | flops | nanar"
        " | nanars"
        " | navet | navets | pire film | pires films | tan mala que es buena | tan malas que son buenas"
        " | peores"
        " | peor película | 駄作 | クソ映画 | ひどい映画 | 最低の": "poor",
        "hidden gem | hidden gems | underrated | overlooked | lesser known | lesser-known | obscure"
        " | little known"
        " | little-known | under the radar | forgotten | méconnu | méconnus | poco conocida"
        " | poco conocidas | 隠れた名作"
        " | 知られていない": "unknown",
    }
)
BEST: Phrases[Standing] = Phrases(  # "the best thrillers", but "her best friend"
    {
        "best | greatest | finest | top | meilleur | meilleurs | meilleure | meilleures | mejor"
        " | mejores": "acclaimed",
    }
)
AFTER_BEST = words_of("ever of all-time rated 10 ten 20 100 50 100")
