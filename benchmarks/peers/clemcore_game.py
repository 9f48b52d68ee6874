"""The reconstruction game as a game of clemcore, for ``benchmarks/play.py --clemcore PYTHON``.

    PYTHON clemcore_game.py URL SET OUT EPISODES

The describer is the framework's own model for services like OpenAI's; the framework has no model that draws, so the
generator is a model of ours over the same client. Models behind services are played an episode after the other there.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any

import openai
from clemcore.backends import Model, ModelSpec
from clemcore.backends.openai_api import OpenAIModel
from clemcore.clemgame import GameBenchmark, GameInstances, GameSpec, Player
from clemcore.clemgame.callbacks import episode_results_folder_callbacks
from clemcore.clemgame.legacy.master import DialogueGameMaster
from clemcore.clemgame.runners import dispatch


class Drawer(Model):
    """A model that draws: its answer is the path of a picture."""

    def __init__(self, client: openai.OpenAI, folder: Path) -> None:
        super().__init__(ModelSpec(model_name="drawer", backend="none"))
        self._client, self._folder, self._drawn = client, folder, 0

    def generate_response(self, messages: list[dict[str, Any]]) -> tuple[Any, Any, str]:
        """Draw the last message, over the previous picture if there is one."""
        text, previous = messages[-1]["content"], messages[-1].get("image")
        if previous:
            file = ("p.png", Path(previous[0]).read_bytes(), "image/png")
            made = self._client.images.edit(model="m", prompt=text, image=file)
        else:
            made = self._client.images.generate(model="m", prompt=text)
        assert made.data is not None
        self._drawn += 1
        path = self._folder / f"{self._drawn}.png"
        path.write_bytes(base64.b64decode(made.data[0].b64_json or ""))
        return text, {}, str(path)


class Seated(Player):
    """A player whose every answer is a model's."""

    def _custom_response(self, *_: Any) -> str:
        raise NotImplementedError


class Master(DialogueGameMaster):
    """The rules: the describer sees target and renderings, the generator draws."""

    def _on_setup(self, **instance: Any) -> None:
        self.describer, self.generator = (Seated(model) for model in self.player_models)
        self.add_player(self.describer)
        self.add_player(self.generator)
        self.set_context_for(self.describer, "Describe.", image=[instance["target"]])
        self.done, self.picture = False, ""

    def _validate_player_response(self, *_: Any) -> bool:
        return True

    def _on_valid_player_response(self, player: Player, parsed_response: str) -> None:
        if player is self.generator:
            self.picture = parsed_response
            self.set_context_for(self.describer, "Describe.", image=[parsed_response])
        elif "DONE" in parsed_response:
            self.done = True
        else:
            self.set_context_for(self.generator, parsed_response, **({"image": [self.picture]} if self.picture else {}))

    def _does_game_proceed(self) -> bool:
        return not self.done

    def compute_turn_reward(self, *_: Any) -> float:
        """No reward: episodes are scored elsewhere."""
        return 0.0


class Game(GameBenchmark):
    """The game as the framework's runners know it."""

    def create_game_master(self, experiment: dict[str, Any], player_models: list[Model]) -> Master:
        """Return the rules for two players."""
        return Master(self.game_spec, experiment, player_models)


def main() -> None:
    """Play the first episodes of a set."""
    url, instances, out, episodes = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    (out / "renderings").mkdir(parents=True)
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    seen = {"multimodality": {"multiple_images": True}}
    describer = OpenAIModel(client, ModelSpec(model_name="m", model_id="m", backend="openai", model_config=seen))
    describer.set_gen_args(temperature=0.0, max_tokens=300)
    spec = GameSpec(game_name="reconstruction", game_path=str(out), players=2)
    lines = (instances / "instances.jsonl").read_text().splitlines()[:episodes]
    targets = [str(instances / json.loads(line)["pictures"]["target"]["image"]) for line in lines]
    games = [{"game_id": number, "target": target} for number, target in enumerate(targets)]
    rows = [{"experiment": {"name": "all"}, "game_instance": game} for game in games]
    saved = episode_results_folder_callbacks(run_dir="pair", result_dir_path=out / "log")
    models = [describer, Drawer(client, out / "renderings")]
    dispatch.run(Game(spec), GameInstances("reconstruction", rows), models, callbacks=saved)


if __name__ == "__main__":
    main()
