"""Run in a process of its own: the Python blocks of a page, one after the other, and what each calls its answer.

Arguments: the page, then OLD=NEW for names to put in place. Prints a JSON list: null, or the answer as records.
"""

import json
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

HUB_ONLY = "<!-- needs the Hub itself -->"


def main(page: Path, names: list[str]) -> None:
    text = page.read_text("utf-8")
    for name in names:
        old, _, new = name.partition("=")
        text = text.replace(old, new)
    answers = []
    for mark, block in re.findall(rf"({HUB_ONLY}\n)?```python\n(.*?)```", text, re.DOTALL):
        code = compile(block, str(page), "exec")
        known: dict[str, Any] = {}
        if not mark:
            print(block, file=sys.stderr)
            exec(code, known)
        answers.append(_records(known.get("answer")))
    print(json.dumps(answers))


def _records(answer: Any) -> object:
    if answer is None:
        return None
    if hasattr(answer, "to_dicts"):
        return answer.to_dicts()  # polars
    if hasattr(answer, "reset_index"):
        return json.loads(answer.reset_index().to_json(orient="records"))
    return asdict(answer)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
