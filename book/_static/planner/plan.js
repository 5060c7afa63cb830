/* How many topics and assessors: the plan of a collection. */
(function (root) {
  "use strict";

  const A = root.plannerArithmetic;
  const known = root.plannerKnown;
  const { $, begin, count, field, make, money, number, put, share, small,
    times } = root.plannerPage;
  const FACETS = ["system", "topic", "assessor"];
  const OWN = "components";
  const COEFFICIENTS = ["generalizability", "dependability"];
  const ONE_UNIT = { judgment: 1, topic: 0, assessor: 0 };

  // ---- what is asked ------------------------------------------------------

  const preset = () => known.presets.find(
    (one) => one.name === field("source").value);
  const studyDesign = () => (preset() || { design: field("study").value })
    .design;
  const shape = () => (studyDesign() === "crossed"
    ? field("shape").value : studyDesign());

  /* What is hidden is not asked, nor written into the address. */
  function show(id, shown) {
    $(id).hidden = !shown;
    for (const input of $(id).querySelectorAll("input, select")) {
      input.disabled = !shown;
    }
  }

  function arrange(asked) {
    if (asked) sayWhatIsMissing(asked.get("source"));
    show("study-field", !preset());
    showComponents();
    show("shape-field", studyDesign() === "crossed");
    show("assessors-field", shape() !== "single");
    show("prices", field("cost").value === "prices");
    if (shape() === "single") show("price-assessor-field", false);
    $("assessors-label").textContent = shape() === "nested"
      ? "Assessors per topic" : "Assessors";
    $("buys-part").hidden = shape() === "single";
    for (const name of ["topics", "assessors"]) {
      $(`${name}-slider`).value = field(name).value;
    }
    $("source-note").textContent = [
      preset() ? `Estimated from ${FACETS.filter((f) => preset().levels[f])
        .map((f) => count(preset().levels[f], f)).join(", ")}.`
        : "No intervals: Your scores gives them, from the scores.",
      shape() === "single" && "One assessor judged each topic, so these " +
        "numbers say nothing about more assessors: plan topics.",
    ].filter(Boolean).join(" ");
  }

  const sayWhatIsMissing = (source) => {
    $("source-missing").textContent = source && field("source").value !== source
      ? `The address asks for a collection (${source}) that was not at hand ` +
        "when this copy of the book was built." : "";
  };

  /* Components of a collection as text with a bar, or fields for one's own,
   * which start with those of the first collection of such a design. */
  let shown;
  const own = {};
  function showComponents() {
    const now = `${field("source").value} ${studyDesign()}`;
    if (shown === now) return;
    shown = now;
    const { labels } = known.designs[studyDesign()];
    const values = preset() ? preset().components
      : own[studyDesign()] || (known.presets.find(
        (one) => one.design === studyDesign())
        || { components: labels.map(() => 0.01) }).components.map(
        (x) => Number(x.toPrecision(3)));
    $("components").replaceChildren(...labels.map((label, k) => {
      const name = times(label);
      const input = make("input", { id: `pl-c${k}`, name: `c${k}`,
        type: "number", step: "any", required: "", autocomplete: "off",
        min: -1e120, max: 1e120, value: values[k] });
      return make("tr", {}, make("th", { scope: "row" }, preset() ? name
        : make("label", { for: input.id }, name)),
      make("td", {}, preset() ? small(values[k]) : input),
      make("td", {}, make("meter", { class: label.replace(/ x |:/g, " "),
        "aria-label": `share of ${name}` }), make("span", {})));
    }));
  }

  function showShares({ components }) {
    const parts = components.map((x) => Math.max(x, 0));
    const total = parts.reduce((sum, x) => sum + x, 0) || 1;
    [...$("components").rows].forEach((row, k) => {
      row.querySelector("meter").value = parts[k] / total;
      row.querySelector("span").textContent = ` ${
        (100 * parts[k] / total).toFixed(1)}%`;
    });
  }

  function readPlan() {
    const { labels, plans } = known.designs[studyDesign()];
    const priced = field("cost").value === "prices";
    const prices = priced ? { judgment: number("price-judgment"),
      topic: number("price-topic"), assessor: number("price-assessor") }
      : ONE_UNIT;
    return {
      prices, priced, shape: shape(), rows: plans[shape()].rows,
      components: preset() ? preset().components
        : labels.map((_, k) => number(`c${k}`)),
      price: A.priceTerms(shape(), prices),
      levels: { topic: number("topics"),
        assessor: shape() === "single" ? 1 : number("assessors") },
      budget: number("budget"), target: number("target"),
      coefficient: field("coefficient").value,
    };
  }

  // ---- what is answered ---------------------------------------------------

  function describe({ topic, assessor }) {
    const per = shape() === "nested" ? " per topic" : "";
    return shape() === "single" ? count(topic, "topic")
      : `${count(topic, "topic")}, ${count(assessor, "assessor")}${per}`;
  }

  function limits(plan, coefficient) {
    const { draws, limits: ofOne } = preset() || {};
    if (draws) return A.interval(plan.rows, draws, plan.levels, coefficient);
    return ofOne && ofOne[coefficient].map(
      (x) => x / (x + (1 - x) / plan.levels.topic));
  }

  function showTiles(plan, now) {
    for (const name of COEFFICIENTS) {
      const found = limits(plan, name);
      put(name, now[name], share(now[name]));
      $(`${name}-interval`).textContent = found
        ? `95%: ${found.map((x) => x.toFixed(3)).join(" to ")}` : "";
    }
    const cost = A.priceOf(plan.price, plan.levels);
    put("cost", cost, money(cost));
    $("cost-note").textContent = cost > plan.budget
      ? `${money(cost - plan.budget)} over the budget`
      : `${money(plan.budget - cost)} of the budget left`;
  }

  function showErrors(plan, now) {
    const most = Math.max(...now.errors.map((row) => row.error)) || 1;
    const rows = [...now.errors].sort((a, b) => b.error - a.error);
    $("sources").replaceChildren(...rows.map((row) => make("tr", {},
      make("th", { scope: "row" }, times(row.label)),
      make("td", {}, make("meter", { value: row.error, max: most,
        class: row.facets.join(" "),
        "aria-label": `error from ${times(row.label)}` })),
      make("td", {}, small(row.error)),
      make("td", {}, `more ${row.facets.map((f) => `${f}s`).join(" or ")}`),
      make("td", {}, row.relative ? "yes" : "no"))));
    $("advice").textContent = advice(plan);
  }

  /* One more topic against one more assessor, per unit of money. */
  function advice({ price, levels, rows, components, coefficient }) {
    const error = A.errorTerms(rows, components, coefficient);
    const now = A.errorOf(error, levels);
    if (!now) return "There is no error left to shrink.";
    if (shape() === "single") {
      return "All of the error shrinks in proportion as topics are added.";
    }
    const [topics, assessors] = ["topic", "assessor"].map((facet) => {
      const more = { ...levels, [facet]: levels[facet] + 1 };
      return Math.max(0, now - A.errorOf(error, more)) /
        (A.priceOf(price, more) - A.priceOf(price, levels));
    });
    if (!topics && !assessors) {
      return "As estimated, more of neither takes anything off the error.";
    }
    if (!Number.isFinite(topics + assessors)) {
      return "At these prices one of the two costs nothing.";
    }
    const words = ["topics", "assessors"];
    const [first, second] = topics < assessors ? words.reverse() : words;
    const factor = Math.max(topics, assessors) / Math.min(topics, assessors);
    if (factor === Infinity) {
      return `Buy ${first} next: as estimated, more ${second} take nothing ` +
        "off the error.";
    }
    const much = factor > 1e4 ? "many thousand times"
      : factor < 1.05 ? "about" : `${Number(factor.toPrecision(2))} times`;
    return `Buy ${first} next: for the same money, ${first} take ${much} ` +
      `as much off the error as ${second}.`;
  }

  function showDesigns(plan) {
    const { rows, components, coefficient, price, budget, target } = plan;
    const error = A.errorTerms(rows, components, coefficient);
    const allowed = Math.max(components[0], 0) * (1 - target) / target;
    const free = A.freeFacet(error, price);
    const least = A.priceOf(price, { topic: 1, assessor: 1 });
    const found = free ? {} : { best: A.best(error, price, budget),
      cheapest: allowed > 0 && A.cheapest(error, price, allowed) };
    for (const id of ["best", "cheapest"]) {
      const levels = found[id];
      $(`use-${id}`).hidden = !levels;
      if (!levels) {
        $(id).textContent = free
          ? `More ${free}s cost nothing at these prices, so there is no ` +
            "best number of them. Give them a price."
          : id === "cheapest" && !allowed
          ? "No design will do: the systems differ by error only."
          : id === "cheapest"
          ? "No design with a million assessors or fewer will do."
          : "The budget buys no design: the smallest costs " +
            `${money(least)}.`;
        continue;
      }
      const value = A.evaluate(rows, components, levels)[coefficient];
      $(id).replaceChildren(make("strong", {}, describe(levels)),
        make("br", {}), make("data", { value, "data-topic": levels.topic,
          "data-assessor": levels.assessor }, share(value)),
        ` for ${money(A.priceOf(price, levels))}`);
      $(`use-${id}`).onclick = () => {
        field("topics").value = levels.topic;
        field("assessors").value = levels.assessor;
        update();
      };
    }
  }

  /* Numbers of assessors, and of topics that the budget buys with each. */
  function showBuys({ rows, components, coefficient, price, budget }) {
    const lines = [1, 2, 3, 4, 5, 6].map((assessor) => {
      const topic = Math.floor((budget - price.assessor * assessor) /
        (price.topic + price.both * assessor));
      if (!(topic >= 1 && topic <= 1e9)) return null;
      const levels = { topic, assessor };
      const value = A.evaluate(rows, components, levels)[coefficient];
      return make("tr", {}, make("td", {}, assessor),
        make("td", {}, topic.toLocaleString("en")),
        make("td", {}, share(value)));
    });
    $("buys").replaceChildren(...lines.filter(Boolean));
  }

  /* Both coefficients against the number of topics. */
  function drawCurve({ rows, components, levels, target }) {
    const [width, height, left, bottom] = [480, 260, 44, 40];
    // The axis waits while the point moves along it.
    const most = [100, 300, 1e3, 1e4, 1e5, 1e6].find((n) => levels.topic <= n);
    const x = (n) => left + (n / most) * (width - left - 12);
    const y = (value) => 20 + (1 - value) * (height - bottom - 20);
    const at = (topic) => A.evaluate(rows, components, { ...levels, topic });
    const steps = Array.from({ length: 101 },
      (_, k) => Math.max(1, (k / 100) * most));
    const mark = (text, px, py, more) => make("text",
      { x: px, y: py, ...more }, text);
    const drawing = make("svg", { viewBox: `0 0 ${width} ${height}`,
      role: "img", "aria-label": "Both coefficients against the number of " +
        `topics; the plan has ${describe(levels)}.` });
    for (const value of [0, 0.5, 1]) {
      drawing.append(mark(value, left - 6, y(value) + 4,
        { "text-anchor": "end" }));
    }
    for (const n of [0, most / 2, most]) {
      drawing.append(mark(Math.round(n).toLocaleString("en"), x(n),
        height - bottom + 18, { "text-anchor": n === most ? "end" : "middle" }));
    }
    drawing.append(
      mark("topics", x(most / 2), height - 4, { "text-anchor": "middle" }),
      make("line", { class: "planner-target", x1: left, x2: width - 12,
        y1: y(target), y2: y(target) }),
      mark(`target ${target}`, left + 6, y(target) - 5, {}));
    const late = levels.topic > 0.8 * most;
    COEFFICIENTS.forEach((name, k) => {
      const path = steps.map((n) => `${x(n).toFixed(1)},${
        y(at(n)[name]).toFixed(1)}`).join("L");
      const kind = ["relative", "absolute"][k];
      const value = at(levels.topic)[name];
      drawing.append(make("path", { d: `M${path}`,
        class: `planner-line ${kind}` }),
      make("circle", { cx: x(levels.topic), cy: y(value), r: 5,
        class: `planner-dot ${kind}` }),
      mark(["Eρ²", "Φ"][k], x(levels.topic) + (late ? -8 : 8),
        y(value) + (k ? 18 : -8), { class: `planner-name ${kind}`,
          "text-anchor": late ? "end" : "start" }));
    });
    $("curve").replaceChildren(drawing);
  }

  /* The plan as calls of gtlib, with the same answer. */
  function python(plan) {
    const { labels, text, plans } = known.designs[studyDesign()];
    const lines = (values) => `{\n${labels.map((label, k) => (
      `        "${label}": ${values[k]},\n`)).join("")}    }`;
    const given = preset()
      ? `from_mean_squares(\n    "${text}",\n    ${
        JSON.stringify(preset().levels)},\n    ${lines(preset().squares)}`
      : `from_components(\n    "${text}",\n    ${lines(plan.components)}`;
    const design = shape() === studyDesign() ? ""
      : `"${plans[shape()].text}"`;
    const { assessor, ...rest } = plan.prices;
    const prices = shape() === "single" ? rest : { ...rest, assessor };
    const cost = plan.priced ? `, ${JSON.stringify(prices)}` : "";
    const aim = plan.coefficient === "dependability" ? ""
      : ', coefficient="generalizability"';
    const numbers = shape() === "single" ? `topic=${plan.levels.topic}`
      : `topic=${plan.levels.topic}, assessor=${plan.levels.assessor}`;
    return `import gtlib as gt\n\ng = gt.GStudy.${given},\n)\n` +
      `plan = g.plan(${[design, numbers].filter(Boolean).join(", ")})\n` +
      `best = g.plan(${design}).best(${plan.budget}${cost}${aim})\n` +
      `cheapest = g.plan(${design}).cheapest(${plan.target}${cost}${aim})`;
  }

  function answer() {
    const plan = readPlan();
    if (!preset()) own[studyDesign()] = plan.components;
    showShares(plan);
    const now = A.evaluate(plan.rows, plan.components, plan.levels);
    showTiles(plan, now);
    showErrors(plan, now);
    showDesigns(plan);
    showBuys(plan);
    drawCurve(plan);
    $("python").textContent = python(plan);
    return `Dependability ${share(now.dependability)}, generalizability ${
      share(now.generalizability)}, cost ${$("cost").textContent}.`;
  }

  // ---- the page -----------------------------------------------------------

  const groups = {};
  for (const { name, title, measure, design } of known.presets) {
    const group = design === "single"
      ? `One assessor, ${measure}` : "Several assessors";
    groups[group] = groups[group] || make("optgroup", { label: group });
    groups[group].append(new Option(`${title} · ${measure}`, name));
  }
  field("source").append(...Object.values(groups),
    new Option("components of your own", OWN));
  for (const name of ["topics", "assessors"]) {
    $(`${name}-slider`).addEventListener("input", (event) => {
      field(name).value = event.target.value;
    });
  }
  const update = begin({ arrange, answer });
}(window));
