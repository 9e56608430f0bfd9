"""What is asked of memory can be said in ten ways or more, each."""

from __future__ import annotations

import pytest

from models.commands.matcher import TemplateMatcher
from schemas.events import CommandKind
from voice.dialogue.memory.wishes import named, told

PHRASES: dict[tuple[str, tuple[tuple[str, object], ...]], str] = {
    ("remember_what", ()): """what do you remember about me | what do you know about me | what can you remember |
        what have you learned about me | what have you stored | please tell me what you know about me | what is in your memory |
        tell me everything you remember | do you know anything about me | list what you remember | what is stored about me""",
    ("remember_what", (("category", "music"),)): """what do you remember about music | what about music |
        what do you know about my music | what have you learned about my music | tell me what you know about my music |
        do you remember anything about music | what do you remember about my favourite music |
        what have you stored about music | do you know something about my music | what is stored about music""",
    ("remember_more", ()): """what else | what else do you remember | go on | tell me more | the rest please | and the others |
        read on please | is that all | is there more | tell me the rest | and what else do you know about me""",
    ("why_that", ()): """why did you choose that | why did you pick this one | why did you play that | why do you remember that |
        how do you know that | how did you know | where did you get that from | what makes you think that | who told you that |
        why that one | explain that please | how come | what's the reason for that | why did you suggest that""",
    ("when_said", ()): """when did i say that | when did i tell you that | when was that | when did you learn that |
        since when do you know that | how long have you known that | what day did i say that | how long ago did i say that |
        how long ago was that | did i say that today | when did i mention that""",
    ("remember_last", ()): """remember that | please remember that | yes keep that please | note that down |
        make a note of that | bear it in mind | you can keep that | i want you to remember that | don't forget that |
        but do keep that | that's worth remembering | put that in your notes | save that for me""",
    ("forget_last", ()): """forget that | delete that | erase that please | please forget that | forget what i just said |
        forget the last thing i said | don't remember that | do not keep that | strike that | scratch that |
        remove that from your memory | take that out of your memory | could you forget that please""",
    ("forget_category", (("category", "restaurant"),)): """forget everything about restaurants | forget all about restaurants |
        delete everything you know about restaurants | erase all you know about food | forget whatever you know about food |
        delete all my restaurant preferences | clear restaurants from your memory | i want you to forget restaurants |
        please forget what you know about restaurants | forget everything i said about restaurants |
        remove everything that you remember about my food | could you forget about restaurants please""",
    ("forget_period", (("period", "yesterday"),)): """forget what i said yesterday | forget everything i said yesterday |
        delete what i told you yesterday | erase everything you heard yesterday | forget all i told you yesterday |
        please forget what i said yesterday | forget everything from yesterday | clear yesterday from your memory |
        forget all of yesterday | remove what i said yesterday | can you forget what i have said yesterday""",
    ("forget_period", (("period", "today"),)): """forget what i said today | forget everything i told you today |
        delete what i said today | erase everything from today | forget all of today | please forget what i have said today |
        wipe today from your memory | forget whatever i said today | delete everything you heard today | forget all i said today""",
    ("forget_period", (("period", "trip"),)): """forget what i said on this trip | forget everything i said on this drive |
        delete what i told you on this trip | forget everything i said since we left | forget everything from this trip |
        erase what i said this trip | please forget what i said on this journey | forget all i said on this trip |
        forget everything you learned on this trip | clear this trip from your memory""",
    ("forget_everything", ()): """forget everything | forget everything you know about me | erase your memory | clear your memory |
        wipe your whole memory | delete all my memories | delete everything you know about me | forget all you know about me |
        forget it all | erase everything | please empty your memory | delete all preferences""",
    ("opt_out", (("category", "navigation_and_routing"),)): """stop remembering navigation | stop learning about navigation |
        don't remember anything about navigation | do not store things about navigation | never remember my navigation |
        turn off memory for navigation | keep navigation out of your memory | stop storing things about navigation |
        i don't want you to remember anything about navigation | no more learning about navigation |
        please stop remembering my navigation""",
    ("opt_in", (("category", "music"),)): """remember music again | remember my music again | start remembering music |
        start learning about music again | you may remember music | you can remember things about music again |
        turn on memory for music | i want you to remember music again | learn things about my music again |
        i allow you to remember music | please start remembering my music again""",
    ("keep_those", ()): """keep them | keep it | keep those please | keep what you have | keep all of them | they can stay |
        those may stay | leave them | don't delete them | please keep them | do not delete it""",
    ("delete_those", ()): """delete them | delete those | erase them please | forget them | remove them | delete it |
        get rid of them | please delete them all | those can go | delete all of them""",
    ("private_trip", (("on", True),)): """this is a private trip | start a private trip | make this a private drive |
        private mode on | turn on private mode | go to privacy mode | switch privacy mode on | private trip please |
        don't remember this trip | stop remembering things for now | begin a private journey""",
    ("private_trip", (("on", False),)): """end the private trip | stop this private trip | private mode off |
        turn off private mode | leave privacy mode | the private trip is over | this is no longer a private trip |
        switch private mode off |
        you may remember again | remember things again | start remembering things again | end private mode""",
    ("pause_learning", (("pause", "tomorrow"),)): """pause learning until tomorrow | stop learning until tomorrow |
        don't learn anything until tomorrow | please pause learning for today | no learning today |
        take a break from learning until tomorrow | pause your memory until tomorrow | do not remember anything until tomorrow |
        stop remembering things until tomorrow | pause remembering for the rest of the day""",
    ("pause_learning", (("pause", 60),)): """pause learning for an hour | stop learning for one hour |
        don't learn anything for the next hour | please pause your memory for an hour | no learning for an hour |
        take a break from remembering for an hour | stop remembering anything for an hour | pause remembering for an hour |
        do not remember things for an hour | can you pause learning for an hour""",
    ("resume_learning", ()): """resume learning | continue learning | start learning again | end the pause | learn again please |
        go on learning | carry on remembering | you may learn again | unpause learning | stop pausing your memory |
        the pause is over | turn on learning again""",
    ("guest_mode", (("on", True),)): """guest mode | guest mode on | turn on guest mode | switch to guest mode | i am a guest |
        i'm a guest here | a guest is driving | somebody else is driving today | treat me as a guest | start a guest session |
        i'm driving as a guest""",
    ("guest_mode", (("on", False),)): """guest mode off | end guest mode | turn off guest mode | leave guest mode |
        i am not a guest | i'm no longer a guest | the guest has left | end the guest session | i am back | it's me again |
        switch guest mode off""",
    ("export_data", ()): """export my data | export my memory | save my data to a file | download my data |
        i want a copy of my data | give me a copy of what you know about me | make me a copy of my memory |
        export everything you know about me |
        can i have my data | please write my data to a file | i would like my data""",
    ("delete_me", ()): """delete me | erase me completely | delete my profile | delete my account | remove me from this car |
        forget me | forget me completely | delete all my data | i want to be forgotten | wipe my profile | destroy my data |
        please remove me as a driver""",
    ("who_am_i", ()): """who am i | which driver am i | whose memory is this | whose profile is active | who is driving |
        am i a guest | do you know who i am | who are you talking to | which profile is this | who do you think i am""",
    ("switch_driver", (("driver", 2),)): """i am driver two | i'm the second driver | this is driver two | it's driver two |
        switch to driver two | change to the second driver | use the profile of driver two | driver two is driving |
        please switch to the second driver | load the memory of driver two""",
    ("introduce", ()): """get to know me | would you like to get to know me | do you want to get to know me better |
        please get to know me | let's get acquainted | we should get to know each other | ask me how i want to be spoken to |
        ask me how i like to be addressed | let me introduce myself | i would like to introduce myself | ask me your questions""",
    ("manner", (("length", "brief"),)): """be brief | please be concise | keep your answers short | keep it short from now on |
        give me shorter answers please | talk less | please say less from now on | you talk too much | you say too much |
        your answers are too long | make your replies shorter""",
    ("manner", (("length", "full"),)): """be chatty | be more talkative | please be a bit more chatty | give me longer answers |
        give me more detailed replies | talk more | speak more to me | please talk more from now on | your answers are too short |
        could you give me longer replies please""",
    ("manner", (("length", "normal"),)): """talk normally | talk normally again | please speak normally | answer normally again |
        speak as before | talk as you did before | can you talk normally again | answer as you did before please |
        please talk as before | would you speak normally again please""",
    ("suggestions", (("on", False),)): """don't suggest anything any more | never suggest anything to me again |
        stop making suggestions | stop suggesting things | no more suggestions please | turn off suggestions |
        switch off your suggestions | i don't want any suggestions | i don't want your recommendations |
        keep your suggestions to yourself | please do not recommend anything again""",
    ("suggestions", (("on", True),)): """you may suggest things again | you can make suggestions again | turn on suggestions |
        switch on your suggestions again | you may recommend something to me | you can suggest something again |
        start making suggestions again | go back to suggesting things | please turn on the suggestions again |
        you may make suggestions""",
    ("review", (("period", "today"),)): """what did you learn today | what have you learned about me today |
        what have you learnt today | what did you remember today | what is new in your memory today |
        what was new in the memory today | what did you learn new today | tell me what you learned about me today |
        please tell me what you have learnt today | what changed in your memory today | what has changed in your memory today""",
    ("take_back", (("place", 2),)): """undo the second | undo the second one | please undo the second one | undo number two |
        take back the second one | take back number two | revert the second | revert number two please |
        can you take back the second | could you undo number two please""",
}  # fmt: skip
CASES = [
    (name, slots, text.strip())
    for (name, slots), texts in PHRASES.items()
    for text in " ".join(texts.split()).split("|")
]


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher()


