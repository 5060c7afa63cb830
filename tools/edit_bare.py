"""How `make edit` has JupyterLab save a notebook: as it is committed.

What was computed stays on the screen, and none of it is in the file.
"""

from traitlets.config import get_config

from tools.chapter import KERNEL

KEPT = {"tags", "jupyter", "alt"}


def store_bare(model, **_):
    """Take out of a notebook what running it has put in."""
    if model["type"] != "notebook":
        return
    content = model["content"]
    content["metadata"] = {"kernelspec": KERNEL}
    for cell in content["cells"]:
        for name in {*cell["metadata"]} - KEPT:
            del cell["metadata"][name]
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None


get_config().FileContentsManager.pre_save_hook = store_bare
