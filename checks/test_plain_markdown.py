"""Kinds of text that no chapter may have yet, in plain Markdown."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from book._ext.plain_markdown import PlainMarkdown

SOURCE = r"""
.. comment

.. admonition:: A **title**
   :class: dropdown

   See :math:`a_i` and `a page <other.html#there>`_.

1. one

   .. math::

      a \\
      b

- x_y and _z and $5 a*b <b>

====  =========
name  \|x|
====  =========
one   :math:`|`
====  =========
"""
MADE = r"""
<details>
<summary>A title</summary>

See $a_i$ and [a page](https://book.org/a/other.html#there).

</details>

1. one

   $$ \begin{aligned} a \\ b \end{aligned} $$

* x_y and \_z and \$5 a\*b \<b>

| name | \|x\| |
| --- | --- |
| one | $\vert $ |
"""


def markdown(children):
    page = "https://book.org/a/page.html"
    return PlainMarkdown(page, {}).blocks(children)


def test_each_kind_of_block():
    made = markdown(publish_doctree(SOURCE).children)
    assert made == MADE.strip()


def test_what_it_does_not_know_is_not_lost_in_silence():
    with pytest.raises(NotImplementedError, match="of_sidebar"):
        markdown([nodes.sidebar()])
