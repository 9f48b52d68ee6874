"""A dataset that somebody else published on the Hub, read row by row by ``datasets``, or fetched as files."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from dataset_card.hub.repository import HubRepository
from ircore.core.errors import InputError, WorkError


class HubDataset:
    """A dataset on the Hub.

    Args:
        name: ``ORG/NAME``.
        revision: Commit, branch or tag; the newest commit if None.
        split: Name of the split.
        streaming: Whether rows are read over the network; otherwise the files are downloaded first.

    Raises:
        InputError: That cannot be the name of a dataset.
    """

    def __init__(self, name: str, revision: str | None, split: str, streaming: bool) -> None:
        self.name = name
        self._repository = HubRepository(name)
        self._revision, self._split, self._streaming = revision, split, streaming

    def has_file(self, path: str) -> bool:
        """Return whether the dataset has a file; WorkError if there is no such dataset or the Hub is not reached."""
        return path in self._repository.files(self._revision or "main")

    def fetch(self, patterns: Iterable[str]) -> Path:
        """Bring files into the user's Hub cache and return their folder; WorkError if the Hub is not reached."""
        return self._repository.fetch(self._revision, patterns)

    @cached_property
    def configs(self) -> list[str]:
        """Names of the configs, sorted; InputError or WorkError if they cannot be read."""
        # The import of datasets takes more than a second, which other sources of pictures should not pay.
        from datasets import get_dataset_config_names

        with self._explain_errors():
            return sorted(get_dataset_config_names(self.name, revision=self._revision))

    def columns(self, config: str) -> set[str]:
        """Return the names of a config's columns."""
        with self._explain_errors():
            opened = self._open_config(config, None, None)
            # Streamed JSON has no features before its first row.
            return set(opened.features or next(iter(opened), {}))

    def rows(
        self, config: str, columns: tuple[str, ...], filters: object = None, picture: str = ""
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a config.

        Args:
            config: Name of the config.
            columns: Names of the columns that are read.
            filters: Rows that are wanted, as ``load_dataset`` takes filters; None for all.
            picture: Column of pictures. They are not decoded: a stranger's bytes are checked first.

        Raises:
            InputError: The rows cannot be read.
            WorkError: There is no such dataset or revision, or the Hub cannot be reached.
        """
        from datasets import Image

        with self._explain_errors():
            opened = self._open_config(config, columns, filters)
            yield from opened.cast_column(picture, Image(decode=False)) if picture else opened

    def _open_config(self, config: str, columns: tuple[str, ...] | None, filters: object) -> Any:
        from datasets import load_dataset

        narrowed = {"columns": list(columns)} if columns else {}
        return load_dataset(
            self.name, config, split=self._split, revision=self._revision, streaming=self._streaming,
            **narrowed, **({"filters": filters} if filters else {}),
        )  # fmt: skip

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Turn errors of ``datasets`` into a line with a remedy."""
        from datasets.exceptions import DatasetNotFoundError

        try:
            yield
        except DatasetNotFoundError as error:
            raise WorkError(
                f"{self.name}: no such dataset or revision, or none that this token may see",
                "Check the name, --option revision=…, and HF_TOKEN.",
            ) from error
        except (ValueError, RuntimeError) as error:
            line = " ".join(str(error).split())[:200]
            raise InputError(
                f"{self.name}: cannot be read ({line})", "Check --option config, split, revision."
            ) from error
        except OSError as error:
            raise WorkError(f"{self.name}: the Hub cannot be reached ({error})", "Try again later.") from error