@pytest.mark.parametrize("key", PHRASES, ids=lambda key: f"{key[0]}-{'-'.join(str(v) for _, v in key[1])}")
def test_ten_ways(matcher: TemplateMatcher, key: tuple[str, tuple[tuple[str, object], ...]]) -> None:
    texts = [text for name, slots, text in CASES if (name, slots) == key]
    assert len(set(texts)) >= 10
    for text in texts:
        command = matcher.match(text)
        assert command is not None, text
        assert (command.kind, command.name, tuple(command.slots.items())) == (CommandKind.MEMORY, *key), text


def test_every_command_of_memory_is_tried(matcher: TemplateMatcher) -> None:
    kinds = {t.intent for t in matcher.templates.templates if t.kind is CommandKind.MEMORY}
    assert kinds == {name for name, _, _ in CASES} | {"pick"}


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("remember that i like jazz", "i like jazz"),
        ("Remember that I like jazz.", "i like jazz"),
        ("please remember i like it warm", "i like it warm"),
        ("can you remember that my favourite cuisine is thai", "my favourite cuisine is thai"),
        ("could you please remember that we like italian food", "we like italian food"),
        ("note that i always take the quickest route", "i always take the quickest route"),
        ("keep in mind that i hate traffic", "i hate traffic"),
        ("don't forget that i'm vegetarian", "i'm vegetarian"),
        ("make a note that i fill up at shell", "i fill up at shell"),
        ("never forget that i can't stand techno", "i can't stand techno"),
        ("i want you to remember that i like blue light", "i like blue light"),
        ("would you remember that i’d rather park in a garage", "i'd rather park in a garage"),
        ("remember to call my mother", None),
        ("do you remember that i like jazz", None),
        ("remember that", None),
        ("i remember that i like jazz", None),
        ("remember that day in june", None),
    ],
)
def test_what_is_to_be_remembered(text: str, wish: str | None) -> None:
    assert told(text) == wish


@pytest.mark.parametrize(
    ("text", "driver"),
    [
        ("i am ada", "ada"),
        ("I'm Grace.", "grace"),
        ("this is grace", "grace"),
        ("hello this is ada speaking", "ada"),
        ("it's ada", "ada"),
        ("my name is ada", "ada"),
        ("switch to grace", "grace"),
        ("switch the driver to ada", "ada"),
        ("ada is driving", "ada"),
        ("use the profile of grace", "grace"),
        ("change to ada please", "ada"),
        ("open ada's memory", None),
        ("i am hungry", None),
        ("this is mallory", None),
        ("switch to jazz", None),
        ("i am ada's sister", None),
        ("i am ada and grace", None),
    ],
)
def test_who_says_to_be_whom(text: str, driver: str | None) -> None:
    assert named(text, ("ada", "grace")) == driver
