"""Topics of charts: words for their parts, the measured quantity, and the range of its axis."""

import math
import random
from dataclasses import dataclass

from ircore.instances.targets.axes import round_numbers


@dataclass(frozen=True)
class Topic:
    """The subject of a chart.

    >>> pick_words(random.Random(1), Topic("Day", DAYS, "Visitors", (60, 150), is_sequence=True), 7)[:2]
    ['Mon', 'Tue']

    Attributes:
        name: Collective name of the parts, as on an axis.
        words: One per part; all begin with a capital or a digit, so that they line up.
        quantity: The measured quantity, as on the other axis.
        tops: Possible ends of the quantity's axis.
        is_sequence: Whether the words have an order, so that a line may join them and only neighbours are drawn.
    """

    name: str
    words: tuple[str, ...]
    quantity: str
    tops: tuple[float, ...]
    is_sequence: bool = False


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
YEARS = tuple(str(year) for year in range(2010, 2026))
LETTERS = tuple("ABCDEFGHIJKLMN")
AGES = ("0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80+")

TOPICS: tuple[Topic, ...] = (
    Topic("Month", MONTHS, "Rainfall (mm)", (80, 100, 120, 150), True),
    Topic("Month", MONTHS, "Temperature (°C)", (20, 25, 30, 40), True),
    Topic("Month", MONTHS, "Sales", (50, 200, 400, 1000), True),
    Topic("Day", DAYS, "Visitors", (60, 150, 250, 500), True),
    Topic("Day", DAYS, "Steps (thousands)", (10, 12, 15, 20), True),
    Topic("Year", YEARS, "Members", (80, 160, 300, 600), True),
    Topic("Year", YEARS, "Output (t)", (40, 120, 250, 800), True),
    Topic("Year", YEARS, "Price", (5, 8, 10, 16), True),
    Topic("Quarter", ("Q1", "Q2", "Q3", "Q4"), "Revenue", (20, 40, 60, 100), True),
    Topic("Week", tuple(str(week) for week in range(1, 15)), "Height (cm)", (30, 50, 80, 120), True),
    Topic("Hour", tuple(str(hour) for hour in range(6, 22)), "Cars", (60, 100, 150, 240), True),
    Topic("Age", AGES, "Persons", (40, 60, 100, 120), True),
    Topic("Group", LETTERS, "Value", (10, 20, 50, 100), False),
    Topic("Sample", LETTERS, "Mass (g)", (16, 25, 80, 200), False),
    Topic("Class", ("5a", "5b", "6a", "6b", "7a", "7b", "8a", "8b", "9a", "9b"), "Books read", (30, 60, 80), False),
    Topic(
        "Fruit", ("Apples", "Pears", "Plums", "Cherries", "Grapes", "Lemons", "Bananas", "Figs", "Melons", "Kiwis"),
        "Sold (kg)", (30, 50, 80, 120), False,
    ),
    Topic(
        "Subject", ("Maths", "Physics", "Biology", "History", "Art", "Music", "Sport", "French", "Latin", "English"),
        "Mean score", (10, 15, 20, 100), False,
    ),
    Topic(
        "Animal", ("Dog", "Cat", "Horse", "Rabbit", "Hamster", "Parrot", "Turtle", "Fish", "Mouse", "Goat"),
        "Count", (16, 20, 30, 40), False,
    ),
    Topic(
        "Transport", ("Bus", "Car", "Train", "Bicycle", "Tram", "On foot", "Ferry", "Scooter", "Metro"),
        "Pupils", (20, 40, 60, 120), False,
    ),
    Topic(
        "Source", ("Coal", "Gas", "Wind", "Solar", "Hydro", "Nuclear", "Biomass", "Oil", "Waste"),
        "Energy (TWh)", (40, 60, 100, 160), False,
    ),
    Topic(
        "Sport", ("Football", "Tennis", "Swimming", "Judo", "Running", "Cycling", "Chess", "Hockey", "Rowing"),
        "Players", (25, 40, 60, 80), False,
    ),
    Topic(
        "Country", ("Norway", "Spain", "Italy", "Poland", "Japan", "Chile", "Kenya", "India", "Canada", "Peru"),
        "Index", (10, 50, 100), False,
    ),
    Topic(
        "Budget", ("Rent", "Food", "Travel", "Clothes", "Savings", "Phone", "Leisure", "Health", "Gifts"),
        "Spent", (300, 500, 800), False,
    ),
    Topic(
        "Material", ("Paper", "Glass", "Metal", "Plastic", "Wood", "Textile", "Rubber", "Organic", "Ceramic"),
        "Mass (t)", (12, 30, 60), False,
    ),
)  # fmt: skip

SEQUENCES: tuple[Topic, ...] = tuple(topic for topic in TOPICS if topic.is_sequence)
KINDS: tuple[Topic, ...] = tuple(topic for topic in TOPICS if not topic.is_sequence)


def pick_words(rng: random.Random, topic: Topic, count: int) -> list[str]:
    """Draw the parts of a topic to show: neighbours if they have an order, else any, in any order."""
    if topic.is_sequence:
        first = rng.randint(0, len(topic.words) - count)
        return list(topic.words[first : first + count])
    # Letters and school classes have an order, too, and begin with the first.
    if topic.words[0] in ("A", "5a"):
        return list(topic.words[:count])
    return rng.sample(topic.words, count)


def round_step(top: float) -> float:
    """Return the step in which data on an axis that ends at ``top`` is given: 60–130 of them make the axis."""
    return min(step for step in round_numbers(top / 130, (1, 2, 5)) if step >= top / 130)


def round_top(most: float) -> float:
    """Return the round end of an axis a little above the largest value."""
    tops = round_numbers(most, (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
    return round(min(top for top in tops if top >= 1.04 * most), 9)


def draw_distinct_values(
    rng: random.Random, count: int, top: float, least: float = 0.12, most: float = 0.92
) -> list[float]:
    """Draw values that all differ, as data with few digits does.

    Args:
        rng: Random generator.
        count: Number of values.
        top: End of the values' axis.
        least: The smallest, as a share of ``top``.
        most: The largest, as a share of ``top``.
    """
    step = round_step(top)
    low, high = math.ceil(least * top / step), math.floor(most * top / step)
    numbers = rng.sample(range(low, high + 1), count)
    if max(numbers) < 0.8 * high:
        # Data fills its axis, or another would have been chosen.
        numbers[rng.randrange(count)] = rng.randint(math.ceil(0.8 * high), high)
    return [round(number * step, 9) for number in numbers]
