"""The channel test: a neutral generator is given the same messages, and paraphrases of them.

Two players who share a code book need no description: what the describer says is worth nothing to anybody else. So a
neutral generator draws from the same words; from paraphrases, in which a code in the wording is lost; and from the
words about other targets, which say what a drawing without any information is worth. Of what the pair's own pictures
gain over these, the test says what share the neutral generator's pictures gain. Where the pair's own generator can be
asked, it draws from the paraphrases as well. All of it is played and kept like any run.

Facts that the pair's pictures have right and the neutral generator does not draw from the same words are looked for in
the words themselves (``channel_messages``).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ircore.core.errors import InputError, WorkError
from ircore.core.plain_words import format_count
from ircore.core.records import PlayerSpec, derive_seed
from ircore.core.submission_records import Submission
from ircore.games.base import Game, list_messages
from ircore.games.registry import load_game, require_support
from ircore.players.base import DescriberView, TextAnswer
from ircore.players.submission import LoadedSubmission, make_player
from ircore.results.statistics.intervals import Estimate
from ircore.runs.costs.limit import CostLimit
from ircore.runs.costs.prices import load_run_prices
from ircore.runs.folder import RunFolder
from ircore.runs.play import make_run, open_run, play
from ircore.runs.provenance import Flag
from ircore.runs.session import PlayPlan
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.submissions.channel_messages import RULE as UNSTATED
from ircore.submissions.channel_messages import (
    Paraphraser,
    Unstated,
    drop_guessed,
    find_unstated_facts,
    paraphrase_messages,
    select_other_runs,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Sums = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]

MOST_TOKENS = 10_000
"""Token budget of these runs: a paraphrase may be longer than its message."""

Words = Mapping[str, Sequence[str]]
"""The messages of an episode, turn by turn, by the hash of the target's picture."""

Condition = Literal["same", "paraphrase", "other", "own_paraphrase"]
"""Words that were given; all to the neutral generator, but ``own_paraphrase`` to the pair's own."""

COLLAPSED = 0.1
"""Share below which, with its whole interval, a neutral generator gains nothing from the same words.

Measured on the 42 pictures of the demo, judged by ``structural``: given the four built-in pairs' words, ``canvas``
gains 1.0 of what they gain and more, ``sketch`` 0.36 to 1.0; given words of a code book, 0.
"""

OWN_COLLAPSED = 0.5
"""The same for the pair's own generator and paraphrases: 0.73 to 1.09 for the built-in pairs."""

LEAST_GAIN = 0.3
"""What the pair's own pictures must gain over words about other targets, 0–10, for a share to say anything."""

RULE = "words_do_not_carry"
"""Rule of the finding about a pair whose score collapses."""

RULES = frozenset({RULE, UNSTATED})
"""Rules of the findings of this test."""

Verdict = Literal["carried", "collapsed", "too little to tell"]


class AskedGenerator(NamedTuple):
    """A generator that is asked.

    >>> from ircore.players.builtin_pairs import list_builtin_pairs
    >>> from ircore.players.submission import read_manifest
    >>> find_drawer(read_manifest(list_builtin_pairs()["classical+canvas"])).pair.slug
    'builtin-classical-canvas'
    """

    pair: LoadedSubmission
    """The submission that has it."""

    player: Any
    """The generator itself."""


def find_drawer(pair: LoadedSubmission) -> AskedGenerator:
    """Return the generator of a submission.

    Raises:
        InputError: The generator does not take its settings.
    """
    return AskedGenerator(pair, make_player(pair, "generator"))


