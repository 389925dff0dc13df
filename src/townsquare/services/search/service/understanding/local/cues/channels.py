"""Which of the seven texts of a film a phrase is about. A text speaks of one thing, so must what is compared with it."""

from townsquare.services.search.models.films import Channel
from townsquare.services.search.service.understanding.local.phrases import Phrases

CHANNEL_CUES: Phrases[Channel] = Phrases(
    {
        # How it feels to watch.
        "sad | sadness | tearjerker | tear-jerker | tear jerker | cry | crying | makes me cry | make me cry | weep | sob"
        " | heartbreaking | heart-breaking | devastating | moving | touching | emotional | bittersweet | melancholic"
        " | melancholy | wistful | nostalgic | tender | gentle | cozy | cosy | comforting | comfort | soothing | calm"
        " | calming | relaxing | peaceful | meditative | slow-burn | slow burn | slow-burning | slow | slow-paced"
        " | fast-paced | fast paced | fast | tense | tension | nerve-racking | nerve-wracking | suspenseful | suspense"
        " | gripping | intense | edge of my seat | edge of your seat | thrilling | exciting | adrenaline | anxiety"
        " | anxiety-inducing | stressful | claustrophobic | paranoid | creepy | eerie | unsettling | unnerving | disturbing"
        " | scary | terrifying | frightening | spooky | dread | nightmarish | haunting | dreamy | dreamlike | dream-like"
        " | surreal | trippy | psychedelic | hypnotic | mind-bending | mind bending | mindfuck | mind-blowing | confusing"
        " | cerebral | thought-provoking | thought provoking | makes me think | make me think | weird | strange | bizarre"
        " | quirky | whimsical | charming | sweet | cute | wholesome | heartwarming | heart-warming | feel-good"
        " | feel good | feelgood | uplifting | inspiring | inspirational | hopeful | hope | joyful | happy | cheerful"
        " | light | lighthearted | light-hearted | fun | funny | hilarious | laugh | laughing | laugh out loud | witty"
        " | deadpan | absurd | silly | goofy | dark | bleak | grim | gritty | brutal | violent | gory | bloody"
        " | depressing | hopeless | cold | cool | stylish | sexy | sensual | steamy | erotic | romantic | lush | beautiful"
        " | gorgeous | visually stunning | atmospheric | moody | mood | rainy mood | lonely feeling | warm | cathartic"
        " | satisfying | epic | grand | sweeping | chaotic | wild | crazy | bonkers | campy | cheesy | over the top"
        " | raw | visceral | shocking | poetic | lyrical | quiet | contemplative | intimate | vibe | vibes | ominous"
        " | foreboding | magical | enchanting | smart | clever | intelligent | sincere | cynical | playful": "viewer_experience",
        "triste | tristes | fait pleurer | pleurer | émouvant | émouvante | bouleversant | touchant | doux | douce"
        " | lent | lente | tendu | tendue | angoissant | angoissante | effrayant | drôle | drôles | marrant | hilarant"
        " | sombre | noir et triste | onirique | poétique | mélancolique | apaisant | réconfortant | joyeux"
        " | léger | légère | étrange | bizarre | envoûtant | rêveur | haletant | qui fait du bien": "viewer_experience",
        "llorar | haga llorar | emotiva | conmovedora | tierna | lenta | tensa | inquietante | perturbadora"
        " | divertida | graciosa | oscura | onírica | poética | melancólica | relajante | reconfortante | alegre | ligera"
        " | extraña | rara | intensa | trepidante | inspiradora | esperanzadora | que me haga reír"
        " | escalofriante": "viewer_experience",
        "泣ける | 泣きたい | 感動 | 感動的 | 感動する | 切ない | 悲しい | 笑える | 怖い | 不気味 | 不気味な | 癒される | 癒し"
        " | ほっこり | 心温まる | 緊張 | 緊張感 | ハラハラ | ドキドキ | 暗い | 明るい | 美しい | 幻想的 | 夢のような | 静かな"
        " | 不思議な | 元気が出る | スリル | 考えさせられる | 楽しい | 温かい | 胸が熱くなる": "viewer_experience",
        # When, with whom, for whom.
        "date night | first date | on a date | rainy day | rainy afternoon | rainy sunday | rainy evening | rainy night"
        " | sunday | saturday night | friday night | weeknight | weekend | lazy afternoon | lazy sunday | sunday afternoon"
        " | sunday morning | late night | late at night | midnight | before bed | bedtime | after work | after a long day"
        " | after a bad day | hard day | long flight | plane | airplane | train ride | road trip | with friends"
        " | with my friends | with a friend | group of friends | with my mum | with my mom | with mum | with mom"
        " | with my mother | with my dad | with my father | with dad | with my parents | with parents | with my grandmother"
        " | with grandma | with my grandma | with my grandfather | with my grandparents | with my girlfriend"
        " | with my boyfriend | with my wife | with my husband | with my partner | with my sister | with my brother"
        " | with my family | with family | with the family | alone | watch alone | by myself | on my own | sleepover"
        " | slumber party | girls night | guys night | movie night | party | background | while cooking | while ironing"
        " | halloween | christmas | christmas eve | xmas | holiday season | holidays | thanksgiving | valentine's day"
        " | valentines | new year's eve | new year | summer evening | summer night | hot summer | winter evening"
        " | winter night | snow day | snowy | autumn | sick | sick day | home sick | in bed | flu | hangover | hungover"
        " | breakup | break-up | after a breakup | heartbreak | divorced | cheer me up | cheer up | when i'm sad"
        " | when i feel | when you feel | stressed | can't sleep | insomnia | homesick | to fall asleep | fall asleep to"
        " | for kids | for children | for the whole family | family friendly | for someone who | for people who"
        " | for a group | film class | film students | beginners | introduction to | first time | popcorn | big screen"
        " | home cinema | double bill | to impress | while drunk | drinking game | stoned | high | binge | marathon"
        " | lunch break | teenagers | teenager | my grandmother | grandmother | grandma": "watch_context",
        "soirée | en amoureux | dimanche | dimanche pluvieux | jour de pluie | entre amis | avec des amis | avec ma mère"
        " | avec mes parents | avec ma grand-mère | en famille | noël | pour noël | saint-valentin | après une rupture"
        " | pour se détendre | avant de dormir | pluvieux | soir d'hiver | soirée pyjama": "watch_context",
        "una tarde | tarde lluviosa | día lluvioso | domingo | noche de cita | en pareja | con amigos | con mis amigos"
        " | con mi madre | con mi abuela | con mis padres | en familia | navidad | san valentín | después de una ruptura"
        " | antes de dormir | una cita | para ver con": "watch_context",
        "デート | 雨の日 | 休日 | 日曜 | 週末 | 一人で | ひとりで | 友達と | 家族で | 彼女と | 彼氏と | 恋人と | クリスマス"
        " | ハロウィン | 寝る前 | 失恋 | 落ち込んだ | 疲れた | 夜に | 夏に | 冬に | 母と | 子供と": "watch_context",
        # How it is told.
        "told backwards | backwards | in reverse | reverse chronology | reverse order | nonlinear | non-linear"
        " | non linear | out of order | chronological | unreliable narrator | narrator | narrated | narration"
        " | voice-over | voiceover | voice over | one take | single take | one shot | single shot | long take | long takes"
        " | oner | one continuous | single location | one location | one room | single room | takes place in one"
        " | confined | bottle | real time | real-time | in one night | in one day | in a single day | single day"
        " | over one night | twist | twists | plot twist | plot twists | twist ending | surprise ending | shocking ending"
        " | big reveal | found footage | found-footage | mockumentary | mock documentary | fake documentary"
        " | black and white | black-and-white | monochrome | split screen | flashback | flashbacks | flash forward"
        " | anthology | episodic | vignettes | chapters | segments | fourth wall | ensemble | ensemble cast"
        " | multiple storylines | several storylines | interweaving | interwoven | intersecting | parallel stories"
        " | multiple perspectives | different perspectives | several points of view | point of view | pov"
        " | first person | no dialogue | without dialogue | little dialogue | almost no dialogue | wordless | dialogue-free"
        " | dialogue-heavy | dialogue driven | talky | handheld | hand-held | shaky cam | symmetrical | symmetry"
        " | color palette | colour palette | saturated | neon | wide shots | close-ups | tracking shots | camera"
        " | cinematography | editing | montage | slow motion | jump cuts | open ending | ambiguous ending | ambiguous"
        " | open-ended | cliffhanger | circular | frame story | framing device | story within a story | film within a film"
        " | movie within a movie | nested | meta | self-referential | genre-bending | genre-blending | time loop structure"
        " | repeats | same day over and over | told through | told from | told in | told as | told entirely"
        " | entirely on | structure | structured | storytelling | narrative | subjective | dual timeline | timelines"
        " | two timelines | stream of consciousness | minimalist | macguffin | rashomon effect | deus ex machina"
        " | screenlife | silent | intertitles | animated sequences | breaks the": "narrative_techniques",
        "à rebours | plan-séquence | plan séquence | narrateur | voix off | huis clos | noir et blanc | flashback"
        " | raconté | retournement | rebondissement | temps réel | sans dialogue | sans dialogues | chorale"
        " | film choral | non linéaire | caméra": "narrative_techniques",
        "contada al revés | al revés | plano secuencia | narrador | voz en off | blanco y negro | contada | giro"
        " | giro final | final sorprendente | tiempo real | sin diálogos | sin diálogo | no lineal | historias cruzadas"
        " | una sola localización": "narrative_techniques",
        "どんでん返し | 時系列 | 逆再生 | 伏線 | 伏線回収 | ワンカット | 長回し | 白黒 | モノクロ | 群像劇 | 密室 | 語り手"
        " | オムニバス | ワンシチュエーション | 回想": "narrative_techniques",
        # How it was made.
        "low budget | low-budget | no budget | shoestring | micro-budget | big budget | big-budget | expensive"
        " | most expensive | practical effects | special effects | visual effects | cgi | no cgi | stop motion"
        " | stop-motion | claymation | hand-drawn | hand drawn | rotoscoped | rotoscope | puppets | miniatures"
        " | animatronics | shot on | shot in | filmed in | filmed on | shot with | shot over | shot entirely | location"
        " | on location | iphone | 16mm | 35mm | 70mm | imax | technicolor | 3d | based on a novel | based on a book"
        " | based on the book | based on the novel | based on a true story | based on true events | based on real events"
        " | true story | true events | based on a comic | based on a play | based on a short story"
        " | based on a video game | adapted from | adaptation | adaptations | adaptation of | remake | remakes | remake of"
        " | reboot | sequel | prequel | soundtrack | score | film score | music by | composed by | debut"
        " | directorial debut | first film | final film | last film | indie | independent | independent film | improvised"
        " | non-professional | nonprofessional | amateur actors | real locations | stunts | stuntwork | real stunts"
        " | makeup | prosthetics | costumes | production design | troubled production | behind the scenes | method acting"
        " | lost weight for | gained weight | studio interference | b-movie | b movie | made for tv"
        " | female director | woman director | directed by a woman | women directors | dogme": "production",
        "petit budget | gros budget | tourné | tourné en | tourné à | tiré d'un roman | adapté d'un roman"
        " | adaptation d'un roman | histoire vraie | d'après une histoire vraie | effets spéciaux | bande originale"
        " | premier film | bande-son | indépendant": "production",
        "bajo presupuesto | gran presupuesto | rodada | rodada en | basada en una novela | basada en un libro"
        " | basada en hechos reales | hechos reales | historia real | efectos especiales | banda sonora | ópera prima"
        " | independiente": "production",
        "低予算 | 実話 | 実話に基づく | 原作 | 小説原作 | 漫画原作 | 撮影 | 特撮 | 音楽がいい | サントラ"
        " | ストップモーション": "production",
        # How it was taken.
        "cult | cult classic | cult film | cult following | controversial | controversy | banned | censored"
        " | scandal | scandalous | walked out | divisive | polarizing | polarising | love it or hate it | misunderstood"
        " | ahead of its time | initially panned | flopped | flop | box office | box-office | underrated | overrated"
        " | overlooked | forgotten | rediscovered | hidden gem | hidden gems | influential | groundbreaking | iconic"
        " | landmark | beloved | quoted | quotable | memes | oscar | oscars | academy award | academy awards | cannes"
        " | palme d'or | sundance | critics | critic | acclaimed | award-winning | award winning | so bad it's good"
        " | masterpiece | best picture | snubbed | razzie | highest-grossing | highest grossing | changed cinema"
        " | midnight movie | word of mouth | sleeper hit | audiences": "reception",
        "culte | film culte | controversé | scandale | censuré | interdit | oscar | césar | palme d'or | chef-d'œuvre"
        " | de culto | polémica | controvertida | censurada | prohibida | obra maestra | taquilla | fracaso"
        " | カルト | 問題作 | 賛否両論 | 上映禁止 | 名作 | 傑作": "reception",
        # What it is about below the plot.
        "grief | grieving | mourning | loneliness | lonely | isolation | alienation | identity | self-discovery"
        " | finding yourself | redemption | revenge | forgiveness | guilt | shame | obsession | ambition | jealousy"
        " | betrayal | corruption | greed | power | class | class struggle | inequality | poverty | racism | prejudice"
        " | discrimination | sexism | feminism | feminist | masculinity | toxic masculinity | gender | sexuality | lgbt"
        " | lgbtq | queer | coming of age | coming-of-age | growing up | adolescence | childhood | loss of innocence"
        " | innocence | aging | ageing | growing old | old age | mortality | death | dying | meaning of life | existential"
        " | existentialism | free will | fate | destiny | morality | moral dilemma | moral | ethics | justice | injustice"
        " | faith | religion | losing faith | doubt | truth | lies | memory | nostalgia | trauma | mental illness"
        " | depression | madness | addiction | alcoholism | motherhood | fatherhood | parenthood | father and son"
        " | father-son | mother and daughter | mother-daughter | sibling | siblings | brothers | sisters | friendship"
        " | unlikely friendship | first love | unrequited love | forbidden love | lost love | love and loss | marriage"
        " | divorce | infidelity | family ties | family secrets | dysfunctional family | found family | immigration"
        " | immigrant experience | belonging | exile | home | colonialism | capitalism | consumerism | bureaucracy"
        " | technology | artificial intelligence | surveillance | environment | climate | nature versus | war is"
        " | futility | sacrifice | courage | survival | hope and despair | freedom | conformity | rebellion | fame"
        " | art | artist | creativity | the american dream | american dream | themes | theme | themes of | explores"
        " | exploring | exploration of | meditation on | deals with | dealing with | about the nature of | commentary"
        " | social commentary | allegory | metaphor | human condition | humanity": "plot_analysis",
        "deuil | solitude | identité | vengeance | rédemption | culpabilité | amitié | jalousie | passage à l'âge adulte"
        " | enfance | vieillesse | la mort | mémoire | folie | racisme | lutte des classes | amour impossible"
        " | thème | famille dysfonctionnelle": "plot_analysis",
        "duelo | soledad | identidad | venganza | redención | culpa | amistad | celos | paso a la madurez | infancia"
        " | vejez | la muerte | memoria | locura | racismo | lucha de clases | amor imposible | temas"
        " | crítica social": "plot_analysis",
        "孤独 | 喪失 | 復讐 | 友情 | 成長 | 青春 | 家族の絆 | 絆 | 死 | 生きる意味 | 記憶 | 差別 | 格差 | 初恋 | 老い"
        " | 親子 | 愛と死 | テーマ": "plot_analysis",
        # What happens: signs that a plot is told.
        "about a | about an | about two | about the | about someone | in which | who | whose | where a | where the"
        " | when a | a man | a woman | a boy | a girl | a guy | a couple | a group | a family | two people | gets | must"
        " | tries to | trying to | falls in love | discovers | escapes | escape | murdered | murders | kidnapped"
        " | stranded | trapped | steals | heist | robbery | chase | plot | story of | set in | takes place in | takes place"
        " | lost in | travels | survives | hunted | hunts | investigates | becomes | turns into | wakes up | goes wrong"
        " | gone wrong | finds | befriends | fights | against": "plot_events",
        "qui raconte | l'histoire d'un | l'histoire d'une | un homme | une femme | un garçon | une fille | se passe"
        " | braquage | qui tombe | où un | où une | un hombre | una mujer | un niño | una niña | la historia de"
        " | que trata | trata de | atraco | ambientada en | sobre un | sobre una | 物語 | 話 | 舞台 | 男が | 女が"
        " | 少年 | 少女 | 主人公": "plot_events",
    }
)

