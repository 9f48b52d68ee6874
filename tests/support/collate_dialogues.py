"""Collate dialogues and preferences with TRL, and let a tiny model learn from a batch. Run by a Python that has TRL.

python tests/support/collate_dialogues.py MODEL DIALOGUES PREFERENCES
"""

import json
import sys

from datasets import load_from_disk
from transformers import AutoProcessor, LlavaForConditionalGeneration
from trl.trainer.dpo_trainer import DataCollatorForVisionPreference
from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling


def main(model: str, dialogues: str, preferences: str) -> None:
    """Print the shapes of both batches and the loss of the first."""
    processor = AutoProcessor.from_pretrained(model)
    examples = [load_from_disk(dialogues)[place] for place in (0, 1)]
    batch = DataCollatorForVisionLanguageModeling(processor)(examples)
    loss = LlavaForConditionalGeneration.from_pretrained(model)(**batch).loss
    pairs = [load_from_disk(preferences)[place] for place in (0, 1)]
    of_pairs = DataCollatorForVisionPreference(processor)(pairs)
    print(
        json.dumps(
            {
                "pictures": len(batch["pixel_values"]),
                "labels": list(batch["labels"].shape),
                "loss": loss.item(),
                # Chosen and rejected answers follow one another in a batch of preferences.
                "answers": len(of_pairs["input_ids"]),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
