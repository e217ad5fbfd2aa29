import pytest

from halluc.data.records import Preparation
from halluc.models.families.table import family_for
from halluc.models.picture_preparation import picture_path
from halluc.models.tiny.build import FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
def test_only_qwen2_vl_goes_through_jpeg_in_lmms_eval(family):
    found = picture_path(Preparation.LMMS_EVAL, family_for(family))
    assert found.name == ("jpeg_85" if family == "qwen2_vl" else "none")
    assert (found.change is None) == (family != "qwen2_vl")


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_done_unless_asked(family):
    found = picture_path(Preparation.NONE, family_for(family))
    assert (found.name, found.change) == ("none", None)
