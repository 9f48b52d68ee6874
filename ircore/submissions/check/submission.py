"""The verdict on a submission: the same on a laptop and in continuous integration.

It depends on the submissions beside it: on their names, and on the hosts that their keys are sent to.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ircore.core.errors import InputError
from ircore.core.records import GameRules, ModelFacts
from ircore.core.strict_yaml import MAX_BYTES, FieldPath, load_bounded, read_yaml_bytes
from ircore.core.submission_records import Dates, Submission
from ircore.games.base import Game
from ircore.games.registry import load_game
from ircore.players.submission import MAINTAINERS, MANIFEST, SLUG_HELP, is_like_run_id, is_usable_slug
from ircore.submissions.check.entries import is_maintainers
from ircore.submissions.check.manifest import EXPECTED, find_provider_fault, find_reserved_fault, parse_manifest
from ircore.submissions.check.seats import Conditions, check_seat, find_host, repeat_warnings
from ircore.submissions.findings import MISSING, FieldFault, Finding, build_finding, select_errors, sort_findings
from ircore.submissions.services import OPENAI_HOST, AddressError, link_hosts, link_problem, read_address
from ircore.submissions.texts import (
    build_slug_skeleton,
    find_leak_faults,
    find_repository_faults,
    find_text_faults,
    find_unseen_fault,
    list_name_forms,
)

MOST_AUTHORS, MOST_LINKS, MOST_FINDINGS = 100, 10, 100


class OtherSubmission(NamedTuple):
    """Properties of another submission that a checked submission must differ from, or agree with.

    >>> manifest = b"{name: a + b, describer: {player: openai, api_key_env: OPENAI_API_KEY}}"
    >>> read_other_submission("a-b", manifest)
    OtherSubmission(slug='a-b', name='a + b', keys={'OPENAI_API_KEY': 'api.openai.com'})
    """

    slug: str
    """The other submission's folder."""

    name: str
    """Name of the pair or submission."""

    keys: Mapping[str, str]
    """Host that each key it names is sent to."""


def read_neighbours(folder: Path) -> tuple[OtherSubmission, ...]:
    """Return the submissions in a folder as neighbours, without damaged submissions."""
    return build_neighbours(_read_manifests(folder))


def build_neighbours(manifests: Iterable[tuple[str, bytes]]) -> tuple[OtherSubmission, ...]:
    """Return submissions as neighbours, without submissions whose manifest cannot be read.

    Args:
        manifests: Folder name and manifest of each submission.
    """
    return tuple(other for slug, data in manifests if (other := read_other_submission(slug, data)) is not None)


def read_other_submission(slug: str, data: bytes) -> OtherSubmission | None:
    """Return the parts of a merged manifest that concern other submissions; None for an unreadable manifest.

    Several times as fast as the check: thousands of neighbours are read for each submission that is checked.
    """
    if len(data) > MAX_BYTES:
        return None
    try:
        document = load_bounded(data)
    except (yaml.YAMLError, ValueError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("name"), str):
        return None
    return OtherSubmission(slug, document["name"], dict(filter(None, map(_find_key, document.values()))))


@dataclass(frozen=True)
class Purpose:
    """The purpose of a check, which decides about the rules that apply.

    >>> Purpose(local=True) == HAND_IN
    False
    """

    local: bool = False
    """It stays on its author's machine."""

    resolve: bool = False
    """It is about to be played: hosts are looked up too."""

    unplayed: bool = False
    """The submitter will play the pair: the manifest has no transcripts yet."""

    fork: str | None = None
    """Owner of the fork that the pull request comes from, which proves a provider's name; None before there is one."""


HAND_IN = Purpose()
"""To be handed in by a pull request."""


