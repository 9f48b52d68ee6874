"""``ircore metrics``: what is listed, for people and for programs."""

import json
from typing import Any

import pytest

from ircore.commands.main import run as ircore


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    assert ircore(["metrics", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["broken"] == []
    return {metric["name"]: metric for metric in document["metrics"]}


def test_every_metric_says_what_a_reader_must_know(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = listed(capsys)
    assert {"psnr", "ssim", "ssim_gaussian", "ms_ssim", "uqi", "uqi_sewar", "brisque"} <= set(metrics)
    for metric in metrics.values():
        assert metric["direction"] in ("higher", "lower")
        assert metric["citation"]
        assert metric["version"]
        assert len(metric["range"]) == 2
    assert metrics["psnr"]["range"] == [0, None]
    assert metrics["brisque"]["reference"] == "none: the image alone"
    assert metrics["fid"]["reference"] == "two sets of pictures"
    assert "Not UQI" in metrics["uqi_sewar"]["trap"]


def test_the_list_for_people_has_a_line_a_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["metrics"]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["name", "better", "range", "looks", "at", "title", "here"]
    (ssim,) = [line for line in lines if line.startswith("ssim ")]
    assert ssim.split() == ["ssim", "higher", "-1", "to", "1", "both", "pictures", "SSIM", "yes"]


@pytest.mark.slow
def test_one_metric_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["metrics", "show", "ssim"]) == 0
    assert "uniform 11 × 11 window" in capsys.readouterr().out
    assert ircore(["metrics", "show", "sim"]) == 2
    assert "Did you mean ssim?" in capsys.readouterr().err
