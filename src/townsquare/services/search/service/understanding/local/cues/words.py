"""Words that carry no meaning of their own, and words that turn or join what stands beside them."""

from townsquare.services.search.service.understanding.local.phrases import Phrases, words_of

STOP = words_of(  # a title made of these alone counts only with a capital: "It", "Her", "Us", "Up"
    "a an the this that these those it its he she him her his hers us we our you your i me my mine they"
    " them"
    " their and or nor but if then than as at by for from in into of off on onto out over to up down"
    " with about is"
    " are was were be been being am do does did has have had can could would should will shall may"
    " might must"
    " not no yes so too very just also only more most much many some any all each other another such"
    " own same"
    " who whom whose which what when where why how there here again once one ones get gets got go goes"
    " im id ive"
    " dont doesnt isnt arent wasnt wont cant couldnt lets please thanks something anything nothing someone",
    "le la les l un une des du de d au aux et ou mais qui que qu quoi dont ou est sont sur sous dans"
    " avec pour par"
    " en ce cet cette ces son sa ses mon ma mes se s ne n pas plus tres il elle ils elles je j tu nous"
    " vous on y c",
    "el los las una unos unas del al y o u pero que quien donde cuando es son esta estan con para por"
    " sobre sin se"
    " su sus mi mis lo le les me te nos muy mas no si ya algo",
    "の が を に は も と で や な へ から まで より です ます た て する した している いる ある"
    " という こと もの 人 的 我 想看 想 看",
)

FILM = words_of(  # the thing that everybody asks for
    "film films movie movies flick flicks picture pictures cinema feature features watch title titles motion",
    "pelicula peliculas peli pelis cine cinta filme filmes long métrage métrages 映画 作品 ムービー 映像"
    " 电影 影片 片子",
)
MANY_FILMS = words_of(
    "films movies flicks pictures series franchise saga trilogy filmography peliculas pelis"
)

FILLER = words_of(  # how people ask
    "want wanna need looking look searching search find show give recommend suggest recommendation"
    " recommendations suggestions see watch watching good great nice really quite pretty bit little"
    " kind sort type"
    " style ideally maybe perhaps preferably something anything stuff one ones best-known think"
    " thinking mood"
    " feel feeling tonight like love know seen been similar etc please hey hello hi ok okay well set"
    " made where"
    " released release out came comes come featuring starring directed director actor actress star"
    " stars cast year years"
    " trailer online stream streaming netflix hulu imdb letterboxd download dvd hd"
    " time still ever never even lots lot bunch list options ideas any good decent solid called titled"
    " named",
    "je voudrais veux cherche voir regarder bon bonne quelque chose genre style montre trouve conseille"
    " envie",
    "quiero busco ver buena bueno alguna algun recomienda recomiendame tipo estilo ganas muestra dame",
    "見たい 観たい 探して 教えて おすすめ オススメ ください 欲しい ほしい 何か いい 良い",
)

REQUESTS = Phrases(  # openings that say nothing of the film
    dict.fromkeys(
        (
            "i want to watch | i want to see | i want | i wanna watch | i wanna see | i would like to watch"
            " | i would like to see | i would like | i'd like to watch | i'd like to see | i'd like"
            " | i need"
            " | i'm looking for | i am looking for | looking for | i'm in the mood for"
            " | i am in the mood for"
            " | in the mood for | i feel like watching | feel like watching | show me | find me"
            " | give me | recommend me"
            " | recommend | suggest me | suggest | can you recommend | can you suggest | can you find"
            " | could you recommend"
            " | what are some | what are the | what is a | what's a | what to watch"
            " | what should i watch | are there any"
            " | do you have any | do you have | do you know | any | please | help me find | search for"
            " | search | find"
            " | let's watch | something to watch | is there a | is there",
            "je veux voir | je voudrais voir | je cherche | montre-moi | trouve-moi | conseille-moi"
            " | j'ai envie de voir"
            " | j'ai envie de | je veux | je voudrais",
            "quiero ver | busco | recomiéndame | muéstrame | dame | quisiera ver | quiero"
            " | me apetece ver | me apetece",
        ),
        True,
    )
)

