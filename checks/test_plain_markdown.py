"""Kinds of text that no chapter may have yet, in plain Markdown."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from book._ext.plain_markdown import PlainMarkdown

SOURCE = r"""
.. warning:: Take care.

.. admonition:: A **title**
   :class: dropdown

   See :math:`a_i`.

A note [1]_ and `a page <other.html#there>`_.

.. [1] At the foot.

1. one

   .. math::

      a \\
      b

- x_y and _z and $5 a*b <b>

====  ===
name  \|x|
====  ===
one   2
====  ===
"""
MADE = r"""
> **Warning**
>
> Take care.

<details>
<summary>A title</summary>

See $a_i$.

</details>

A note <sup>1</sup> and [a page](https://book.org/a/other.html#there).

<sup>1</sup> At the foot.

1. one

   $$ \begin{aligned} a \\ b \end{aligned} $$

* x_y and \_z and \$5 a\*b \<b>

| name | \|x\| |
| --- | --- |
| one | 2 |
"""


def markdown(children):
    page = "https://book.org/a/page.html"
    return PlainMarkdown(page, {}).blocks(children)


def test_each_kind_of_block():
    made = markdown(publish_doctree(SOURCE).children)
    assert made == MADE.strip()


def test_what_it_does_not_know_is_not_lost_in_silence():
    class Unheard(nodes.General, nodes.Element):
        pass

    with pytest.raises(NotImplementedError, match="of_Unheard"):
        markdown([Unheard()])
