/* Three more questions of the planner's: whether to run tasks again, how
 * many topics people must judge beside a machine, and how many documents to
 * judge on a topic. */
(function (root) {
  "use strict";

  const A = root.plannerArithmetic;
  const { documents, people, reach: table, runs } = root.plannerKnown;
  const [Z, Z80] = [1.959963984540054, 0.8416212335729143];
  const FEWEST = 4;
  const MOST = 1e6;

  /* What four in five studies have of half-width, or less, in standard
   * errors: Student's t that is exceeded, in either direction, with .05, and
   * the root of the variance that is exceeded with .2. From gtlib's table,
   * and after it by Cornish and Fisher, and by Wilson and Hilferty. */
  function reach(df) {
    if (df <= table.length) return table[df - 1];
    const t = Z + (Z ** 3 + Z) / (4 * df) +
      (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * df ** 2) +
      (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / (384 * df ** 3);
    const part = 2 / (9 * df);
    return t * (1 - part + Z80 * Math.sqrt(part)) ** 1.5;
  }

  /* The first whole number of a range from which something holds. */
  function first(from, to, holds) {
    if (to < from || !holds(to)) return null;
    let [low, high] = [from, to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (holds(middle)) high = middle; else low = middle + 1;
    }
    return low;
  }

  const alone = (width, sd, most) => first(2, most,
    (n) => (reach(n - 1) * sd) / Math.sqrt(n) <= width);

  /* As gtlib.human_topics, at 95% and with an assurance of .8. */
  function humanTopics(width, sd, correlation, total) {
    const explained = correlation ** 2;
    const found = first(FEWEST, total - 1, (n) => {
      const line = ((1 - explained) * (1 + (1 - n / total) / (n - 3))) / n;
      return reach(n - 2) * sd * Math.sqrt(line + explained / total) <= width;
    });
    return found || (alone(width, sd, total) === null ? null : total);
  }

  const human = {
    name: "h",
    start(field, $) {
      field("h-sd").value = people.sd;
      field("h-correlation").value = people.correlation;
      $("h-note").textContent = people.note;
    },
    update({ money, number, put }) {
      const [width, sd, correlation, total] = ["h-width", "h-sd",
        "h-correlation", "h-topics"].map(number);
      const whole = (n) => (
        n === null ? "none are enough" : n.toLocaleString("en"));
      const note = (id, text) => {
        document.getElementById(`pl-h-${id}`).textContent = text;
      };
      const n = humanTopics(width, sd, correlation, total);
      const without = alone(width, sd, MOST);
      put("h-with", n === null ? "" : n, whole(n));
      put("h-without", without === null ? "" : without, whole(without));
      note("with-note", n === null
        ? "more topics are needed than the machine judges"
        : `of ${whole(total)}, for ${money(n * number("h-people") +
          total * number("h-machine"))}`);
      note("without-note", without === null ? ""
        : `people judge them all, for ${money(without * number("h-people"))}`);
      note("python",
        `gt.human_topics(${width}, ${sd}, ${correlation}, [${total}])`);
    },
  };

  const priceOf = (prices, { topic, document, assessor }) => (
    topic * (prices.topic + prices.judgment * document * assessor));

  /* Every number of documents and assessors, with all the topics that the
   * budget buys: more topics never raise an error. */
  function best(rows, coefficient, prices, budget, most) {
    let found = null;
    for (let assessor = 1; assessor <= most.assessor; assessor += 1) {
      for (let document = 1; document <= most.document; document += 1) {
        const one = priceOf(prices, { topic: 1, document, assessor });
        const topic = Math.floor((budget / one) * (1 + 1e-12));
        if (topic < 1) break;
        const levels = { topic, document, assessor };
        const value = A.evaluate(rows, documents.components,
          levels)[coefficient];
        if (!found || value > found.value * (1 + 1e-12)) {
          found = { levels, value };
        }
      }
    }
    return found;
  }

  const ofDocuments = {
    name: "d",
    start(field, $) { $("d-note").textContent = documents.note; },
    update({ count, field, money, number, put, share }) {
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
      if (!(prices.topic + prices.judgment)) {
        put("d-best", "", "A design costs nothing at these prices.");
        return;
      }
      const found = best(rows, field("d-coefficient").value, prices,
        number("d-budget"), { document: number("d-most-documents"),
          assessor: number("d-most-assessors") });
      if (!found) {
        put("d-best", "", "The budget does not buy one topic.");
        return;
      }
      const { topic, document, assessor } = found.levels;
      put("d-best", found.value, `${count(topic, "topic")}, ` +
        `${count(document, "document")} each, ${
          count(assessor, "assessor")}: ${share(found.value)} for ${
          money(priceOf(prices, found.levels))}`);
    },
  };

  /* Tasks and runs: what the mean of a system adds to the squared error of
   * its difference from another. */
  const runError = ([, task, run], { tasks, each }) => (
    (Math.max(task, 0) + Math.max(run, 0) / each) / tasks);

  /* Half of the 95% interval of a difference of two means. */
  const halfWidth = (components, plan) => Z *
    Math.sqrt(2 * runError(components, plan));

  /* As many tasks as the budget buys, with so many runs on each. */
  const affordable = (prices, budget, each) => Math.floor(
    (budget / (prices.task + each * prices.run)) * (1 + 1e-12));

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
        (Math.max(components[1], 0) + Math.max(components[2], 0) / each);
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

  const ofRuns = {
    name: "r",
    start(field, $) {
      runs.components.forEach((x, k) => {
        field(`r-c${k}`).value = Number(x.toPrecision(3));
      });
      this.estimated = [0, 1, 2].map((k) => Number(field(`r-c${k}`).value));
    },
    update({ count, field, make, money, number, put, share }) {
      const components = [0, 1, 2].map((k) => number(`r-c${k}`));
      // Whose they are is said of those that the page began with.
      document.getElementById("pl-r-note").textContent = components.every(
        (x, k) => x === this.estimated[k]) ? runs.note : "";
      const plan = { tasks: number("r-tasks"), each: number("r-runs") };
      const prices = { task: number("r-price-task"),
        run: number("r-price-run") };
      const budget = number("r-budget");
      const universe = Math.max(components[0], 0);
      const now = halfWidth(components, plan);
      const value = universe && universe /
        (universe + runError(components, plan));
      const small = (half) => `±${half.toPrecision(3)}`;
      const costOf = ({ tasks, each }) => tasks *
        (prices.task + each * prices.run);
      put("r-width", now, small(now));
      put("r-generalizability", value, share(value));
      put("r-cost", costOf(plan), money(costOf(plan)));
      const tasks = { ...plan, each: Infinity };
      document.getElementById("pl-r-width-note").textContent = "with any " +
        `number of runs on these tasks: ${small(halfWidth(components, tasks))}`;
      const curve = document.getElementById("pl-r-curve");
      const note = document.getElementById("pl-r-best-note");
      curve.replaceChildren();
      note.textContent = "";
      document.getElementById("pl-r-python").textContent =
        "import gtlib as gt\n\ng = gt.GStudy.from_components(\n" +
        "    \"run:(system x task)\",\n    {\n" +
        // The component of tasks is in no difference, and not asked.
        runs.labels.map((label, k) => `        "${label}": ${
          [components[0], 0, ...components.slice(1)][k]},\n`).join("") +
        `    },\n)\nbest = g.plan().best(\n    ${budget}, {"task": ${
          prices.task}, "run": ${prices.run}},\n` +
        "    coefficient=\"generalizability\",\n)";
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
        small(halfWidth(components, best))} for ${money(costOf(best))}`);
      document.getElementById("pl-r-best").dataset.levels =
        `${best.tasks} ${best.each}`;
      const ideal = idealRuns(components, prices);
      note.textContent = best.each >= MOST * (1 - 1e-3)
        ? "More than a million runs were not tried."
        : Number.isFinite(ideal)
        ? `By the formula, ${Number(ideal.toPrecision(3))} runs on each task.`
        : "Tasks are all alike to the systems: only runs add error.";
      curve.append(runCurve(make, components, prices, budget, best));
    },
  };

  root.plannerParts = [ofRuns, human, ofDocuments];
}(window));