# What follows is not wanted.
EXCLUDING = Phrases(
    {
        "no | not | without | except | except for | excluding | exclude | minus | avoid | avoiding"
        " | but not | but no"
        " | and not | and no | nothing | nothing too | not too | not very | other than | anything but"
        " | everything but"
        " | apart from | aside from | besides | isn't | aren't | is not | are not | don't want | do not want"
        " | dont want any"
        " | don't like | do not like | didn't like | dislike | don't enjoy | can't stand | cannot stand"
        " | not interested in | no interest in | not in the mood for | not looking for | don't show me"
        " | don't give me | don't recommend | had enough of | enough of | fed up with | bored of | bored with"
        " | done with | can do without"
        " | don't care for | not a fan of | not a big fan of | no fan of | not into | not fond of | neither"
        " | nothing with | nothing by"
        " | doesn't have | does not have | don't have | do not have | with no | none | none of the"
        " | doesn't star | does not star | don't star | do not star | doesn't feature | does not feature"
        " | don't feature | do not feature | doesn't include | does not include | don't include"
        " | do not include | doesn't contain | does not contain | don't contain | do not contain"
        " | doesn't involve | does not involve | don't involve | do not involve | wasn't | weren't"
        " | was not | were not | hate | never | not really | none of | not necessarily | non"
        " | i'm tired of"
        " | tired of | sick of | leave out | skip": True,
        "sans | pas de | pas d | pas | sauf | excepté | hors | mais pas | rien de | rien d | autre que"
        " | ni | pas trop"
        " | surtout pas | à part | rien | rien avec | n'aime pas | je n'aime pas | déteste | je déteste"
        " | pas fan de": True,
        "没有 | 不要 | 不含 | 除了 | 不是": True,
        "sin | no | nada de | excepto | menos | que no sea | que no sean | pero no | pero sin | salvo"
        " | ni | evitar"
        " | que no tenga | nada | nada con | que no salga | que no salgan | que no aparezca | no me gusta"
        " | no me gustan | no quiero | odio": True,
    }
)
SURELY_EXCLUDING = Phrases(  # in a story too
    {
        "except | except for | excluding | other than | apart from | aside from | besides | but not"
        " | sauf | à part | excepto | salvo": True
    }
)
PLAIN_EXCLUDING = Phrases(  # a noun follows
    {
        "no | with no | not | but not | neither | zero | not set in | not set on | not set in the | not about"
        " | nothing about | nothing set in | not in the | isn't set in | isn't about"
        " | without | except | excluding | minus | avoid | nothing with | sans | pas de | pas d"
        " | sauf | sin | nada de"
        " | excepto | menos | 没有 | 不要 | 不含": True
    }
)
ABSOLUTE = Phrases(  # not merely "not too"
    {
        "no | with no | but no | and no | without | zero | minus | sans | pas de | pas d | sin | nada de"
        " | 没有 | 不要": True
    }
)
SURELY_BEFORE_A_KIND = Phrases(  # what follows is a kind of film, with what is said of it: "no dull westerns"
    {
        "no | without | except | except for | excluding | exclude | minus | avoid | nothing with"
        " | none of the | pas de | pas d | sans | sauf | sin | nada de | excepto | menos": True
    }
)
BUT_OF_THAT_KIND = words_of(  # "no ordinary western" is a western
    "ordinary usual typical average generic standard normal simple mere real true better other more"
    " shortage end limit"
)
# What stands before is not wanted.
EXCLUDED_BEFORE = Phrases(
    {
        "以外 | なし | 無し | 抜き | ではない | じゃない | でない | を除く | を除いて | 除く | 出ない"
        " | 出てこない | 出ていない | 出てない | 出演していない | 出演しない | は嫌"
        " | は嫌い | は苦手 | 苦手 | いらない | はいらない | 不要 | のない | がない | くない": True,
        "excluded | not included": True,
    }
)
BETWEEN_MARKER_AND_TARGET = words_of(
    "any a an the too very really so much with in by from of starring featuring directed made film"
    " films movie movies"
    " anything something that is are has have its it stuff elements scenes style overly like kind with"
    " please"
    " de du des d la le les l un une avec en film films trop par"
    " de del la el los las un una con en pelicula peliculas muy que sea sean por"
    " は が を も の"
)
LIST_WORDS = words_of("or nor and & y o u e et ou ni plus や か と")
EITHER = words_of("or ou o u か")
EITHER_UNWANTED = words_of("or nor ni ou o u")  # "no vampires or zombies"
CONTRAST = words_of("but however though although except pero mais aunque cependant けど だけど でも")

