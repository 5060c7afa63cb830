/* The plan as a call of gtlib, with the same answer. */
(function (root) {
  "use strict";

  const A = root.plannerArithmetic;

  function python(plan) {
    const { study, shape, prices, budget, target } = plan;
    const labels = A.LABELS[study.design];
    const dict = (values) => labels.map((label, k) => (
      `        "${label}": ${values[k]},\n`
    )).join("");
    const levels = study.levels && Object.entries(study.levels)
      .map(([facet, n]) => `"${facet}": ${n}`).join(", ");
    const start = study.squares
      ? `from_mean_squares(\n    "${A.TEXT[study.design]}",\n    {${levels}},\n` +
        `    {\n${dict(study.squares)}    },\n)`
      : `from_components(\n    "${A.TEXT[study.design]}",\n` +
        `    {\n${dict(study.components)}    },\n)`;
    const design = shape === study.design ? "" : `"${A.TEXT[shape]}"`;
    const first = design && `${design}, `;
    const aim = plan.coefficient === "dependability" ? ""
      : ", coefficient=\"generalizability\"";
    const hire = shape === "single" ? "" : `, "assessor": ${prices &&
      prices.assessor}`;
    const cost = prices
      ? `cost = {"judgment": ${prices.judgment}, "topic": ${prices.topic}${
        hire}}\n` : "";
    const given = prices ? ", cost" : "";
    const numbers = shape === "single" ? `topic=${plan.levels.topic}`
      : `topic=${plan.levels.topic}, assessor=${plan.levels.assessor}`;
    return `import gtlib as gt\n\ng = gt.GStudy.${start}\n` +
      `plan = g.plan(${first}${numbers})\n${cost}` +
      `best = g.plan(${design}).best(${budget}${given}${aim})\n` +
      `cheapest = g.plan(${design}).cheapest(${target}${given}${aim})`;
  }


  root.plannerPython = python;
}(window));