class Speaker:
    """A describer that says given words to each target, and then is done.

    >>> import asyncio
    >>> import numpy as np
    >>> from ircore.core.images import Picture
    >>> target = Picture.from_pixels(np.zeros((8, 8, 3), np.uint8))
    >>> view = DescriberView(1, "Describe it.", target, (), (), (), (), token_budget=200, seed=0)
    >>> asyncio.run(Speaker({target.sha256: ["A red circle."]}).describe(view)).text
    '<DESCRIPTION>A red circle.</DESCRIPTION>'

    Args:
        words: By the hash of the target's picture.
    """

    def __init__(self, words: Words) -> None:
        self._words = words

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Return the words of this turn; ``<DONE>`` after the last."""
        # A describer is shown no name of its episode, so that words are found by the picture.
        messages = self._words[view.target.sha256]
        return TextAnswer(
            f"<DESCRIPTION>{messages[view.turn - 1]}</DESCRIPTION>" if view.turn <= len(messages) else "<DONE>"
        )


def play_words(
    run: RunFolder,
    words: Words,
    drawer: AskedGenerator,
    words_name: str,
    out: Path,
    concurrency: int = 4,
    max_cost: float | None = None,
) -> RunFolder:
    """Let a generator draw from words in the place of the describer's.

    Args:
        run: The run whose targets are played.
        words: What is said to each target; other targets of the set are left out.
        drawer: Who draws, by the rule ``drawing`` of its own submission.
        words_name: Name of the words, which becomes part of the new run's identity.
        out: The run folder: created, or resumed if it exists.
        concurrency: Episodes at the same time.
        max_cost: US dollars that the new run may cost; no limit if None.

    Raises:
        InputError: The folder holds another run.
        WorkError: The generator failed for a technical reason, or the cost reached its limit.
    """
    pair = drawer.pair.submission
    speaker = PlayerSpec(player="replay", parameters={"run": run.run.run_id, "words": words_name})
    submission = Submission(
        schema_=1,
        # 300 characters is the longest name that the format takes.
        name=f"{words_name} of {run.run.slug}"[:300],
        licence="CC0-1.0",
        describer=speaker,
        generator=pair.players["generator"],
    )
    loaded = LoadedSubmission(f"channel-{words_name}", submission, drawer.pair.path)
    most = max(map(len, words.values()))
    game = load_game(run.game)
    rules = game.rules.model_validate(
        {"token_budget": MOST_TOKENS, "max_turns": max(1, most), "drawing": game.read_rules(pair).drawing}
    )
    prompts = game.read_prompts(None)
    identity = make_run(loaded, run.instances, rules, prompts, run.run.seed)
    instance_ids = {
        instance.instance_id for instance in run.instances.instances if instance.pictures["target"].sha256 in words
    }
    selected = run.instances.instances.where(lambda entry: entry.instance_id in instance_ids)
    folder = open_run(out, identity, run.instances, selected)
    plan = PlayPlan(identity, run.instances, selected, prompts, concurrency)
    play_all(plan, folder, game, {"describer": Speaker(words), "generator": drawer.player}, max_cost)
    return folder


def play_all(
    plan: PlayPlan, folder: RunFolder, game: Game[Any], players: Mapping[str, Any], max_cost: float | None
) -> None:
    """Play every episode of a plan to its end.

    Raises:
        WorkError: A player failed for a technical reason, or the cost reached its limit.
    """
    episodes = play(plan, folder, game, players, CostLimit(load_run_prices(folder), max_cost))
    if failed := [episode for episode in episodes if not episode.finished]:
        problem = (
            f"{folder.path}: {format_count(len(failed), 'episode')} failed: {failed[0].abort_reason}: "
            f"{failed[0].detail}"
        )
        raise WorkError(problem, "Give the same command again: it goes on where it stopped.")


@dataclass(frozen=True)
class ChannelResult:
    """Result of the channel test for one run.

    >>> known = Estimate(8.0, 7.5, 8.5, 42)
    >>> result = ChannelResult("a-pair-1a2b3c4d", {"own": known, "same": Estimate(2.0, 1.9, 2.1, 42)}, {}, 6.1)
    >>> result.verdict
    'carried'
    """

    run_id: str
    """The run."""

    scores: dict[str, Estimate]
    """Mean scores, 0–10: ``own`` of the pair's pictures, and by condition."""

    shares: dict[str, Estimate]
    """Of the gain of the pair's own pictures, the share that a condition keeps: 1 is all, 0 is none."""

    gain: float
    """What the pair's own pictures gain over words about other targets, 0–10."""

    unstated: Unstated = field(default_factory=Unstated)
    """Facts that the pair's pictures have right and no message states."""

    @property
    def collapsed(self) -> tuple[str, ...]:
        """Conditions under which the score collapses."""
        if self.gain < LEAST_GAIN:
            return ()
        # The upper end must lie below the limit, because chance alone must not make a finding.
        limits = {"same": COLLAPSED, "own_paraphrase": OWN_COLLAPSED}
        shares = {name: self.shares[name].high for name in limits if name in self.shares}
        return tuple(name for name, high in shares.items() if high is not None and high < limits[name])

    @property
    def verdict(self) -> Verdict:
        """Whether the words carry the picture."""
        if self.gain < LEAST_GAIN:
            return "too little to tell"
        return "collapsed" if self.collapsed else "carried"

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The grave findings: of a pair whose score collapses, and of one that draws what nobody told."""
        return (*self._collapse(), *self.unstated.flags)

    def _collapse(self) -> tuple[Flag, ...]:
        if not self.collapsed:
            return ()
        name = self.collapsed[0]
        words = "the same words" if name == "same" else "paraphrases"
        who = "a neutral generator" if name == "same" else "the pair's own generator"
        share = 100 * (self.shares[name].mean or 0)
        problem = f"given {words}, {who} gains {share:.0f} % of what the pair's pictures gain"
        return (Flag(rule=RULE, where="the run", what=problem),)


@dataclass(frozen=True)
class ChannelPlan:
    """Who is asked in a channel test, and how much.

    >>> from ircore.players.builtin_pairs import list_builtin_pairs
    >>> from ircore.players.submission import read_manifest
    >>> from ircore.submissions.channel_messages import ByList
    >>> from ircore.submissions.channel_test import find_drawer
    >>> ChannelPlan(find_drawer(read_manifest(list_builtin_pairs()["classical+canvas"])), ByList()).judge
    'structural'
    """

    neutral: AskedGenerator
    """The neutral generator."""

    paraphraser: Paraphraser
    """Says messages in other words."""

    own: AskedGenerator | None = None
    """The pair's own generator; None if nobody here can ask it."""

    judge: str = "structural"
    """A computed judge."""

    episodes: int | None = None
    """Episodes at most, drawn by the run's id; None for all."""

    concurrency: int = 4
    max_cost: float | None = None
    """US dollars for each of the conditions."""

    published: tuple[RunFolder, ...] = ()
    """Runs of other pairs: what these have right without telling, too, is no finding."""


