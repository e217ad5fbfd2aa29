import pickle

import pytest

from halluc.models.families.base import Family
from halluc.models.families.table import FAMILIES, family_for


@pytest.mark.parametrize("model_type", sorted(FAMILIES))
def test_a_listed_family_has_its_own_hooks(model_type):
    family = family_for(model_type)
    assert type(family) is FAMILIES[model_type]
    assert type(pickle.loads(pickle.dumps(family))) is type(family)


@pytest.mark.parametrize("model_type", ["llava", "internvl", "idefics3", "brand_new_vl"])
def test_all_others_get_the_generic_hooks(model_type):
    assert type(family_for(model_type)) is Family
