/* Code folds to one word, but where it teaches; a switch in the header folds
 * and unfolds all of a book's, and is remembered. Without this script, and on
 * paper, all of it is there. */
(function () {
  "use strict";

  const FOLDS = ".cell:not(.tag_teach, .tag_solution, .tag_hide-cell)";
  const root = document.documentElement;
  const places = [...document.querySelectorAll(`article ${FOLDS}`)]
    .filter((cell) => cell.querySelector(":scope > .cell_input"));
  if (!places.length) return;

  const button = (name, said, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = name;
    made.textContent = said;
    made.addEventListener("click", act);
    return made;
  };
  const remembered = () => {
    try {
      return localStorage.getItem("code");
    } catch {
      return null;  // a browser may refuse to
    }
  };

  for (const cell of places) {
    const word = button("code-word", "code", () => {
      word.setAttribute("aria-expanded", cell.classList.toggle("open"));
    });
    word.setAttribute("aria-expanded", false);
    cell.prepend(word);
  }

  const all = button("btn btn-sm code-switch", "Code", () => {
    show(root.dataset.code !== "shown");
  });
  all.title = "Show all code";
  function show(shown) {
    root.dataset.code = shown ? "shown" : "folded";
    all.setAttribute("aria-pressed", shown);
    try {
      localStorage.setItem("code", root.dataset.code);
    } catch {
      // then it is not remembered
    }
  }
  show(remembered() === "shown");
  document.querySelector(".article-header-buttons")?.prepend(all);
}());
