"""Words that tell of a special kind of data by themselves, and names of songs, places and things that have them and tell nothing.

What is told without such a word is found by the encoder (``Encoder.special``), which is also asked about the words that are said
of other things, too. To miss nothing counts here, not to be elegant: who says one of these words loses a reason of a preference at
most. Lists, not sentences: a word is here because it names a condition, a
creed, a party, a body or a child. Plain terms stand in special.txt, those that need their neighbours are patterns; a people, a
creed or a country tells of somebody only where somebody is said to be of it (``_IS``, ``_FROM``), and a house of worship surely
where somebody belongs to it (``_BELONGS``): as a landmark it tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from models.text import normal, spoken, words

TERMS = Path(__file__).with_name("special.txt")
SHORTEST = 3
"""Letters of a term with a star at least."""
WEAK = "weak"
"""The group of terms that tell a kind only with more than the word itself."""
TITLE = "title "
"""How a group begins whose words tell the kind behind it where they stand before a name ("father"), and nothing elsewhere."""
FIRST_NAMES = "first names"
"""The group of usual first names that are spelled as a term is."""


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(' '.join(parts).split())})\b".replace("_", " "))


WORDS: Mapping[str, re.Pattern[str]] = {
    "health": _any(
        r"""allerg(?:y|ies|ic) intoleran(?:t|ce) co?eliacs? gluten lactose diabet\w+ insulin asthma\w* arthritis rheuma\w*
        migraines?
        epilep\w+ seizures? cancer tumou?rs? chemo\w* radiation radiotherap\w+ dialysis dementia alzheimer\w* parkinson\w*
        autis\w+ adhd
        bipolar schizo\w+ depress(?:ed|ion|ive) antidepressants? anxiety panic_attacks? ptsd trauma\w* therap(?:y|ist|ists)
        psychiatr\w+
        psycholog\w+ counsell?ing burnout rehab relaps\w+ sober alcoholic\w* addict(?:ion)? overdose drugs? hiv aids hepatitis covid
        infect\w+ antibiotics? medic(?:ine|ines|ation|al|ations) tablets? pills? prescription pharmacy surg(?:ery|eon|eries)
        (?:my|our|his|her|an|the|hip|knee|heart|eye)_operations?
        operated hospital clinic doctors?_(?:appointment|says?|said|told|visit) (?:my|the|his|her|a)_doctor diagnos\w+ symptoms?
        disease disorder syndrome sclerosis
        crohn\w* colitis stoma bladder bowel\w* prostate kidneys? liver pacemaker
        heart_(?:attack|condition|disease|failure|problem|problems|surgery)
        (?:since|after|had|from)_(?:the|a|my|his|her)_stroke stroke_left blood_(?:pressure|sugar|test|thinners?) cholesterol
        pregnan\w+ ivf fertility miscarr\w+ abortion menopaus\w+
        contracepti\w+
        wheelchair disab(?:led|ility|ilities) handicap\w* crutch\w* walking_(?:stick|frame) prosthe\w+ amput\w+ paraly\w+
        hearing_aids? deaf blind_(?:in|on|since)
        vision_loss eyesight glaucoma cataracts? vertigo dizz(?:y|iness) faint(?:s|ed)? insomnia incontinen\w+ ulcers? reflux
        (?:bad|injured|broken|sore|aching|shot|ruined|weak)_(?:back|knees?|hips?|shoulders?|neck|leg|legs|ankle|heart|lungs?|eyes)


        (?:back|knees?|hips?|shoulders?|neck|joints?|legs?)_(?:pain|pains|problems?|injury|hurts?|ache\w*|replacement|are_shot|is_shot|are_bad|is_bad)
        backache sciatica
        physio\w* nurse_says test_results? biops\w+ benign malignant scan vaccin\w+ std syphilis weight_loss overweight obes\w+
        calories anorex\w+
        bulimi\w+ eating_disorder self_harm suicid\w+ sick_leave ill illness epipen peanuts? nut_free kilos stents? implants?
        teeth_out sperm vasectomy
        since_(?:the|my)_accident
        (?:can'?t|cannot|can_hardly|do_not|don't|hardly|barely)_(?:see|hear|walk|breathe|climb|bend)(?!_(?:the|a|this|it|my)\b)
        the_shakes withdrawal detox on_the_wagon off_the_drink hospice palliative carer caretaker care_home"""
    ),
    "belief": _any(
        r"""church(?!_(?:street|road|lane|square|hill)\b) mosque synagogue temple(?!_(?:street|road|bar|square|lane))
        chapel cathedral_choir
        mass(?=_(?:on|at|in|with|every|is|as)) holy_mass worship pray\w* prayers? sermon parish congregation priests? vicar pastor
        bishop imam rabbi monks? nuns?
        muslims? islam\w* jew(?:s|ish)? judaism christian\w* catholic\w* protestants? lutheran orthodox_church baptists?
        methodists? evangelical mormons? jehovah\w*
        hindus? hinduism buddhis\w+ sikhs? quakers? amish scientolog\w+ atheis\w* agnostic\w* pagan wicca
        religio(?:us|usly) (?:my|our|lost|his|her|of)_faith believer
        bible bar_mitzvah bat_mitzvah quran koran torah gospel_says scripture sabbath shabbat ramadan eid diwali hanukkah
        passover yom_kippur fasting
        halal kosher baptis\w+ baptiz\w+ confession communion confirmation_class pilgrimage mecca santiago hijab turban kippah
        headscarf crucifix rosary
        in_god in_any_god god_(?:has|is|was|will|bless\w*|guid\w*|told) jesus_(?:is|loves|saves) saviou?r holy_spirit
        convert(?:ed|s)?_to the_lord my_soul theolog\w+
        zakat sunday_school missionary creationis\w+ sect"""
    ),
    "politics": _any(
        r"""vot(?:e|es|ed|ing|er)_(?:for|against|green|labour|conservative|left|right|leave|remain|no|yes|liberal|democrat|republican|tory|again)
        vote(?=_(?:any|for|against))
        (?:to|never|always|don't|not|i|we|my|the_mayor_has_my)_vote running_for_(?:the|city|mayor|office|council|parliament)
        elections? ballot referendum candidate
        campaign(?!_road)(?:s|ed|ing)? canvass\w* politic(?:s|al|ians?) parliament(?!_(?:square|street))


        (?:my|our|the|green|labour|left|communist|social|right|a|political|liberal|conservative)_party(?=_(?:meeting|office|congress|line|member|leader|programme|in|is_in))
        (?:my|our)_party party_(?:office|congress|conference|member|membership|leader)


        (?:i|i'm|we|us|as|a|the|am|are|being)_(?:a_)?(?:democrats?|republicans?|conservatives?|liberals?|socialists?|communists?|anarchists?|nationalists?|libertarian|marxist|feminist|social_democrats?)
        communis(?:m|ts?) socialis(?:m|ts?) fascis\w+ nazis? anarchis\w+ marxis\w+ social_democrats?\w* tories tory greens
        labour_party pegida afd trump brexit maga biden
        (?:far|left|right)_(?:right|left|wing) demonstrat(?:ion|ions|ing|ors?) protest\w* rall(?:y|ies) marching
        march_(?:against|for) activis\w+ blockade
        petition signatures prime_minister chancellor president(?!_s) government mayor senator congress(?:man|woman)? minister\w*
        city_council town_council councill?or
        immigration_(?:has|must|should|is) migrants_should borders_(?:should|must) refugees_(?:should|must|coming) peace_movement
        climate_(?:strike|activists?) leaflets flyers_for
        membership_of_the greens? capitalism monarchy republic_now delegat\w+ donat\w+_to""".replace(
            "greens?", "the_greens"
        )
    ),
    "union": _any(
        r"""(?:trade|labour|labor)_unions?\w*

        (?:the|my|our|a|any|local|teachers'?|nurses'?|in|joined|join|joining|workers'?|rail|pilots'?)_unions?(?!_(?:square|street|station|jack|road|bar|tax))
        unioni[sz]\w*

        union_(?:meeting|rep|reps|representative|member|members|dues|card|hall|fees|lawyer|official|job|work|business|secretary|branch)
        trade_unionists? shop_stewards?
        works_council picket\w* on_strike strik(?:e|es|ing)_(?:fund|vote|ballot|tomorrow|again|on|from|at_work|action)
        (?:general|warning|the|a|our|wildcat)_strike industrial_action collective_(?:bargaining|agreement)
        walkout walk_out walk(?:ed|s)?_out_at
        organi[sz](?:e|es|ing)_(?:my|the|our)_(?:colleagues|workers|warehouse|workplace|plant|factory|staff) organises_the verdi
        ig_metall gdl unison teamsters? unite_union afl_cio tuc ver_di
        called_us_out may_day_march branch_secretary staff_council lock_?out_at"""
    ),
    "orientation": _any(
        r"""gay(?!_(?:street|talese)) lesbians? bisexual\w* bi_and homosexual\w* heterosexual\w* queer lgbt\w* trans
        transgender\w* transsexual\w* transition(?:ed|ing)? asexual pansexual non_?binary nonbinary intersex
        (?:came|come|coming|am)_out(?=_(?:to|as|last|at|of_the_closet)) closeted pride(?!_of) drag_(?:club|queen|show|king) grindr
        tinder same_sex two_(?:women|men|mums|moms|dads|brides|grooms) both_(?:women|men)
        we_(?:men|women) i_(?:only_)?dat(?:e|ed)_(?:men|women|guys|girls) sleep(?:s|ing)?_(?:with|around)
        into_(?:women|men|girls|guys|boys)
        (?:like|love|fancy|prefer|attracted_to)_(?:girls|boys|men|women|guys)(?!_songs)
        sex(?:ual|uality|_life|_shop)? porn\w* brothel hormones estrogen testosterone pronouns? open_relationship polyamor\w+
        swing(?:ers?|er_club) affair lover(?:s)? cheat(?:s|ed|ing)?_on mistress kink\w* fetish viagra
        my_transition crossdress\w*"""
    ),
    "origin": _any(
        r"""refugees? asylum immigrants? migrants? immigra\w+ deport\w+ residence_permit work_permit visa(?!_card) citizenship
        naturali[sz]\w+ (?:not|became|become|a)_(?:a_)?citizens? passport_of undocumented without_papers papers_from
        integration_course (?:we|i|they|family|parents)_fled fled_from boat_people ethnic\w* race racis\w+ racial mixed_race
        biracial skin_colou?r dark_skin\w* colou?r_of_my_skin people_of_colou?r person_of_colou?r


        (?:a|as|am|i'm|being|we|half|are|only|the_only)_(?:a_)?(?:black|brown|asian|african|arab|arabs|latina|latino|hispanic|indigenous|native_american|nigerian|turkish|kurdish|syrian|afghan|iraqi|iranian|pakistani|indian|chinese|japanese|korean|vietnamese|russian|russians|ukrainian|polish|romanian|roma|sinti|gypsy|jewish|navajo|aboriginal|maori|kurds?|turks?|albanian|serb\w*|bosnian|moroccan|algerian|somali\w*|eritrean|ethiopian|ghanaian|mexican|brazilian|cuban|persian|tamil)(?:_(?:man|woman|person|boy|girl|kid|guy|family|by|from|descent|origin|myself|and))
        (?:black|brown|asian|african|arab|latina?|indigenous|coloured|white)_(?:man|woman|kid|person|people|girl|guy|family)
        i'm_black

        (?:i|we)(?:_am|'m|'re|_are)_(?:half_\w+|black|arab|kurdish|roma|romani|sinti|latina|latino|hispanic|nigerian|turkish|syrian|navajo|indigenous|african)
        as_an?_(?:arab|immigrant|african|asian|foreigner|indian|turk|kurd|pole|russian|mexican|jew|black\w*)
        (?:of|turkish|arab|african|jewish|polish|indian|asian|\w+ish|\w+ian|\w+ese)_descent ancest\w+ my_roots roots_in my_people
        tribe sinti roma romani kurds? holocaust slaves slavery
        mother_tongue native_language dna_test heritage foreigner\w* born_in

        (?:parents|grandparents|family|mother|father|grandmother|grandfather)_(?:came|come|comes|emigrated|immigrated|fled|are|is|was|were)_from
        my_accent
        ethnicity tribal homeland back_home_in came_here_(?:from|without|as) from_home_country"""
    ),
    "children": _any(
        r"""(?:my|our|the|his|her|your|two|three|a|four|both|his_own|their|five|year_old)(?:_(?:teenage|little|youngest|oldest|eldest|older|younger|small|only|first|own))?_(?:kids?|child|children|son|sons|daughters?|baby|babies|toddlers?|infant|newborn|twins|triplets|boys?|girls?|teenager\w*|teens?|stepson|stepdaughter|stepchildren|stepkids)


        (?:kid|child|children|son|daughter|baby|kids|boy|girl|toddler|nephew|niece|grandson|granddaughter)'?s?(?=_(?:is|are|was|were|has|goes|have|school|class|teacher|birthday|in_the_back|name|sleeps|likes?|loves?))
        kids(?!_in_america|_is_a) children(?!_of_the_sun) kids' children's toddlers? newborn
        (?:my|our)_little_(?:one|girl|boy|ones|man|sister|brother) little_ones
        grand(?:son|sons|daughter|daughters|child|children|kids) (?:year_old|little|my|our)_(?:nephews?|nieces?)
        year_olds? years_old godchild\w* godson goddaughter foster\w* adopt(?:ed|ion|ing)? custody stepson stepdaughter
        kindergarten nursery(?!_rhyme_street) day_?care daycare preschool pre_school primary_school elementary_school
        (?:first|second|third|fourth|fifth|sixth|seventh|eighth)_grade(?:r|rs)?
        (?:to|from|at|after|for|his|her|their|kids|my|the_kids|school_run|in|starts?)_school
        school_(?:run|bus|trip|play|holidays|starts?) playdate
        child_(?:seat|benefit|support|minder|care|birth) childcare nanny babysitter au_pair youth_(?:office|welfare) pupils?
        classmates? bullied single_(?:mother|father|mum|mom|dad|parent) turns_(?:one|two|three|four|five|six|seven|eight|nine|ten)
        family_court diapers? nappies pram stroller breastfeed\w* football_practice day_nursery the_boys_from the_girls_from"""
    ),
}
"""Kind -> words."""

NAMES = re.compile(
    r"\b(?:losing my religion|black sabbath|like a prayer|sweet child o'? ?mine|baby got back|baby one more time|kids is a song|"
    r"kids in america|teenage kicks|"
    r"toy story|old school(?: hip hop)?|school of rock|school road|high school musical|child lock|child in time|god only knows|"
    r"jesus christ superstar|hallelujah by|"
    r"doctor who|the doctors|the cure|massive attack|church (?:street|road|lane|hill|square)|temple (?:bar|street|road)|"
    r"union (?:square|street|station|jack|road)|"
    r"(?:credit|western|european) union|union (?:76|seventy six)|(?:house|rock|birthday|christmas|dinner) party|party (?:music|"
    r"playlist|shop|songs?)|"
    r"house of commons|parliament (?:square|street)|campaign road|gay street|pride of|pride and prejudice|stroke of luck|"
    r"doctor of cars|"
    r"race (?:track|course|day|cars?|car)|born (?:to run|in the usa?)|visa card|by visa|with visa|radio (?:heart)|heart (?:radio|"
    r"fm)|"
    r"oil change at the doctor of cars|playground)\b"
)
"""Names and sayings that have such words and tell nothing of whoever says them. What else is said counts all the same."""


def without_names(text: str) -> str:
    """A text in its spoken form, without the names and sayings that tell nothing."""
    return " ".join(NAMES.sub(" ", spoken(text)).split())


_KIN = (
    r"(?:my|our|his|her|their) (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|fianc\w+|mother|mum|mom|father|dad|parents?|"
    r"grand\w+|family|families|people|folks|brother|sister|kids|children|son|daughter|uncle|aunt|in laws|name|roots)"
)
_SOMEBODY = rf"(?:i|we|he|she|they|{_KIN})"
_IS = re.compile(
    rf"\b(?:(?:{_SOMEBODY}(?:'m|'re|'s| am| are| is| was| were)|as|being|us|only|proud) (?:an? |the |all |both |also |only |"
    r"originally |really |proud |ethnic(?:ally)? |by birth )*(?:half |part |quarter )?|(?:half|part) )=(people|creed)"
    r"(?! (?:food|music|radio|restaurants?|cars?|cooking|cuisine|pop|songs?|dishes|places?|wine|beer|coffee|"
    r"leather|interior|seats?))\b"
)
"""Somebody is of a people or a creed; "=people" and "=creed" stand for their names."""
_FROM = re.compile(
    rf"\b(?:{_SOMEBODY}(?:'m|'re|'s)?(?: \w+){{0,3}}? (?:from|(?:grew up|grown up|born|raised|brought up|adopted|roots)(?: \w+)?"
    r" (?:in|to|from))|(?:came|come|comes|fled|originally|emigrated|immigrated|moved) (?:\w+ )?from|descended from) =country\b"
)
"""Somebody is from a country; "=country" stands for its name."""


_HOUSE = (
    r"(?:church(?:es)?|mosques?|masjid|synagogues?|shul|temples?|chapels?|gurdwaras?|cathedral|minster|abbey|monastery|convent|"
    r"kingdom hall)(?! (?:street|road|lane|square|hill|bar|meads|gardens?|farm|end|close|avenue|way|view|hotel|pub|inn)\b)"
)
"""A house of worship that is no street's name and no inn's."""
_GROUND = r"(?:(?:car )?parks?|parking(?: lots?| spaces?| spots?)?|lots?|driveways?)"
_OF_IT = (
    r"(?:keys?|(?:door |alarm |gate )?codes?|choirs?|rotas?|committees?|councils?|boards?|elders?|members?|membership|groups?|"
    r"meetings?|lessons?|class(?:es)?|camps?|retreats?|youth|services?|newsletters?|volunteers?|volunteering|donations?|"
    r"collections?|fund(?:s|raisers?)?|fetes?|bazaars?|bake sales?|lunch(?:es)?|breakfasts?|suppers?|picnics?|bus(?:es)?|"
    r"minibus(?:es)?|van)"
)
"""What whoever belongs to such a house has of it, or goes to there."""
_OWNS = r"(?:my|our|his|her|their)(?: (?:own|local|old|new|home|usual|regular|village|family|little))?"
_PLACE = r"(?:parking(?: (?:space|spot|place))?|(?:usual |own )?(?:space|spot|place|seat)|pew|locker|class|group|meeting|course)"
"""What one has, or goes to, at such a house."""
_GOES = r"(?:go|goes|going|went|drive|drives|driving|walk|walks|walking|head|heading|get|getting|come|coming|am|are|is|be|being)"
_OFTEN = (
    r"(?:every|each|weekly|daily|always|usually|often|regularly|mostly|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|"
    r"mornings|evenings|nights|once a (?:week|month)|twice a (?:week|month))"
)
_BELONGS = re.compile(
    rf"\b(?:{_OWNS} {_HOUSE}|{_OWNS} {_PLACE} (?:at|in) the {_HOUSE}|{_HOUSE}(?:'s)? {_OF_IT}|"
    rf"(?:keys?|codes?) (?:of|to|for|from) (?:the|an?|this|that) {_HOUSE}|"
    rf"(?<!take me )(?:at|in|to|from|after|before) {_HOUSE}(?= (?:and|so|at|in|on|by|with|every|this|today|tomorrow|tonight|i|we|"
    rf"is|starts?|before|after|for)\b|$)|"
    rf"{_GOES} (?:to|at|in) (?:the |an? )?{_HOUSE}(?=.*\b{_OFTEN}\b)|{_OFTEN}\b.*\b{_GOES} (?:to|at|in) (?:the |an? )?{_HOUSE})"
    r"(?!\w)"
)
"""Somebody belongs to a house of worship, has something of it, or goes there for what it is: it is no landmark then."""
_GROUNDS = re.compile(
    rf"(?<!\bto )(?<!into )(?<!\bin )(?<!\bat )(?<!\bby )(?<!near )(?<!behind )(?<!past )(?<!opposite )(?<!beside )(?<!from )"
    rf"(?<!through )(?<!outside )(?<!before )(?<!after )(?<!via )\b(?:the|a|this|that) {_HOUSE}(?:'s)? {_GROUND}\b"
)
"""The ground of such a house, where it is no place on a way."""

_SPELLED = re.compile(r"\b\w(?: \w){3,}\b")
"""A word that is spelled out."""


@cache
def _terms() -> tuple[Mapping[str, tuple[tuple[tuple[str, ...], bool, str], ...]], Mapping[str, str]]:
    """Each first word -> the words that may follow it, whether the last may go on, and the kind; and single beginnings -> kind."""
    kind, found, beginnings = "", dict[str, list[tuple[tuple[str, ...], bool, str]]](), dict[str, str]()
    for line in TERMS.read_text("utf-8").splitlines():
        if line.startswith("== "):
            kind = line.removeprefix("== ")
        elif line and not line.startswith("#") and kind not in (WEAK, FIRST_NAMES) and not kind.startswith(TITLE):
            first, *rest = line.removesuffix("*").split()
            if line.endswith("*") and not rest:
                beginnings[first] = kind
            else:
                found.setdefault(first, []).append((tuple(rest), line.endswith("*"), kind))
    return {first: tuple(those) for first, those in found.items()}, beginnings


def _told(said: list[str]) -> Iterator[tuple[int, int, str]]:
    """Where a term stands in these words: its first word, how many it has, and its kind."""
    terms, beginnings = _terms()
    longest = max(map(len, beginnings), default=0)
    for place, word in enumerate(said):
        for rest, goes_on, kind in terms.get(word, ()):
            there = said[place + 1 : place + 1 + len(rest)]
            if tuple(there) == rest or (
                goes_on
                and len(there) == len(rest)
                and tuple(there[:-1]) == rest[:-1]
                and there[-1].startswith(rest[-1])
            ):
                yield place, len(rest) + 1, kind
        for end in range(SHORTEST, min(len(word), longest) + 1):
            if word[:end] in beginnings:
                yield place, 1, beginnings[word[:end]]


@dataclass(frozen=True)
class Told:
    """The special kinds that single words of a text tell."""

    surely: frozenset[str]
    """By words that are said of nothing else."""
    maybe: frozenset[str]
    """By words that are also a building, a song, a saying or a piece of news: only with more than the word itself."""
    terms: tuple[str, ...]
    """All these words as they are said."""


def special_words(text: str) -> Told:
    """The special kinds that single words of a text tell."""
    plain = " ".join(re.sub(r"[^\w' ]", " ", NAMES.sub(" ", normal(text))).split())
    plain = _SPELLED.sub(lambda letters: letters.group().replace(" ", ""), plain)
    found = {(kind, match.group()) for kind, pattern in WORDS.items() for match in pattern.finditer(plain)}
    said, marked = plain.split(), plain.split()
    for place, length, kind in _told(said):
        if kind in WORDS:
            found.add((kind, " ".join(said[place : place + length])))
        else:  # the name of a people, a creed or a country
            marked[place : place + length] = [f"={kind}", *[""] * (length - 1)]
    told = " ".join(word for word in marked if word)
    surely = {kind for kind, term in found if not _weak().fullmatch(term)}
    surely |= {"belief" if match.group(1) == "creed" else "origin" for match in _IS.finditer(told)}
    if _FROM.search(told):
        surely.add("origin")
    if _BELONGS.search(plain) or _GROUNDS.search(plain):
        surely.add("belief")
    return Told(
        frozenset(surely), frozenset(kind for kind, _ in found) - surely, tuple(sorted({term for _, term in found}))
    )


@cache
def _weak() -> re.Pattern[str]:
    """Matches the terms that tell a kind and are also said of other things, with an article or without."""
    terms = "|".join(re.escape(line).replace(r"\*", r"\w*") for line in _group(WEAK))
    return re.compile(rf"(?:(?:a|an|the) )?(?:{terms})(?:'s|')?")


def told_by_name(name: str) -> frozenset[str]:
    """The special kinds that a name to be called by tells: "Imam Yusuf" does, and "Christian" does not.

    A usual first name at its beginning tells nothing. In all the rest every word counts, since a name has nothing else that could
    say what it means: so do the titles of a creed or an office before another word.
    """
    said = list(words(name))
    kinds = {titled for one in said[:-1] if (titled := _titles().get(one)) is not None}
    while said and said[0] in _first_names():
        del said[0]
    told = special_words(" ".join(said))
    return told.surely | told.maybe | kinds


@cache
def _group(name: str) -> tuple[str, ...]:
    """The lines of a group of special.txt."""
    lines = TERMS.read_text("utf-8").partition(f"== {name}\n")[2].partition("\n== ")[0].splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


@cache
def _titles() -> Mapping[str, str]:
    """Title -> the kind that it tells before a name."""
    return {title: kind for kind in WORDS for title in _group(f"{TITLE}{kind}")}


@cache
def _first_names() -> frozenset[str]:
    return frozenset(_group(FIRST_NAMES))
