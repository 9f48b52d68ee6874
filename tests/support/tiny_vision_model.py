"""Write a tiny LLaVA with random weights: for servers that load weights. Run by a Python that has transformers.

python tests/support/tiny_vision_model.py FOLDER
"""

import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    CLIPImageProcessor,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

SIDE, PATCH, CONTEXT = 32, 16, 2048
CHAT = (
    "{% for message in messages %}{{ message.role }}: "
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer of single bytes."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytes_only = Tokenizer(models.BPE({letter: place for place, letter in enumerate(letters)}, []))
    bytes_only.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_only.decoder = decoders.ByteLevel()
    special = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
    made = PreTrainedTokenizerFast(tokenizer_object=bytes_only, **special)
    made.add_special_tokens({"additional_special_tokens": ["<image>"]})
    return made


def main(folder: Path) -> None:
    """Write model, tokenizer and processor."""
    torch.manual_seed(0)
    words = tokenizer()
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id}
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(image_size=SIDE, patch_size=PATCH, **size),
        text_config=LlamaConfig(vocab_size=len(words), max_position_embeddings=CONTEXT, **size, **ends),
        image_token_id=words.convert_tokens_to_ids("<image>"),
        **ends,
    )
    model = LlavaForConditionalGeneration(config)
    model.save_pretrained(folder)
    pictures = CLIPImageProcessor(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    LlavaProcessor(
        image_processor=pictures,
        tokenizer=words,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        chat_template=CHAT,
        num_additional_image_tokens=1,
    ).save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