@dataclass(frozen=True)
class CheckedSubmission:
    """The verdict on a submission.

    >>> checked = check_bytes(b"schema: 1", "submission.yaml", "my-pair")
    >>> checked.valid, [finding.field for finding in select_errors(checked.findings)]
    (False, ['describer', 'generator', 'licence', 'name'])
    """

    slug: str
    """Name of the submission's folder."""

    file: str
    """Path of the manifest, as the user gave it."""

    submission: Submission | None = None
    """Record of the manifest; None if the manifest does not fit the format."""

    findings: tuple[Finding, ...] = field(default=())
    """Errors, then warnings."""

    @property
    def valid(self) -> bool:
        """Whether the submission has no error."""
        return not select_errors(self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON."""
        stated = self.submission
        players = {seat: spec.label for seat, spec in stated.players.items()} if stated else {}
        return {"slug": self.slug, "file": self.file, "valid": self.valid, **players}


def check_bytes(
    data: bytes, file: str, slug: str, neighbours: tuple[OtherSubmission, ...] = (), purpose: Purpose = HAND_IN
) -> CheckedSubmission:
    """Check a manifest that was read already; nothing is read, written or, but for ``resolve``, asked.

    Args:
        data: The manifest's bytes, at most one more than ``strict_yaml.MAX_BYTES``.
        file: Name of the file for findings.
        slug: Name of the submission's folder.
        neighbours: The other submissions.
        purpose: Purpose of the check.
    """
    manifest = parse_manifest(data, file)
    # A folder's name is checked whatever the manifest holds, so that both are mended at once.
    findings = [*manifest.findings, *manifest.locate_faults(check_slug(slug, neighbours, purpose), file)]
    if manifest.readable is not None:
        others = tuple(other for other in neighbours if other.slug != slug)
        faults = check_submission_record(manifest.readable, slug, others, purpose)
        findings += manifest.locate_faults(faults, file)
    return CheckedSubmission(slug, file, manifest.submission, _shorten_findings(sort_findings(set(findings)), file))


def check_submission(path: Path, purpose: Purpose = HAND_IN) -> CheckedSubmission:
    """Check a submission on this machine, beside the others in the same folder.

    Args:
        path: The submission's folder or its ``submission.yaml``.
        purpose: Purpose of the check.

    Raises:
        InputError: It cannot be read, or is no plain file.
    """
    manifest = path / MANIFEST if path.is_dir() else path
    if manifest.is_symlink() or (manifest.exists() and not manifest.is_file()):
        raise InputError(f"{manifest}: not a plain file", "Put the manifest itself there: no link, no device.")
    remedy = f"Name a folder with a {MANIFEST}, or make one: ircore submission new PATH"
    if path.is_dir() and any(path.glob(f"*/{MANIFEST}")):
        remedy = f"Check all that are in it: ircore submission check --all {path}"
    data = read_yaml_bytes(manifest, remedy)
    folder = Path(os.path.abspath(manifest)).parent  # noqa: PTH100 - resolve() would follow a link to the folder
    # A file of another name lies in no folder of submissions, and has no neighbours.
    others = (
        read_neighbours(folder.parent) if folder.name and (folder.parent / folder.name / MANIFEST).is_file() else ()
    )
    return check_bytes(data, str(manifest), folder.name, others, purpose)


def check_slug(slug: str, neighbours: tuple[OtherSubmission, ...], purpose: Purpose = HAND_IN) -> Iterator[FieldFault]:
    """Yield the faults in the name of a submission's folder."""
    if not is_usable_slug(slug):
        yield FieldFault((), f"the folder's name {slug!r} cannot be used", "", SLUG_HELP)
        return
    if purpose.local:
        return
    if is_like_run_id(slug):
        problem = f"the folder's name {slug!r} ends like the id of a run, which names that run's page"
        yield FieldFault((), problem, "", "End it otherwise than with eight digits or letters a to f.")
    # The names of built-in pairs begin with a word that is reserved for them.
    if not is_maintainers(slug) and (fault := find_reserved_fault((), slug)):
        yield fault
    if fault := find_provider_fault((), slug, purpose.fork):
        yield fault
    shape, own = build_slug_skeleton(slug), list_name_forms(slug)
    for other in neighbours:
        if other.slug != slug and build_slug_skeleton(other.slug) == shape:
            yield FieldFault((), f"the folder's name {slug!r} looks like {other.slug!r}", "", "Choose another name.")
        elif other.slug != slug and own & list_name_forms(other.name):
            problem = f"the folder's name {slug!r} looks like the name of {other.slug}"
            yield FieldFault((), problem, "", "Choose another name.")


def check_submission_record(
    submission: Submission, slug: str, others: tuple[OtherSubmission, ...], purpose: Purpose
) -> Iterator[FieldFault]:
    """Yield the faults of a manifest that fits the format."""
    conditions = _build_conditions(submission, others, purpose)
    game = load_game(submission.game)
    rules = game.rules.model_validate(submission.rules)
    yield from _check_seats(game, rules, submission, conditions)
    if not purpose.local:
        yield from _check_own_keys(submission)
    yield from _check_stated_fields(submission, others, purpose)
    if not purpose.local:
        yield from _list_warnings(submission, slug)
        for remark in game.list_remarks(rules, submission.players):
            # What is refused is said when the pair is played.
            if not remark.refused:
                yield FieldFault(remark.path, remark.problem, remark.expected, remark.remedy, "warning")


def check_licence(path: FieldPath, licence: str) -> Iterator[FieldFault]:
    """Yield a fault if a licence is no SPDX expression, or is not written as SPDX writes it.

    Args:
        path: Field of the manifest.
        licence: What stands there.
    """
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    expected = EXPECTED["licence"]
    try:
        known = canonicalize_license_expression(licence)
    except (InvalidLicenseExpression, ValueError):
        yield FieldFault(path, "no licence that SPDX lists", expected, f"Write {expected} (spdx.org/licenses).")
        return
    if known != licence:
        yield FieldFault(path, f"SPDX writes it {known}", known, f"Write {known}.", "warning")


def check_about(path: FieldPath, about: ModelFacts, dates: Dates | None) -> Iterator[FieldFault]:
    """Yield the faults in the statements about a model.

    Args:
        path: Field of the manifest.
        about: What stands there.
        dates: When the submission was made and played.
    """
    if about.organisation is not None:
        yield from find_text_faults((*path, "organisation"), about.organisation)
    if about.licence is not None:
        yield from check_licence((*path, "licence"), about.licence)
    elif about.open_weights:
        expected = "the licence of the weights, such as Apache-2.0"
        yield FieldFault(
            (*path, "licence"), "not stated for open weights", expected, f"Add licence: {expected}.", "warning"
        )
    days = [] if dates is None else [(name, day) for name in ("played", "submitted") if (day := getattr(dates, name))]
    for name, day in days:
        if about.released is not None and about.released > day:
            problem = f"{about.released} is after dates.{name}, {day}"
            yield FieldFault(
                (*path, "released"), problem, "the day on which the model came out", "Correct one of the two."
            )
            return


def _read_manifests(folder: Path) -> Iterator[tuple[str, bytes]]:
    for manifest in sorted(folder.glob(f"*/{MANIFEST}")):
        with suppress(OSError):
            # No link is followed: it could lead to any file of this machine.
            if not manifest.is_symlink() and manifest.is_file() and manifest.stat().st_size <= MAX_BYTES:
                yield manifest.parent.name, manifest.read_bytes()


def _find_key(seat: Any) -> tuple[str, str] | None:
    """Return the name of a seat's key and the host that receives the key; None for a seat without a key."""
    key, address = (seat.get("api_key_env"), seat.get("base_url")) if isinstance(seat, dict) else (None, None)
    if not isinstance(key, str) or not isinstance(address, str | None):
        return None
    try:
        return key, OPENAI_HOST if address is None else read_address(address).host
    except AddressError:
        return None


def _shorten_findings(findings: tuple[Finding, ...], file: str) -> tuple[Finding, ...]:
    """Keep the first of very many findings."""
    more = len(findings) - MOST_FINDINGS
    if more <= 0:
        return findings
    left_out = build_finding(file, f"{more} more findings are not shown", "", "Mend those that are, and check again.")
    return (*findings[:MOST_FINDINGS], left_out)


def _check_seats(
    game: Game[Any], rules: GameRules, submission: Submission, conditions: Conditions
) -> Iterator[FieldFault]:
    """Yield the faults in the seats of a manifest, whose form fits the game's declarations."""
    asked = game.list_seats(rules)
    for seat in game.seats:
        spec = submission.players.get(seat.name)
        if seat not in asked:
            if spec is not None:
                remedy = f"Leave it out, or set rules.{seat.when} to true."
                yield FieldFault((seat.name,), f"is asked only with the rule {seat.when}", "", remedy)
        elif spec is None:
            yield FieldFault((seat.name,), MISSING, "a player for each seat", f"Name the {seat.name}.")
        else:
            yield from check_seat(game, seat, spec, conditions)


def _build_conditions(submission: Submission, others: tuple[OtherSubmission, ...], purpose: Purpose) -> Conditions:
    keys: dict[str, set[str]] = {}
    for other in others:
        for key, host in other.keys.items():
            keys.setdefault(key, set()).add(host)
    return Conditions(
        local=purpose.local,
        # Who commits to a run plays it: the commitment is merged before there are transcripts.
        played_here=submission.transcripts is None and submission.commitment is None and not purpose.unplayed,
        resolve=purpose.resolve,
        keys={key: frozenset(hosts) for key, hosts in keys.items()},
    )


def _check_stated_fields(
    submission: Submission, others: tuple[OtherSubmission, ...], purpose: Purpose
) -> Iterator[FieldFault]:
    """Yield the faults in the fields of a manifest besides seats and rules, which manifests of all games share."""
    yield from _check_texts(submission)
    yield from _link_faults(submission)
    yield from check_licence(("licence",), submission.licence)
    for seat, spec in submission.players.items():
        if spec.about is not None:
            yield from check_about((seat, "about"), spec.about, submission.dates)
    if submission.transcripts is not None:
        yield from find_repository_faults(("transcripts", "repo"), submission.transcripts.repo)
    if not purpose.local:
        yield from _name_faults(submission.name, others)
        yield from _check_claims(submission, purpose)


def _check_claims(submission: Submission, purpose: Purpose) -> Iterator[FieldFault]:
    """Yield the names that claim to be somebody, or something, that they may not be."""
    authors = [(("authors", number), author) for number, author in enumerate(submission.authors[:MOST_AUTHORS])]
    for path, text in ((("name",), submission.name), *authors):
        if fault := find_reserved_fault(path, text):
            yield fault
    for path, author in authors:
        if fault := find_provider_fault(path, author, purpose.fork):
            yield fault


def _check_own_keys(submission: Submission) -> Iterator[FieldFault]:
    """Yield a fault if a submission would have the same key sent to two hosts."""
    known: dict[str, tuple[str, str]] = {}
    for seat, spec in submission.players.items():
        host = find_host(spec)
        if spec.api_key_env is None or host is None:
            continue
        first, other = known.setdefault(spec.api_key_env, (seat, host))
        # A key belongs to one service, and the other host would learn it.
        if other != host:
            yield FieldFault(
                (seat, "api_key_env"),
                f"{spec.api_key_env} is sent to {other} by the {first} and would be sent to {host}",
                "one service a key",
                "Give each service's key a name of its own.",
            )


def _check_texts(submission: Submission) -> Iterator[FieldFault]:
    yield from find_text_faults(("name",), submission.name)
    if submission.hardware is not None:
        yield from find_text_faults(("hardware",), submission.hardware)
    if len(submission.authors) > MOST_AUTHORS:
        yield FieldFault(("authors",), f"more than {MOST_AUTHORS}", EXPECTED["authors"], "Name a group instead.")
    for number, author in enumerate(submission.authors[:MOST_AUTHORS]):
        path = ("authors", number)
        yield from find_text_faults(path, author)
        if "@" in author:
            yield FieldFault(path, "holds an e-mail address", "a name", "Write the name alone: it is published.")


def _link_faults(submission: Submission) -> Iterator[FieldFault]:
    if len(submission.links) > MOST_LINKS:
        yield FieldFault(("links",), f"more than {MOST_LINKS}", EXPECTED["links"], "Keep the most useful ones.")
    for name, url in submission.links.items():
        path = ("links", name)
        problem = link_problem(url)
        if fault := find_unseen_fault(path, url):
            yield fault
        elif problem is not None:
            remedy = (
                "Link to where it is kept there (docs/submit.md has the list), or ask for the host in the pull request."
            )
            yield FieldFault(
                path, problem, f"https on {link_hosts()[0]} or another of {len(link_hosts())} hosts", remedy
            )
        yield from find_leak_faults(path, url)


def _name_faults(name: str, others: tuple[OtherSubmission, ...]) -> Iterator[FieldFault]:
    if same := [other.slug for other in others if other.name == name]:
        more = f" and {len(same) - 1} more" if len(same) > 1 else ""
        remedy = "Say what is different, such as the rules or the version."
        yield FieldFault(("name",), f"is also the name of {same[0]}{more}", "a name of its own", remedy)
    own = list_name_forms(name)
    for other in others:
        if other.name != name and own & (list_name_forms(other.name) | list_name_forms(other.slug)):
            problem = f"looks like the name of {other.slug}"
            yield FieldFault(("name",), problem, "a name that cannot be taken for another", "Choose another name.")


def _list_warnings(submission: Submission, slug: str) -> Iterator[FieldFault]:
    for seat, player in submission.players.items():
        yield from repeat_warnings(seat, player)
    asks = any(player.model is not None for player in submission.players.values())
    if asks and submission.dates is None:
        problem = "not given, so nobody can tell when: services change under one name"
        yield FieldFault(("dates",), problem, EXPECTED["dates"], "Add dates: {submitted: YYYY-MM-DD}.", "warning")
    if submission.transcripts is not None and submission.hardware is None:
        problem = "not given, so nobody can tell what the models ran on"
        remedy = "Add hardware: what they ran on, or whose service it was."
        yield FieldFault(("hardware",), problem, EXPECTED["hardware"], remedy, "warning")
    if not submission.authors and not slug.startswith(MAINTAINERS):
        yield FieldFault(("authors",), "names nobody", EXPECTED["authors"], "Add authors: [Your name].", "warning")
