"use strict";

// A quiz: each choice becomes a button, and what the answer says of it stands
// below the choices. Without this script the answer is folded.

for (const quiz of document.querySelectorAll(".admonition.quiz")) {
  const fold = quiz.querySelector("details");
  const list = quiz.querySelector("ul");
  const said = document.createElement("p");
  said.className = "said";
  said.setAttribute("role", "status");
  list.after(said);
  const about = answers(fold);
  for (const item of list.children) {
    const [, letter] = item.textContent.match(/\((\w)\)/);
    const button = document.createElement("button");
    button.type = "button";
    button.append(...(item.querySelector("p") ?? item).childNodes);
    item.replaceChildren(button);
    button.addEventListener("click", () => {
      for (const other of list.querySelectorAll("button")) {
        other.removeAttribute("data-answer");
        other.setAttribute("aria-pressed", other === button);
      }
      const right = letter === about.right;
      button.dataset.answer = right ? "right" : "wrong";
      const verdict = document.createElement("b");
      verdict.textContent = right ? "Yes. " : "No. ";
      const own = about[letter]?.some((node) => node.textContent.trim());
      const reason = own ? about[letter] : about.whole;
      said.replaceChildren(
        verdict, ...reason.map((node) => node.cloneNode(true)));
    });
  }
  quiz.classList.add("answered");
}

// What the answer says of each choice: it begins with the right one, and
// turns to another where a sentence begins with its letter; of a choice that
// no sentence begins with, all is shown.
function answers(fold) {
  const texts = [...fold.querySelectorAll("p:not(.sd-summary-text)")];
  const about = { whole: texts.flatMap((text) => [...text.childNodes]) };
  let letter;
  for (const text of texts) {
    for (const node of text.childNodes) {
      const bold = node.nodeName === "STRONG"
        && node.textContent.match(/^\((\w)\)\.$/);
      if (bold) {
        about.right = letter = bold[1];
        about[letter] = [];
        continue;
      }
      const parts = node.nodeType === Node.TEXT_NODE
        ? node.data.split(/(?<=[.!?)]\s+|^\s*)(?=\([a-d]\)\s)/) : [node];
      for (const part of parts) {
        const begins = node !== part && part.match(/^\(([a-d])\)\s/);
        if (begins) about[letter = begins[1]] ??= [];
        about[letter]?.push(node === part ? node : document.createTextNode(part));
      }
    }
  }
  return about;
}
