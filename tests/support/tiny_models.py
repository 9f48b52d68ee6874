"""Tiny random models in the layout of real ones, for players with weights on this machine."""

import json
from pathlib import Path
from typing import Any

WORDS = ("describe", "the", "picture", "a", "red", "blue", "circle", "square", "left", "right", "done", "yes", "no")
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }} "
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }} {% endif %}{% endfor %}"
    "{% endfor %}{% if add_generation_prompt %}assistant {% endif %}"
)
SMALL = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}


def save_vision_model(folder: Path, template: str | None = TEMPLATE) -> Path:
    """Save a random LLaVA of 32 px that knows a handful of words."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    torch.manual_seed(0)
    vocabulary = ["<pad>", "<s>", "</s>", "<unk>", "<image>", "user", "assistant", *WORDS]
    words = Tokenizer(models.WordLevel({word: number for number, word in enumerate(vocabulary)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        additional_special_tokens=["<image>"],
    )  # fmt: skip
    images = transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    transformers.LlavaProcessor(
        images, tokenizer, patch_size=8, vision_feature_select_strategy="default", chat_template=template,
        image_token="<image>", num_additional_image_tokens=1,
    ).save_pretrained(folder)  # fmt: skip
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**SMALL, image_size=32, patch_size=8, projection_dim=8),
        text_config=transformers.LlamaConfig(
            **SMALL, vocab_size=len(vocabulary), max_position_embeddings=4096, pad_token_id=0, bos_token_id=1,
            eos_token_id=2,
        ),
        image_token_index=vocabulary.index("<image>"), vision_feature_layer=-1,
    )  # fmt: skip
    transformers.LlavaForConditionalGeneration(config).save_pretrained(folder)
    return folder


def save_image_model(folder: Path) -> Path:
    """Save a random Stable Diffusion that draws 64 px."""
    import diffusers
    import torch
    import transformers

    torch.manual_seed(0)
    unet = diffusers.UNet2DConditionModel(
        sample_size=32, in_channels=4, out_channels=4, block_out_channels=(4, 8), layers_per_block=1, norm_num_groups=2,
        cross_attention_dim=16, attention_head_dim=2, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
    )  # fmt: skip
    autoencoder = diffusers.AutoencoderKL(
        block_out_channels=(4, 8), norm_num_groups=2, latent_channels=4, sample_size=64,
        down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
    )  # fmt: skip
    text = transformers.CLIPTextModel(
        transformers.CLIPTextConfig(
            **SMALL, vocab_size=60, max_position_embeddings=77, pad_token_id=1, bos_token_id=0, eos_token_id=1
        )
    )
    diffusers.StableDiffusionPipeline(
        vae=autoencoder, text_encoder=text, tokenizer=_letters(folder), unet=unet,
        scheduler=diffusers.DDIMScheduler(steps_offset=1, clip_sample=False),
        safety_checker=None, feature_extractor=None, requires_safety_checker=False,
    ).save_pretrained(folder)  # fmt: skip
    return folder


def _letters(folder: Path) -> Any:
    """Return a tokenizer of CLIP that spells words letter by letter."""
    import transformers

    folder.mkdir(parents=True, exist_ok=True)
    letters = "abcdefghijklmnopqrstuvwxyz"
    tokens = ["<|startoftext|>", "<|endoftext|>", *letters, *(f"{letter}</w>" for letter in letters)]
    (folder / "vocab.json").write_text(json.dumps({token: number for number, token in enumerate(tokens)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    return transformers.CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=77)