# What follows is a film that the wanted one resembles. A verb ("I like comedies") has no title after it.
LIKE = Phrases(
    {
        "like | similar to | similar as | in the vein of | in the style of | in the spirit of"
        " | reminds me of"
        " | reminiscent of | remind me of | reminding of | more like | more films like"
        " | more movies like | much like"
        " | along the lines of | comparable to | same vibe as | same mood as | same feel as"
        " | same feeling as | vibe of"
        " | vibes of | feel of | spirit of | akin to | if i liked | if i loved | if i enjoyed"
        " | because i liked"
        " | because i loved | since i loved | i loved | i liked | i enjoyed | i adored | fans of"
        " | fan of | a la"
        " | version of"
        " | resembles | resembling | inspired by | close to | as good as | as scary as | as funny as"
        " | as beautiful as"
        " | as tense as | ones like | others like | kind of like | sort of like | just like | feels like"
        " | follow up to | cross between | mix of | what to watch after | after watching | alternatives to"
        " | alternative to": True,
        "comme | similaire à | semblable à | dans le genre de | dans le style de | dans la veine de"
        " | dans l'esprit de"
        " | qui ressemble à | ressemblant à | proche de | à la manière de | du même genre que"
        " | qui me rappelle"
        " | j'ai aimé | j'ai adoré | façon | si j'ai aimé": True,
        "como | similar a | similares a | parecida a | parecido a | parecidas a | parecidos a"
        " | al estilo de"
        " | en la línea de | del estilo de | tipo | me gustó | me encantó | que se parezca a"
        " | que me recuerde a": True,
    }
)
LIKE_BEFORE = Phrases(  # the film stands before
    {
        "のような | みたいな | に似た | に似ている | っぽい | 風の | 系の | みたいに | のように"
        " | が好き | が好きな人"
        " | ような": True,
        "esque | style | vibes | like | type": True,
    }
)
MEETS = words_of("meets meet crossed vs rencontre conoce")  # "Die Hard meets Home Alone"

