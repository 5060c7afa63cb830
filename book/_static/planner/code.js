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
    const design = shape === study.design ? ""
      : `, design="${A.TEXT[shape]}"`;
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
      `plan = gt.dstudy(g, ${numbers}${design})\n${cost}` +
      `best = gt.best_allocation(g, ${budget}${given}${design}${aim})\n` +
      `cheapest = gt.cheapest_allocation(g, ${target}${given}${design}${aim})`;
  }


  root.plannerPython = python;
}(window));
