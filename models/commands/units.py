"""Words for units of measure, and what each measures. The only table of them there is."""

from __future__ import annotations

DIMENSIONS: dict[str, str] = {
    word: dimension
    for dimension, words in {
        "degrees": "degree degrees celsius centigrade fahrenheit kelvin kelvins",
        "share": "percent",
        "time": "millisecond milliseconds second seconds minute minutes hour hours day days week weeks fortnight fortnights "
        "month months year years",
        "length": "millimeter millimeters millimetre millimetres mil mils centimeter centimeters centimetre centimetres meter "
        "meters kilometer kilometers inch inches foot feet yard yards mile miles",
        "mass": "gram grams gramme grammes kilo kilos kilogram kilograms kilogramme kilogrammes ton tons tonne tonnes pound pounds "
        "ounce ounces stone",
        "volume": "milliliter milliliters millilitre millilitres liter liters litre litres pint pints gallon gallons cup cups",
        "money": "cent cents euro euros dollar dollars buck bucks quid pence penny pennies franc francs rupee rupees yen",
        "sound": "decibel decibels hertz kilohertz megahertz",
        "electricity": "volt volts amp amps ampere amperes watt watts kilowatt kilowatts ohm ohms",
        "light": "lumen lumens lux candela candelas",
        "pressure": "bar bars psi pascal pascals kilopascal kilopascals",
        "data": "byte bytes kilobyte kilobytes megabyte megabytes gigabyte gigabytes",
        "power": "horsepower newton newtons calorie calories joule joules",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Unit in its spoken form (`models.text.spoken`) -> what it measures."""
