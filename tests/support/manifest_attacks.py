"""What a hostile manifest may try, as data: what it changes in a good one, and what has to be said about it."""

from typing import NamedTuple

from hostile_addresses import BASE_URLS, KEYS, LINKS
from hostile_texts import MARKUP

GOOD = """schema: 1
name: A plain pair
describer: {player: openai, model: gpt-5.2-2026-01-15, api_key_env: OPENAI_API_KEY, parameters: {temperature: 0}}
generator: {player: canvas}
rules: {token_budget: 200, max_turns: 10, over_budget: truncate}
authors: [Someone]
links: {code: "https://github.com/someone/pair"}
licence: CC-BY-4.0
hardware: whose service it is
dates: {submitted: 2026-11-22}
submitter: eve
"""
"""A manifest that nothing is wrong with, not even a warning."""

LINES = {name: number for number, name in enumerate(("", *(line.split(":")[0] for line in GOOD.splitlines())))}
"""The line of each key in it."""


class Attack(NamedTuple):
    """One attempt."""

    name: str
    """For people."""

    text: str | bytes
    """The whole manifest."""

    line: int
    """Line that has to be named."""

    field: str
    """Field that has to be named."""

    problem: str
    """Words that have to be in the problem."""


def changed(name: str, line: str, field: str, problem: str, below: str = "") -> Attack:
    """Replace one line of the good manifest: the one of the same key."""
    key = line.split(":")[0]
    number = LINES.get(key, len(GOOD.splitlines()) + 1)
    lines = GOOD.splitlines()
    lines[number - 1 : number] = [line]
    return Attack(name, "\n".join(lines) + "\n" + below, number, field, problem)


def seat(name: str, spec: str, field: str, problem: str) -> Attack:
    """Replace the describer."""
    return changed(name, f"describer: {{{spec}}}", f"describer{field}", problem)


