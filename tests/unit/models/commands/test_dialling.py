"""Telephone numbers as people say them, and orders to call one."""

from __future__ import annotations

from functools import cache

import pytest

from models.commands import dialling
from models.commands.matcher import TemplateMatcher
from models.text import spoken

matcher = cache(TemplateMatcher)


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        ("oh seven seven double zero nine hundred one two three", "07700900123"),
        ("0800 123 456", "0800123456"),
        ("+44 20 7946 0958", "+442079460958"),
        ("555 01 99", "5550199"),
        ("one eight hundred five five five oh one nine nine", "18005550199"),
        ("nineteen eighty four twenty two", "198422"),
        ("one hundred and twelve", "112"),
        ("one twelve", "112"),
        ("nine eleven", "911"),
        ("triple nine", "999"),
        ("four thousand five hundred and sixty seven", "4567"),
        ("five thousand and one", "5001"),
        ("two hundred five", "2005"),
    ],
)
def test_a_number_is_read_as_it_is_said(said: str, digits: str) -> None:
    (found,) = dialling.numbers(spoken(f"call {said}").split())
    assert found.digits == digits


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        ("can you ring 555 01 99 for me", "5550199"),
        ("give 0800 123 456 a call", "0800123456"),
        ("ring up oh two oh seven nine four six", "0207946"),
        ("please call nine one one quickly", "911"),
        ("i need you to dial 999", "999"),
        ("get me 911", "911"),
        ("call one hundred and twelve", "112"),
        ("he isn't breathing call 911", "911"),
        ("call 911 he isn't breathing", "911"),
        ("there's been a crash call 112 now please", "112"),
        ("call 110", "110"),
        ("can somebody please call a hundred and twelve", "112"),
        ("put me through to the police", "112"),
        ("send an ambulance right now", "112"),
        ("we need the fire brigade", "112"),
        ("somebody call the police", "112"),
        ("my husband collapsed send an ambulance", "112"),
        ("could somebody ring the police for me a man is following us", "112"),
        ("turn the radio down and then call an ambulance", "112"),
        ("please can you call the police for us", "112"),
        ("get an ambulance here", "112"),
        ("give nine nine nine a bell", "999"),
        ("dial five five five no wait five five six one two one two", "5561212"),
        ("call anna on 555 0199", "5550199"),
        ("ring the office on five five five one two three four", "5551234"),
    ],
)
def test_an_order_to_call_a_number_is_a_complete_command_in_any_order_of_words(said: str, digits: str) -> None:
    command = matcher().match(said)
    assert command is not None and (command.name, command.slots) == ("call_number", {"digits": digits})


@pytest.mark.parametrize(
    "said",
    [
        "tell mum to call 911",
        "should i call 911",
        "don't call 911",
        "did you call 911",
        "what happens when you call 911",
        "call 911 if i stop talking",
        "remind me to call 112 tomorrow",
        "dial it up to one hundred and ten",
        "turn the ring volume to 110",
        "i need 110 percent",
        "get me 110",
        "get me to 911 main street",
        "ring two hundred",
        "give me a ring at seven thirty",
        "if i pass out call an ambulance",
        "remind me at nine to call 112",
        "get the police album",
        "call the police station",
        "should we call the police",
        "tell my wife to call an ambulance",
        "play call the police",
        "the police called me yesterday",
        "i need the police to leave me alone",
        "get an ambulance when i say so",
        "call five guys",
        "my number is 0171 555 1234",
    ],
)
def test_other_sentences_with_numbers_call_nobody(said: str) -> None:
    command = matcher().match(said)
    assert command is None or command.name != "call_number"


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        ("tell mum to call 911", "911"),
        ("we need an ambulance right now", "112"),
        ("call for help", "112"),
        ("112 now", "112"),
        ("quick nine one one", "911"),
        ("we need help we've crashed", "112"),
        ("help we had an accident", "112"),
        ("i think i'm having a heart attack", "112"),
        ("he isn't breathing", "112"),
        ("my three month old isn't breathing", "112"),
        ("i heard a bang and he's unconscious", "112"),
        ("my nan had a heart attack ten years ago", ""),
        ("i need 110 percent", ""),
        ("call my mother", ""),
        ("what a lovely day", ""),
    ],
)
def test_a_sentence_that_may_ask_for_help_is_known(said: str, digits: str) -> None:
    assert dialling.help_wanted(spoken(said)) == digits


def test_a_telephone_number_is_no_liking() -> None:
    assert dialling.is_telephone(spoken("try 0171 555 123")) and not dialling.is_telephone("set it to twenty one")
