"use strict";

// Filters over the ledger's table: by paper, by verdict, by words. Without
// this script the table is whole; nothing of it is made here.
{
  const table = document.querySelector("table.ledger");

  const rows = [...table.querySelectorAll("tr[data-verdict]")].map((row) => ({
    row,
    paper: row.closest("tbody").dataset.paper,
    verdict: row.dataset.verdict,
    text: plain(`${row.textContent} ${row.closest("tbody").dataset.paper}`),
  }));

  const form = document.createElement("form");
  form.className = "ledger-filter";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "The ledger");
  const paper = choice("Paper", rows.map((r) => r.paper));
  const verdict = choice("Verdict", rows.map((r) => r.verdict));
  const words = labelled("Words", document.createElement("input"));
  words.type = "search";
  words.placeholder = "for example: alpha";
  const all = document.createElement("button");
  all.type = "reset";
  all.textContent = "Show all";
  const count = document.createElement("output");
  form.append(all, count);
  (table.closest(".cell_output") || table).before(form);

  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  window.addEventListener("hashchange", reveal);
  show();

  function show() {
    const wanted = plain(words.value).split(" ").filter(Boolean);
    let shown = 0;
    for (const r of rows) {
      const fits =
        (!paper.value || r.paper === paper.value) &&
        (!verdict.value || r.verdict === verdict.value) &&
        wanted.every((word) => r.text.includes(word));
      r.row.hidden = !fits;
      shown += fits;
    }
    for (const body of table.tBodies) {
      body.hidden = !body.querySelector("tr[data-verdict]:not([hidden])");
    }
    count.value = `${shown} of ${rows.length} numbers`;
  }

  // A link to a row that is filtered out shows all again.
  function reveal() {
    const row = document.getElementById(location.hash.slice(1));
    if (row && row.hidden) {
      form.reset();
      setTimeout(() => row.scrollIntoView());
    }
  }

  function choice(name, values) {
    const select = document.createElement("select");
    select.add(new Option("all", ""));
    for (const value of new Set(values)) select.add(new Option(value));
    return labelled(name, select);
  }

  function labelled(name, field) {
    const label = document.createElement("label");
    label.append(name, field);
    form.append(label);
    return field;
  }

  function plain(text) {
    return text.toLowerCase().replace(/\s+/g, " ");
  }
}
