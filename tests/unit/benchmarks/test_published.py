import inspect
from pathlib import Path

import pytest
from hydra.utils import get_class, instantiate
from omegaconf import OmegaConf

from halluc.benchmarks.published import PublishedBenchmark
from halluc.benchmarks.question_source import Reading
from halluc.data.records import AnswerSpace, Question
from halluc.errors import RecordError, UnknownOptionError
from halluc.metrics.tally import Tally

CONFIGS = sorted((Path(__file__).parents[3] / "conf" / "benchmark").glob("*.yaml"))
OWN = ("pope", "phd", "vlm2", "longhalqa", "vstar", "amber")


class Tiny(PublishedBenchmark):
    key = "tiny"

    @staticmethod
    def row_responses(row):
        return {row.text("id"): row.response}

    def read(self, question, text):
        return text or None

    def tally(self, predictions):
        n = float(len(self._source.match(predictions)))
        return Tally(1, {}, lambda _: {"n": n})

    def question_files(self):
        return (self.root / "tiny.json",)

    def _read_files(self):
        image = str(self.image_root / "a.png")
        questions = [Question(id="1", images=(image,), prompt="?", space=AnswerSpace.yes_no())]
        return Reading(questions, ["row 2 is bad"])

    def _scorable(self, row):
        return [Question(id=row.text("id"), images=(), prompt="", space=AnswerSpace.yes_no())]


def test_image_root(tmp_path):
    assert Tiny(tmp_path).image_root == tmp_path / "images"
    assert Tiny(tmp_path, image_folder="").image_root == tmp_path
    assert Tiny(tmp_path, image_root="/elsewhere").image_root == Path("/elsewhere")


def test_bad_rows(tmp_path):
    with pytest.raises(RecordError, match="row 2 is bad"):
        Tiny(tmp_path).published()
    assert list(Tiny(tmp_path, bad_rows="skip").published()) == ["1"]
    assert Tiny(tmp_path, bad_rows="skip").questions() == ()
    with pytest.raises(UnknownOptionError, match=r"benchmark\.tiny\.bad_rows"):
        Tiny(tmp_path, bad_rows="drop")


@pytest.mark.parametrize("name", OWN)
def test_config_mirrors_the_constructor(name):
    (path,) = (path for path in CONFIGS if path.stem == name)
    entries = OmegaConf.load(path)
    assert list(entries) == [name]
    kind = get_class(entries[name]["_target_"])
    assert kind.key == name
    arguments = set(inspect.signature(kind).parameters)
    assert arguments == set(entries[name]) - {"_target_"}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_config_builds(path):
    config = OmegaConf.merge({"paths": {"data_dir": "/data"}}, OmegaConf.load(path))
    (name,) = set(config) - {"paths"}
    benchmark = instantiate(config[name], _convert_="all")
    assert benchmark.root.parent == Path("/data")
    assert benchmark.profile == "strict"
    assert benchmark.max_pixels is None


@pytest.mark.parametrize("name", OWN)
def test_the_final_evaluation_can_ask_for_the_official_profile(name):
    (path,) = (path for path in CONFIGS if path.stem == name)
    kind = get_class(OmegaConf.load(path)[name]["_target_"])
    assert kind("/data", profile="official").profile == "official"
