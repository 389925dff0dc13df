"""Idioms, and the plain words for them that a text about a film would use.

An encoder hears a seat in "edge of my seat" and a hug in "feels like a hug". Idioms of other languages are
here too, since the texts are in English.
"""

from typing import NamedTuple

from townsquare.services.search.models.films import Channel
from townsquare.services.search.service.understanding.local.phrases import Phrases


class Paraphrase(NamedTuple):
    channel: Channel
    text: str


def mood(text: str) -> Paraphrase:
    return Paraphrase("viewer_experience", text)


def occasion(text: str) -> Paraphrase:
    return Paraphrase("watch_context", text)


def telling(text: str) -> Paraphrase:
    return Paraphrase("narrative_techniques", text)


def theme(text: str) -> Paraphrase:
    return Paraphrase("plot_analysis", text)


PARAPHRASES: Phrases[Paraphrase] = Phrases(
    {
        # how it feels
        "edge of my seat | edge of your seat | edge of the seat | on edge | nail biter"
        " | nail-biter | nail biting"
        " | nail-biting | heart pounding | heart-pounding | white knuckle | white-knuckle | can't look away"
        " | haletant | haletante | qui tient en haleine | que no te deja respirar | trepidante"
        " | ハラハラ | ハラハラする | 手に汗握る": mood("tense, suspenseful, nerve-racking"),
        "good cry | have a cry | makes me cry | make me cry | makes you cry | made me cry | make me sob | sob"
        " | bawl | bring tissues | tissues | weepie | ugly cry | tearjerker | tear jerker | tear-jerker"
        " | qui fait pleurer | fait pleurer | pour pleurer | para llorar | que haga llorar | haga llorar"
        " | 泣ける | 泣きたい | 号泣": mood("heartbreaking, deeply moving, tears"),
        "feels like a hug | like a hug | warm hug | warm and fuzzy | warm inside"
        " | warm my heart | warms the heart"
        " | comfort movie | comfort film | cosy | cozy | wholesome | réconfortant | réconfortante"
        " | qui fait du bien | reconfortante | ほっこり | ほっこりする | 癒される | 心温まる": mood(
            "warm, gentle, tender, comforting"
        ),
        "feel good | feel-good | feelgood | pick me up | pick-me-up | lift my spirits | lifts my spirits"
        " | good mood | cheer me up | cheers me up | leave me smiling | makes me smile | put a smile"
        " | de bonne humeur | que levante el ánimo | que me anime | 元気が出る | 元気になれる": mood(
            "uplifting, joyful, warm, delightful"
        ),
        "mind bending | mind-bending | mind blowing | mind-blowing | mind fuck | mindfuck | mess with my head"
        " | messes with your head | brain melting | trippy | what is real": mood(
            "disorienting, puzzling, reality bends"
        ),
        "laugh out loud | laugh my head off | belly laughs | belly laugh | crack me up | cracks me up"
        " | laugh till i cry | make me laugh | makes me laugh | rire aux éclats"
        " | à mourir de rire | mourir de rire"
        " | morirse de risa | para reír | que me haga reír | 爆笑 | 大笑い": mood(
            "hilarious, gags, big laughs"
        ),
        "gut punch | gut-punch | punch in the gut | emotionally destroy | destroy me | wreck me"
        " | soul crushing"
        " | soul-crushing": mood("devastating, crushing, bleak"),
        "under your skin | under my skin | keep me up at night | creeps me out | creep me out | goosebumps"
        " | donne des frissons": mood("deeply unsettling, creeping dread"),
        "on the run of adrenaline | nonstop | non-stop | non stop | full throttle | pedal to the metal"
        " | adrenaline rush": mood("breathless, relentless action, exhilarating"),
        "never giving up | never give up | don't give up | not giving up | against all odds"
        " | against the odds"
        " | motivate me | motivated | motivational | inspiring | inspirational | inspirante | inspiradora"
        " | motivadora": mood("inspiring triumph, perseverance, rousing"),
        "swashbuckling | derring-do": mood("rousing adventure, sword fights, dashing fun"),
        "turn my brain off | turn off my brain | switch my brain off | switch off my brain | brain off"
        " | mindless fun | popcorn flick | popcorn movie": mood("easy entertainment, spectacle, loud fun"),
        "keeps me guessing | keep me guessing | keeps you guessing | didn't see it coming": mood(
            "mysterious, twisty, surprising"
        ),
        # when and with whom
        "with the lads | with the boys | with the guys | lads night | boys night | guys night | with my mates"
        " | with mates | beers | and beer": occasion("with friends and beer, rowdy, action or broad comedy"),
        "girls night | girls' night | ladies night | with the girls | with my girlfriends"
        " | soirée entre filles | noche de chicas": occasion(
            "girls' night, female friends, wine, romance, comedy"
        ),
        "entre amis | avec des amis | con amigos | con mis amigos | 友達と": occasion(
            "with friends, fun for a group"
        ),
        "en amoureux | en pareja | noche de cita | デート": occasion("date night, couples, romantic"),
        "en famille | en familia | 家族で | 家族みんなで": occasion("the whole family, all ages"),
        # how it is told
        "one take | single take | one shot | single shot | one long take | long take | long takes | oner"
        " | unbroken take | unbroken takes | continuous take | unbroken shot | continuous shot | without cuts"
        " | no cuts | plan-séquence | plan séquence | plano secuencia | ワンカット | 長回し": telling(
            "one continuous unbroken shot, seemingly a single take"
        ),
        "is sung | are sung | all sung | sung through | sung-through": telling(
            "sung throughout, all dialogue is sung, musical"
        ),
        "dead narrator | narrated by a dead | narrator is dead | narrated from beyond the grave"
        " | by a dead man"
        " | from beyond the grave": telling("narrated in voice-over by a dead man"),
        "talks to the camera | talking to the camera | speaks to the camera | looks at the camera"
        " | addresses the audience | fourth wall | cuarta pared | quatrième mur": telling(
            "breaks the fourth wall, speaks to the camera"
        ),
        "told backwards | in reverse | backwards | à rebours | al revés | contada al revés": telling(
            "in reverse order"
        ),
        "out of order | jumbled timeline | non linéaire | no lineal | 時系列": telling(
            "non-linear, scenes out of order"
        ),
        "huis clos | une seule pièce | un solo lugar | una sola localización | 密室"
        " | ワンシチュエーション": telling("confined to a single location"),
        "どんでん返し | retournement final | giro final | final sorprendente | big twist"
        " | crazy twist": telling("a twist ending that changes everything"),
        # what it is about
        "growing old | getting old | grow old | old age | vieillir | vieillesse | envejecer"
        " | vejez | 老い": theme("ageing, old age, mortality"),
        "don't end up together | not end up together | doesn't work out | never get together"
        " | love that fails"
        " | lost love | 悲恋 | amour impossible | amor imposible": theme(
            "lovers who part, love that cannot last"
        ),
        "passage à l'âge adulte | paso a la madurez | 青春": theme("coming of age"),
        "lutte des classes | lucha de clases | 格差": theme("class conflict, rich and poor"),
        "復讐 | vengeance | venganza": theme("revenge"),
        "孤独 | solitude | soledad": theme("loneliness"),
        "友情 | amitié | amistad": theme("friendship"),
        "deuil | duelo | 喪失": theme("grief, loss"),
    }
)
