"""``ircore submission new --game``: a manifest for a game from outside, made from options and played."""

from toy_games import Toy

SEATS = ["--player", "signer=rps-signer", "--player", "chooser=rps-chooser", "--player", "chooser.parameter.slip=3"]
MORE = ["--author", "Kim", "--name", "Sign", "--licence", "CC0-1.0"]


def new(toy: Toy, *more: str, status: int = 0) -> str:
    return toy.run("submission", "new", "submissions/mine", "--game", "rps", *more, status=status)


def test_a_manifest_is_made_from_options_and_can_be_played(toy: Toy) -> None:
    assert "submission.yaml: written" in new(toy, *SEATS, *MORE, "--rule", "rounds=2")
    text = (toy.folder / "submissions" / "mine" / "submission.yaml").read_text()
    assert text.startswith("schema: 2\ngame: rps\nname: Sign\n")
    toy.run("play", "submissions/mine", "--instances", "instances", "--out", "run", "--limit", "1")
    assert toy.json("show", "run")["requests"] == {"signer": 2, "chooser": 2}


def test_what_is_missing_or_wrong_is_said_in_one_line_and_nothing_is_written(toy: Toy) -> None:
    assert "players.chooser.player: is missing" in new(toy, *SEATS[:2], status=2)
    assert "unknown seat 'umpire'" in new(toy, *SEATS, "--player", "umpire=rps-signer", status=2)
    assert "rules.rounds: must be at least 1" in new(toy, *SEATS, *MORE, "--rule", "rounds=0", status=2)
    assert "openai answers with words or a choice" in new(
        toy, *SEATS, *MORE, "--local", "--player", "signer=openai", "--player", "signer.model=m",
        "--player", "signer.url=http://127.0.0.1:9/v1", status=2,
    )  # fmt: skip
    assert not (toy.folder / "submissions" / "mine").exists()
