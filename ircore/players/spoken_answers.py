r"""What models say: thoughts before an answer, and which of the offered choices words are.

Servers with a parser for the model keep thoughts, and boxes around the answer, out of the answer. Others pass on what
the model wrote:

===============================================  ======================================================
``<think>…</think>``, ``[THINK]…[/THINK]``, …    any of ``NAMES`` in any kind of brackets, with bars or a prefix
``<|begin_of_thought|>…<|end_of_thought|>``      the same with words for begin and end (OpenThinker, Cohere)
``…</think>``                                    the template opened the thought (DeepSeek, Qwen)
``<|channel|>analysis<|message|>…``              channels, of which ``final`` is the answer (gpt-oss)
``<|channel>thought…<channel|>``                 Gemma; ``<unused94>thought…<unused95>`` MedGemma
``Here is my thought process: …``                Granite, up to ``Here is my response:``
``<details type="reasoning">``, ```` ```thinking ````  programs between a model and its reader
``<|begin_of_box|>…<|end_of_box|>``, ``\boxed{}``   the answer itself, in a box (GLM)
===============================================  ======================================================
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ircore.players.base import Question

NAMES = (
    "thinking", "think", "thoughts", "thought", "reasoning_content", "reasoning", "reason", "reflection", "analysis",
    "scratchpad", "rationale", "chain_of_thought", "cot", "inner_monologue", "inner_thoughts", "monologue",
    "deliberation", "思考", "思维", "推理",
)  # fmt: skip
"""Names of tags around thoughts."""

MOST_BLOCKS = 100
"""Thoughts in a row that are left out."""

_OPEN, _CLOSE = r"(?:[<\[{(◁【«‹＜〈⟨]|&lt;)", r"(?:[>\]})▷】»›＞〉⟩]|&gt;)"
_GAP = r"[_▁ -]?"
_NAME = "|".join(name.replace("_", _GAP) for name in NAMES)
_TAG = re.compile(
    rf"{_OPEN}{{1,2}}[|｜]?(?:(?P<end>/|end(?:{_GAP}of)?{_GAP})|(?:begin|start)(?:{_GAP}of)?{_GAP})?[|｜]?(?:[a-z]{{1,12}}:)?"
    rf"(?P<name>{_NAME})(?P<after>{_GAP}end)?(?:{_GAP}(?:begin|start))?(?:\s[^<>\[\]\n]{{0,200}})?[|｜]?{_CLOSE}{{1,2}}",
    re.IGNORECASE,
)
_PAIRS = tuple(
    (re.compile(rf"\s*{opening}", re.IGNORECASE), re.compile(closing, re.IGNORECASE))
    for opening, closing in (
        (r"<think(?:ing)?\s*/>", r""),
        (r"<\|channel>\s*(?!final)\w+", r"<channel\|>"),
        (r"<unused94>(?:thought)?", r"<unused95>"),
        (r"<details\b[^>]{0,200}\btype=[\"']?reasoning[^>]{0,200}>", r"</details>"),
        (r"```(?:thinking|thoughts?|think|reasoning)\s*\n", r"\n```"),
        (r"\*{0,2}here(?:'s| is) my thought process:?", r"\*{0,2}here(?:'s| is) my response:?\*{0,2}"),
        (r"thinking\.\.\.\s*\n", r"\.\.\.done thinking\.?"),
    )
)
_PAIRS_BEGIN = ("<think", "<|channel>", "<unused94>", "<details", "```", "*", "here", "thinking...")
_ROOTS = (
    "think",
    "thought",
    "reason",
    "reflect",
    "analysis",
    "scratchpad",
    "rationale",
    "chain",
    "cot",
    "mono",
    "inner",
    "deliberat",
    "思",
    "推",
)
"""What each of ``NAMES`` has in it, in lower case."""

_CHANNEL = re.compile(r"<\|channel\|>\s*(?P<name>\w+)[^<]{0,100}(?:<\|constrain\|>[^<]{0,100})?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start)\|>")
_BARE_CHANNELS = re.compile(
    r"\s*(?:assistant)?analysis(?=[^a-z]).*assistant\s?final(?:\s?json)?(?P<answer>.*)", re.DOTALL
)
"""Channels of which a server took the marks away and left the names."""

_BOX = re.compile(r"<\|begin_of_box\|>(?P<inside>.*?)(?:<\|end_of_box\|>|\Z)", re.DOTALL)
_BOXED = re.compile(r"\s*\$*\\boxed\{(?P<inside>.*)\}\$*\s*", re.DOTALL)
_RESPONSE = re.compile(r"\s*<\|(?:START_RESPONSE|begin_of_solution|START_TEXT)\|>(?P<inside>.*)", re.DOTALL)
_ANSWER = re.compile(
    r"\s*<(?P<name>answer|response|final_answer|final|output|solution)>(?P<inside>.*?)(?:</(?P=name)>)?\s*",
    re.DOTALL | re.IGNORECASE,
)
_TURN_BEGINS = re.compile(
    r"\s*(?:<\|im_start\|>\s*assistant\b|<\|assistant\|>|<\|start_header_id\|>assistant<\|end_header_id\|>)"
)
_TURN_ENDS = re.compile(
    r"(?:(?:<\|(?:im_end|eot_id|eom_id|eot|endoftext|end_of_text|end|return|call|end_of_turn|END_OF_TURN_TOKEN|"
    r"END_RESPONSE|end_of_solution|END_TEXT|end_of_sentence)\|>|<｜end▁of▁sentence｜>|</s>|<eos>|<end_of_turn>|\[EOS\])\s*)+\Z"
)

LONGEST_NOTE = 500
"""Characters of an invalid answer that are recorded."""

MARKS = "\"'`*_.,!()[]“”‘’«» \t\r\n"
"""Characters that may stand around a choice."""


class Spoken(NamedTuple):
    r"""An answer without its thoughts.

    >>> extract_spoken("[THINK]Red, I think.[/THINK]\nA red circle.")
    Spoken(text='A red circle.', unfinished=False)

    Attributes:
        text: The visible words; empty if a thought has no end.
        unfinished: Whether a thought has no end.
    """

    text: str
    unfinished: bool


def extract_spoken(text: str, stopped: bool = False) -> Spoken:
    r"""Return an answer without the thoughts before it and without the marks around it.

    A text without any mark is returned as it is.

    >>> extract_spoken("A red circle.\n").text
    'A red circle.\n'
    >>> extract_spoken("<think>A first draft: red. But").unfinished
    True

    Args:
        text: What the model wrote.
        stopped: Whether the model itself ended there: then what looks like a thought without an end is the answer.
    """
    nothing = Spoken(text, False) if stopped else Spoken("", True)
    words = _select_final_channel(text)
    if words is None:
        return nothing
    for number in range(MOST_BLOCKS):
        end = _find_thought_end(words, between=number > 0)
        if end is None:
            break
        if end < 0:
            return nothing
        words = words[end:]
    words = _remove_box_marks(words, thought=words is not text)
    return Spoken(text if words is text else words.strip(), False)


class Choice(NamedTuple):
    """A choice, with a note on the words if they differ from the choice."""

    choice: str
    notes: tuple[str, ...] = ()


def find_choice(text: str, question: Question) -> Choice | None:
    """Return the choice that an answer names; ``question.unclear`` with a note if the answer names no choice.

    >>> question = Question(1, "Which one?", choices=("A", "B"), unclear="invalid", exact=True)
    >>> find_choice(" b ", question).choice, find_choice("Image B", question)
    ('B', Choice(choice='invalid', notes=('Image B',)))

    Args:
        text: The answer.
        question: The question with its choices.

    Returns:
        The choice; None if the words name none and the question has no choice for unclear answers.
    """
    choice = read_choice(text, question.choices, question.exact)
    if choice is None and question.unclear is not None:
        return Choice(question.unclear, (text.strip()[:LONGEST_NOTE],))
    return choice


def read_choice(text: str, choices: Sequence[str], exact: bool = False) -> Choice | None:
    """Return the choice that the words name; None if the words name no choice, or could name several.

    Words that differ in nothing but letter case and the marks around them are taken, with a note.

    >>> read_choice(" paper", ("rock", "paper"))
    Choice(choice='paper', notes=())
    >>> read_choice("**Paper.**", ("rock", "paper"))
    Choice(choice='paper', notes=("taken for 'paper': '**Paper.**'",))
    >>> read_choice("I choose paper", ("rock", "paper")) is None
    True

    Args:
        text: The answer.
        choices: The choices offered.
        exact: Whether marks around a choice are refused; letter case then counts for nothing and needs no note.
    """
    words = text.strip()
    if words in choices:
        return Choice(words)
    if exact:
        return next((Choice(choice) for choice in choices if choice.casefold() == words.casefold()), None)
    alike = [choice for choice in choices if _strip_marks(choice) == _strip_marks(words)]
    if len(alike) != 1 or not _strip_marks(words):
        return None
    return Choice(alike[0], (f"taken for {alike[0]!r}: {words[:100]!r}",))


def _select_final_channel(text: str) -> str | None:
    """Return what stands in the last channel ``final``; the text if it has no channels, None if none is final."""
    text = text if (begin := _TURN_BEGINS.match(text)) is None else text[begin.end() :]
    if "<|channel|>" in text:
        finals = [match for match in _CHANNEL.finditer(text) if match["name"] == "final"]
        if not finals:
            # An answer may stand without a channel of its own behind a thought that has ended.
            ended = text.rpartition("<|end|>")[2] if "<|end|>" in text else ""
            rest = re.sub(r"<\|[a-z]+\|>(?:assistant)?", "", ended)
            return rest if rest.strip() and "<|channel|>" not in ended else None
        answer = text[finals[-1].end() :]
        end = _CHANNEL_END.search(answer)
        return answer if end is None else answer[: end.start()]
    bare = _BARE_CHANNELS.fullmatch(text)
    return text if bare is None else bare["answer"]


def _find_thought_end(text: str, between: bool) -> int | None:
    """Return where the thought at the beginning of a text ends; None without a thought, -1 if it has no end.

    Args:
        text: What is left of an answer.
        between: Whether a thought went before: then a few words before the next one belong to them.
    """
    lowered = text.lower()
    # Nearly all answers: a few looks for words cost less than one for tags.
    pairs = _PAIRS if lowered.lstrip()[:12].startswith(_PAIRS_BEGIN) else ()
    for opening, closing in pairs:
        if begun := opening.match(text):
            ended = closing.search(text, begun.end())
            return -1 if ended is None else ended.end()
    if not any(root in lowered for root in _ROOTS):
        return None
    depth, last, family = 0, None, ""
    for tag in _TAG.finditer(text):
        closes = bool(tag["end"] or tag["after"])
        if not family:
            before = text[: tag.start()].strip()
            if not closes and before and not (between and re.fullmatch(r"[^<{\[]{1,500}", before)):
                return None  # a tag inside the answer
            family = _name_tag_family(tag["name"])
            if closes:
                return tag.end()  # the template of the conversation opened it
        if _name_tag_family(tag["name"]) != family:
            continue
        depth += -1 if closes else 1
        last = tag if closes else last
        if depth == 0:
            return tag.end()
    # A thought may name its own tag: then more are opened than closed.
    return None if not family else -1 if last is None else last.end()


def _name_tag_family(name: str) -> str:
    plain = re.sub(r"[\W_]", "", name.lower())
    return "think" if plain.startswith("th") else plain


def _remove_box_marks(text: str, thought: bool) -> str:
    """Return an answer without the marks of boxes and turns around it.

    Args:
        text: Without thoughts.
        thought: Whether there were any: then a tag for the answer is the model's own, not one that it was asked for.
    """
    if text[-80:].rstrip().endswith((">", "]")) and (ended := _TURN_ENDS.search(text)):
        text = text[: ended.start()]
    boxes = (
        [box["inside"] for box in _BOX.finditer(text) if box["inside"].strip()] if "<|begin_of_box|>" in text else []
    )
    if boxes:
        text = boxes[-1]
    begins = text.lstrip()[:9]
    boxed = begins.startswith(("<|", "\\boxed", "$"))
    for pattern in (*((_RESPONSE, _BOXED) if boxed else ()), *((_ANSWER,) if thought else ())):
        if inside := pattern.fullmatch(text):
            text = inside["inside"]
    return text


def _strip_marks(words: str) -> str:
    return words.strip(MARKS).casefold()
