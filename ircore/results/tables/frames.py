"""Tables as pandas DataFrames."""

from typing import TYPE_CHECKING

from ircore.core.extras import need_packages
from ircore.results.tables.formats import flat_columns, flat_records
from ircore.results.tables.model import Table

if TYPE_CHECKING:
    import pandas as pd


def as_frame(table: Table) -> "pd.DataFrame":
    """Return a table as a DataFrame in full precision, with the columns of its CSV.

    Args:
        table: Any table.

    Returns:
        A row for each row; an estimate has four columns, as ``flat_columns`` names them. ``attrs`` holds ``title``,
        ``caption``, ``units`` and ``descriptions``, the last two by column.

    Raises:
        InputError: pandas is not installed.
    """
    need_packages("a DataFrame", "release", "pandas")
    import pandas as pd

    columns = flat_columns(table.columns, table.primary)
    frame = pd.DataFrame(list(flat_records(table)), columns=[flat.name for flat in columns])
    frame.attrs = {
        "title": table.title,
        "caption": table.caption,
        "units": {flat.name: flat.column.unit for flat in columns if flat.part != "n"},
        "descriptions": {flat.name: flat.column.description for flat in columns},
    }
    return frame
