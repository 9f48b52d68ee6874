"""``croissant.json``: the release described for programs, Croissant 1.1 with the responsible-AI fields, written by us.

Specifications: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html and …/croissant-rai-spec.html. Every
table is a record set whose files are found by a pattern below the folder in which ``croissant.json`` lies, so that it
holds here, in a copy and on the Hub alike; each file stands beside with its size and SHA-256.

Every ``instance_id`` refers to the table of targets. Other tables join on several columns at once, which a reference
cannot express: their ``key`` names these columns.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from dataset_card.card import statements as card_statements
from dataset_card.card.statements import (
    GAME_TAGS,
    PAPER,
    TAGS,
    TASKS,
    build_statements,
    collect_licences,
    count_annotators,
    format_title,
)
from dataset_card.tables.columns import ITEMS, SPLIT, Config, Kind, ReleaseColumn
from dataset_card.tables.game_tables import GameTables, ReleaseSource
from dataset_card.tables.parquet import list_table_files
from dataset_card.tables.schema import JOINS, is_transcripts
from ircore.core.score_records import HUMAN

CROISSANT = "croissant.json"

CONFORMS_TO = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")

MAX_BYTES = 64 * 1024 * 1024

PARQUET = "application/x-parquet"

MAKER = "The Image Reconstruction Game leaderboard's contributors"

_KEYS = {
    "instances": ("instance_id",),
    "episodes": ("episode_id",),
    "scores": ("episode_id", "step", "measure", "by", "annotator"),
    "leaderboard": ("run_id", "category", "difficulty", "measure", "by"),
    "runs": ("run_id",),
    "measures": ("game", "measure"),
    "judges": ("game", "judge"),
    "calls": ("run_id", "call"),
    "dialogues": ("episode_id", "seat"),
    "preferences": ("chosen_episode_id", "rejected_episode_id", "seat"),
    "facts": ("episode_id", "step", "fact", "judge"),
    "previews": ("episode_id", "step"),
}
"""The columns that tell the rows of each table apart."""

_STEP_KEY = ("episode_id", "step")
"""Columns that tell the rows of transcripts apart."""

CITATION = (
    "@misc{hakimov2026imagereconstructiongame, title = {The Image Reconstruction Game: Drawing Common Ground Through "
    "Iterative Multimodal Dialogue}, author = {Hakimov, Sherzod and D'Agostini, Mattia and Samodelkin, Ivan and "
    f"Schlangen, David}}, year = {{2026}}, eprint = {{{PAPER}}}, archivePrefix = {{arXiv}}}}"
)

_TYPES: dict[Kind, str] = {
    "string": "sc:Text",
    "strings": "sc:Text",
    "int32s": "cr:Int32",
    "int32": "cr:Int32",
    "int64": "cr:Int64",
    "float64": "cr:Float64",
    "bool": "sc:Boolean",
    "image": "sc:ImageObject",
}

HUB_PAGE = re.compile(r"https://huggingface\.co/datasets/[\w.-]+/[\w.-]+")
"""Address of a dataset's page on the Hub."""

_SPLITS: dict[str, Any] = {
    "@type": "cr:RecordSet",
    "@id": "splits",
    "name": "splits",
    "description": "Every table has one split.",
    "dataType": "cr:Split",
    "key": {"@id": "splits/name"},
    "field": [
        {"@type": "cr:Field", "@id": "splits/name", "name": "name", "dataType": "sc:Text"},
        {"@type": "cr:Field", "@id": "splits/url", "name": "url", "dataType": "sc:URL"},
    ],
    # A test split in the words of Croissant, whatever the split is called here.
    "data": [{"splits/name": SPLIT, "splits/url": "cr:TestSplit"}],
}


def render_croissant(
    folder: Path,
    source: ReleaseSource,
    configs: Sequence[Config],
    version: str,
    date: str,
    hashes: Mapping[str, str],
    url: str | None = None,
) -> str:
    """Return the content of ``croissant.json``.

    Args:
        folder: The release, its tables written.
        source: Games of the release.
        configs: Tables of the release.
        version: Version of the release in semantic versioning.
        date: Date of the release, YYYY-MM-DD.
        hashes: SHA-256 of the files of its tables, by path.
        url: Its own page, as the maintainers name it; None if they name none.
    """
    document = _build_document(source, version, date) | ({} if url is None else {"url": url})
    document["distribution"] = list(_build_distribution(folder, configs, hashes))
    document["recordSet"] = _record_sets(configs)
    return _dump(document)


def remove_url(data: bytes) -> bytes:
    """Return a ``croissant.json`` of this program without the address of its page."""
    return _replace_url(data, None)


def add_hub_page(data: bytes, name: str) -> bytes:
    """Return a ``croissant.json`` of this program that names its page on the Hub, unless maintainers name another.

    Args:
        data: Content of the file.
        name: Of the dataset, ``ORG/NAME``.
    """
    stated = json.loads(data).get("url")
    return (
        data
        if stated and not HUB_PAGE.fullmatch(stated)
        else _replace_url(data, f"https://huggingface.co/datasets/{name}")
    )


