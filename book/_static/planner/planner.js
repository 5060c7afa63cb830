/* The planner's page: fields in, figures out, the plan in the address. */
(function () {
  "use strict";

  const A = window.plannerArithmetic;
  const form = window.plannerForm;
  const results = window.plannerResults;
  const { RULES, readTable, toAddress, fromAddress } = window.plannerReading;
  const human = window.plannerHuman;
  const documents = window.plannerDocuments;
  const $ = (id) => document.getElementById(`pl-${id}`);
  let current = null;
  let drawing;

  // ---- the address -------------------------------------------------------

  const SHARED = ["topics", "assessors", "price-topic", "price-judgment",
    "price-assessor", "budget", "target", "coefficient", ...human.fields,
    ...documents.fields];

  function fields() {
    const found = { source: form.source(), shape: form.choice("shape"),
      cost: form.choice("cost") };
    for (const id of SHARED) found[id] = $(id).value;
    if (form.preset()) return found;
    found.study = $("study").value;
    found.values = [...$("components").querySelectorAll("input")]
      .map((input) => input.value).join(",");
    if (form.source() === "squares") {
      found.levels = form.levelFacets().map((f) => $(`n-${f}`).value).join(",");
    }
    return found;
  }

  /* Browsers refuse an address that changes with every key. */
  let written;
  function writeAddress() {
    window.clearTimeout(written);
    written = window.setTimeout(() => {
      window.history.replaceState(null, "", toAddress(fields()));
    }, 250);
  }

  function readAddress() {
    const given = fromAddress(window.location.hash);
    const known = [...$("source").options].some((o) => (
      o.value === given.source));
    if (known) $("source").value = given.source;
    if (A.LABELS[given.study]) $("study").value = given.study;
    form.choose("shape", given.shape);
    form.choose("cost", given.cost);
    for (const id of SHARED) {
      const field = $(id);
      if (given[id] === undefined) continue;
      const options = [...(field.options || [])].map((o) => o.value);
      if (!field.options || options.includes(given[id])) {
        field.value = given[id];
      }
    }
    form.startOwn();
    if (given.values !== undefined && !form.preset()) {
      form.showComponents(given.values.split(","));
    }
    if (given.levels !== undefined && !form.preset()) {
      given.levels.split(",").forEach((n, k) => {
        if (form.FACETS[k]) $(`n-${form.FACETS[k]}`).value = n;
      });
    }
    $("source-missing").textContent = given.source && !known
      ? `The address asks for a collection (${given.source}) that was not ` +
        "at hand when this copy of the book was built."
      : "";
  }

  // ---- every change ------------------------------------------------------

  function adopt(topic, assessor) {
    $("topics").value = topic;
    if (form.structure() !== "single") $("assessors").value = assessor;
    update();
  }

  let spoken;
  function say(text) {
    window.clearTimeout(spoken);
    spoken = window.setTimeout(() => { $("status").textContent = text; }, 700);
  }

  function update() {
    form.arrange();
    current = form.readPlan();
    for (const facet of ["topics", "assessors"]) {
      const n = RULES.count($(facet).value).value;
      if (n) $(`${facet}-slider`).value = n;
    }
    writeAddress();
    human.update();
    documents.update();
    $("results").classList.toggle("waiting", !current);
    $("waiting").hidden = Boolean(current);
    if (!current) {
      const wrong = document.querySelectorAll("#pl-plan [aria-invalid]").length;
      $("waiting").textContent = `Correct the ${wrong > 1
        ? `${wrong} marked fields` : "marked field"} to see the results.`;
      return;
    }
    show();
  }

  function show() {
    const plan = current;
    const now = A.evaluate(plan.study, plan.shape, plan.levels);
    const cost = A.cost(plan.shape, plan.prices, plan.levels);
    results.put("generalizability", now.generalizability,
      results.coefficient(now.generalizability));
    results.put("dependability", now.dependability,
      results.coefficient(now.dependability));
    results.put("cost", cost, results.money(cost));
    results.showIntervals(plan);
    $("cost-note").textContent = cost > plan.budget
      ? `${results.money(cost - plan.budget)} over the budget`
      : `${results.money(plan.budget - cost)} of the budget left`;
    results.showErrors(plan, now);
    const found = results.showBest(plan, adopt);
    window.cancelAnimationFrame(drawing);
    drawing = window.requestAnimationFrame(() => {
      results.drawBars(now);
      results.drawCharts(plan, found, adopt);
    });
    $("python").textContent = window.plannerPython(plan);
    say(`Dependability ${$("dependability").textContent}, generalizability ${
      $("generalizability").textContent}, cost ${$("cost").textContent}.`);
  }

  function copy(text, done) {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "planner-hidden";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    $("copied").textContent = done;
  }

  /* All numbers of a table or none: half of one would leave the other
   * half of another study in the fields. */
  function readPaste() {
    const { values, unknown, problems, missing } = readTable(
      $("paste").value, form.studyDesign(),
    );
    const inputs = $("components").querySelectorAll("input");
    const found = values.length - missing.length;
    const notes = [`${results.count(found, "number")} of ${
      inputs.length} read.`];
    if (missing.length || problems.length) {
      notes.push("Nothing was changed.");
    } else {
      values.forEach((value, k) => { inputs[k].value = value; });
    }
    if (problems.length) notes.push(`Correct: ${shortened(problems)}.`);
    if (missing.length) notes.push(`Missing: ${missing.join(", ")}.`);
    if (unknown.length) notes.push(`Not understood: ${shortened(unknown)}.`);
    if (!found) {
      notes.push("A table of scores has to become a G-study first: see " +
        "gtlib.gstudy, or the last chapter.");
    }
    $("paste-note").textContent = notes.join(" ");
    update();
  }

  function shortened(lines) {
    const few = lines.slice(0, 3).map((line) => (
      line.length > 60 ? `${line.slice(0, 60)}…` : line));
    const more = lines.length - few.length;
    return few.join("; ") + (more > 0 ? `; and ${more} more` : "");
  }

  function start() {
    form.fillSources();
    human.start();
    documents.start();
    readAddress();
    $("source").addEventListener("input", form.changeSource);
    $("study").addEventListener("input", form.startOwn);
    for (const facet of ["topics", "assessors"]) {
      $(`${facet}-slider`).addEventListener("input", (event) => {
        $(facet).value = event.target.value;
      });
    }
    $("paste-read").addEventListener("click", readPaste);
    $("copy").addEventListener("click",
      () => copy($("python").textContent, "Copied."));
    $("link").addEventListener("click",
      () => copy(window.location.href, "Address copied."));
    for (const fieldsets of document.querySelectorAll(".planner-form")) {
      fieldsets.addEventListener("submit", (event) => event.preventDefault());
      fieldsets.addEventListener("input", (event) => {
        if (event.target.id !== "pl-paste") update();
      });
    }
    window.addEventListener("hashchange", () => {
      readAddress();
      update();
    });
    $("root").hidden = false;
    update();
    let width = $("results").clientWidth;
    new ResizeObserver(() => {
      if (current && $("results").clientWidth !== width) show();
      width = $("results").clientWidth;
    }).observe($("results"));
  }

  start();
}());
