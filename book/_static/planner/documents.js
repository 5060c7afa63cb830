/* How many documents to judge on each topic. */
(function (root) {
  "use strict";

  const A = root.plannerArithmetic;
  const { $, begin, count, field, money, number, put,
    share } = root.plannerPage;
  const { documents } = root.plannerKnown;
  const MOST = 1e6;

  const priceOf = (prices, { topic, document, assessor }) => (
    topic * (prices.topic + prices.judgment * document * assessor));

  /* Every number of documents and assessors, with the numbers of topics
   * that the budget buys and that may be best. */
  function best(rows, coefficient, prices, budget, limits) {
    let found = null;
    for (let assessor = 1; assessor <= limits.assessor; assessor += 1) {
      for (let document = 1; document <= limits.document; document += 1) {
        const one = priceOf(prices, { topic: 1, document, assessor });
        const most = Math.min(MOST,
          Math.floor((budget / one) * (1 + 1e-12)));
        if (most < 1) break;
        const at = (topic) => A.evaluate(rows, documents.components,
          { topic, document, assessor });
        const [single, endless] = [at(1).sums, at(Infinity).sums];
        const sums = endless.map((a, k) => [a, single[k] - a])
          .slice(coefficient === "dependability" ? 0 : 1);
        for (const topic of A.topicsToTry(sums, most)) {
          const value = at(topic)[coefficient];
          if (!found || value > found.value * (1 + 1e-12)) {
            found = { levels: { topic, document, assessor }, value };
          }
        }
      }
    }
    return found;
  }

  /* The plan as calls of gtlib, with the same answer. */
  function python(levels, prices, most, coefficient) {
    const { labels, components, plans, text } = documents;
    const design = plans[field("d-shape").value].text;
    return `import gtlib as gt\n\ng = gt.GStudy.from_components(\n    "${
      text}",\n    {\n${labels.map((label, k) => (
      `        "${label}": ${components[k]},\n`)).join("")}    },\n)\n` +
      `plan = g.plan(\n    "${design}",\n    levels=${
        JSON.stringify(levels)},\n)\n` +
      `best = g.plan(\n    "${design}",\n    assessor=(1, ${
        most.assessor}), document=(1, ${most.document}),\n).best(${
        number("d-budget")}, ${JSON.stringify(prices)},\n` +
      `    coefficient="${coefficient}")`;
  }

  function answer() {
    const { rows } = documents.plans[field("d-shape").value];
    const levels = { topic: number("d-topics"),
      document: number("d-documents"), assessor: number("d-assessors") };
    const prices = { topic: number("d-price-topic"),
      judgment: number("d-price-judgment") };
    const now = A.evaluate(rows, documents.components, levels);
    for (const name of ["generalizability", "dependability"]) {
      put(`d-${name}`, now[name], share(now[name]));
    }
    put("d-cost", priceOf(prices, levels), money(priceOf(prices, levels)));
    const coefficient = field("d-coefficient").value;
    const most = { assessor: number("d-most-assessors"),
      document: number("d-most-documents") };
    $("python").textContent = python(levels, prices, most, coefficient);
    showBest(prices, best(rows, coefficient, prices, number("d-budget"), most));
    return `Dependability ${share(now.dependability)}, generalizability ${
      share(now.generalizability)}, cost ${$("d-cost").textContent}.`;
  }

  function showBest(prices, found) {
    if (!(prices.topic + prices.judgment)) {
      put("d-best", "", "A design costs nothing at these prices.");
      return;
    }
    if (!found) {
      put("d-best", "", "The budget does not buy one topic.");
      return;
    }
    const { topic, document, assessor } = found.levels;
    put("d-best", found.value, `${count(topic, "topic")}, ` +
      `${count(document, "document")} each, ${
        count(assessor, "assessor")}: ${share(found.value)} for ${
        money(priceOf(prices, found.levels))}${
      topic < MOST ? "" : "; more than a million topics were not tried"}`);
  }

  $("d-note").textContent = documents.note;
  begin({ answer });
}(window));
