"""Who was named, and whom "him" and "her" mean after it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from models.commands.matcher import TemplateMatcher
from models.commands.templates import load_templates
from tests.dialogues import Rig
from voice.dialogue.knowing.named import Person, meant, named, names, referred, with_last
from voice.dialogue.recent import NAMED

ROHAN, MARIA, ANNA = Person("Rohan"), Person("Maria"), Person("Anna")
TOM = Person("Tom", "him")


@pytest.fixture(scope="module")
def matcher() -> TemplateMatcher:
    return TemplateMatcher(load_templates())


@pytest.fixture
def rig(matcher: TemplateMatcher) -> Rig:
    rig = Rig(matcher)
    rig.vehicle.answers["call_contact"] = {}
    return rig


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("tell Rohan I'm late", (ROHAN,)),
        ("Tell Rohan I'm late.", (ROHAN,)),
        ("tell rohan i'm late", (Person("rohan"),)),
        ("let rohan know that i'm late", (Person("rohan"),)),
        ("remind me to ask Anna about the keys", (ANNA,)),
        ("my brother Tom has moved to York", (TOM,)),
        ("my brother tom has moved to york", (Person("tom", "him"),)),
        ("My sister is called Ella.", (Person("Ella", "her"),)),
        ("my friends Maria and Anna live in Leeds", (MARIA, ANNA)),
        ("my boss is waiting for me", (Person("my boss"),)),
        ("mum's car is red", (Person("mum", "her"),)),
        ("Tom is coming for dinner on Friday", (Person("Tom"),)),
        ("I'm meeting Anna Berg at the Hilton", (Person("Anna Berg"),)),
        ("I talked to Anna. Anna Berg is well.", (Person("Anna Berg"),)),
        ("Turn on the heating", ()),
        ("Set the temperature to 21", ()),
        ("we drove through Leeds on Monday", ()),
        ("tell me a joke", ()),
        ("call off the timer", ()),
        ("Your doctor's appointment is at nine.", (Person("my doctor"),)),
    ],
)
def test_names_are_found_by_what_stands_around_them(text: str, people: tuple[Person, ...]) -> None:
    assert named(text) == people


def test_a_pronoun_means_those_who_were_named_last_and_whom_it_fits() -> None:
    people = with_last(with_last((), (ANNA,)), (TOM,))
    assert meant("him", people) == (TOM,)
    assert meant("her", people) == (ANNA,)
    assert meant("them", people) == (TOM,)
    assert meant("her", with_last(people, (MARIA, ANNA))) == (MARIA, ANNA)
    assert with_last(people, ()) == people
    assert meant("him", ()) == ()


def test_what_was_read_as_a_person_is_a_name_or_refers_to_one() -> None:
    assert referred("him", "then call him") == ("him", "then call ")
    assert referred("anna", "give her a bell") == ("her", "give ")
    assert referred("anna", "call anna, she is waiting") == ("", "")
    assert referred("tomas", "call mr ilic") == ("", "")
    assert names("anna and my sister") == ("anna", "my sister")
    assert names("him") == ()


@pytest.mark.parametrize(
    ("before", "acts"),
    [
        ("tell rohan i'm late", "cannot(topic=messages)"),
        ("remind me to ask rohan about the keys in an hour", "set_reminder(what=ask rohan about the keys,minutes=60)"),
        ("i was late and had to call rohan", "chat()"),
        ("my brother rohan has moved to york", "tell()"),
        ("what number has rohan got", "get_contact(person=rohan)"),
    ],
)
def test_whoever_was_named_last_is_called(rig: Rig, before: str, acts: str) -> None:
    rig.vehicle.answers["set_reminder"] = {"what": "ask rohan", "label": "ask rohan", "seconds": 600, "at": "17:15"}
    rig.vehicle.answers["get_contact"] = {"part": "phone", "value": "123", "name": "Rohan"}
    rig.say("call up anna then", "call_contact(person=anna)")
    rig.say(before, acts)
    rig.say("do ring him up then", "call_contact(person=him)")
    called = [action.slots()["person"] for action in rig.vehicle.done if action.name == "call_contact"]
    assert [person.lower() for person in called] == ["anna", "rohan"]


def test_of_several_who_were_named_one_is_asked_for(rig: Rig) -> None:
    rig.parser.knows["my friends maria and anna live in leeds"] = "tell()", 0.95
    rig.say("my friends Maria and Anna live in Leeds")
    assert rig.say("then give her a bell", "call_contact(person=her)").text == "Which one do you mean: Maria or Anna?"
    rig.say("the second one")
    assert rig.done == ["call_contact(person=Anna)"]


def test_whom_only_the_assistant_named_and_nobody_called_was_not_named(rig: Rig) -> None:
    rig.say("tell rohan i'm late", "cannot(topic=messages)")
    rig.say("my mum has a new flat", "tell()")
    assert rig.say("give him a bell", "call_contact(person=him)").text == "Shall I call rohan?"
    rig.say("no")
    assert rig.say("give her a bell", "call_contact(person=her)").text == "Shall I call your mum?"


def test_where_nobody_was_named_it_is_asked_who_is_meant(rig: Rig) -> None:
    assert rig.say("call him", "call_contact(person=him)").text == "Whom shall I call?"
    rig.say("anna please", "call_contact(person=anna)")
    assert rig.done == ["call_contact(person=anna)"]


def test_an_order_names_nobody_and_a_name_is_forgotten_in_time(rig: Rig) -> None:
    rig.say("i was late and had to call rohan", "chat()")
    rig.say("play something by Anna", "play_music(artist=anna)")
    rig.say("do ring him up then", "call_contact(person=him)")
    assert rig.done[-1] == "call_contact(person=rohan)"
    rig.now += NAMED + timedelta(seconds=1)
    assert rig.say("do ring him up then", "call_contact(person=him)").text == "Whom shall I call?"
