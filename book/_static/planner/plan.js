/* How many topics and assessors: the plan of a collection. */
(function (root) {
  "use strict";

  const { make } = root;
  const { curves, map, upTo } = root.figures;
  const A = root.plannerArithmetic;
  const known = root.plannerKnown;
  const { ofSquares } = root.plannerStudy;
  const { $, ask, choose, count, face, field, folded, hint, money, number,
    pick, put, row, scrolled, share, slide, small, tile, times, use,
    useThis, whole } = root.plannerPage;
  const FACETS = ["system", "topic", "assessor"];
  const COEFFICIENTS = ["generalizability", "dependability"];
  const KINDS = { generalizability: "relative", dependability: "absolute" };
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
    $("assessors-field").firstChild.textContent = shape() === "nested"
      ? "Assessors per topic" : "Assessors";
    $("source-note").textContent = [
      preset() && `Estimated from ${FACETS.filter((f) => preset().levels[f])
        .map((f) => count(preset().levels[f], f)).join(", ")}.`,
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
  let listed;
  const own = {};
  function showComponents() {
    const now = `${field("source").value} ${studyDesign()}`;
    if (listed === now) return;
    listed = now;
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
    [...$("components").rows].forEach((one, k) => {
      one.querySelector("meter").value = parts[k] / total;
      one.querySelector("span").textContent = ` ${
        (100 * parts[k] / total).toFixed(1)}%`;
    });
  }

  function readPlan() {
    const { labels, plans } = known.designs[studyDesign()];
    const priced = field("cost").value === "prices";
    const prices = priced ? { judgment: number("price-judgment"),
      topic: number("price-topic"), assessor: number("price-assessor") }
      : ONE_UNIT;
    const { rows } = plans[shape()];
    const components = preset() ? preset().components
      : labels.map((_, k) => number(`c${k}`));
    const coefficient = field("coefficient").value;
    const price = A.priceTerms(shape(), prices);
    const error = A.errorTerms(rows, components, coefficient);
    const target = number("target");
    return { prices, priced, rows, components, coefficient, price, error,
      target, limits: limitsOf(rows, components),
      allowed: Math.max(components[0], 0) * (1 - target) / target,
      levels: { topic: number("topics"),
        assessor: shape() === "single" ? 1 : number("assessors") },
      budget: number("budget") };
  }

  /* Limits for any plan with these rows, of what is known of a study: sizes,
   * mean squares, and r. Of a visitor's own they come by the address, and
   * hold as long as the components are theirs. */
  const found = {};
  function limitsOf(rows, components) {
    const from = preset() ? { n: FACETS.map((f) => preset().levels[f] || 1),
      squares: preset().squares, r: preset().stretch }
      : readFrom(field("from").value);
    if (!from) return null;
    const key = JSON.stringify([studyDesign(), shape(), from]);
    if (found.key !== key) {
      Object.assign(found, ofSquares(studyDesign(), from.n, from.squares,
        from.r, rows), { key });
    }
    const same = found.components.every((x, k) => (
      Math.abs(x - components[k]) <= 1e-9 * Math.abs(x)));
    return same ? found.limits : null;
  }

  function readFrom(text) {
    const [n, squares, r] = text.split("_").map(
      (part) => part.split(" ").map(Number));
    const { labels } = known.designs[studyDesign()];
    const good = n.length === 3 && n.every((x) => (
      Number.isInteger(x) && x >= 1 && x <= 1e6)) && n[0] > 1 && n[1] > 1 &&
      squares?.length === labels.length &&
      squares.every((x) => x >= 0 && x < 1e120) && r?.length === 2 &&
      r.every((x) => x >= 1e-3 && x <= n[0] - 1);
    return good && (studyDesign() === "single" || n[2] > 1)
      ? { n, squares, r } : null;
  }

  // ---- what is answered ---------------------------------------------------

  function describe({ topic, assessor }) {
    const per = shape() === "nested" ? " per topic" : "";
    return shape() === "single" ? count(topic, "topic")
      : `${count(topic, "topic")} with ${count(assessor, "assessor")}${per}`;
  }
  const fields = ({ topic, assessor }) => (shape() === "single"
    ? { topics: topic } : { topics: topic, assessors: assessor });

  function showTiles(plan, now) {
    const ends = plan.limits?.interval(plan.levels);
    for (const name of COEFFICIENTS) {
      put(name, now[name], share(now[name]));
      $(`${name}-note`).textContent = ends
        ? `95%: ${ends[name].map((x) => x.toFixed(3)).join(" to ")}` : "";
    }
    const cost = A.priceOf(plan.price, plan.levels);
    put("cost", cost, money(cost));
    $("cost-note").textContent = cost > plan.budget
      ? `${money(cost - plan.budget)} over the budget`
      : `${money(plan.budget - cost)} of the budget left`;
  }

  function designsFor({ error, price, budget, allowed }) {
    const free = A.freeFacet(error, price);
    return { free, ...free ? {} : { best: A.best(error, price, budget),
      cheapest: allowed > 0 && A.cheapest(error, price, allowed) } };
  }

  /* Nothing, this, or more than there is. */
  function verdict(plan, now, { free, best, cheapest }) {
    const { coefficient, target, price, levels, budget } = plan;
    const aim = `${coefficient} of ${target}`;
    const value = (design) => share(A.evaluate(plan.rows, plan.components,
      design)[coefficient]);
    const costs = (design) => money(A.priceOf(price, design));
    const enough = cheapest && A.priceOf(price, cheapest);
    if (now[coefficient] >= target) {
      return ["Buy nothing.", `The plan reaches a ${aim}. `, ...enough <
        A.priceOf(price, levels) * (1 - 1e-9) ? [
          `${describe(cheapest)} would be enough, at a cost of ${
            costs(cheapest)}. `,
          useThis(fields(cheapest))] : []];
    }
    if (free) {
      return ["No best design.", `More ${free}s cost nothing at these ` +
        "prices, so there is no best number of them. Give them a price."];
    }
    const most = best ? [`The best for the budget is ${describe(best)}, ` +
      `with ${value(best)} at a cost of ${costs(best)}. `, useThis(fields(best))]
      : [`The budget buys no design: the smallest costs ${
        money(A.priceOf(price, { topic: 1, assessor: 1 }))}.`];
    if (!cheapest) {
      return ["Out of reach.", plan.allowed > 0
        ? `No design with a million assessors or fewer has a ${aim}. `
        : "The systems differ by error only. ", ...most];
    }
    if (enough <= budget) {
      return ["Buy this:", `${describe(cheapest)} reach a ${aim}, at a cost of ${
        costs(cheapest)}. `, useThis(fields(cheapest))];
    }
    return ["More than you have.", `A ${aim} takes ${describe(cheapest)}, ` +
      `at a cost of ${costs(cheapest)}. `, ...most];
  }

  function showDesign(id, plan, design) {
    if (!design) return $(id).replaceChildren();
    const value = A.evaluate(plan.rows, plan.components,
      design)[plan.coefficient];
    return $(id).replaceChildren(make("data", { value,
      "data-topic": design.topic, "data-assessor": design.assessor },
    `${describe(design)}: ${share(value)} for ${
      money(A.priceOf(plan.price, design))}`));
  }

  function showErrors(plan, now) {
    const most = Math.max(...now.errors.map(({ error }) => error)) || 1;
    const rows = [...now.errors].sort((a, b) => b.error - a.error);
    $("sources").replaceChildren(...rows.map((one) => make("tr", {},
      make("th", { scope: "row" }, times(one.label)),
      make("td", {}, make("meter", { value: one.error, max: most,
        class: one.facets.join(" "),
        "aria-label": `error from ${times(one.label)}` })),
      make("td", {}, small(one.error)),
      make("td", {}, `more ${one.facets.map((f) => `${f}s`).join(" or ")}`),
      make("td", {}, one.relative ? "yes" : "no"))));
    $("advice").textContent = advice(plan);
  }

  /* One more topic against one more assessor, per unit of money. */
  function advice({ price, levels, error }) {
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
      return `Of the next unit of money, ${first} take something off the ` +
        `error, and more ${second} nothing.`;
    }
    const much = factor > 1e4 ? "many thousand times"
      : factor < 1.05 ? "about" : `${Number(factor.toPrecision(2))} times`;
    return `For the same money, the next ${first} take ${much} as much off ` +
      `the error as the next ${second}.`;
  }

  // ---- figures ------------------------------------------------------------

  /* Both coefficients with their bands, against the number of topics. */
  function drawCurve({ rows, components, levels, target, limits }) {
    // The axis waits while the point moves along it.
    const most = upTo(100, levels.topic);
    const at = (topic) => A.evaluate(rows, components, { ...levels, topic });
    const topics = Array.from({ length: 41 },
      (_, k) => Math.max(1, most * (k / 40) ** 1.4));
    const values = topics.map(at);
    const ends = topics.map(
      (topic) => limits?.interval({ ...levels, topic }));
    const early = topics.findIndex((topic) => topic >= levels.topic / 3);
    const low = Math.max(0, Math.floor(10 * Math.min(target - 0.05,
      ...COEFFICIENTS.map((name) => (ends[early]
        ? ends[early][name][0] : values[early][name])))) / 10);
    const lines = COEFFICIENTS.map((name) => ({ kind: KINDS[name], name,
      here: at(levels.topic)[name],
      points: topics.map((topic, k) => [topic, values[k][name]]),
      band: limits && topics.map(
        (topic, k) => [topic, ...ends[k][name]]) }));
    $("curve").replaceChildren(curves({ name: "topics", across: [0, most],
      up: [low, 1], at: levels.topic, target, targetSaid: `target ${target}`,
      lines, said: "Both coefficients against the number of topics; the " +
        `plan has ${describe(levels)}.` }));
  }

  /* The least number of topics that keeps the error to what is allowed,
   * with any number of assessors, whole or not. */
  function reaches({ error, allowed }, assessor) {
    let least = 1;
    for (const terms of error) {
      const room = allowed - terms.assessor / assessor;
      const shrinks = terms.topic + terms.both / assessor;
      if (room <= 0 && (shrinks > 0 || room < 0)) return Infinity;
      if (shrinks > 0) least = Math.max(least, shrinks / room);
    }
    return least;
  }

  function drawMap(plan, now, { best, cheapest }) {
    const { price, levels, coefficient, target, budget } = plan;
    const buys = (assessor) => (budget - price.assessor * assessor) /
      (price.topic + price.both * assessor);
    const mark = (design, words) => design && [design.topic,
      design.assessor, `${words}: ${design.topic} × ${design.assessor}`];
    const same = (a, b) => a && b && a.topic === b.topic &&
      a.assessor === b.assessor;
    const marks = [mark(cheapest, same(best, cheapest)
      ? "best and cheapest" : "cheapest"),
    same(best, cheapest) ? null : mark(best, "best")]
      .filter((one) => one && (one[0] !== levels.topic ||
        one[1] !== levels.assessor));
    $("map").replaceChildren(map({ kind: KINDS[coefficient], names: ["topics",
      shape() === "nested" ? "assessors per topic" : "assessors"],
    said: `A map of designs. Those with a ${coefficient} of ${target} or ` +
      `more are tinted; the plan has ${describe(levels)}.`,
    target: `${target} or more`, budget: `${money(budget)} buys`,
    reaches: (assessor) => reaches(plan, assessor), buys, marks,
    plan: [levels.topic, levels.assessor, `${whole(levels.topic)} × ${
      whole(levels.assessor)}: ${share(now[coefficient])}`],
    moved: (topics, assessors) => use({ topics, assessors }) }));
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
    const designs = designsFor(plan);
    showTiles(plan, now);
    showErrors(plan, now);
    showDesign("best", plan, designs.best);
    showDesign("cheapest", plan, designs.cheapest);
    drawCurve(plan);
    $("map").hidden = shape() === "single";
    if (shape() !== "single") drawMap(plan, now, designs);
    if (!preset()) {
      $("source-note").textContent = plan.limits
        ? "From your scores, with their intervals."
        : "Without scores there are no intervals.";
    }
    return { verdict: verdict(plan, now, designs), python: python(plan) };
  }

  // ---- the face -----------------------------------------------------------

  const groups = {};
  for (const { name, title, measure, design } of known.presets) {
    const group = design === "single"
      ? `One assessor, ${measure}` : "Several assessors";
    groups[group] = groups[group] || make("optgroup", { label: group });
    groups[group].append(new Option(`${title} · ${measure}`, name));
  }
  const source = choose("source", "Variance components of", []);
  source.lastChild.append(...Object.values(groups),
    new Option("components of your own", "components"));
  const priceAssessor = ask("price-assessor", "Hire an assessor",
    { value: 20 });
  priceAssessor.id = "pl-price-assessor-field";
  const prices = row(ask("price-topic", "Develop a topic", { value: 5 }),
    ask("price-judgment", "Judge a topic", { value: 1 }), priceAssessor);
  prices.id = "pl-prices";

  face({ name: "topics-and-assessors", title: "Topics and assessors",
    about: "How many topics and assessors make a collection reliable? Say " +
      "what you want and what you can pay, and move the plan.",
    aim: [ask("target", "Target", { min: 0.01, max: 0.9999, value: 0.95 }),
      ask("budget", "Budget", { min: 1e-6, value: 100 })],
    plan: [slide("topics", "Topics", 300, { value: 50 }),
      slide("assessors", "Assessors", 12, { value: 1 }),
      pick("shape", "How assessors share topics", [
        ["crossed", "crossed: all assessors judge all topics"],
        ["nested", "nested: other assessors for each topic"]])],
    tiles: [tile("generalizability", "Generalizability Eρ²", "relative"),
      tile("dependability", "Dependability Φ", "absolute"),
      tile("cost", "Cost")],
    figures: ["map", "curve"],
    given: [source, hint("source-note"),
      make("p", { class: "planner-error", id: "pl-source-missing" }),
      make("details", {}, make("summary", {}, "The components"),
        choose("study", "Design they come from", [
          ["crossed", "system × topic × assessor"],
          ["nested", "system × (assessor:topic)"],
          ["single", "system × topic"]]),
        make("input", { type: "hidden", name: "from" }),
        make("table", { class: "planner-components", id: "pl-components" }),
        hint("components-note",
          "A negative component is added with its sign.")),
      make("details", {}, make("summary", {}, "Prices, and what to reach"),
        pick("cost", "What costs money", [
          ["judgments", "only judging: one unit for a topic judged by one " +
            "assessor"], ["prices", "prices of my own"]]), prices,
        choose("coefficient", "The target is for", [
          ["dependability", "dependability Φ: scores as such"],
          ["generalizability", "generalizability Eρ²: their differences"]])),
      hint("own", "Have you scores of your own? ",
        make("a", { href: "your-scores.html" }, "Drop them"),
        ", and plan from their components.")],
    more: [folded("Where the error comes from, and the best designs",
      make("p", { id: "pl-advice" }),
      scrolled("Sources of error", make("table", {}, make("thead", {},
        make("tr", {}, ...["source of error", "in this plan", "variance",
          "shrinks with", "moves differences"].map(
          (said) => make("th", { scope: "col" }, said)))),
      make("tbody", { id: "pl-sources" }))),
      make("p", {}, "Best for the budget: ",
        make("span", { id: "pl-best" })),
      make("p", {}, "Cheapest for the target: ",
        make("span", { id: "pl-cheapest" })))],
    arrange, answer });
}(window));