def _yaml() -> list[Attack]:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(8)
    )
    whole: list[tuple[str, str | bytes, int, str]] = [
        ("an alias bomb", bomb, 1, "anchors and aliases"),
        ("an alias to the file itself", "&a [*a]\n", 1, "anchors and aliases"),
        ("a merge key", f"{GOOD}<<: {{name: Other}}\n", 12, "merge keys"),
        ("a merge key in a seat", GOOD.replace("{player: canvas}", "{<<: {player: canvas}}"), 4, "merge keys"),
        ("a tag that runs code", GOOD.replace("A plain pair", "!!python/object/apply:os.system [id]"), 2, "the tag"),
        ("a tag for a type", GOOD.replace("A plain pair", "!!binary aGVsbG8="), 2, "the tag"),
        ("a local tag", GOOD.replace("A plain pair", "!env HOME"), 2, "the tag"),
        ("a tag of a namespace of its own", "%TAG ! tag:evil.example,2026:\n---\n" + GOOD, 1, "directive"),
        ("a key twice", GOOD + "name: Other\n", 12, "given twice"),
        ("a key twice, once in quotes", GOOD + '"name": Other\n', 12, "given twice"),
        ("a parameter twice", GOOD.replace("temperature: 0", "temperature: 0, temperature: 2"), 3, "given twice"),
        ("nested lists, flow", GOOD.replace("[Someone]", "[" * 9000), 6, "nested more than"),
        ("nested lists, block", "- " * 30_000, 1, "nested more than"),
        ("nested mappings", GOOD.replace("{temperature: 0}", "{a: " * 40 + "1" + "}" * 40), 3, "nested more than"),
        ("nested keys", "? " * 20_000, 1, "nested more than"),
        ("not a number", GOOD.replace("temperature: 0", "temperature: .nan"), 3, "not finite"),
        ("infinity", GOOD.replace("temperature: 0", "temperature: .inf"), 3, "not finite"),
        ("infinity below zero", GOOD.replace("temperature: 0", "temperature: -.INF"), 3, "not finite"),
        ("a number of 60000 digits", GOOD.replace("temperature: 0", f"temperature: {'9' * 60_000}"), 3, "number"),
        *(
            (f"the number {number}", GOOD.replace("200", number), 5, "read in two ways")
            for number in ("0310", "0xC8", "0b11001000", "3:20", "2_00", "+0310", "1:59.5")
        ),
        ("a number to the base 60", GOOD.replace("temperature: 0", f"temperature: 1{':59' * 15_000}"), 3, "64 bits"),
        ("a hexadecimal number", GOOD.replace("200", f"0x{'f' * 50_000}"), 5, "64 bits"),
        ("a date that is none", GOOD.replace("2026-11-22", "2026-99-99"), 10, "month"),
        ("two documents", f"{GOOD}---\n{GOOD}", 12, "a second document"),
        ("5 MB", b"#" * (5 * 1024 * 1024), 1, "larger than 64 KiB"),
        ("a little too long", GOOD + "#" * 66_000, 1, "larger than 64 KiB"),
        ("nothing", b"", 1, "is empty"),
        ("a list", "- schema: 1\n", 1, "not a mapping"),
        ("a word", "manifest\n", 1, "not a mapping"),
        ("JSON with a mistake", '{"schema": 1, "name": }}', 1, "YAML"),
        ("a key that is a list", GOOD + "? [a, b]\n: c\n", 12, "one word"),
        ("UTF-16", GOOD.encode("utf-16"), 1, "not UTF-8"),
        ("bytes of an old encoding", GOOD.replace("Someone", "Jos\u00e9").encode("latin-1"), 6, "not UTF-8"),
        ("a picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 64, 1, "not UTF-8"),
        ("a program", b"\x7fELF\x02\x01\x01\0\0\0", 1, "U+007F"),
        ("an archive", b"PK\x03\x04\x14\0\0\0\x08\0", 1, "U+0003"),
        ("a zero byte", GOOD.replace("Someone", "Some\0one"), 6, "U+0000"),
        ("an escape sequence of a terminal", GOOD.replace("Someone", "\x1b[2Jcleared"), 6, "U+001B"),
        ("a line that goes back", GOOD.replace("Someone", "Someone\rname: Other"), 6, "U+000D"),
        ("a line separator", GOOD.replace("Someone", "Someone\u2028name: Other"), 6, "U+2028"),
        ("a next-line character", GOOD.replace("Someone", "Someone\u0085name: Other"), 6, "U+0085"),
        ("text from right to left", GOOD.replace("Someone", "enoemoS\u202e"), 6, "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("an isolate", GOOD.replace("Someone", "\u2066Someone"), 6, "U+2066"),
        ("a zero-width space", GOOD.replace("Someone", "Some\u200bone"), 6, "U+200B"),
        ("a zero-width joiner", GOOD.replace("Someone", "Some\u200done"), 6, "U+200D"),
        ("a byte-order mark inside", GOOD.replace("Someone", "Some\ufeffone"), 6, "U+FEFF"),
        ("a soft hyphen", GOOD.replace("Someone", "Some\u00adone"), 6, "U+00AD"),
        ("characters for tags", GOOD.replace("Someone", "Someone\U000e0041"), 6, "U+E0041"),
        ("a character of private use", GOOD.replace("Someone", "Some\ue000one"), 6, "U+E000"),
        ("a filler that shows nothing", GOOD.replace("Someone", "\u3164"), 6, "U+3164"),
        ("a variation selector", GOOD.replace("Someone", "Someone\ufe0f"), 6, "U+FE0F"),
        ("a hidden character in a comment", f"# \u202e\n{GOOD}", 1, "U+202E"),
    ]  # fmt: skip
    return [Attack(name, text, line, "", problem) for name, text, line, problem in whole]


def _schema() -> list[Attack]:
    return [
        changed("another version of the format", "schema: 2", "schema", "not known"),
        changed("a key that is not known", "scores: {structural: 10}", "scores", "unknown key"),
        changed("a tier of one's own", "tier: verified", "tier", "unknown key"),
        changed("a misspelt key", "lisence: MIT", "lisence", "unknown key"),
        changed("a key that is an attribute", "__class__: x", "__class__", "unknown key"),
        changed("a key that begins a command", '"\\n::error::x": 1', "⟦U+000A⟧::error::x", "unknown key"),
        changed("a key that is a number", "1: x", "1", "no text"),
        changed("a name that is a number", "name: 5", "name", "must be text"),
        changed("a name that YAML takes for false", "name: no", "name", "must be text, not true or false"),
        changed("an empty name", 'name: ""', "name", "empty"),
        changed("a very long name", f"name: {'W' * 301}", "name", "too long"),
        changed("a name of two lines", 'name: "a\\nb"', "name", "fit"),
        changed("an escaped override", 'name: "abc\\u202ecba"', "name", "U+202E"),
        changed("an escaped zero-width space", 'hardware: "a\\u200bb"', "hardware", "U+200B"),
        changed("a seat that is a word", "generator: canvas", "generator", "must be a mapping"),
        changed("a seat with scores", "generator: {player: canvas, score: 10}", "generator.score", "unknown key"),
        changed("a describer that draws", "generator: {player: classical}", "generator.player", "no generator"),
        changed("no turns", "rules: {max_turns: 0}", "rules.max_turns", "at least 1"),
        changed("a million turns", "rules: {max_turns: 1000000}", "rules.max_turns", "at most"),
        changed("a budget without end", "rules: {token_budget: 1000000000}", "rules.token_budget", "at most"),
        changed("a budget that is true", "rules: {token_budget: true}", "rules.token_budget", "must be a whole number"),
        changed("a date of a moment", "dates: {submitted: 2026-11-22T10:00:00Z}", "dates.submitted", "must be a date"),
        changed("a date in words", "dates: {submitted: yesterday}", "dates.submitted", "must be a date"),
        changed("authors that are a word", "authors: Someone", "authors", "must be a list"),
        changed("an author with an address", "authors: [Some One someone@example.org]", "authors[0]", "e-mail"),
        changed("a licence of one's own", "licence: ask me", "licence", "SPDX"),
        changed("a licence that is markup", "licence: <b>MIT</b>", "licence", "SPDX"),
        changed("a licence in a file", "licence: MIT AND ../LICENSE", "licence", "SPDX"),
        changed("an invented licence", "licence: Evil-1.0", "licence", "no licence that SPDX lists"),
        *(
            changed(
                name, f"transcripts: {{repo: '{repo}', revision: {revision}, run: {run}}}", f"transcripts.{key}", why
            )
            for name, repo, revision, run, key, why in (
                ("a revision that moves", "some/data", "main", "a-1", "revision", "does not fit"),
                ("a repository elsewhere", "https://evil.example/x", "a" * 40, "a-1", "repo", "no name"),
                ("a repository that climbs", "../../etc", "a" * 40, "a-1", "repo", "no name"),
                ("a run that climbs", "some/data", "a" * 40, "../../x", "run", "does not fit"),
            )
        ),
    ]


def _texts() -> list[Attack]:
    collected = []
    for name, payload in MARKUP.items():
        quoted = "'" + payload.replace("'", "''") + "'"
        for key, line in (("name", "name: {}"), ("authors[0]", "authors: [{}]"), ("hardware", "hardware: {}")):
            collected.append(changed(f"{name} in {key}", line.format(quoted), key, ""))
    return [
        *collected,
        changed("a name in three alphabets", "name: GPТ-5 + Gеmini", "name", "mixes alphabets"),
        changed("a Greek letter in a word", "name: Gemini-prο", "name", "mixes alphabets"),
        changed("an author in two alphabets", "authors: [Sоmeone]", "authors[0]", "mixes alphabets"),
        changed("piled-up accents", "name: Z" + "\u0353\u0318\u0305\u0300" * 12 + "algo", "name", "accents"),
        changed("detached accents", "name: Jose\u0301", "name", "accents"),
        changed("spaces that are wide", "name: A\u3000pair", "name", "spaces"),
        changed("a space that does not break", "name: A\u00a0pair", "name", "spaces"),
        changed("spaces at the end", "name: 'A pair '", "name", "spaces"),
        changed("a key in the name", f"name: sk-{'a1B2' * 10}", "name", "an API key"),
        changed("a token in the hardware", f"hardware: hf_{'a1B2' * 10}", "hardware", "a Hugging Face token"),
        changed("a path of a machine", "hardware: /home/someone/gpu", "hardware", "a path of a machine"),
        seat("a look-alike model", "player: classical, model: gрt-5.2", ".model", "plain ASCII"),
        seat("a model that is a script", "player: openai, model: '<script>x</script>'", ".model", "markup"),
        seat("a revision that is a template", "player: openai, model: m, revision: '{{ 7*7 }}'", ".revision", "markup"),
        seat("a wide model", "player: classical, model: ｇｐｔ-5.2", ".model", "plain ASCII"),
    ]


def _addresses() -> list[Attack]:
    links = [changed(f"a link to {url}", f"links: {{code: '{url}'}}", "links.code", why) for url, why in LINKS.items()]
    services = [
        seat(
            f"a service at {url}", f"player: openai, model: m, api_key_env: MY_KEY, base_url: '{url}'", ".base_url", why
        )
        for url, why in BASE_URLS.items()
    ]
    key = "player: openai, model: m, base_url: 'https://evil.example/v1', api_key_env: "
    many = ", ".join(f"a{number}: 'https://github.com/a'" for number in range(1000))
    return [
        *links,
        *services,
        seat("OpenAI's key for a stranger", f"{key}OPENAI_API_KEY", ".api_key_env", "belongs to"),
        seat("Gemini's key for a stranger", f"{key}GEMINI_API_KEY", ".api_key_env", "belongs to"),
        seat("a cloud's key for a stranger", f"{key}AZURE_OPENAI_API_KEY", ".api_key_env", "belongs to"),
        seat("a key that lies beside it, for a stranger", f"{key}WANDB_API_KEY", ".api_key_env", "belongs to"),
        seat("another's key for it", "player: openai, model: m, api_key_env: GROQ_API_KEY", ".api_key_env", "belongs"),
        changed("a link named by markup", "links: {'<b>': 'https://github.com/a'}", "links.<b>", "does not fit"),
        changed("a thousand links", f"links: {{{many}}}", "links", "more than"),
        changed("a thousand authors", f"authors: [{'A, ' * 999}A]", "authors", "more than"),
    ]  # fmt: skip


def _seats() -> list[Attack]:
    keys = [
        seat(f"the variable {name}", f"player: openai, model: m, api_key_env: '{name}'", ".api_key_env", why)
        for name, why in KEYS.items()
    ]
    openai = "player: openai, model: m, api_key_env: OPENAI_API_KEY, parameters: "
    return [
        *keys,
        seat("a person with a folder", "player: human, parameters: {folder: /etc}", ".parameters.folder", "path"),
        seat("a person", "player: human", ".player", "people cannot be asked"),
        seat("a run of one's own", "player: replay, parameters: {run: ../../../etc}", ".parameters.run", "path"),
        seat("a run beside it", "player: replay, parameters: {run: here}", ".parameters.run", "file or folder"),
        seat("a player that is not here", "player: evil", ".player", "unknown player"),
        seat("a player that is a path", "player: ../../evil", ".player", "does not fit"),
        seat("a player that is a module", "player: 'os:system'", ".player", "does not fit"),
        seat("a file to be sent", openai + "{extra_body: {file: /etc/passwd}}", ".parameters.extra_body.file", "path"),
        seat("an address to call back", openai + "{extra_body: {hook: 'https://evil.example'}}",
             ".parameters.extra_body.hook", "address"),
        seat("a path of Windows", openai + "{extra_body: {a: 'C:\\\\secret'}}", ".parameters.extra_body.a", "path"),
        seat("a path that climbs", openai + "{extra_body: {a: 'x/../../secret'}}", ".parameters.extra_body.a", "path"),
        seat("a path in a list", openai + "{extra_body: {a: [b, ~/.ssh]}}", ".parameters.extra_body.a[1]", "path"),
        seat("the prompt itself", openai + "{extra_body: {messages: []}}", ".parameters.extra_body.messages", "itself"),
        *(
            seat(f"another game by {name}", openai + f"{{extra_body: {{{name}: x}}}}", f".parameters.extra_body.{name}",
                 "than the game's")
            for name in ("instructions", "system", "models", "plugins", "previous_response_id", "functions")
        ),
        seat("many answers at once", openai + "{extra_body: {n: 100}}", ".parameters.extra_body.n", "itself"),
        seat("an unknown parameter", openai + "{proxy: none}", ".parameters.proxy", "unknown parameter"),
        seat("a parameter of the wrong kind", openai + "{temperature: hot}", ".parameters.temperature", "number"),
        seat("a hidden character in a parameter", openai + '{extra_body: {a: "\\u202e"}}',
             ".parameters.extra_body.a", "U+202E"),
        seat("a hidden character in a parameter's name", openai + '{extra_body: {"a\\u200b": 1}}',
             ".parameters.extra_body.a⟦U+200B⟧", "U+200B"),
        seat("a date in a parameter", openai + "{extra_body: {a: [1, {b: 2026-01-01}]}}", ".parameters.extra_body",
             "holds a date"),
        seat("a parameter's name that YAML takes for true", openai + "{extra_body: {on: 1}}", ".parameters.extra_body",
             "name that is no text"),
        seat("a parameter that is a number", openai + "{1: 2}", ".parameters", "name that is no text"),
        seat("a key in a parameter", openai + f"{{extra_body: {{a: sk-{'a1B2' * 10}}}}}",
             ".parameters.extra_body.a", "an API key"),
        seat("settings where there are none", "player: classical, model: gpt", ".model", "takes no such setting"),
        seat("a key where none is needed", "player: classical, api_key_env: OPENAI_API_KEY", ".api_key_env",
             "takes no such setting"),
    ]  # fmt: skip


ATTACKS = (*_yaml(), *_schema(), *_texts(), *_addresses(), *_seats())
"""All of them."""

SLUGS = (
    "-pair", ".pair", "_pair", "Pair", "PAIR", "two words", "é", "p" * 81, "con", "nul.yaml", "com1", "aux", "lpt9.x",
    "pair.", "pair.git\n", "a:b", "a\\b", "..", "pаir", "index", "irg-shell",
)  # fmt: skip
"""Names of folders that are refused."""

TAKEN = {
    "slug": {"builtin-classica1-canvas": "looks like", "builtin_classical_canvas": "looks like"},
    "name": {
        "сlassical + canvas": "mixes|looks like", "CLASSICAL + CANVAS": "looks like",
        "classical +canvas": "looks like", "ｃｌａｓｓｉｃａｌ + canvas": "looks like",
        "c1assical + canvas": "looks like", "𝐜lassical + canvas": "looks like", "dassical + canvas": "looks like",
        "classical + canvаs": "mixes|looks like", "classical+canvas": "looks like",
    },
}  # fmt: skip
"""Names that look like those of a pair that is there."""
