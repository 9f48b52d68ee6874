"""A submission that tries everything, on every kind of page, in a real browser: nothing runs, nothing reaches out.

What it tries is also tried against the policy alone: a script that got into a page is not run.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from samples import sample_instances, sample_run, sample_submission
from site_samples import built_once
from visits import fits, visit_in

from ircore.core.episode_records import Episode, Rendering, Turn
from ircore.core.records import PlayerSpec, Rules
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import TranscriptsReference
from ircore.games.reconstruction.prompts import load_prompts
from ircore.instances.store import InstanceSet
from ircore.players.submission import LoadedSubmission
from ircore.runs.events import end_entry
from ircore.runs.folder import RunFolder
from ircore.runs.play import make_run
from ircore.runs.writer import RunWriter
from leaderboard.building.content import Options
from leaderboard.building.site_build import build_site
from leaderboard.building.site_check import check_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.attack

SCRIPT = "<script>window.hacked=1</script>"
ATTRIBUTE = "\"'><img src=https://evil.example/x.png onerror=window.hacked=1>"
LINK = "[x](javascript:window.hacked=1){: onclick=window.hacked=1 }"
MARKUP = LINK + " {{7*7}} {% raw %} `--8<--` \n--8<-- 'mkdocs.yml'\n# heading"
HIDDEN = "\u202egnirts desrever \u200bzero\u2066width\ufeff \x02wzxhzdk:0\x03"
LONG = "W" * 3000
FORMULA = '=HYPERLINK("https://evil.example","x")'
EVERYTHING = "\n".join((SCRIPT, ATTRIBUTE, MARKUP, HIDDEN, LONG, FORMULA))
LINE = f"{FORMULA}{SCRIPT}{ATTRIBUTE}{{{{7*7}}}} \u202e{'W' * 100}"[:300]
SPEC = {"player": "classical", "model": LINE, "revision": LINE, "parameters": {"<script>": EVERYTHING}}


def hostile_submission(slug: str) -> LoadedSubmission:
    """A manifest as no check would let pass, with every text filled."""
    spec = PlayerSpec.model_validate(SPEC)
    loaded = sample_submission(slug, LINE)
    changes = {
        "describer": spec,
        "generator": spec,
        "authors": (LINE, LINE),
        "links": {"paper": f"https://example.org/{ATTRIBUTE}", "code": "https://example.org/?<script>"},
        "hardware": LINE,
        "transcripts": TranscriptsReference(repo=LINE, revision="a" * 40, run="a-1"),
    }
    return loaded._replace(submission=loaded.submission.model_copy(update=changes))


def hostile_run(folder: Path, instances: InstanceSet, source: RunFolder) -> None:
    """A run with every text that a stranger may write, filled with what should do nothing."""
    loaded = hostile_submission("hostile")
    run = make_run(loaded, instances, Rules(), load_prompts("reconstruction"), seed=0)
    opened = RunFolder.create(folder, run, instances)
    drawn = [turn.rendering for episode in source.episodes() for turn in episode.rendered_turns if turn.rendering]
    with opened.lock(), RunWriter(opened) as writer:
        for number, instance in enumerate(instances.instances):
            (folder / "renderings" / f"{drawn[0].sha256}.png").write_bytes(
                source.rendering_path(drawn[0].sha256).read_bytes()
            )
            ended = _episode(instance.instance_id, instance.category, instance.difficulty, drawn[0], number == 0)
            writer.record([end_entry(ended)])
    opened.keep_judge(JudgeIdentity(name="eye", label=LINE, kind="model", player=PlayerSpec.model_validate(SPEC)))
    opened.add_scores(_scores(opened, drawn[0].sha256))


def _episode(name: str, category: str, difficulty: object, rendering: Rendering, aborted: bool) -> Episode:
    turn = {"action": "describe", "message": EVERYTHING, "message_tokens": 900, "notes": (EVERYTHING, LINE)}
    turns = [Turn.model_validate({**turn, "turn": number, "rendering": rendering}) for number in (1, 2)]
    return Episode.model_validate(
        {
            "episode_id": name,
            "instance_id": name,
            "category": category,
            "difficulty": difficulty,
            "outcome": "aborted" if aborted else "turn_limit",
            "abort_reason": "describer_format" if aborted else None,
            "detail": EVERYTHING[:2000] if aborted else None,
            "turns": turns,
        }
    )


def _scores(run: RunFolder, rendering: str) -> list[Score]:
    given = []
    for episode in run.episodes():
        for turn in (1, 2):
            head = {"episode_id": episode.episode_id, "turn": turn, "task": "similarity", "rendering": rendering}
            given.append(Score.model_validate({**head, "judge": "eye", "value": 3.0 + turn}))
            given.append(Score.model_validate({**head, "judge": "human", "annotator": "p-1", "value": 4.0}))
        refused = {**head, "task": "preference", "judge": "eye", "value": None, "reason": SCRIPT + ATTRIBUTE}
        given.append(Score.model_validate(refused))
    return given


def make_site(folder: Path) -> None:
    instances = sample_instances(folder / "instances")
    hostile_run(folder / "hostile", instances, sample_run(folder / "plain", instances))
    waiting = hostile_submission("hostile-too")
    build_site([folder / "plain", folder / "hostile"], folder / "site", Options(waiting=waiting))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_once(tmp_path_factory, "hostile-site", make_site)


def kinds(site: Path) -> list[str]:
    """One page of every kind, and every page about the hostile pair."""
    ordered = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    first: dict[str, str] = {}
    for path in ordered:
        folder, _, name = path.rpartition("/")
        first.setdefault(folder if folder and name != "index.html" else path, path)
    return sorted({*first.values(), *(path for path in ordered if "hostile" in path)} - {"404.html"})


@pytest.mark.slow
def test_nothing_of_a_strangers_is_wrong_with_the_pages(site: Path) -> None:
    findings, pages = check_site(site)
    assert pages > 40
    assert findings == []


@pytest.mark.slow
def test_nothing_runs_and_nothing_is_fetched(browser: "Browser", address: str, site: Path) -> None:
    paths = kinds(site)
    assert {
        "pairs/hostile.html",
        "pairs/hostile-too.html",
        "gallery/geometry-easy-01.html",
        "boards/index.html",
        "index.html",
    } <= set(paths)
    wrong: list[tuple[str, int]] = []
    for scheme in ("light", "dark"):
        with browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme) as context:
            visit = visit_in(context, address)
            visit.page.on("response", lambda got: wrong.append((got.url, got.status)) if got.status >= 400 else None)
            for path in paths if scheme == "light" else paths[:3]:
                page = visit.open(path)
                visit.draw_charts()
                if page.evaluate("window.hacked") is not None or not fits(page, 390, 844):
                    wrong.append((path, 390))
            assert wrong == []
            assert visit.outside == []
            assert visit.complaints == []


def test_the_policy_alone_stops_what_got_into_a_page(browser: "Browser", address: str) -> None:
    with browser.new_context() as context:
        visit = visit_in(context, address)
        page = visit.open("boards/index.html")
        page.evaluate(
            """() => {
              const script = document.createElement('script');
              script.textContent = 'window.hacked = 1';
              document.body.append(script);
              const add = (markup) => document.body.insertAdjacentHTML('beforeend', markup);
              add('<img src="https://evil.example/x.png" onerror="window.hacked=2">');
              add('<a id="trap" href="javascript:window.hacked=3">x</a>');
              document.getElementById('trap').click();
            }"""
        )
        page.wait_for_timeout(300)
        assert page.evaluate("window.hacked") is None
        assert visit.complaints
