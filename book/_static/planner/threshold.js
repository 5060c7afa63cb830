/* How often a gate is wrong that lets a system pass from some mean on. */
(function (root) {
  "use strict";

  const { make } = root;
  const { curves } = root.figures;
  const { passes, spread, tasksFor } = root.plannerGates;
  const { $, ask, count, face, field, hint, number, pick, put, row, slide,
    tile, useThis, whole } = root.plannerPage;
  const WRONG = 0.05;
  const KINDS = ["other", "same"];

  const binary = () => field("g-kind").value === "binary";

  const gateOf = () => ({ binary: binary(), share: number("g-share"),
    taskSd: number("g-task-sd"), runSd: number("g-run-sd"),
    threshold: number("g-threshold"), tasks: number("g-tasks"),
    runs: number("g-runs") });

  /* Of a hundred such gates. */
  function hundred(share) {
    const rounded = Math.round(100 * share);
    if (rounded === 0 && share > 0) return "less than 1";
    return rounded === 100 && share < 1 ? "more than 99" : `${rounded}`;
  }

  function drawCurve(gate, { stop, pass }, found) {
    const { threshold } = gate;
    const [between, within] = spread(gate, threshold);
    const wide = 2.6 * Math.sqrt((between + within / gate.runs) / gate.tasks);
    const reach = Math.max(wide, 1.3 * (pass - threshold),
      1.3 * (threshold - stop));
    const [low, high] = gate.binary ? [0, 1] : [-Infinity, Infinity];
    const across = [Math.max(low, threshold - reach),
      Math.min(high, threshold + reach)];
    const trues = Array.from({ length: 121 }, (_, k) => across[0] +
      (across[1] - across[0]) * k / 120);
    const points = trues.map((x) => [x, passes(gate, x)]);
    const line = (kind, name, more) => ({ name, ...more,
      points: points.map(([x, y]) => [x, 100 * y[kind]]) });
    return curves({ name: "true mean; upwards, how many of 100 gates pass", across, up: [0, 112], falls: true,
      at: stop, upright: [threshold, `threshold ${threshold}`],
      lines: [line("other", "other tasks", { kind: "tasks",
        mark: [stop, 100 * found.stop.other],
        early: stop - across[0] > 0.25 * (across[1] - across[0]) }),
      line("same", "the same tasks", { kind: "runs",
        mark: [pass, 100 * found.pass.same] })],
      said: "How many of 100 gates are passed, against the true mean: " +
        `${KINDS.map((kind) => `with ${kind === "same" ? "the same"
          : "other"} tasks ${hundred(found.stop[kind])} at ${stop} and ${
          hundred(found.pass[kind])} at ${pass}`).join("; ")}.` });
  }

  function verdict(gate, aim, found, needed) {
    const { stop, pass } = aim;
    const { threshold } = gate;
    const [other, same] = KINDS.map((kind) => [hundred(found.stop[kind]),
      hundred(1 - found.pass[kind])]);
    const said = `With other tasks, the gate passes what is ${stop} in ${
      other[0]} of 100, and stops what is ${pass} in ${other[1]
    } of 100; with the same tasks, in ${same[0]} and in ${same[1]}. `;
    if (!(stop < threshold && threshold < pass)) {
      return ["Out of reach.", said, "No number of tasks mends this, unless " +
        `the threshold lies between ${stop} and ${pass}.`];
    }
    if (found.stop.other <= WRONG && found.pass.other >= 1 - WRONG) {
      return ["Enough tasks.", said];
    }
    if (needed.other === null) {
      return ["Out of reach.", said, "To be wrong in at most 5 of 100, with " +
        "other tasks, takes more than a million tasks."];
    }
    return ["Too few tasks.", said, `From ${count(needed.other, "task")
    } on, it is wrong in at most 5 of 100, with other tasks. `,
    useThis({ "g-tasks": needed.other })];
  }

  function answer() {
    const gate = gateOf();
    const aim = { stop: number("g-stop"), pass: number("g-pass"),
      wrong: WRONG };
    const { stop, pass } = aim;
    const found = { stop: passes(gate, stop), pass: passes(gate, pass) };
    const needed = Object.fromEntries(KINDS.map(
      (kind) => [kind, tasksFor(gate, aim, kind)]));
    const wrong = { stop: (kind) => found.stop[kind],
      pass: (kind) => 1 - found.pass[kind] };
    for (const [name, share] of Object.entries(wrong)) {
      put(`g-wrong-${name}`, share("other"), hundred(share("other")));
      $(`g-wrong-${name}-note`).textContent = `of 100, with other tasks; ${
        hundred(share("same"))} with the same`;
    }
    const tasks = (kind) => (needed[kind] === null ? "no number"
      : whole(needed[kind]));
    put("g-needed", needed.other ?? "", tasks("other"));
    $("g-needed-note").textContent = `with other tasks; ${
      tasks("same")} with the same`;
    $("g-curve").replaceChildren(drawCurve(gate, aim, found));
    return { verdict: verdict(gate, aim, found, needed),
      python: python(gate, aim) };
  }

  function python(gate, { stop, pass }) {
    const { threshold, tasks, runs, share, taskSd, runSd } = gate;
    const sds = gate.binary
      ? `task_sd=[(${share} * p * (1 - p)) ** 0.5 for p in truth],`
      : `task_sd=${taskSd}, run_sd=${runSd},`;
    return `import gtlib as gt\n\ntruth = [${stop}, ${pass}]\n` +
      `gate = gt.gate_power(\n    ${threshold}, truth, ${tasks}, ${runs},\n` +
      `    ${sds}\n)`;
  }

  /* Which fields there are, and between which means of 0 and 1 they lie. */
  function arrange() {
    $("g-share-field").hidden = !binary();
    $("g-note").hidden = !binary();
    $("g-sds").hidden = binary();
    for (const name of ["g-threshold", "g-stop", "g-pass"]) {
      [field(name).min, field(name).max] = binary() ? [0, 1] : [-1e9, 1e9];
    }
  }

  const shareField = ask("g-share", "Share of the variance between tasks",
    { max: 1, value: 0.68 });
  shareField.id = "pl-g-share-field";
  const sds = row(ask("g-task-sd", "SD between tasks", { value: 0.3 }),
    ask("g-run-sd", "SD of the runs of a task", { value: 0.2 }));
  sds.id = "pl-g-sds";

  face({ name: "a-gate", title: "A gate",
    about: "A gate passes a system if its mean is at least a threshold, and " +
      "stops it otherwise. How often does it pass what should be stopped, " +
      "and stop what should pass? With other tasks, the true mean is that of " +
      "all tasks of this kind; with the same tasks, that of these tasks.",
    aim: [ask("g-stop", "True mean to stop", { value: 0.77 }),
      ask("g-threshold", "Threshold", { value: 0.8 }),
      ask("g-pass", "True mean to pass", { value: 0.82 })],
    plan: [slide("g-tasks", "Tasks", 2000, { value: 200 }),
      slide("g-runs", "Runs on each", 20, { value: 3 })],
    tiles: [tile("g-wrong-stop", "Passed, but should be stopped", "tasks"),
      tile("g-wrong-pass", "Stopped, but should pass", "tasks"),
      tile("g-needed", "Tasks for 5 errors in 100", "tasks")],
    figures: ["g-curve"], arrange,
    given: [make("details", { open: "" }, make("summary", {},
      "How far scores spread"),
    pick("g-kind", "Scores", [["binary", "Scores are 0 and 1"],
      ["others", "Other scores"]]), shareField, sds,
    hint("g-note", "Of five agents on Terminal-Bench, tasks have 0.65 to " +
      "0.79 of the variance of one agent's scores."))],
    answer });
}(window));
