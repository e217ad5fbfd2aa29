import pytest

from halluc.errors import UnknownOptionError
from halluc.tracking.wandb_run import wandb_logger


@pytest.fixture(autouse=True)
def _nobody_logged_in(monkeypatch, tmp_path):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "no-netrc"))


def settings(logger):
    return logger._wandb_init


def test_offline_without_a_login_and_says_so(tmp_path, caplog):
    caplog.set_level("INFO")
    logger = wandb_logger(str(tmp_path / "run"), project="p")
    assert settings(logger)["mode"] == "offline"
    assert "nobody is logged in" in caplog.text
    assert "wandb sync" in caplog.text


def test_the_id_stays_with_the_run_directory(tmp_path):
    first, again = (wandb_logger(str(tmp_path / "run"), project="p", mode="offline") for _ in range(2))
    other = wandb_logger(str(tmp_path / "other"), project="p", mode="offline")
    assert settings(first)["id"] == settings(again)["id"] != settings(other)["id"]
    assert settings(first)["name"] == "run"


def test_jobs_of_a_sweep_stand_in_one_group(tmp_path):
    sweep = tmp_path / "monday_sweep"
    sweep.mkdir()
    (sweep / "multirun.yaml").touch()
    job = wandb_logger(str(sweep / "0"), project="p", mode="offline")
    assert (settings(job)["group"], settings(job)["name"]) == ("monday_sweep", "0")
    assert settings(wandb_logger(str(tmp_path / "one"), project="p", mode="offline"))["group"] is None


def test_the_environment_wins_over_auto(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "disabled")
    assert settings(wandb_logger(str(tmp_path), project="p"))["mode"] == "disabled"


def test_an_unknown_mode_lists_the_modes(tmp_path):
    with pytest.raises(UnknownOptionError, match="auto, disabled, offline, online"):
        wandb_logger(str(tmp_path), project="p", mode="yes")
