import pytest

from halluc.data.coco_names import coco_id, is_surely_coco


@pytest.mark.parametrize(
    ("name", "number", "sure"),
    [
        ("000000000139.jpg", 139, True),
        ("train2017/000000000139.jpg", 139, True),
        ("COCO_train2014_000000000139.jpg", 139, True),
        ("COCO_val2014_139.JPG", 139, True),
        ("COCO_test2015_000000000001.jpeg", 1, True),
        ("139.jpg", 139, False),
        ("00139.jpg", 139, False),
        ("139.png", None, False),
        ("0000000000139.jpg", None, False),
        ("COCO_val2014_.jpg", None, False),
        ("my_COCO_val2014_000000000139.jpg", None, False),
        ("dog.jpg", None, False),
        ("data:image/jpeg;base64,000000000139.jpg", None, False),
    ],
)
def test_names(name, number, sure):
    assert (coco_id(name), is_surely_coco(name)) == (number, sure)