def is_but_for_hub_page(data: bytes, wanted: bytes) -> bool:
    """Return whether a ``croissant.json`` is the wanted one, but for the page on the Hub that a push adds."""
    try:
        document = json.loads(data[:MAX_BYTES])
        stated = document.get("url") if isinstance(document, dict) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(stated, str) and bool(HUB_PAGE.fullmatch(stated)) and data == _replace_url(wanted, stated)


def format_semantic_version(benchmark: str | None, date: str, content: str) -> str:
    """Return a release's version as semantic versioning asks for it, such as ``2026.1.0+20261201.1a2b3c4d``.

    Args:
        benchmark: Version of the benchmark, such as ``2026.1``; None if it is not a released one.
        date: Date of the release, YYYY-MM-DD.
        content: Hash of its content, hexadecimal.
    """
    # Semantic versioning 2.0, section 2: no number begins with a zero.
    numbers = [number.lstrip("0") or "0" for number in re.findall(r"[0-9]+", benchmark or "")[:3]]
    return f"{'.'.join((numbers + ['0'] * 3)[:3])}+{date.replace('-', '')}.{content[:8]}"


def check_croissant(folder: Path, configs: Sequence[Config], hashes: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each file and table that ``croissant.json`` describes wrongly.

    Args:
        folder: The release.
        configs: The release's tables, as the files have them.
        hashes: SHA-256 of the files of its tables by path.
    """
    path = folder / CROISSANT
    if not path.is_file():
        return
    try:
        # A file that is too long is cut off, and then no JSON.
        document = json.loads(path.read_bytes()[:MAX_BYTES])
    except (ValueError, RecursionError) as error:
        yield f"is not valid JSON ({type(error).__name__})"
        return
    if not isinstance(document, dict) or document.get("conformsTo") != list(CONFORMS_TO):
        yield f"does not conform to {CONFORMS_TO[0]}"
        return
    for key, wanted in (
        ("distribution", _build_distribution(folder, configs, hashes)),
        ("recordSet", _record_sets(configs)),
    ):
        described = _index_by_id(document.get(key))
        for entry in wanted:
            # What is left in the end describes nothing that the release has.
            if described.pop(entry["@id"], None) != entry:
                yield f"{key}: {entry['@id']} is missing or not as it is in the release"
        yield from (f"{key}: {name[:80]} is not in the release" for name in described)


def find_key_columns(config: Config) -> list[str]:
    """Return the columns that tell the rows of a table apart."""
    # Transcripts are named after their games, so no list can hold their names.
    return [*(_STEP_KEY if is_transcripts(config.name) else _KEYS[config.name])]


def _replace_url(data: bytes, url: str | None) -> bytes:
    document = json.loads(data)
    document.pop("url", None)
    # In its place, before what the files and tables are.
    rest = {key: document.pop(key) for key in ("distribution", "recordSet")}
    return _dump(document | ({} if url is None else {"url": url}) | rest).encode()


def _dump(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _index_by_id(value: object) -> dict[str, Any]:
    entries = value if isinstance(value, list) else []
    return {str(entry.get("@id")): entry for entry in entries if isinstance(entry, dict)}


def _build_document(source: ReleaseSource, version: str, date: str) -> dict[str, Any]:
    """Return the description of a release without its files and tables."""
    days = sorted(run.run.started[:10] for run in source.runs)
    makers = sorted({(run.run.version, run.run.prompts) for run in source.runs})
    return {
        "@context": _build_context(),
        "@type": "sc:Dataset",
        "conformsTo": list(CONFORMS_TO),
        "name": format_title(source),
        "description": _describe_release(source),
        "license": [_find_licence_address(name) for name in sorted(collect_licences(source))],
        "creator": {"@type": "sc:Organization", "name": MAKER},
        "publisher": {"@type": "sc:Organization", "name": MAKER},
        **({} if source.lead is None else {"citeAs": CITATION}),
        # The licence of this description; that of the data is under license.
        "sdLicense": "https://spdx.org/licenses/CC0-1.0",
        "keywords": list(GAME_TAGS if source.lead is None else (*TAGS, *TASKS)),
        "inLanguage": "en",
        "version": version,
        "dateCreated": days[0],
        "datePublished": date,
        "prov:wasGeneratedBy": [
            {"@type": "prov:Activity", "prov:label": f"played by ircore {played_by} with prompts {prompts}"}
            for played_by, prompts in makers
        ],
        **({} if source.lead is None else _describe_responsible_ai(source.lead, (days[0], days[-1]))),
    }


def _describe_release(source: ReleaseSource) -> str:
    if source.lead is not None:
        return card_statements.DESCRIPTION
    titles = dict.fromkeys(tables.game.title for tables in source.others)
    return f"Instances, steps and scores of every episode of {', '.join(titles)}."


def _build_context() -> dict[str, Any]:
    """Return the JSON-LD context of the specification's appendix, with the prefix of provenance terms."""
    context: dict[str, Any] = json.loads((files("dataset_card") / "croissant_context.json").read_text("utf-8"))
    return context


def _find_licence_address(name: str) -> str:
    """Return the address of a licence at SPDX; a licence without an address is named by its identifier."""
    # SPDX has pages for single licences, and none for expressions such as MIT OR Apache-2.0.
    return name if name.startswith("LicenseRef-") or " " in name else f"https://spdx.org/licenses/{name}"


def _describe_responsible_ai(source: GameTables, days: tuple[str, str]) -> dict[str, Any]:
    stated, results = build_statements(source), source.results
    people = count_annotators(source)
    platform = {"rai:dataAnnotationPlatform": ["The page that ircore annotate build makes"]} if people else {}
    # The field is of the type DateTime, and a release knows days.
    timeframe = [f"{day}T00:00:00" for day in days]
    machines = [name for name in (*results.judges, *results.metrics) if name != HUMAN]
    return {
        "rai:dataCollection": " ".join(stated.collection),
        "rai:dataCollectionType": ["Experiments", "Software Collection"],
        "rai:dataCollectionMissingData": card_statements.MISSING,
        "rai:dataCollectionRawData": "Answers as they came are in calls.",
        # The specification's spelling, and that which mlcroissant 1.1.1 reads.
        "rai:dataCollectionTimeframe": timeframe,
        "rai:dataCollectionTimeFrame": timeframe,
        "rai:dataPreprocessingProtocol": [
            "Renderings are turned into plain RGB pictures without metadata; messages are what stood between the "
            "protocol's tags."
        ],
        "rai:dataAnnotationProtocol": " ".join(stated.annotation),
        **platform,
        "rai:annotationsPerItem": f"People: {people} in the whole release, each rating some of the renderings."
        if people
        else "None by people.",
        "rai:annotatorDemographics": ["Not asked for: people appear under a pseudonym."] if people else ["None."],
        "rai:machineAnnotationTools": machines,
        "rai:personalSensitiveInformation": list(stated.personal),
        "rai:dataSocialImpact": card_statements.SOCIAL_IMPACT,
        "rai:dataBiases": list(stated.biases),
        "rai:dataLimitations": [*stated.limits, *card_statements.NOT_FOR],
        "rai:dataUseCases": list(card_statements.USES),
        "rai:dataReleaseMaintenancePlan": card_statements.MAINTENANCE,
    }


def _build_distribution(folder: Path, configs: Sequence[Config], hashes: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for config in configs:
        files = [path.relative_to(folder).as_posix() for path in list_table_files(folder, config)]
        yield {
            "@type": "cr:FileSet",
            "@id": f"{config.name}-files",
            "description": f"All files of {config.name}.",
            "encodingFormat": PARQUET,
            "includes": config.pattern,
        }
        yield from (_build_file_object(folder, name, hashes[name]) for name in files)


def _build_file_object(folder: Path, name: str, sha256: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name.rpartition("/")[2],
        "contentUrl": name,
        "contentSize": f"{(folder / name).stat().st_size} B",
        "encodingFormat": PARQUET,
        "sha256": sha256,
    }


def _record_sets(configs: Sequence[Config]) -> list[dict[str, Any]]:
    return [_SPLITS, *map(_record_set, configs)]


def _record_set(config: Config) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": config.name,
        "name": config.name,
        "description": f"One row is {config.row}.",
        "key": [{"@id": f"{config.name}/{name}"} for name in find_key_columns(config)],
        # Readers of Croissant take no list of pictures or of records out of a Parquet file.
        "field": [
            _build_field(config, column) for column in config.columns if column.kind not in ("images", "messages")
        ],
    }


def _build_reference(config: Config, column: ReleaseColumn) -> dict[str, Any]:
    """Return the reference of a column to the table that it is the key of: one column is enough for a right join."""
    table = JOINS.get(column.name)
    return {} if table is None or table == config.name else {"references": {"field": {"@id": f"{table}/{column.name}"}}}


def _build_field(config: Config, column: ReleaseColumn) -> dict[str, Any]:
    source: dict[str, Any] = {"fileSet": {"@id": f"{config.name}-files"}, "extract": {"column": column.name}}
    if column in config.images:
        # In Parquet a picture is a struct, as the library datasets writes it.
        source["transform"] = {"jsonPath": "bytes"}
    return {
        "@type": "cr:Field",
        "@id": f"{config.name}/{column.name}",
        "name": column.name,
        "description": column.description,
        "dataType": _TYPES[column.kind],
        # An array of one dimension and any length has the shape -1 in Croissant 1.1.
        **({"isArray": True, "arrayShape": "-1"} if column.kind in ITEMS else {}),
        **_build_reference(config, column),
        "source": source,
    }
