/* The planner's results: numbers, sentences and the two best designs. */
(function (root) {
  "use strict";

  const A = root.plannerArithmetic;
  const $ = (id) => document.getElementById(`pl-${id}`);
  const charts = root.plannerCharts;

  const count = (n, word) => `${n.toLocaleString("en")} ${word}${
    n === 1 ? "" : "s"}`;
  const money = (x) => x.toLocaleString("en", { maximumFractionDigits: 2 });
  const coefficient = (x) => (x > 0.9995 ? x.toPrecision(6) : x.toFixed(3));
  const small = (x) => Number(x.toPrecision(3)).toString()
    .replace("e-", " × 10^-").replace("-", "\u2212");
  const SYMBOL = { dependability: "Φ", generalizability: "Eρ²" };

  function put(id, value, shown) {
    $(id).value = value;
    $(id).textContent = shown;
  }

  function showIntervals(plan) {
    const found = root.plannerIntervals(plan.study, plan.shape, plan.levels);
    for (const name of ["generalizability", "dependability"]) {
      const line = $(`${name}-interval`);
      line.textContent = found
        ? `95%: ${found[name].map((x) => x.toFixed(3)).join(" to ")}` : "";
    }
    $("no-interval").hidden = Boolean(found);
  }

  function describe(plan, levels) {
    const per = plan.shape === "nested" ? " per topic" : "";
    return plan.shape === "single" ? count(levels.topic, "topic")
      : `${count(levels.topic, "topic")}, ${
        count(levels.assessor, "assessor")}${per}`;
  }

  const kindOf = (row) => (row.facets.length > 1 ? "both" : row.facets[0]);

  function partsOf(now) {
    const order = { topic: 0, both: 1, assessor: 2 };
    return [...now.errors]
      .sort((a, b) => order[kindOf(a)] - order[kindOf(b)])
      .map((row) => ({ ...row, kind: kindOf(row), shown: small(row.share),
        label: row.label.replace(/ x /g, " × ") }));
  }

  function drawBars(now) {
    const parts = partsOf(now);
    for (const item of $("bars-key").children) {
      item.hidden = !parts.some((row) => row.kind === item.dataset.kind);
    }
    const bars = [
      { name: "absolute error σ²(Δ)", parts, error: now.absoluteError },
      { name: "relative error σ²(δ)", error: now.relativeError,
        parts: parts.filter((row) => row.relative) },
    ].map((bar) => ({ ...bar, shown: small(bar.error) }));
    charts.errorBars($("bars"), bars, bars.map((bar) => (
      `${bar.name} ${bar.shown}: ${bar.parts.map(
        (p) => `${p.label} ${p.shown}`).join(", ")}`
    )).join(". "));
  }

  function showErrors(plan, now) {
    const rows = partsOf(now).map((row) => (
      `<tr><th scope="row">${row.label}</th>` +
      `<td>${small(row.variance)}</td><td>${money(row.divisor)}</td>` +
      `<td>${row.shown}</td><td>${row.relative ? "yes" : "no"}</td></tr>`
    ));
    $("sources").innerHTML = "<thead><tr><th scope=\"col\">source</th>" +
      "<th scope=\"col\">variance</th><th scope=\"col\">divided by</th>" +
      "<th scope=\"col\">error</th><th scope=\"col\">moves the ranking</th>" +
      `</tr></thead><tbody>${rows.join("")}</tbody>`;
    $("advice").textContent = advice(plan, now);
  }

  /* One more topic against one more assessor, per unit of money. */
  function advice(plan, now) {
    const key = plan.coefficient === "dependability"
      ? "absoluteError" : "relativeError";
    if (now[key] === 0) return "There is no error left to shrink.";
    const which = plan.coefficient === "dependability"
      ? "absolute" : "relative";
    if (plan.shape === "single") {
      return `All of the ${which} error shrinks in proportion as topics ` +
        "are added.";
    }
    const cost = (levels) => A.cost(plan.shape, plan.prices, levels);
    const gains = ["topic", "assessor"].map((facet) => {
      const more = { ...plan.levels, [facet]: plan.levels[facet] + 1 };
      const error = A.evaluate(plan.study, plan.shape, more)[key];
      return (now[key] - error) / (cost(more) - cost(plan.levels));
    });
    if (!gains.every(Number.isFinite)) {
      return "At these prices one of the two costs nothing.";
    }
    const [first, second] = gains[0] >= gains[1]
      ? ["topics", "assessors"] : ["assessors", "topics"];
    const times = Math.max(...gains) / Math.min(...gains);
    const factor = times > 1e4 ? "many thousand times"
      : times < 1.05 ? "about" : `${Number(times.toPrecision(2))} times`;
    return `Buy ${first} next: for the same money, ${first} take ${factor} ` +
      `as much off the ${which} error as ${second}.`;
  }

  function showBest(plan, adopt) {
    const { study, shape, prices } = plan;
    const found = {
      best: A.best(study, shape, plan.coefficient, prices, plan.budget),
      cheapest: A.cheapest(study, shape, plan.coefficient, prices,
        plan.target),
    };
    for (const [id, answer] of Object.entries(found)) {
      const button = $(`use-${id}`);
      button.hidden = !answer.levels;
      $(id).replaceChildren();
      if (!answer.levels) {
        $(id).textContent = PROBLEMS[answer.problem](answer, shape);
        continue;
      }
      const { topic, assessor } = answer.levels;
      const value = A.evaluate(study, shape, answer.levels)[plan.coefficient];
      const line = document.createElement("strong");
      line.textContent = describe(plan, answer.levels);
      const result = document.createElement("data");
      result.value = value;
      result.dataset.topic = topic;
      result.dataset.assessor = assessor;
      result.textContent =
        `${SYMBOL[plan.coefficient]} ${coefficient(value)}`;
      $(id).append(line, document.createElement("br"), result,
        ` for ${money(A.cost(shape, prices, answer.levels))}`);
      button.onclick = () => adopt(topic, assessor);
    }
    return found;
  }

  const PROBLEMS = {
    free: ({ facet }) => `More ${facet}s cost nothing at these prices, so ` +
      "there is no best number of them. Give them a price.",
    budget: ({ least }, shape) => (
      `The budget buys no design: one topic${
        shape === "single" ? "" : " with one assessor"} costs ${money(least)}.`
    ),
    large: () => "Too many designs to try in a page; gtlib does it (below).",
  };

  function drawCharts(plan, found, adopt) {
    const { study, shape, prices, levels } = plan;
    const value = (key) => (topics) => (
      A.evaluate(study, shape, { ...levels, topic: topics })[key]
    );
    const lines = [
      { name: "generalizability Eρ²", kind: "relative",
        at: value("generalizability") },
      { name: "dependability Φ", kind: "absolute", at: value("dependability") },
    ];
    charts.curve($("curve"), { lines, plan: levels, target: plan.target,
      name: `Both coefficients against the number of topics, at ${
        describe(plan, levels)}.` });
    if (shape === "single") return;
    const error = A.errorTerms(study, shape, plan.coefficient);
    const price = A.costTerms(shape, prices);
    const reach = (level) => (assessors) => {
      const left = study.components[0] * (1 - level) / level -
        error.assessor / assessors;
      return left > 0
        ? (error.topic + error.both / assessors) / left : Infinity;
    };
    const buys = (budget) => (assessors) => (
      (budget - price.assessor * assessors) /
        (price.topic + price.both * assessors)
    );
    const points = [
      { kind: "best", ...found.best.levels },
      { kind: "cheapest", ...found.cheapest.levels },
      { kind: "plan", ...levels },
    ].filter((point) => point.topic);
    charts.contour($("contour"), {
      levels: [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99]
        .map((level) => ({ value: level, topicsAt: reach(level) })),
      budgets: [
        { kind: "half", topicsAt: buys(plan.budget / 2) },
        { kind: "whole", topicsAt: buys(plan.budget) },
        { kind: "twice", topicsAt: buys(plan.budget * 2) },
      ],
      points, onPick: adopt,
      name: `Lines of equal ${plan.coefficient} over topics and assessors, ` +
        "with lines of equal cost.",
    });
    const key = [
      ["plan", `your plan: ${describe(plan, levels)}`],
      ["best", "best for the budget"],
      ["cheapest", "cheapest for the target"],
    ].filter(([kind]) => points.some((p) => p.kind === kind))
      .map(([kind, text]) => {
        const item = document.createElement("li");
        item.append(charts.keyMark(kind), text);
        return item;
      });
    const cost = document.createElement("li");
    cost.innerHTML = "<span class=\"planner-swatch planner-budget\"></span>";
    cost.append(`all that costs ${money(plan.budget)}; thinner: half, twice`);
    $("contour-key").replaceChildren(...key, cost);
  }


  root.plannerResults = {
    coefficient, count, describe, drawBars, drawCharts, money, put, showBest,
    showErrors, showIntervals, small,
  };
}(window));