def run_channel_test(run: RunFolder, plan: ChannelPlan, out: Path) -> ChannelResult:
    """Give a run's messages, paraphrases and messages about other targets to a neutral generator.

    Args:
        run: A run of a game that supports it, scored by the judge.
        plan: Who is asked.
        out: Folder for one run a condition: created, or resumed if it exists.

    Raises:
        InputError: The run is of another game, has too few episodes, or the judge has not rated it.
        WorkError: A generator failed for a technical reason.
    """
    require_support("channel test", run.game, str(run.path))
    messages_by_episode = _select_messages(run, plan.episodes)
    own = {name: score for name, score in compute_final_scores(run, plan.judge).items() if name in messages_by_episode}
    # A single episode would be given its own words in the place of words about other targets.
    if len(own) < 2:
        remedy = f"Score the run with: ircore score {run.path} --every-turn"
        raise InputError(
            f"{run.path}: {plan.judge} has rated {len(own)} of {format_count(len(messages_by_episode), 'dialogue')}",
            remedy,
        )
    scores, folders = {"own": own}, {}
    for condition, (drawer, words) in _build_conditions(
        run, plan, {name: messages_by_episode[name] for name in own}
    ).items():
        folder = play_words(
            run, words, drawer, condition.replace("_", "-"), out / condition, plan.concurrency, plan.max_cost
        )
        folders[condition] = folder
        score_runs([folder], ScoringPlan(judges=(plan.judge,), metrics=(), preferences=False))
        scores[condition] = compute_final_scores(folder, plan.judge)
    return replace(_build_result(run, scores), unstated=_find_unstated(run, folders["same"], plan, out))


def compute_final_scores(run: RunFolder, judge: str) -> dict[str, float]:
    """Return a judge's score of each episode's final rendering, 0–10; 0 for an episode that was aborted."""
    rated = {
        (score.episode_id, score.step): score.value
        for score in run.scores()
        if score.by == judge and score.task == "similarity" and score.value is not None
    }
    finals: dict[str, float] = {}
    for episode in run.episodes():
        last = max(episode.renderings, default=0)
        # An episode that the pair aborted counts as nothing drawn, so that aborting gains nothing.
        if not episode.played:
            finals[episode.episode_id] = 0.0
        elif (episode.episode_id, last) in rated:
            finals[episode.episode_id] = rated[episode.episode_id, last]
    return finals