OPPOSITES: Phrases[str] = Phrases(  # what who does not want the one would like: an encoder does not hear "not"
    {
        "sad | too sad | depressing | bleak | triste | déprimant | deprimente | 暗い | 悲しい": "uplifting, hopeful",
        "scary | frightening | spooky | creepy | terrifying | gory | gore | bloody | blood | violent | violence | brutal"
        " | disturbing | graphic | jump scares | jumpscares | too scary | effrayant | violento | violencia | 怖い": "gentle",
        "dark | too dark | serious | too serious | heavy | too heavy | grim": "light-hearted",
        "slow | too slow | boring | slow-paced | lent | aburrida": "fast-paced, gripping",
        "cheesy | sappy | sentimental | corny | silly | stupid": "smart, restrained",
        "predictable | cliche | clichéd": "surprising",
        "confusing | complicated | pretentious": "simple, straightforward",
        "stressful | intense | tense": "calm, relaxing",
        "long | too long": "",
        "swearing | sex | nudity | sex scenes": "wholesome",
    }
)
ABSENCES_THAT_TELL = Phrases(  # without them a film is of a kind: the words stay
    {
        "dialogue | dialogues | dialog | words | talking | speaking | speech | cuts | music | score | soundtrack | cgi | plot"
        " | villain | villains | happy ending | ending | budget | memory | hope | escape | way out | name | sleep | sound"
        " | actors | women | men | humans | people | dialogos | diálogos | narration | rules | money | future | return"
        " | mercy | one | trace | face | electricity | gravity | end": True
    }
)
