/* How many documents to judge on each topic. */
(function (root) {
  "use strict";

  const { make } = root;
  const { map } = root.figures;
  const A = root.plannerArithmetic;
  const { $, ask, choose, count, face, field, hint, money, number, put, row,
    share, slide, tile, use, useThis, whole } = root.plannerPage;
  const { documents } = root.plannerKnown;
  const MOST = 1e6;
  const KINDS = { generalizability: "relative", dependability: "absolute" };

  const priceOf = (prices, { topic, document, assessor }) => (
    topic * (prices.topic + prices.judgment * document * assessor));

  /* The sums that the error is the highest of, each as [a, b]: a + b/topics
   * with these numbers of documents and assessors. */
  function sumsOf(rows, coefficient, levels) {
    const at = (topic) => A.evaluate(rows, documents.components,
      { ...levels, topic }).sums;
    const single = at(1);
    return at(Infinity).map((a, k) => [a, single[k] - a])
      .slice(coefficient === "dependability" ? 0 : 1);
  }

  /* The least number of topics with which these are allowed, whole or not. */
  const topicsFor = (sums, allowed) => sums.reduce((least, [a, b]) => (
    Math.max(least, a >= allowed && (b > 0 || a > allowed) ? Infinity
      : b / (allowed - a) || 0)), 1);

  /* Every number of documents and assessors, with the numbers of topics that
   * `topics` gives for them: the design that is lowest by the first key, and
   * of equal ones by the second. */
  function lowest(limits, topics, keys) {
    let found = null;
    const less = (a, b) => a < b - 1e-12 * Math.abs(b);
    for (let assessor = 1; assessor <= limits.assessor; assessor += 1) {
      for (let document = 1; document <= limits.document; document += 1) {
        for (const topic of topics({ document, assessor })) {
          const levels = { topic, document, assessor };
          const [first, second] = keys(levels);
          if (!found || less(first, found.first) || (
            !less(found.first, first) && less(second, found.second))) {
            found = { levels, first, second };
          }
        }
      }
    }
    return found && found.levels;
  }

  function best({ rows, coefficient, prices, budget, limits }) {
    return lowest(limits, (levels) => {
      const one = priceOf(prices, { topic: 1, ...levels });
      const most = Math.min(MOST, Math.floor((budget / one) * (1 + 1e-12)));
      return most < 1 ? []
        : A.topicsToTry(sumsOf(rows, coefficient, levels), most);
    }, (levels) => [-A.evaluate(rows, documents.components,
      levels)[coefficient], 0]);
  }

  function cheapest({ rows, coefficient, prices, allowed, limits }) {
    return lowest(limits, (levels) => {
      const least = topicsFor(sumsOf(rows, coefficient, levels), allowed);
      return least <= MOST ? [Math.ceil(least * (1 - 1e-12))] : [];
    }, (levels) => [priceOf(prices, levels), -A.evaluate(rows,
      documents.components, levels)[coefficient]]);
  }

  /* The plan as calls of gtlib, with the same answer. */
  function python({ levels, prices, limits, coefficient, budget, target }) {
    const { labels, components, plans, text } = documents;
    const design = plans[field("d-shape").value].text;
    const aim = `${JSON.stringify(prices)},\n    coefficient="${coefficient}")`;
    return `import gtlib as gt\n\ng = gt.GStudy.from_components(\n    "${
      text}",\n    {\n${labels.map((label, k) => (
      `        "${label}": ${components[k]},\n`)).join("")}    },\n)\n` +
      `plan = g.plan(\n    "${design}",\n    levels=${
        JSON.stringify(levels)},\n)\n` +
      `free = g.plan(\n    "${design}",\n    assessor=(1, ${
        limits.assessor}), document=(1, ${limits.document}),\n)\n` +
      `best = free.best(${budget}, ${aim}\n` +
      `cheapest = free.cheapest(${target}, ${aim}`;
  }

  const describe = ({ topic, document, assessor }) => (
    `${count(topic, "topic")}, ${count(document, "document")} each, ${
      count(assessor, "assessor")}`);
  const fields = ({ topic, document, assessor }) => ({ "d-topics": topic,
    "d-documents": document, "d-assessors": assessor });
  const valueOf = (plan, levels) => A.evaluate(plan.rows,
    documents.components, levels)[plan.coefficient];

  function verdict(plan, now, found) {
    const { target, coefficient, prices, budget, levels } = plan;
    const costs = (one) => money(priceOf(prices, one));
    const aim = `${coefficient} of ${target}`;
    if (now[coefficient] >= target) {
      return ["Buy nothing.", `The plan reaches a ${aim}. `, ...found.cheapest &&
        priceOf(prices, found.cheapest) <
        priceOf(prices, levels) * (1 - 1e-9) ? [
          `${describe(found.cheapest)} would be enough, for ${
            costs(found.cheapest)}. `, useThis(fields(found.cheapest))] : []];
    }
    if (!(prices.topic + prices.judgment)) {
      return ["No best design.", "A design costs nothing at these prices."];
    }
    const most = found.best ? [`The best for the budget is ${
      describe(found.best)}: ${share(valueOf(plan, found.best))} for ${
      costs(found.best)}${found.best.topic < MOST ? "" : "; more than a " +
        "million topics were not tried"}. `, useThis(fields(found.best))]
      : ["The budget does not buy one topic."];
    if (!found.cheapest) {
      return ["Out of reach.", `No design with at most ${
        plan.limits.document} documents and ${plan.limits.assessor
      } assessors has a ${aim}. `, ...most];
    }
    return priceOf(prices, found.cheapest) <= budget
      ? ["Buy this:", `${describe(found.cheapest)} reach a ${aim}, for ${
        costs(found.cheapest)}. `, useThis(fields(found.cheapest))]
      : ["More than you have.", `A ${aim} takes ${describe(found.cheapest)
      }, for ${costs(found.cheapest)}. `, ...most];
  }

  function drawMap(plan, now, found) {
    const { levels, rows, coefficient, allowed, prices, budget } = plan;
    const with_ = (document) => ({ document, assessor: levels.assessor });
    const marks = ["best", "cheapest"].filter((name) => (
      found[name] && found[name].assessor === levels.assessor &&
      (found[name].topic !== levels.topic ||
        found[name].document !== levels.document))).map(
      (name) => [found[name].topic, found[name].document,
        `${name}: ${found[name].topic} × ${found[name].document}`]);
    return map({ kind: KINDS[coefficient], names: ["topics", "documents on each"], marks,
      said: `A map of designs with ${count(levels.assessor, "assessor")}. ` +
        `Those with a ${coefficient} of ${plan.target} or more are tinted; ` +
        `the plan has ${describe(levels)}.`,
      target: `${plan.target} or more`, budget: `${money(budget)} buys`,
      reaches: (document) => topicsFor(sumsOf(rows, coefficient,
        with_(document)), allowed),
      buys: (document) => budget / priceOf(prices,
        { topic: 1, ...with_(document) }),
      plan: [levels.topic, levels.document, `${whole(levels.topic)} × ${
        whole(levels.document)}: ${share(now[coefficient])}`],
      moved: (topic, document) => use(fields({ topic,
        ...with_(document) })) });
  }

  function answer() {
    const target = number("d-target");
    const plan = { target, coefficient: field("d-coefficient").value,
      rows: documents.plans[field("d-shape").value].rows,
      levels: { topic: number("d-topics"), document: number("d-documents"),
        assessor: number("d-assessors") },
      prices: { topic: number("d-price-topic"),
        judgment: number("d-price-judgment") },
      budget: number("d-budget"),
      allowed: Math.max(documents.components[0], 0) * (1 - target) / target,
      limits: { assessor: number("d-most-assessors"),
        document: number("d-most-documents") } };
    const { rows, levels, prices } = plan;
    const now = A.evaluate(rows, documents.components, levels);
    for (const name of ["generalizability", "dependability"]) {
      put(`d-${name}`, now[name], share(now[name]));
    }
    put("d-cost", priceOf(prices, levels), money(priceOf(prices, levels)));
    const found = prices.topic + prices.judgment
      ? { best: best(plan), cheapest: cheapest(plan) } : {};
    for (const name of ["best", "cheapest"]) {
      const one = found[name];
      put(`d-${name}`, one ? valueOf(plan, one) : "", one
        ? `${describe(one)}: ${share(valueOf(plan, one))} for ${
          money(priceOf(prices, one))}` : "none");
    }
    $("d-map").replaceChildren(drawMap(plan, now, found));
    return { verdict: verdict(plan, now, found), python: python(plan) };
  }

  face({ name: "documents", title: "Documents",
    about: "A system calls its first twenty documents relevant, and is " +
      "right or wrong about each document that is judged. So documents can " +
      "be bought, as topics and assessors can.",
    aim: [ask("d-target", "Target", { min: 0.01, max: 0.9999, value: 0.95 }),
      ask("d-budget", "Budget for documents and topics", { min: 1e-6,
        value: 10000 })],
    plan: [slide("d-topics", "Topics", 300, { value: 100 }),
      slide("d-documents", "Documents on each", 50, { value: 20 }),
      slide("d-assessors", "Assessors", 12, { value: 1 }),
      choose("d-shape", "Who judges", [
        ["crossed", "every assessor judges everything"],
        ["topic", "each topic has assessors of its own"],
        ["document", "each document has assessors of its own"]])],
    tiles: [tile("d-generalizability", "Generalizability Eρ²", "relative"),
      tile("d-dependability", "Dependability Φ", "absolute"),
      tile("d-cost", "Cost")],
    figures: ["d-map"],
    given: [hint("d-note", documents.note),
      make("details", {}, make("summary", {}, "Prices, limits, and what to " +
        "reach"), row(ask("d-price-topic", "Develop a topic", { value: 20 }),
        ask("d-price-judgment", "Judge a document", { value: 1 })),
      row(ask("d-most-documents", "Documents on a topic, at most",
        { min: 1, max: 1000, step: 1, value: 50 }),
      ask("d-most-assessors", "Assessors, at most",
        { min: 1, max: 100, step: 1, value: 4 })),
      choose("d-coefficient", "The target is for", [
        ["generalizability", "generalizability Eρ²"],
        ["dependability", "dependability Φ"]]))],
    more: [make("p", {}, "Best for the budget: ",
      make("data", { id: "pl-d-best" })),
    make("p", {}, "Cheapest for the target: ",
      make("data", { id: "pl-d-cheapest" }))],
    answer });
}(window));
