"""Plug-ins are found by name, also those installed while the process runs."""

from pathlib import Path

import pytest

from ircore.core.errors import InputError
from ircore.core.plugins import BrokenPluginError, available, builtin, load


def install(packages: Path, name: str) -> None:
    """Install a package that has one metric of the same name."""
    about = packages / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[ircore.metrics]\n{name} = {name}:METRIC\n")
    (packages / f"{name}.py").write_text(f"METRIC = {name!r}\n")


@pytest.mark.slow
def test_a_package_installed_while_the_process_runs_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = set(available("metrics"))
    install(tmp_path, "sharpness")
    assert set(available("metrics")) == own
    monkeypatch.syspath_prepend(tmp_path)
    assert set(available("metrics")) == own | {"sharpness"}
    install(tmp_path, "warmth")
    assert set(available("metrics")) == own | {"sharpness", "warmth"}
    with pytest.raises(BrokenPluginError, match="'warmth' cannot be loaded: TypeError: str has no needs"):
        load("metrics", "warmth")
    assert builtin("metrics") == own


def test_a_folder_that_does_not_exist_may_stand_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path / "gone")
    assert "ssim" in available("metrics")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown metric 'sism'\nDid you mean ssim"):
        load("metrics", "sism")
