"""VLM2-Bench's open descriptions of videos (pc-vid), asked as frames and scored by a judge."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halluc.benchmarks.files.image_paths import inside
from halluc.benchmarks.files.rows import Row, read_rows
from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.benchmarks.scoring.choice_scoring import choice_group
from halluc.benchmarks.video_judges import VideoJudge
from halluc.data.records import AnswerSpace, Prediction, Question
from halluc.errors import RecordError
from halluc.metrics.tally import Scores, Tally
from halluc.metrics.video_judge import JudgeSums, video_judge_scores
from halluc.parsing.profiles import OFFICIAL, STRICT, pick

logger = logging.getLogger(__name__)

FRAME_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")


class Vlm2Videos(PublishedBenchmark):
    """Ask for a description of the people in a video of two or three parts; needs text answers.

    The published script has GPT-4o judge each description; here any ``VideoJudge`` does, and without one
    the descriptions are only written down. It is part of no default list. A video is a folder of frames
    named after it, in the order of their names; the paper's example takes one frame a second. Ids are
    the videos' names.

    Reference:
        Zhang et al., VLM2-Bench, arXiv 2502.12084.
    """

    key = "vlm2_videos"

    def __init__(
        self,
        root: str | Path,
        *,
        file: str = "jsonl/pc/vallina/pc_v_open-ended.jsonl",
        judge: VideoJudge | None = None,
        image_root: str | Path | None = None,
        profile: str = STRICT,
        prompt_profile: str = OFFICIAL,
        max_pixels: int | None = None,
        bad_rows: str = "error",
    ) -> None:
        """Check the options; the file is read on first use.

        Args:
            root: Folder of ``file``.
            file: Name of the question file in ``root``; the default is spelled as published.
            judge: Scores descriptions; None scores none.
            image_root: Folder of one folder of frames a video; None takes ``root/frames``.
            profile: ``strict`` (also under the name ``official``); a judge reads, not a parser.
            prompt_profile: Only ``official``.
            max_pixels: Pixel bound of a frame; None takes the model's own. The paper's is 151200.
            bad_rows: ``error`` or ``skip``: what becomes of videos without frames.

        Raises:
            UnknownOptionError: If a name is not among its choices.
        """
        super().__init__(
            root,
            image_root=image_root,
            image_folder="frames",
            profile=pick("benchmark.vlm2_videos.profile", profile, {STRICT: STRICT, OFFICIAL: OFFICIAL}),
            prompt_profile=pick("benchmark.vlm2_videos.prompt_profile", prompt_profile, {OFFICIAL: OFFICIAL}),
            max_pixels=max_pixels,
            bad_rows=bad_rows,
        )
        self.file = file
        self.judge = judge
        self._judged: dict[tuple[str, str], int | None] = {}

    @staticmethod
    def row_responses(row: Row) -> dict[str, str | None]:
        """Return id to response for one row of a response file."""
        return {row.text("vid", "id"): row.response}

    def read(self, question: Question, text: str) -> str | None:
        """Return the description itself; an empty one is unparsed."""
        return text.strip() or None

    def tally(self, predictions: Sequence[Prediction]) -> Tally:
        """Count descriptions, and judge them once each where there is a judge.

        Returns:
            ``unparsed_rate`` and ``n``; with a judge also the names of ``video_judge_scores``.

        Raises:
            BenchmarkError: If an id is unknown or occurs twice.
            RecordError: If the judge fails.
        """
        answers = self._source.answers(predictions)
        groups: dict[str, Any] = {"all": choice_group(answers, answers.pairs)}
        if self.judge is None:
            logger.warning(
                "No judge reads the descriptions, so they are only counted: see benchmark.vlm2_videos.judge."
            )
        if self.judge is not None:
            groups["judged"] = answers.sums_of(answers.pairs, self._judge_one, JudgeSums)

        def formula(totals: Mapping[str, Any]) -> Scores:
            n = totals["all"].n
            judged = video_judge_scores(totals["judged"]) if "judged" in totals and n else {}
            return {**judged, "unparsed_rate": totals["all"].unparsed / n if n else None, "n": float(n)}

        return Tally(answers.count, groups, formula)

    def question_files(self) -> tuple[Path, ...]:
        """Return the files of questions that are expected, whether they are there or not."""
        return (self.root / self.file,)

    def _judge_one(self, question: Question, prediction: Prediction) -> JudgeSums:
        text = prediction.parsed or ""
        key = (question.id, text)
        if self.judge is not None and key not in self._judged:
            self._judged[key] = self.judge.score(question.id, question.prompt, question.tags["shown"], text)
        return JudgeSums.of(question.tags["pattern"], self._judged[key])

    def _read_files(self) -> Reading:
        reading = Reading()
        reading.add(read_rows(self.root / self.file, "benchmark.vlm2_videos.root"), self._asked)
        return reading

    def _asked(self, row: Row) -> list[Question]:
        folder = Path(inside(self.image_root, row.text("vid"), row.where))
        frames = sorted(path for path in folder.glob("*") if path.suffix.lower() in FRAME_SUFFIXES)
        if not frames:
            raise RecordError(f"{row.where}: no frames in {folder}. Extract them, one a second, say.")
        return [_describe(row, tuple(map(str, frames)))]

    def _scorable(self, row: Row) -> list[Question]:
        return [_describe(row, ())]


def _describe(row: Row, frames: tuple[str, ...]) -> Question:
    name = row.text("vid")
    return Question(
        id=name,
        images=frames,
        prompt="\n" + row.text("question"),
        space=AnswerSpace.text(),
        tags={"pattern": "ABA" if "ABA" in name else "AB", "shown": row.text("gt_answer")},
        group=name,
    )
