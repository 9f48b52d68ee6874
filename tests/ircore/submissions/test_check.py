"""``ircore submission check``: one submission, several, or a whole folder; for people, programs and pull requests."""

import json
import os
from pathlib import Path

import pytest
from installed_packages import install_package
from manifest_attacks import GOOD

from ircore.commands.main import run as ircore
from ircore.core.plugins import list_available, load_plugin
from ircore.core.records import PlayerSpec
from ircore.games.registry import load_game
from ircore.players.traits import load_traits
from ircore.submissions.check.change import check_tree
from ircore.submissions.check.seats import METHODS, OFFLINE, SERVICES, Conditions, check_seat, repeat_warnings
from ircore.submissions.check.submission import OtherSubmission, check_bytes, check_submission
from ircore.submissions.findings import select_errors
from ircore.submissions.services import link_problem

SUBMISSIONS = Path(__file__).resolve().parents[3] / "submissions"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder of two good submissions."""
    for slug in ("first", "second"):
        folder = tmp_path / "submissions" / slug
        folder.mkdir(parents=True)
        (folder / "submission.yaml").write_text(GOOD.replace("A plain", f"The {slug}"))
    return tmp_path / "submissions"


def test_the_repositorys_own_submissions_are_valid() -> None:
    checked = check_tree(SUBMISSIONS)
    slugs = {submission.slug for submission in checked.checked}
    assert slugs >= {"builtin-classical-canvas", "builtin-captioner-sketch"}
    assert select_errors(checked.findings) == []


def test_players_are_known_by_their_seats_without_being_imported() -> None:
    ours = {name for name, point in list_available("players").items() if point.dist and point.dist.name == "ircore"}
    of_other_games = {name for name in ours if load_traits(name).methods == ("answer",)}
    assert {"literal", "looker", "clip", "solver", "editor", "identity-editor"} <= of_other_games
    references = {name for name in ours - of_other_games if load_traits(name).reference}
    assert references == {"scene", "shuffled", "title-only"}
    at_home = {name for name in ours if load_traits(name).needs in ("person", "files")}
    assert ours - references - of_other_games == (OFFLINE | SERVICES | at_home) - of_other_games
    for name in OFFLINE | SERVICES:
        player = load_plugin("players", name)
        assert {method for method in METHODS if hasattr(player, method)} == {*load_traits(name).methods} - {"judge"}


def test_faults_of_another_games_manifest_have_remedies_of_that_game() -> None:
    text = "schema: 1\ngame: reference\nname: A\nlicence: MIT\nspeaker: {player: canvas}\nrules: {repetitions: 0}\n"
    checked = check_bytes(text.encode(), "submission.yaml", "a")
    remedies = {finding.field: finding.remedy for finding in select_errors(checked.findings)}
    assert remedies == {
        "listener": "Add listener: a mapping such as {player: openai, model: …}.",
        "rules.repetitions": "See ircore games show reference for its rules.",
        "speaker.player": "Name another player.",
    }


def test_a_whole_folder(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["submission", "check", "--all", str(tree)]) == 0
    assert capsys.readouterr().out == "2 of 2 submissions valid\n"
    (tree / "second" / "submission.yaml").write_text("schema: 1\n")
    assert ircore(["submission", "check", "--all", str(tree), "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert [(item["slug"], item["valid"]) for item in told["submissions"]] == [("first", True), ("second", False)]
    assert {item["field"] for item in told["errors"]} == {"name", "describer", "generator", "licence"}


def test_what_else_lies_in_a_folder_is_found(tree: Path) -> None:
    (tree / "first" / "notes.txt").write_text("x")
    (tree / "second" / "more").mkdir()
    (tree / "second" / "more" / "x.py").write_text("x")
    (tree / "empty").mkdir()
    (tree / "link").symlink_to(tree / "first")
    (tree / "linked").mkdir()
    (tree / "linked" / "submission.yaml").symlink_to("/etc/passwd")
    os.mkfifo(tree / "first" / "pipe")
    (tree / "stray.yaml").write_text("x")
    by_name = {
        Path(error.file).relative_to(tree).as_posix(): error.problem
        for error in select_errors(check_tree(tree).findings)
    }
    assert by_name == {
        "empty": "has no submission.yaml", "first/notes.txt": "is no file that a submission has",
        "first/pipe": "has the mode 000000", "link": "is in no submission's folder",
        "linked/submission.yaml": "is a symbolic link", "second/more/x.py": "is no file that a submission has",
        "stray.yaml": "is in no submission's folder",
    }  # fmt: skip


def test_a_manifest_that_is_a_link_or_a_pipe_is_not_opened(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "first" / "submission.yaml").unlink()
    (tree / "first" / "submission.yaml").symlink_to("/dev/zero")
    assert ircore(["submission", "check", str(tree / "first")]) == 2
    os.mkfifo(tree / "pipe")
    assert ircore(["submission", "check", str(tree / "pipe")]) == 2
    assert capsys.readouterr().err.count("not a plain file") == 2


def test_one_line_first_then_every_finding_with_its_place(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tree / "first" / "submission.yaml"
    manifest.write_text(GOOD.replace("name:", "nmae:").replace("CC-BY-4.0", "cc-by-4.0").replace("github.com", "x.y"))
    assert ircore(["submission", "check", str(tree / "first")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    shared = "schema, game, name, authors, submitter, links, licence, hardware, dates, transcripts, commitment"
    keys = f"{shared}, rules, describer, generator"
    assert err.splitlines()[:4] == [
        f"ircore: {manifest}:2:1: nmae: unknown key (2 errors, 1 warning)",
        f"    expected: one of {keys}",
        "    mend: Did you mean name? Otherwise take it out.",
        f"  {manifest}:7:15: error: links.code: no public name",
    ]
    assert f"{manifest}:8:10: warning: licence: SPDX writes it CC-BY-4.0" in err


SLIPS = [
    ("licence: CC-BY-4.0", "license: CC-BY-4.0", "8:1: license: unknown key (1 error)", "Did you mean licence?"),
    ("authors: [Someone]", "author: Someone", "6:1: author: unknown key (1 error)", "Did you mean authors?"),
    ("authors: [Someone]", "authors: Someone", "6:10: authors: must be a list, not text (1 error)", "[Name One"),
    ("licence: CC-BY-4.0", "licence: CC-BY-4.0\nscore: 10", "score: unknown key (1 error)", "computed here"),
    ("token_budget: 200", 'token_budget: "200"', "must be a whole number, not text (1 error)", "Take the quotes off."),
    ("token_budget: 200", "token_budget: 0", "rules.token_budget: must be at least 1, not 0", "from 1 to 10000"),
    ("code: ", "Code: ", "links.Code: the name 'Code' does not fit", "a name in lower case"),
    ("https://github", "http://github", "links.code: must start with https://", "an https address"),
    ("temperature: 0", "temprature: 0", "describer.parameters.temprature: unknown parameter", "mean temperature?"),
    ("schema: 1", "schema: 1\n\tx: 1", "2:1: not valid YAML (a tab where a line or a value begins)", "with spaces"),
    ("schema: 1", "schema: 1\nschema: 1", "2:1: not valid YAML ('schema' is given twice)", "Remove one of the two"),
    ("2026-11-22", "2026-13-45", "not valid YAML (month must be in 1..12)", "a date or a number that exists"),
    ("dates:", "--- {}\ndates:", "10:1: not valid YAML (a second document)", "Keep one"),
    (
        "dates:",
        "transcripts: {repo: me/mine, revision: main, run: a}\ndates:",
        "10:40: transcripts.revision: 'main' does not fit (1 error)",
        "Write the commit, 40 hexadecimal digits",
    ),
]
"""Slips of people who mean well: what they wrote instead of what, and what they are told, once."""


@pytest.mark.slow
@pytest.mark.parametrize(("right", "wrong", "told", "remedy"), SLIPS, ids=[wrong for _, wrong, *_ in SLIPS])
def test_a_slip_is_told_once_with_what_to_do(
    tree: Path, right: str, wrong: str, told: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tree / "first" / "submission.yaml"
    manifest.write_text(manifest.read_text().replace(right, wrong))
    assert ircore(["submission", "check", str(tree / "first")]) == 2
    first, *rest = capsys.readouterr().err.splitlines()
    assert first.startswith(f"ircore: {manifest}:")
    assert told in first
    assert remedy in "".join(rest)
    assert "0 warnings" not in first


def test_a_reference_with_a_slip_leaves_the_rest_to_be_checked_as_played_elsewhere(tree: Path) -> None:
    """A server of one's own is no error for a pair that others played, whatever is wrong with its revision."""
    manifest = tree / "first" / "submission.yaml"
    own = "{player: openai, model: m-20260115, base_url: 'http://127.0.0.1:8000/v1', parameters: {temperature: 0}}"
    lines = manifest.read_text().splitlines()
    lines[2] = f"describer: {own}"
    manifest.write_text("\n".join([*lines, "transcripts: {repo: me/mine, revision: main, run: a}", ""]))
    assert [error.field for error in select_errors(check_submission(manifest).findings)] == ["transcripts.revision"]


