"""What a pull request may try, as files that it adds, alters or takes away, and what has to be said about it."""

from typing import NamedTuple

from manifest_attacks import GOOD
from trees import LINK, MODULE, PLAIN, PROGRAM, Files

MANIFEST = "submissions/plain-pair/submission.yaml"
BASE: Files = {
    "README.md": (PLAIN, b"read me\n"),
    ".github/workflows/ci.yml": (PLAIN, b"name: ci\n"),
    "submissions/there/submission.yaml": (PLAIN, GOOD.replace("A plain pair", "Somebody's pair").encode()),
    "submissions/builtin-a-b/submission.yaml": (PLAIN, GOOD.replace("A plain pair", "Built in").encode()),
}
GOOD_FILE: Files = {MANIFEST: (PLAIN, GOOD.encode())}


class Change(NamedTuple):
    """A hostile change."""

    name: str
    files: Files
    """Added or altered."""
    file: str
    """File that has to be named."""
    problem: str
    """Words that have to be in the problem."""
    removed: tuple[str, ...] = ()


def extra(name: str, path: str, problem: str, mode: str = PLAIN, content: bytes = b"x", shown: str = "") -> Change:
    """A good submission with one file more."""
    return Change(name, {**GOOD_FILE, path: (mode, content)}, shown or path, problem)


