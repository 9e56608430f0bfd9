"""Words that tell of a special kind of data by themselves: a house of worship as a landmark, and as what somebody belongs to."""

from __future__ import annotations

import pytest

from models.special import special_words


@pytest.mark.parametrize(
    "text",
    [
        "the synagogue keys are in the glovebox",
        "the mosque car park closes at ten",
        "my church parking is at the back",
        "our local temple is on elm road",
        "i have the keys of the chapel",
        "my space at the cathedral is number four",
        "the temple fundraiser is on saturday",
        "i listen to the radio on the way to church",
        "i go to the mosque on fridays",
        "every morning i drive to the gurdwara",
    ],
)
def test_whoever_belongs_to_a_house_of_worship_tells_a_belief(text: str) -> None:
    assert "belief" in special_words(text).surely


@pytest.mark.parametrize(
    "text",
    [
        "turn left at the church",
        "drive to the cathedral",
        "i parked next to the church",
        "st paul's station",
        "drive to the church car park",
        "the car park by the chapel closes at ten",
        "i always turn left at the church",
        "we drive past the cathedral every morning",
        "my flat is on church street",
        "my chapel street flat",
        "i stay at the abbey hotel every friday",
        "take me to church",
    ],
)
def test_as_a_landmark_it_tells_nothing_surely(text: str) -> None:
    assert not special_words(text).surely
