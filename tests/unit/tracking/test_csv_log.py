from halluc.tracking.csv_log import csv_logger, forget_after, read_rows


def log(run_dir, rows):
    logger = csv_logger(str(run_dir))
    for step, values in rows:
        logger.log_metrics(values, step=step)
    logger.save()


def test_a_resumed_log_repeats_no_row_and_loses_none(tmp_path):
    log(
        tmp_path,
        [(0, {"val/x": 0.1}), (0, {"train/loss": 3.0}), (1, {"train/loss": 2.0}), (2, {"train/loss": 1.5})],
    )
    log_before = read_rows(tmp_path)
    assert [row["step"] for row in log_before] == [0, 0, 1, 2]
    forget_after(tmp_path, 2)  # the checkpoint was written after two steps: 0 and 1
    log(tmp_path, [(2, {"train/loss": 1.5}), (2, {"val/x": 0.9})])
    rows = read_rows(tmp_path)
    assert [(row["step"], row.get("train/loss"), row.get("val/x")) for row in rows] == [
        (0, None, 0.1), (0, 3.0, None), (1, 2.0, None), (2, 1.5, None), (2, None, 0.9),
    ]  # fmt: skip


def test_an_evaluation_at_the_step_of_the_checkpoint_is_kept(tmp_path):
    log(
        tmp_path,
        [(1, {"train/loss": 2.0}), (2, {"val/x": 0.5}), (2, {"train/loss": 1.0}), (3, {"val/x": 0.7})],
    )
    forget_after(tmp_path, 2)
    assert [(row["step"], row.get("val/x")) for row in read_rows(tmp_path)] == [(1, None), (2, 0.5)]


def test_a_run_without_a_log_has_no_rows(tmp_path):
    assert read_rows(tmp_path) == []
    forget_after(tmp_path, 3)
