/* Whether to run tasks again, or to write others. */
(function (root) {
  "use strict";

  const { make } = root;
  const { curves, map } = root.figures;
  const { $, ask, count, face, hint, money, number, put, row, share,
    slide, tile, use, useThis, whole } = root.plannerPage;
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
  const describe = ({ tasks, each }) => `${count(tasks, "task")}, ${
    count(each, "run")} on each`;
  const fields = ({ tasks, each }) => ({ "r-tasks": tasks,
    "r-runs": each });

  const costOf = (prices, { tasks, each }) => tasks *
    (prices.task + each * prices.run);

  /* As many tasks as the budget buys, with so many runs on each. */
  const affordable = (prices, budget, each) => Math.min(MOST, Math.floor(
    (budget / (prices.task + each * prices.run)) * (1 + 1e-12)));

  /* As many as a half-width takes, whole or not. */
  const tasksFor = ([, task, run], half, each) => Math.max(1,
    2 * Z ** 2 * Math.max(task + run / each, 0) / half ** 2);

  /* The number of runs, no whole one, that gives the least error for its
   * price, whatever the budget. */
  const idealRuns = ([, task, run], prices) => Math.sqrt(
    (prices.task * Math.max(run, 0)) / (prices.run * Math.max(task, 0)));

  /* The plan of the lowest cost, of equal ones that of the fewest runs.
   * `tasks(each)` and `cost(plan)` say what is tried; after the number of
   * runs that would be best if there were fractions of tasks, the cost may
   * only fall by rounding, and not below `least(each)`. */
  function lowest(components, prices, most, tasks, cost, least) {
    const ideal = idealRuns(components, prices);
    let found = null;
    for (let each = 1; each <= most; each += 1) {
      const plan = { tasks: tasks(each), each };
      const mine = plan.tasks <= MOST ? cost(plan) : Infinity;
      if (mine < (found ? found.cost * (1 - 1e-12) : Infinity)) {
        found = { plan, cost: mine };
      }
      if (each > ideal && found && least(each) > found.cost) break;
    }
    return found && found.plan;
  }

  /* The least error for the budget. */
  function bestRuns(components, prices, budget) {
    const most = Math.min(MOST, Math.floor(
      ((budget - prices.task) / prices.run) * (1 + 1e-12)));
    return lowest(components, prices, most,
      (each) => affordable(prices, budget, each),
      (plan) => runError(components, plan),
      (each) => (prices.task + each * prices.run) / budget *
        Math.max(components[1] + components[2] / each, 0));
  }

  /* The least cost of a half-width. */
  function cheapestRuns(components, prices, half) {
    return lowest(components, prices, MOST,
      (each) => Math.ceil(tasksFor(components, half, each) * (1 - 1e-12)),
      (plan) => costOf(prices, plan),
      (each) => costOf(prices, { tasks: tasksFor(components, half, each),
        each }));
  }

  /* Half-widths along equal cost. */
  function drawCurve(components, prices, { budget, target }, best) {
    const most = Math.min(Math.max(10, 2 * best.each),
      Math.floor(((budget - prices.task) / prices.run) * (1 + 1e-12)));
    const step = Math.max(1, Math.ceil(most / 60));
    const numbers = Array.from({ length: Math.ceil(most / step) },
      (_, k) => 1 + k * step);
    const points = [...new Set([...numbers, best.each])]
      .sort((a, b) => a - b).map((each) => [each, halfWidth(components,
        { tasks: affordable(prices, budget, each), each })]);
    const least = halfWidth(components, best);
    const highest = Math.max(...points.map(([, half]) => half));
    return curves({ name: "runs on each task, for the same money",
      across: [0, most], up: [0.85 * least, 1.05 * highest || 1],
      at: best.each, target, targetSaid: `± ${target} wanted`, falls: true,
      lines: [{ kind: "difference", name: `best: ${small(least)}`,
        here: least, points }],
      said: "The half-width of a difference against the number of runs, " +
        `for the same money: ${points[0][1].toPrecision(3)} with 1 run on ` +
        `each task, least with ${best.each}: ${least.toPrecision(3)}, and ${
          points.at(-1)[1].toPrecision(3)} with ${points.at(-1)[0]}.` });
  }

  function drawMap(components, prices, { budget, target }, plan, now, marks) {
    return map({ kind: "difference", names: ["tasks", "runs on each"],
      said: "A map of plans. Those whose half-width is at most " +
        `${target} are tinted; the plan has ${describe(plan)}.`,
      target: `±${target} or less`, budget: `${money(budget)} buys`,
      reaches: (each) => tasksFor(components, target, each),
      buys: (each) => budget / (prices.task + each * prices.run),
      plan: [plan.tasks, plan.each, `${whole(plan.tasks)} × ${
        whole(plan.each)}: ${small(now)}`],
      marks, moved: (tasks, each) => use(fields({ tasks, each })) });
  }

  function verdict(components, prices, { budget, target }, plan, now, found) {
    const { best, cheapest } = found;
    const half = (one) => small(halfWidth(components, one));
    const costs = (one) => money(costOf(prices, one));
    if (now <= target) {
      return ["Buy nothing.", `The plan has ${small(now)}. `, ...cheapest &&
        costOf(prices, cheapest) < costOf(prices, plan) * (1 - 1e-9) ? [
          `${describe(cheapest)} would be enough, for ${costs(cheapest)}. `,
          useThis(fields(cheapest))] : []];
    }
    if (!prices.run) {
      return ["No best plan.", "More runs cost nothing at these prices, so " +
        "there is no best number of them. Give them a price."];
    }
    const most = best ? [`The best for the budget is ${describe(best)}, ` +
      `with ${half(best)} for ${costs(best)}. `, useThis(fields(best))]
      : ["The budget does not buy one task and its run."];
    if (!cheapest) {
      return ["Out of reach.", `±${target} takes more than a million tasks. `,
        ...most];
    }
    return costOf(prices, cheapest) <= budget
      ? ["Buy this:", `${describe(cheapest)} have ${half(cheapest)}, for ${
        costs(cheapest)}. `, useThis(fields(cheapest))]
      : ["More than you have.", `±${target} takes ${describe(cheapest)}, ` +
        `for ${costs(cheapest)}. `, ...most];
  }

  function answer() {
    const components = [0, 1, 2].map((k) => number(`r-c${k}`));
    // Whose they are is said of those that the page began with.
    $("r-note").textContent = components.every(
      (x, k) => x === begun[k]) ? runs.note : "";
    const plan = { tasks: number("r-tasks"), each: number("r-runs") };
    const prices = { task: number("r-price-task"),
      run: number("r-price-run") };
    const aim = { budget: number("r-budget"), target: number("r-target") };
    const universe = Math.max(components[0], 0);
    const now = halfWidth(components, plan);
    const value = universe && universe /
      (universe + runError(components, plan));
    put("r-width", now, small(now));
    put("r-generalizability", value, share(value));
    put("r-cost", costOf(prices, plan), money(costOf(prices, plan)));
    const endless = halfWidth(components, { ...plan, each: Infinity });
    $("r-width-note").textContent = "with any number of runs on these " +
      `tasks: ${small(endless)}`;
    const found = prices.run ? {
      best: bestRuns(components, prices, aim.budget),
      cheapest: cheapestRuns(components, prices, aim.target) } : {};
    const marks = Object.entries(found).filter(([, one]) => one &&
      (one.tasks !== plan.tasks || one.each !== plan.each)).map(
      ([name, one]) => [one.tasks, one.each,
        `${name}: ${one.tasks} × ${one.each}`]);
    const ideal = idealRuns(components, prices);
    $("r-ideal").textContent = !prices.run ? ""
      : Math.max(found.best?.each, found.best?.tasks) >= MOST * (1 - 1e-3)
      ? "More than a million runs or tasks were not tried."
      : Number.isFinite(ideal)
      ? `By the formula, ${Number(ideal.toPrecision(3))} runs on each task.`
      : "Tasks are all alike to the systems: only runs add error.";
    $("r-map").replaceChildren(
      drawMap(components, prices, aim, plan, now, marks));
    $("r-curve").replaceChildren(...found.best
      ? [drawCurve(components, prices, aim, found.best)] : []);
    for (const name of ["best", "cheapest"]) {
      const one = found[name];
      put(`r-${name}`, one ? halfWidth(components, one) : "", one
        ? `${describe(one)}: ${small(halfWidth(components, one))} for ${
          money(costOf(prices, one))}` : "");
      $(`r-${name}`).dataset.levels = one ? `${one.tasks} ${one.each}` : "";
    }
    return { verdict: verdict(components, prices, aim, plan, now, found),
      python: python(components, prices, aim.budget) };
  }

  const python = (components, prices, budget) => (
    "import gtlib as gt\n\ng = gt.GStudy.from_components(\n" +
    "    \"run:(system x task)\",\n    {\n" +
    // The component of tasks is in no difference, and not asked.
    runs.labels.map((label, k) => `        "${label}": ${
      [components[0], 0, ...components.slice(1)][k]},\n`).join("") +
    `    },\n)\nbest = g.plan().best(\n    ${budget}, {"task": ${
      prices.task}, "run": ${prices.run}},\n` +
    "    coefficient=\"generalizability\",\n)");

  // Those of a collection, if it was there when the book was built.
  const begun = [0.01, 0.05, 0.05].map(
    (x, k) => Number((runs.components[k] ?? x).toPrecision(3)));
  const component = (k, said) => ask(`r-c${k}`, said,
    { min: -1e120, max: 1e120, value: begun[k] });
  const line = (said, id) => make("p", {}, said,
    make("data", { id: `pl-${id}` }));

  face({ name: "tasks-and-runs", title: "Tasks and runs",
    about: "Every system runs as often on every task, and its score is the " +
      "mean of all runs. More runs on a task make its mean surer; more " +
      "tasks help against both kinds of error. The same money buys either.",
    aim: [ask("r-target", "Half-width of a difference (95%)",
      { min: 1e-6, value: 0.08 }),
    ask("r-budget", "Budget for tasks and runs", { min: 1e-6,
      value: 1200 })],
    plan: [slide("r-tasks", "Tasks", 300, { value: 80 }),
      slide("r-runs", "Runs on each", 20, { value: 1 })],
    tiles: [tile("r-width", "Half-width of a difference (95%)",
      "difference"),
    tile("r-generalizability", "Generalizability Eρ²", "relative"),
    tile("r-cost", "Cost")],
    figures: ["r-map", "r-curve"],
    given: [make("details", {}, make("summary", {}, "The components"),
      component(0, "system"), component(1, "system × task"),
      component(2, "run, in system × task"), hint("r-note")),
    make("details", {}, make("summary", {}, "Prices"),
      row(ask("r-price-task", "Write a task", { value: 10 }),
        ask("r-price-run", "Run all systems on it, once", { value: 1 })))],
    more: [make("div", {}, line("Best for the budget: ", "r-best"),
      line("Cheapest for the target: ", "r-cheapest"), hint("r-ideal"))],
    answer });
}(window));