IN = "submissions/plain-pair"
PNG = b"\x89PNG\r\n\x1a\n"
CHANGES = (
    extra("a workflow", ".github/workflows/evil.yml", "in no submission's folder"),
    extra("code", "ircore/__init__.py", "in no submission's folder"),
    extra("the list of owners", ".github/CODEOWNERS", "in no submission's folder"),
    extra("a test", "tests/conftest.py", "in no submission's folder"),
    extra("a file beside the folders", "submissions/evil.yaml", "in no submission's folder"),
    extra("attributes in the folder", f"{IN}/.gitattributes", "no file that a submission has"),
    extra("a program", f"{IN}/setup.py", "no file that a submission has", content=b"import os"),
    extra("a picture", f"{IN}/logo.png", "no file that a submission has", content=PNG),
    extra("a drawing with scripts", f"{IN}/logo.svg", "no file that a submission has", content=b"<svg onload=x>"),
    extra("a file further down", f"{IN}/more/submission.yaml", "no file that a submission has"),
    extra("another spelling", f"{IN}/submission.yml", "no file that a submission has"),
    extra("another case", f"{IN}/Submission.yaml", "no file that a submission has"),
    extra("a second submission", "submissions/other/submission.yaml", "", content=GOOD.encode(), shown="submissions"),
    extra("somebody else's submission", "submissions/there/submission.yaml", "", content=GOOD.encode(),
          shown="submissions"),
    extra("a built-in pair", "submissions/builtin-a-b/submission.yaml", "only maintainers", content=GOOD.encode(),
          shown="submissions/builtin-a-b"),
    extra("a new built-in pair", "submissions/builtin-x/submission.yaml", "only maintainers", content=GOOD.encode(),
          shown="submissions/builtin-x"),
    extra("a folder in capitals", "submissions/Plain-Pair/submission.yaml", "cannot be used", content=GOOD.encode()),
    extra("a link to a password file", f"{IN}/more", "symbolic link", LINK, b"/etc/passwd"),
    extra("a link to a folder", "submissions/other", "in no submission's folder", LINK, b"there"),
    Change("a manifest that is a link", {MANIFEST: (LINK, b"../there/submission.yaml")}, MANIFEST, "symbolic link"),
    Change("a manifest that is a program", {MANIFEST: (PROGRAM, GOOD.encode())}, MANIFEST, "marked as a program"),
    Change("a manifest that is a submodule", {MANIFEST: (MODULE, b"1" * 40)}, MANIFEST, "submodule"),
    Change("a manifest that is a folder", {f"{MANIFEST}/x": (PLAIN, b"x")}, f"{MANIFEST}/x", "no file that"),
    extra("a link in place of the folder of all", "submissions", "in no submission's folder", LINK, b"/etc"),
    extra("a submodule in place of it", "submissions", "in no submission's folder", MODULE, b"1" * 40),
    extra("a folder of all in another case", "Submissions/plain-pair/submission.yaml", "in no submission's folder"),
    extra("an option", f"{IN}/--upload-pack", "no file that a submission has"),
    extra("quotes", f"{IN}/'\"x", "Windows", shown=f"'{IN}/\\'\"x'"),
    extra("a command of a shell", f"{IN}/$(id);`id`", "no file that", shown=f"'{IN}/$(id);`id`'"),
    extra("a command of an older runner", "##[error]x/y", "in no submission's folder", shown="'##[error]x/y'"),
    extra("a tab", f"{IN}/a\tb", "plain ASCII", shown=f"'{IN}/a\\tb'"),
    extra("a name of 4000 letters", f"{IN}/{'x' * 4000}", "no file that", shown=f"'{IN}/{'x' * 4000}'"[:1200] + "…"),
    extra("a submodule", f"{IN}/data", "submodule", MODULE, b"1" * 40),
    extra("a submodule beside it", "submissions/other", "in no submission's folder", MODULE, b"1" * 40),
    extra("a path that climbs", "submissions/../evil.py", "leads out", shown="submissions/../evil.py"),
    extra("a path that climbs twice", f"{IN}/../../evil.py", "leads out"),
    extra("a path that stays", f"{IN}/./x", "leads out"),
    extra("git's own folder", f"{IN}/.git/config", "belongs to git"),
    extra("git's own folder, otherwise spelt", f"{IN}/.GIT/hooks/post-checkout", "belongs to git"),
    extra("git's own folder, as old disks name it", f"{IN}/GIT~1/config", "belongs to git"),
    extra("git's own folder, with a dot", f"{IN}/.git./config", "belongs to git"),
    extra("a backslash", f"{IN}/..\\..\\evil.py", "Windows", shown=f"'{IN}/..\\\\..\\\\evil.py'"),
    extra("a drive", f"{IN}/C:evil.py", "Windows"),
    extra("a stream", f"{IN}/submission.yaml:evil", "Windows"),
    extra("a device", f"{IN}/CON", "device"),
    extra("a device with an ending", f"{IN}/nul.yaml", "device"),
    extra("a port", f"{IN}/COM1.txt", "device"),
    extra("a dot at the end", f"{IN}/submission.yaml.", "device"),
    extra("a space at the end", f"{IN}/submission.yaml ", "device"),
    extra("a star", f"{IN}/*", "Windows", shown=f"'{IN}/*'"),
    extra("a line break", f"{IN}/a\n::error::x", "plain ASCII", shown=f"'{IN}/a\\n::error::x'"),
    extra("a look-alike", f"{IN}/submissiоn.yaml", "plain ASCII", shown=f"{IN}/submissiоn.yaml"),
    extra("text from right to left", f"{IN}/\u202elmay", "plain ASCII", shown=f"'{IN}/\\u202elmay'"),
    extra("bytes that are no text", f"{IN}/\udcff", "plain ASCII", shown=f"'{IN}/\\udcff'"),
    extra("a command to the runner", "::add-mask::x/y", "Windows", shown="'::add-mask::x/y'"),
    Change("5 MB", {MANIFEST: (PLAIN, b"#" * 5_000_000)}, MANIFEST, "larger than 64 KiB"),
    Change("a deleted submission", {}, "submissions/there/submission.yaml", "deletes a submission",
           ("submissions/there/submission.yaml",)),
    Change("a renamed submission", {"submissions/mine/submission.yaml": BASE["submissions/there/submission.yaml"]},
           "submissions/there/submission.yaml", "deletes", ("submissions/there/submission.yaml",)),
    Change("a deleted workflow", GOOD_FILE, ".github/workflows/ci.yml", "in no", (".github/workflows/ci.yml",)),
    Change("a bad manifest", {MANIFEST: (PLAIN, GOOD.replace("name", "nmae").encode())}, MANIFEST, "unknown key"),
    Change("a name that is taken", {MANIFEST: (PLAIN, GOOD.replace("A plain pair", "sоmebody's pair").encode())},
           MANIFEST, "looks like the name of there"),
    *(
        Change(f"a folder like a built-in one: {slug}", {f"submissions/{slug}/submission.yaml": (PLAIN, GOOD.encode())},
               f"submissions/{slug}", "only maintainers")
        for slug in ("bui1tin-new", "builtin_new", "builtin.new")
    ),
    Change("a folder that looks taken", {"submissions/bui1tin-a-b/submission.yaml": (PLAIN, GOOD.encode())},
           "submissions/bui1tin-a-b/submission.yaml", "looks like 'builtin-a-b'"),
)  # fmt: skip
