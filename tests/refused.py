"""What a refused table is told."""

import pytest

from tellapart import DataError, read_ratings


def refusal(content, **options):
    """Return the message for content that must be refused; always one line with a hint."""
    with pytest.raises(DataError) as caught:
        read_ratings(content if isinstance(content, bytes) else content.encode(), name="r.csv", **options)
    said = str(caught.value)
    assert said.startswith("r.csv")
    assert ". Hint: " in said
    assert len(said) < 400
    assert said.isprintable()
    return said
