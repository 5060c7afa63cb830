"use strict";

// Filters over the record of the papers and the atlas: by paper or field, by
// verdict, by words. Tables whose rows are of one kind share a filter; one
// that says by what can be sorted, too. Without this script the tables are
// whole; nothing of them is made here. A filter stands in the address, after
// the #, so that a link can carry it: #verdict=differs&words=Table+4, with
// rows=KIND for another filter than the page's first.
{
  const all = [...document.querySelectorAll("table.ledger")];
  const kind_of = (table) => table.dataset.rows;
  const kinds = [...new Set(all.map(kind_of))];
  for (const kind of kinds) {
    filter(kind, all.filter((table) => kind_of(table) === kind), kind === kinds[0]);
  }
}

function filter(kind, tables, first) {
  const found = tables.flatMap((t) => [...t.querySelectorAll("tr[data-verdict]")]);
  const rows = found.map((row) => ({
    row,
    paper: row.closest("tbody").dataset.paper,
    verdict: row.dataset.verdict,
    text: plain(`${words_of(row)} ${row.closest("tbody").dataset.paper}
      ${row.id.replaceAll("-", " ")}`),
  }));

  const form = document.createElement("form");
  form.className = "ledger-filter";
  form.setAttribute("role", "search");
  const { group = "Paper", example = "for example: Table 4", sorts } =
    tables[0].dataset;
  form.setAttribute("aria-label", `Which ${kind} are shown`);
  form.innerHTML = `
    <label>${group}<select name="${group.toLowerCase()}"><option value="">all</select></label>
    <label>Verdict<select name="verdict"><option value="">all</select></label>
    <label>Words<input type="search" name="words"
      placeholder="${example}"></label>
    <button type="reset">Show all</button><output></output>`;
  const [paper, verdict, words] = form.elements;
  for (const [choice, of] of [[paper, "paper"], [verdict, "verdict"]]) {
    const values = new Set(rows.map((row) => row[of]));
    for (const value of values) choice.add(new Option(value));
  }
  const sort = sorts && sorter(sorts.split(" "));
  const place = document.querySelector(`.filter-here[data-rows="${kind}"]`);
  (place || tables[0].closest(".cell_output")).before(form);

  form.addEventListener("input", () => { show(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { show(); remember(); }));
  window.addEventListener("hashchange", follow);
  follow();
  for (const { row } of rows) {
    const details = row.querySelector(".more details");
    if (!details) continue;
    row.addEventListener("click", ({ target }) => {
      if (!target.closest("details, a")) details.open = !details.open;
    });
  }

  function show() {
    if (sort) sort();
    const wanted = sought(words.value);
    let shown = 0;
    for (const r of rows) {
      const fits =
        (!paper.value || r.paper === paper.value) &&
        (!verdict.value || r.verdict === verdict.value) &&
        wanted.every((part) => part.test(r.text));
      r.row.hidden = !fits;
      shown += fits;
    }
    for (const body of tables.flatMap((table) => [...table.tBodies])) {
      body.hidden = !body.querySelector("tr[data-verdict]:not([hidden])");
    }
    form.querySelector("output").value = `${shown} of ${rows.length} ${kind}`;
  }

  // By field, or all rows in one order: the highest first, but of widths and
  // numbers of items the lowest; what has none comes last.
  function sorter(keys) {
    const choice = document.createElement("select");
    choice.name = "sort";
    choice.append(new Option("as listed", ""), ...keys.map(
      (key) => new Option(key)));
    const label = document.createElement("label");
    label.append("Sort by", choice);
    words.closest("label").after(label);
    const homes = new Map(rows.map(({ row }) => [row, row.parentElement]));
    const value = (row, key) => (row.dataset[key] === "" ? NaN
      : Number(row.dataset[key]) * (key === "generalizability" ? -1 : 1));
    const order = (key) => (a, b) => {
      const [x, y] = [value(a.row, key), value(b.row, key)];
      return Number.isNaN(x) - Number.isNaN(y) || x - y;
    };
    return () => {
      const key = choice.value;
      const [body] = tables[0].tBodies;
      tables[0].classList.toggle("sorted", Boolean(key));
      for (const { row } of key ? [...rows].sort(order(key)) : rows) {
        (key ? body : homes.get(row)).append(row);
      }
    };
  }

  // Each word is sought from its beginning; a number is sought whole, and
  // together with the word before it: "Table 4" is not in "Table 3 ... 40".
  function sought(typed) {
    const parts = plain(typed).trim().match(/[^\s\d.]\S*(?: [\d.]+)*|\S+/g);
    return (parts || []).map((part) => {
      const text = part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      const end = /\d$/.test(part) ? "(?![\\d]|\\.\\d)" : "";
      const start = /^[\p{L}\d]/u.test(part) ? "(?<![\\p{L}\\d])" : "";
      return new RegExp(start + text + end, "u");
    });
  }

  function remember() {
    const kept = [paper, verdict, words]
      .map((field) => [field.name, field.value.trim()])
      .filter(([, value]) => value);
    if (kept.length && !first) kept.unshift(["rows", kind]);
    if (!kept.length && !location.hash.includes("=")) return;  // a row's name
    history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
  }

  // The address names a row, which is shown even if it was filtered out,
  // or holds a filter.
  function follow() {
    const hash = location.hash.slice(1);
    const row = document.getElementById(hash);
    if (row && row.hidden && rows.some((r) => r.row === row)) {
      form.reset();
      setTimeout(() => row.scrollIntoView());
    } else if (!row && hash.includes("=")) {
      const kept = new URLSearchParams(hash);
      if (kept.has("rows") ? kept.get("rows") === kind : first) {
        for (const field of [paper, verdict, words]) {
          field.value = kept.get(field.name) || "";
        }
        setTimeout(() => form.scrollIntoView());
      }
    }
    show();
  }

  // Cells and lines end words: textContent alone would run them together.
  function words_of(row) {
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    return texts.join(" ");
  }

  function plain(text) {
    return text.toLowerCase().replace(/,?\s+/g, " ");
  }
}
