"""Reference games: playing beside the ideal time of their dependency chains, and naming measures of many tangrams.

A game of 24 rounds is a chain of 48 questions, each of which needs the answer before it. With the service of the tests
on loopback at 100 ms, a game takes 4.8 s at least, and 54 games, 18 at once, three times that. The second part measures
SND, PND and PSA of 1,000 tangrams with 10 annotations each.

    python benchmarks/reference_games.py      about half a minute
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from play import Bar, service, stats

from ircore.games.reference.build import build
from ircore.games.reference.naming import Annotation, compute_naming
from ircore.instances.requests import BuildRequest

GAMES, ROUNDS, AT_ONCE, LATENCY = 54, 24, 18, 0.1
TANGRAMS, ANNOTATIONS = 1000, 10
NAMES = ("bird", "swan", "person", "dancer", "house", "boat", "arrow", "rabbit", "a running dog", "the kneeling man")
PARTS = ("head", "body", "left leg", "wing", "tail", "UNKNOWN")
MANIFEST = """\
schema: 1
game: reference
name: two models
speaker: {{player: openai, model: m, base_url: "{url}"}}
listener: {{player: openai, model: m, base_url: "{url}"}}
licence: CC0-1.0
"""


def playing(folder: Path) -> Bar:
    """Play 54 games and return their time by the ideal one, from the first request to the last reply."""
    build(BuildRequest(folder / "set", per_condition=GAMES // 2, categories=("shapes",)))
    (folder / "models").mkdir()
    with service("--latency", str(LATENCY)) as url:
        (folder / "models" / "submission.yaml").write_text(MANIFEST.format(url=url))
        command = [sys.executable, "-m", "ircore", "play", str(folder / "models"), "--instances", str(folder / "set")]
        command += ["--out", str(folder / "run"), "--concurrency", str(AT_ONCE)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        seen = stats(url)
    ideal = GAMES / AT_ONCE * ROUNDS * 2 * LATENCY
    print(f"{GAMES} games of {ROUNDS} rounds, {AT_ONCE} at once, {1000 * LATENCY:.0f} ms an answer:")
    print(f"  {seen['requests']} requests in {seen['seconds']:.2f} s; ideal {ideal:.2f} s")
    per_game = Bar("questions a game", seen["requests"] / GAMES, 2 * ROUNDS, 0)
    print(per_game.line())
    return Bar("time by the ideal one", seen["seconds"] / ideal, 1.05, 3)


def names() -> Bar:
    """Measure naming divergence and return its time in seconds."""
    rng = random.Random(0)
    tangrams = [[_annotation(rng) for _ in range(ANNOTATIONS)] for _ in range(TANGRAMS)]
    begun = time.perf_counter()
    for annotations in tangrams:
        compute_naming(annotations)
    print(f"SND, PND and PSA of {TANGRAMS} tangrams with {ANNOTATIONS} annotations:")
    return Bar("seconds", time.perf_counter() - begun, 10)


def _annotation(rng: random.Random) -> Annotation:
    whole = f"{rng.choice(NAMES)} with {rng.choice(NAMES)} number {rng.randrange(10**6)}"  # hardly one occurs twice
    return Annotation(whole=whole, part={piece: rng.choice(PARTS) for piece in "1234567"})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        print(playing(Path(temporary)).line())
    print(names().line())