def test_a_folder_gets_the_verdict_of_the_repository(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that the pull request's check refuses is refused here; "valid" never stands beside the exit status 2."""
    (tree / "first" / "notes.txt").write_text("to do")
    assert ircore(["submission", "check", str(tree / "first")]) == 2
    alone = capsys.readouterr()
    assert "notes.txt" in alone.err
    assert "is no file that a submission has" in alone.err
    assert "valid" not in alone.out
    assert ircore(["submission", "check", "--all", str(tree)]) == 2
    assert "notes.txt" in capsys.readouterr().err


def test_warnings_leave_a_submission_valid(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tree / "first" / "submission.yaml"
    manifest.write_text(GOOD.replace("-2026-01-15", "").replace("{temperature: 0}", "{}").replace("dates:", "# dates:"))
    assert ircore(["submission", "check", str(tree / "first"), "--github"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("first: valid: describer: gpt-5.2, generator: canvas\n::warning file=")
    for words in ("which version of the model", "the provider's defaults", "nobody can tell when"):
        assert words in err


def test_a_colon_and_a_comma_in_a_path_do_not_end_an_annotations_property(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "a,b:c%" / "pair"
    folder.mkdir(parents=True)
    (folder / "submission.yaml").write_text("schema: 1\n")
    assert ircore(["submission", "check", str(folder), "--github"]) == 2
    assert "a%2Cb%3Ac%25/pair" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.slow
def test_options_that_do_not_go_together(tree: Path) -> None:
    assert ircore(["submission", "check"]) == 2
    assert ircore(["submission", "check", "--all", str(tree), str(tree)]) == 2
    assert ircore(["submission", "check", "--all", str(tree / "nowhere")]) == 2
    assert ircore(["submission", "check", "--all", str(tree / "first")]) == 2
    assert ircore(["submission", "check", str(tree / "first"), "--preview", str(tree / "site")]) == 2
    assert not (tree / "site").exists()


ABOUT = "{organisation: Example Lab, open_weights: true, parameters_b: 8, released: 2026-01-15, licence: Apache-2.0}"


@pytest.mark.parametrize(
    ("about", "told"),
    [
        (ABOUT, []),
        ("{open_weights: true}", [("describer.about.licence", "warning")]),
        ("{open_weights: maybe}", [("describer.about.open_weights", "error")]),
        ("{parameters_b: -3}", [("describer.about.parameters_b", "error")]),
        ("{licence: nobody's}", [("describer.about.licence", "error")]),
        ("{released: 2027-01-01}", [("describer.about.released", "error")]),
        ("{made_by: somebody}", [("describer.about.made_by", "error")]),
    ],
)
def test_what_is_stated_about_a_model_is_checked(tree: Path, about: str, told: list[tuple[str, str]]) -> None:
    manifest = tree / "first" / "submission.yaml"
    manifest.write_text(manifest.read_text().replace("describer: {", f"describer: {{about: {about}, "))
    findings = check_submission(tree / "first").findings
    assert [(found.field, found.level) for found in findings if "about" in found.field] == told


@pytest.fixture
def players_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with the players ``studio``, a service, ``shelf``, which needs files, and ``tape``, a recording."""
    traits = {
        "studio": "Traits(methods=('render',), example='size=512', fixes=(('size',), ('seed', 'noise')))",
        "shelf": "Traits(methods=('render',), needs='files')",
        "tape": "Traits(methods=('render',), needs='files', replays=True)",
    }
    code = "".join(f"class {name.title()}:\n    TRAITS = {text}\n" for name, text in traits.items())
    code = f"from ircore.players.base import Traits\n{code}"
    points = "".join(f"{name} = studio_players:{name.title()}\n" for name in traits)
    packages = install_package(tmp_path / "packages", "studio-players", f"[ircore.players]\n{points}", code)
    monkeypatch.syspath_prepend(packages)
    load_traits.cache_clear()


@pytest.mark.usefixtures("players_of_others")
def test_a_players_traits_tell_what_a_repetition_needs() -> None:
    def warnings(settings: dict[str, str]) -> list[tuple[str, str]]:
        spec = PlayerSpec(player="studio", model="brush-2026-01-15", parameters=settings)
        return [(fault.problem, fault.remedy) for fault in repeat_warnings("generator", spec)]

    left = "to the provider's defaults, which change"
    assert warnings({}) == [
        (f"leaves size and seed {left}", "Set what the model takes, such as parameters: {size: 512}.")
    ]
    assert [problem for problem, _ in warnings({"size": "512"})] == [f"leaves seed {left}"]
    assert warnings({"size": "512", "noise": "0"}) == []


@pytest.mark.usefixtures("players_of_others")
@pytest.mark.parametrize(("player", "problem"), [
    ("shelf", "shelf needs files of your machine"), ("tape", "tape answers from a run on your machine"),
    ("human", "people cannot be asked from here"), ("diffusers", "diffusers needs files of your machine"),
])  # fmt: skip
def test_a_players_traits_tell_why_it_cannot_be_played_here(player: str, problem: str) -> None:
    played_here = Conditions(local=False, played_here=True, resolve=False, keys={})
    game = load_game("reconstruction")
    faults = check_seat(game, game.seats[1], PlayerSpec(player=player), played_here)
    assert [fault.problem for fault in faults] == [problem]


@pytest.mark.parametrize(("link", "is_taken"), [
    ("https://a.github.io/x", True), ("https://github.io/x", True), ("https://www.github.com/x", True),
    ("https://evilgithub.io/x", False), ("https://a.evilgithub.io/x", False),
    ("https://github.io.evil.example/x", False),
    ("https://wwwgithub.com/x", False), ("https://a.github.com/x", False),
])  # fmt: skip
def test_a_host_below_a_listed_one_begins_at_its_dot(link: str, is_taken: bool) -> None:
    assert (link_problem(link) is None) is is_taken


THERE = (OtherSubmission("somebodys-pair", "Somebody's pair", {"LAB_KEY": "lab.example.org"}),)


def keyed(*hosts: str, key: str = "LAB_KEY") -> list[str]:
    """Field of each fault of a pair whose describer and generator ask these hosts with one key."""
    seats = [
        f"{{player: {player}, model: m, base_url: 'https://{host}/v1', api_key_env: {key}}}"
        for player, host in zip(("openai", "openai-images"), hosts, strict=False)
    ]
    lines = GOOD.splitlines()
    for place, (name, spec) in enumerate(zip(("describer", "generator"), seats, strict=False), start=2):
        lines[place] = f"{name}: {spec}"
    checked = check_bytes("\n".join(lines).encode(), "submission.yaml", "plain-pair", THERE)
    return [fault.field for fault in select_errors(checked.findings) if fault.field.endswith("api_key_env")]


@pytest.mark.slow
@pytest.mark.parametrize(("hosts", "key", "faults"), [
    # An honest second submission to the same service, and a pair whose seats share it.
    (("lab.example.org",), "LAB_KEY", []), (("lab.example.org", "lab.example.org"), "LAB_KEY", []),
    (("own.example.net",), "OWN_KEY", []),
    (("evil.example",), "LAB_KEY", ["describer.api_key_env"]),
    (("lab.example.org", "evil.example"), "LAB_KEY", ["generator.api_key_env", "generator.api_key_env"]),
    (("own.example.net", "evil.example"), "OWN_KEY", ["generator.api_key_env"]),
])  # fmt: skip
def test_a_key_goes_to_one_host_whoever_names_it(hosts: tuple[str, ...], key: str, faults: list[str]) -> None:
    assert keyed(*hosts, key=key) == faults