def _find_unstated(run: RunFolder, same: RunFolder, plan: ChannelPlan, out: Path) -> Unstated:
    """Return what a run draws and nobody told; other pairs are looked at only if that would hold the run."""
    unstated = find_unstated_facts(run, same)
    if not unstated.is_grave:
        return unstated
    others = []
    for other in select_other_runs(run, plan.published):
        messages_by_episode = _select_messages(other, None)
        targets = _list_target_hashes(other)
        words = {targets[name]: messages for name, messages in messages_by_episode.items()}
        folder = out / "others" / other.run.run_id
        drawn = play_words(other, words, plan.neutral, "same", folder, plan.concurrency, plan.max_cost)
        others.append(find_unstated_facts(other, drawn))
    return drop_guessed(unstated, others)


def _select_messages(run: RunFolder, most: int | None) -> dict[str, list[str]]:
    """Return the messages of the played episodes that are looked at, by episode."""
    game = load_game(run.game)
    messages_by_episode = {
        episode.episode_id: [message.text for message in list_messages(game, episode)]
        for episode in run.episodes()
        # Of several episodes of a target the first: a neutral generator's run has one.
        if episode.played and episode.episode_id == episode.instance_id
    }
    names = sorted(name for name, messages in messages_by_episode.items() if messages)
    if most is not None and most < len(names):
        # Drawn by the run's id, so that a second test takes the same episodes.
        names = sorted(Random(derive_seed(0, run.run.run_id)).sample(names, most))
    return {name: messages_by_episode[name] for name in names}


def _list_target_hashes(run: RunFolder) -> dict[str, str]:
    """Return the hash of each target's picture."""
    return {instance.instance_id: instance.pictures["target"].sha256 for instance in run.instances.instances}


def _build_conditions(
    run: RunFolder, plan: ChannelPlan, messages_by_episode: dict[str, list[str]]
) -> dict[Condition, tuple[AskedGenerator, Words]]:
    targets = _list_target_hashes(run)
    names = list(messages_by_episode)
    others = names[len(names) // 2 :] + names[: len(names) // 2]  # nobody keeps their own words
    messages = [message for name in names for message in messages_by_episode[name]]
    restated = dict(zip(messages, paraphrase_messages(messages, plan.paraphraser), strict=True))
    same = {targets[name]: messages_by_episode[name] for name in names}
    paraphrase = {targets[name]: [restated[message] for message in messages_by_episode[name]] for name in names}
    other = {targets[name]: messages_by_episode[other_name] for name, other_name in zip(names, others, strict=True)}
    conditions: dict[Condition, tuple[AskedGenerator, Words]] = {
        "same": (plan.neutral, same),
        "paraphrase": (plan.neutral, paraphrase),
        "other": (plan.neutral, other),
    }
    return conditions if plan.own is None else {**conditions, "own_paraphrase": (plan.own, paraphrase)}


def _build_result(run: RunFolder, scores: dict[str, dict[str, float]]) -> ChannelResult:
    """Return means and shares over the episodes that have a score under every condition, with bootstrap intervals."""
    import numpy as np

    from ircore.results.arrays import strata
    from ircore.results.statistics.bootstrap import SCORE, Ratios, estimate_ratios, resample

    # Only episodes with a score everywhere, so that all conditions are compared on the same targets.
    names = sorted(set.intersection(*(set(known) for known in scores.values())))
    by_name = {instance.instance_id: instance for instance in run.instances.instances}
    values = np.array([[scores[condition][name] for condition in scores] for name in names], np.float64)
    drawn = resample(strata([by_name[name] for name in names]))
    means = estimate_ratios(Ratios.means(values), drawn, SCORE)
    column = {condition: values[:, place] for place, condition in enumerate(scores)}
    own_gain = column["own"] - column["other"]
    shares = {
        condition: _estimate_share(column[condition] - column["other"], own_gain, drawn.sums)
        for condition in scores
        if condition not in ("own", "other")
    }
    return ChannelResult(run.run.run_id, dict(zip(scores, means, strict=True)), shares, float(own_gain.mean()))


def _estimate_share(part: "npt.NDArray[np.float64]", whole: "npt.NDArray[np.float64]", sums: "Sums") -> Estimate:
    """Return the ratio of two mean gains with its percentile interval over resamples of the episodes."""
    import numpy as np

    # The ratio of sums rather than a mean of ratios: single episodes may gain nothing at all.
    total = float(whole.sum())
    if total <= 0:
        return Estimate(None, None, None, len(part))
    both = sums(np.stack([part, whole], axis=1))
    # A resample in which the pair itself gains nothing has no share.
    positive = both[1] > 0
    low, high = np.percentile(both[0][positive] / both[1][positive], [2.5, 97.5]) if positive.any() else (None, None)
    return Estimate(float(part.sum()) / total, low, high, len(part))
