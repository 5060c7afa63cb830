/* Whether to run tasks again, or to write others. */
(function (root) {
  "use strict";

  const { $, begin, count, field, make, money, number, put,
    share } = root.plannerPage;
  const { runs } = root.plannerKnown;
  const Z = 1.959963984540054;
  const MOST = 1e6;

  /* Tasks and runs: what the mean of a system adds to the squared error of
   * its difference from another. */
  const runError = ([, task, run], { tasks, each }) => (
    Math.max(task + run / each, 0) / tasks);

  /* Half of the 95% interval of a difference of two means. */
  const halfWidth = (components, plan) => Z *
    Math.sqrt(2 * runError(components, plan));

  const small = (half) => `±${half.toPrecision(3)}`;

  const costOf = (prices, { tasks, each }) => tasks *
    (prices.task + each * prices.run);

  /* As many tasks as the budget buys, with so many runs on each. */
  const affordable = (prices, budget, each) => Math.min(MOST, Math.floor(
    (budget / (prices.task + each * prices.run)) * (1 + 1e-12)));

  /* The number of runs, no whole one, that gives the least error for its
   * price, whatever the budget. */
  const idealRuns = ([, task, run], prices) => Math.sqrt(
    (prices.task * Math.max(run, 0)) / (prices.run * Math.max(task, 0)));

  /* The least error for the budget; of equal ones the fewest runs. After
   * the number of runs at which the error would be least if there were
   * fractions of tasks, it may only fall by rounding, and not below what
   * that number leaves of it. */
  function bestRuns(components, prices, budget) {
    const most = Math.min(MOST, Math.floor(
      ((budget - prices.task) / prices.run) * (1 + 1e-12)));
    const ideal = idealRuns(components, prices);
    let found = null;
    for (let each = 1; each <= most; each += 1) {
      const plan = { tasks: affordable(prices, budget, each), each };
      const error = runError(components, plan);
      if (!found || error < found.error * (1 - 1e-12)) found = { plan, error };
      const least = (prices.task + each * prices.run) / budget *
        Math.max(components[1] + components[2] / each, 0);
      if (each > ideal && least > found.error) break;
    }
    return found && found.plan;
  }

  /* Half-widths along equal cost, with the best number of runs marked. */
  function runCurve(make, components, prices, budget, best) {
    const [width, height, left, bottom, top] = [480, 260, 52, 40, 40];
    const most = Math.min(Math.max(10, 2 * best.each),
      Math.floor(((budget - prices.task) / prices.run) * (1 + 1e-12)));
    const step = Math.max(1, Math.ceil(most / 60));
    const numbers = Array.from({ length: Math.ceil(most / step) },
      (_, k) => 1 + k * step);
    const points = [...new Set([...numbers, best.each])].sort((a, b) => a - b)
      .map((each) => [each, halfWidth(components,
        { tasks: affordable(prices, budget, each), each })]);
    const highest = points.reduce((a, [, b]) => Math.max(a, b), 0);
    const x = (each) => left + 12 + ((each - 1) / Math.max(most - 1, 1)) *
      (width - left - 36);
    const y = (half) => top + (1 - half / (highest || 1)) *
      (height - bottom - top);
    const text = (words, px, py, anchor = "middle") => make("text",
      { x: px, y: py, "text-anchor": anchor }, words);
    const least = halfWidth(components, best);
    const drawing = make("svg", { viewBox: `0 0 ${width} ${height}`,
      role: "img", "aria-label": "The half-width of a difference against " +
        `the number of runs, for the same money: ${
          points[0][1].toPrecision(3)} with 1 run on each task, least with ${
          best.each}: ${least.toPrecision(3)}, and ${
          points.at(-1)[1].toPrecision(3)} with ${points.at(-1)[0]}.` });
    for (const half of [0, highest]) {
      drawing.append(text(half ? half.toPrecision(2) : "0", left - 6,
        y(half) + 4, "end"));
    }
    for (const each of new Set([1, Math.ceil(most / 2), most])) {
      drawing.append(text(each, x(each), height - bottom + 18));
    }
    drawing.append(text("runs on each task", x((1 + most) / 2), height - 4),
      text("± of a difference", 4, 14, "start"),
      make("path", { class: "planner-line relative", d: `M${points.map(
        ([each, half]) => `${x(each).toFixed(1)},${y(half).toFixed(1)}`)
        .join("L")}` }),
      make("circle", { class: "planner-dot relative", r: 5, cx: x(best.each),
        cy: y(least) }),
      make("text", { class: "planner-name relative", x: x(best.each),
        y: y(least) - 12, "text-anchor": best.each > most / 2
          ? "end" : "start" }, `±${least.toPrecision(2)}`));
    return drawing;
  }

  function answer() {
    const components = [0, 1, 2].map((k) => number(`r-c${k}`));
    // Whose they are is said of those that the page began with.
    $("r-note").textContent = components.every(
      (x, k) => x === estimated[k]) ? runs.note : "";
    const plan = { tasks: number("r-tasks"), each: number("r-runs") };
    const prices = { task: number("r-price-task"),
      run: number("r-price-run") };
    const budget = number("r-budget");
    const universe = Math.max(components[0], 0);
    const now = halfWidth(components, plan);
    const value = universe && universe /
      (universe + runError(components, plan));
    put("r-width", now, small(now));
    put("r-generalizability", value, share(value));
    put("r-cost", costOf(prices, plan), money(costOf(prices, plan)));
    const tasks = { ...plan, each: Infinity };
    $("r-width-note").textContent = "with any " +
      `number of runs on these tasks: ${small(halfWidth(components, tasks))}`;
    $("python").textContent =
      "import gtlib as gt\n\ng = gt.GStudy.from_components(\n" +
      "    \"run:(system x task)\",\n    {\n" +
      // The component of tasks is in no difference, and not asked.
      runs.labels.map((label, k) => `        "${label}": ${
        [components[0], 0, ...components.slice(1)][k]},\n`).join("") +
      `    },\n)\nbest = g.plan().best(\n    ${budget}, {"task": ${
        prices.task}, "run": ${prices.run}},\n` +
      "    coefficient=\"generalizability\",\n)";
    showBest(components, prices, budget);
    return `${small(now)} with these tasks and runs, for ${
      $("r-cost").textContent}. Best: ${$("r-best").textContent}`;
  }

  function showBest(components, prices, budget) {
    const [curve, note] = [$("r-curve"), $("r-best-note")];
    curve.replaceChildren();
    note.textContent = "";
    if (!prices.run) {
      put("r-best", "", "More runs cost nothing at these prices, so there " +
        "is no best number of them. Give them a price.");
      return;
    }
    const best = bestRuns(components, prices, budget);
    if (!best) {
      put("r-best", "", "The budget does not buy one task and its run.");
      return;
    }
    put("r-best", halfWidth(components, best), `${count(best.tasks, "task")
      }, ${count(best.each, "run")} on each: ${
      small(halfWidth(components, best))} for ${
      money(costOf(prices, best))}`);
    $("r-best").dataset.levels = `${best.tasks} ${best.each}`;
    const ideal = idealRuns(components, prices);
    note.textContent = Math.max(best.each, best.tasks) >= MOST * (1 - 1e-3)
      ? "More than a million runs or tasks were not tried."
      : Number.isFinite(ideal)
      ? `By the formula, ${Number(ideal.toPrecision(3))} runs on each task.`
      : "Tasks are all alike to the systems: only runs add error.";
    curve.append(runCurve(make, components, prices, budget, best));
  }

  runs.components.forEach((x, k) => {
    field(`r-c${k}`).value = Number(x.toPrecision(3));
  });
  const estimated = [0, 1, 2].map((k) => number(`r-c${k}`));
  begin({ answer });
}(window));