BEFORE_A_PERSON = Phrases(
    {
        "by | with | starring | featuring | directed by | from director | from the director of"
        " | films of | movies of"
        " | written by | stars | star | actor | actress | director | filmmaker | cast | has | played by"
        " | produced by"
        " | scored by | composed by | everything by | and | or | anything with | films by | movies by"
        " | movies with"
        " | without | no | not": True,
        "de | par | avec | réalisé par | du réalisateur | sans | films de | acteur | actrice"
        " | réalisateur": True,
        "con | de | por | dirigida por | dirigidas por | del director | sin | películas de | actor"
        " | actriz": True,
    }
)
BEFORE_A_MISSPELT_PERSON = words_of(
    "by with starring featuring without par avec sans con por sin directed dirigida réalisé"
)
SURELY_BEFORE_A_PERSON = words_of("by starring featuring par réalisé dirigida")
AFTER_A_PERSON = words_of(
    "movie movies film films flick flicks picture pictures filmography role directed starring ones"
    " brothers sisters bros"
    " 監督 主演 出演 映画 作品 の"
)
ORDINARY_SURNAMES = words_of(  # in small letters these are words
    "young love day stone rock cage washington ford lee king queen knight hunter fox wolf bird rose"
    " brown black white"
    " green grey gray gold long short little small hill wood woods west east north bush field fields"
    " rivers river"
    " lake banks bridges church hall house court page cook baker carpenter smith miller fisher gardner"
    " gardener"
    " potter mason cooper taylor walker turner archer shepherd bishop pope marshall major price power"
    " powers grant"
    " hope faith joy grace bliss moon star sun winter winters summer spring snow frost rain storm"
    " waters waits fall"
    " may june august law hawk swan crow lamb bacon berry pepper rice cash good bad best wise swift"
    " savage sharp"
    " stark strong light bright foster hurt hunt lane street london paris france england holland"
    " ireland york chase"
    " lord duke prince noble man freeman close wild dance ball bell cross crown diamond dean glass gore"
    " hardy hart"
    " heart hood irons key keys kid moody moss nest pike pace pearl pond poor prey reed rush sand sands"
    " self shore"
    " silver singer sky sparks speed steel sterling stern temple torn tree valentine wall ward weaver"
    " wing wolfe"
    " wright driver dern hanks hell head hands hand body bond booth box boy boys girl child children"
    " christian"
    " city clay cold cool country craft cruise curry dark darling dear dream drew duff dunst early"
    " earth elder fish"
    " flame flowers flynn forest friend frank free french fry game garden gibson giant goldberg golden"
    " guest gun ham"
    " high hitch holiday holm horn horse howard hull ice iron jet jolly just kidder land last lawless"
    " leaf lock lone"
    " lost luck mark marsh martin master may meat mercy merchant mill mirren model money monk monroe"
    " monster moore"
    " mortal mother murder music neil nest new nice nightingale norm old olive page park parks parker"
    " past penny"
    " pickup piper place plan player plum port post pound pride quick quiet race rains ray red ride"
    " ring ripper road"
    " robot rogue roman root rough round row royal rule safe sage saint salt samurai sane school sea"
    " seal season"
    " second seed shade shadow shark ship shot silk simple slater sleep slow smart solo son song soul"
    " space spade spy"
    " staff stand state still stock straight strange stranger strife sweet table tall tale tears teller"
    " thing thorn"
    " time tower town train travel travers trial trouble true trust twin usher vale van vice victor"
    " view village vine"
    " violet virgin war warrior water way weapon week weird wells whale wheel wick wilde wilder will"
    " wind window wine"
    " winner witch woman wonder word work world worth yard year zombie chaplain marvel hero angel bell"
    " santa"
    " alley arch barber barker bass birch blank bloom blossom burns burr camp candy cannon castle crane"
    " crystal dash"
    " fell fleet flower gates graves heard hedges hung idle idol junior lean manners march meadows"
    " means miles"
    " milestone miner near petty pink porter quan rich robins rocket ruby sting strain warden weaving weld"
    " brand branch brave bridge broad bull butcher butler button cable cliff coast coach comet"
    " constable copper"
    " corn cotton count crash crook crouch curtain daily danger darkness dawn dealer devil doll dollar"
    " drake"
    " draper dust eagle east edge fairy farmer fate fielder finger fire flash flood fool force forge"
    " fountain fowler"
    " frame funk gable garland garner glover goose grave grey grove guard hammer harbor harvest haven"
    " hawke hazard hazel"
    " herald hermit hook hopper hunger island jewel joker judge keen keeper kind lambert lodge lover"
    " lovers maker"
    " mare maze merry midnight mist motley nail needle oak ocean orange page paper parish pastor peace"
    " peak pearce"
    " penguin piano pierce pilgrim pine pitcher plant pole polo prior quest rabbit radio raven reader"
    " rebel refuge"
    " reign rescue rider rivers roach rogers roof rookie sailor sergeant servant seven shield shine"
    " silence sinner"
    " skinner slaughter smoke snake soldier sorrow spark spear spencer spring stallion steward storm"
    " strong sugar"
    " summers sword tailor tanner thief thunder tiger tracker traveler treasure trouble vision wagner"
    " wander waters"
    " welcome whisper wishes wizard wolves"
    " blunt priest kitchen southern legend engineer maestro champagne hickey singleton ratner cocks"
)
ROLE_WORDS = words_of(  # characters that are called by what they are
    "young old man woman boy girl guy lady gentleman police officer cop detective inspector taxi driver"
    " doctor nurse"
    " mother father mom dad mum brother sister son daughter wife husband uncle aunt grandma grandpa"
    " grandmother"
    " grandfather boss chief captain commander general colonel major sergeant lieutenant private"
    " soldier president"
    " minister mayor judge lawyer priest nun teacher professor student scientist narrator host guest"
    " clerk waiter"
    " waitress bartender secretary killer thief gangster prisoner guard samurai ninja monk witch ghost"
    " vampire"
    " zombie alien robot android creature monster beast dog cat horse bear first second third other"
    " last fat tall thin"
    " blind mad crazy drunk lost baby kid child evil good bad dead mister mrs miss"
)
BESIDE_A_TITLE = words_of(  # which of several films of one title: "the original scarface"
    "original first second third new newer newest latest last old older remake remade version reboot"
    " full whole uncut extended remastered sequel originale nouveau nouvelle ancien primera nueva vieja"
)
# never misspelt names: `vocabulary` knows the words of every table here
TITLE_SAID = words_of("called titled named entitled movie film intitulé llamada titulada")
NOUN_PHRASE_ENDS = words_of(
    "in on at with about set of that who where for from by and or but avec con dans en の"
)
