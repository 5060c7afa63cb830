"""Every figure is drawn in the book's style, and closed."""

import matplotlib.pyplot as plt
import pytest

from gtapps import figures


@pytest.fixture(autouse=True)
def closed():
    figures.use_style()
    yield
    plt.close("all")
