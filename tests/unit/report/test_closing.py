from halluc.report.closing import print_closing
from halluc.report.flips import Flip


def results(before, after):
    scores = {"val/pope/adversarial/accuracy": after, "select/score": after}
    return {
        "baseline": {"val/pope/adversarial/accuracy": before, "select/score": before},
        "best": {"epoch": 1, **scores},
        "epochs": {"1": scores},
    }


def test_says_what_flipped_and_where_everything_lies(tmp_path, capsys):
    found = [Flip("pope", "1", (), "Is there a dog?", "no", "yes", "no")]
    print_closing(results(0.5, 0.9), found, tmp_path)
    shown = capsys.readouterr().out
    assert "1 answers flipped since the baseline (1 cured, 0 broken, 0 other)" in shown
    assert f"Everything of this run lies in {tmp_path}" in shown.replace("\n", "")
    assert "does harm" not in shown


def test_warns_if_no_epoch_reaches_the_baseline(tmp_path, capsys):
    print_closing(results(0.9, 0.5), [], tmp_path)
    assert "the adapter does harm" in capsys.readouterr().out
