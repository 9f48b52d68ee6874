"""Where the published results are: the dataset that previews fetch by themselves."""

import os

DATASET: str | None = None
"""The project's dataset on the Hub, ``ORG/NAME``: maintainers write it here once it is published."""

DATASET_VARIABLE = "DATASET"
"""Environment variable that names another dataset; the workflows set it."""


def dataset_name(stated: str | None = None) -> str | None:
    """Return the dataset of published results; None if none is known.

    Args:
        stated: What the user named, which counts before the environment's and the project's.

    >>> dataset_name("org/results")
    'org/results'
    """
    return stated or os.environ.get(DATASET_VARIABLE) or DATASET
