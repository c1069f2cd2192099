"""What is said of the time left."""

from grading.progress import time_left


def test_nothing_is_said_of_the_time_left_until_a_tenth_is_done():
    assert time_left(0, 50, 1.0) is None
    assert time_left(4, 50, 10.0) is None
    assert time_left(5, 50, 10.0) == 90.0


def test_at_the_end_no_time_is_left():
    assert time_left(3, 3, 6.0) == 0
