/* How many topics people must judge beside a machine that judges all. */
(function (root) {
  "use strict";

  const { make } = root;
  const { curves } = root.figures;
  const { smallest } = root.plannerArithmetic;
  const { $, ask, count, face, hint, money, number, put, row, slide, tile,
    useThis, whole } = root.plannerPage;
  const { people, reach: table } = root.plannerKnown;
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

  /* The half-width of people who judge n topics alone, */
  const alone = (n, { sd }) => (reach(n - 1) * sd) / Math.sqrt(n);

  /* and beside a machine that judges all, n of them too. */
  function beside(n, { sd, correlation, total }) {
    const explained = correlation ** 2;
    const line = ((1 - explained) * (1 + (1 - n / total) / (n - 3))) / n;
    return reach(n - 2) * sd * Math.sqrt(line + explained / total);
  }

  const fewestAlone = (study, most) => smallest(2, most,
    (n) => alone(n, study) <= study.width);

  /* As gtlib.human_topics, at 95% and with an assurance of .8. */
  function humanTopics(study) {
    const { width, total } = study;
    const found = smallest(FEWEST, total - 1, (n) => beside(n, study) <= width);
    return found || (fewestAlone(study, total) === null ? null : total);
  }

  function drawCurve(study, n, without, judged) {
    const most = Math.min(Math.max(40, 1.6 * (without || 0), 1.3 * judged),
      study.total);
    const numbers = Array.from({ length: 80 }, (_, k) => FEWEST +
      Math.round((most - FEWEST) * (k / 79) ** 1.5));
    const kinds = { machine: (x) => (x < study.total ? beside(x, study)
      : alone(x, study)), people: (x) => alone(x, study) };
    const high = Math.max(2.2 * study.width,
      1.1 * kinds.machine(Math.max(judged, FEWEST)));
    const low = 0.8 * Math.min(study.width, kinds.machine(most));
    const line = (kind, name, mark) => ({ kind, name, mark,
      points: numbers.map((x) => [x, kinds[kind](x)])
        .filter(([, y]) => y <= high && y >= low) });
    return curves({ name: "topics that people judge", across: [0, most],
      up: [low, high], at: judged, target: study.width, falls: true,
      targetSaid: `±${study.width} wanted`,
      said: "The half-width of a mean against the number of topics that " +
        "people judge, with the machine and without.",
      lines: [line("machine", "with the machine",
        [judged, kinds.machine(judged)]),
      line("people", "people alone", [without, study.width])] });
  }

  function answer() {
    const [width, sd, correlation, total, judged] = ["h-width", "h-sd",
      "h-correlation", "h-topics", "h-judged"].map(number);
    const study = { width, sd, correlation, total };
    const n = humanTopics(study);
    const without = fewestAlone(study, MOST);
    const price = (topics, machine) => topics * number("h-people") +
      machine * number("h-machine");
    const said = (x) => (x === null ? "none are enough" : whole(x));
    const now = judged < total ? beside(judged, study)
      : alone(judged, study);
    put("h-now", now, `±${now.toPrecision(3)}`);
    $("h-now-note").textContent = "or less, in four of five studies, for " +
      money(price(judged, total));
    put("h-with", n === null ? "" : n, said(n));
    put("h-without", without === null ? "" : without, said(without));
    $("h-with-note").textContent = n === null
      ? "more topics are needed than the machine judges"
      : `of ${whole(total)}, for ${money(price(n, total))}`;
    $("h-without-note").textContent = without === null ? ""
      : `people judge them all, for ${money(price(without, 0))}`;
    $("h-curve").replaceChildren(drawCurve(study, n, without, judged));
    return { verdict: verdict(study, { n, without, now, judged, price }),
      python: "import gtlib as gt\n\n" +
        `topics = gt.human_topics(${width}, ${sd}, ${correlation}, [${
          total}])` };
  }

  function verdict({ width, total }, { n, without, now, judged, price }) {
    const budget = number("h-budget");
    const cheaper = without !== null && (n === null ||
      price(without, 0) < price(n, total));
    const way = cheaper ? `People alone judge ${count(without, "topic")}`
      : `People judge ${count(n || 0, "topic")} of ${whole(total)}`;
    const cost = cheaper ? price(without, 0) : price(n, total);
    if (now <= width) {
      return ["Buy nothing.", `With ${count(judged, "topic")} judged by people, ` +
        `the half-width is ${now.toPrecision(3)}. `, ...n !== null &&
        n < judged ? [`${whole(n)} would be enough. `,
          useThis({ "h-judged": n })] : []];
    }
    if (n === null && without === null) {
      return ["Out of reach.", `±${width} takes more than a million topics.`];
    }
    const costs = `${way}, for ${money(cost)}. `;
    const button = cheaper ? [] : [useThis({ "h-judged": n })];
    return cost <= budget ? ["Buy this:", costs, ...cheaper && n !== null
      ? [`Beside the machine it would be ${count(n, "topic")}, for ${
        money(price(n, total))}.`] : [], ...button]
      : ["More than you have.", `The cheapest way: ${costs}`, ...button];
  }

  face({ name: "people-and-a-machine", title: "People beside a machine",
    about: "People judge some of the topics, drawn at random, and a machine " +
      "judges all of them. How many must people judge, so that the " +
      "prediction-powered mean of a system is as certain as you want, in " +
      "four of five such studies? The same holds for a difference of two " +
      "systems, with the standard deviation and the correlation of " +
      "differences. Skewed scores need more topics than normal ones.",
    aim: [ask("h-width", "Half-width wanted (95%)",
      { min: 1e-6, value: 0.05 }),
    ask("h-budget", "Budget for people and the machine", { min: 1e-6,
      value: 5000 })],
    plan: [slide("h-judged", "Topics that people judge", 300,
      { min: FEWEST, value: 30 }),
    slide("h-topics", "Topics that the machine judges", 1000,
      { min: 5, value: 300 }),
    row(ask("h-correlation", "Correlation of people and machine",
      { min: -1, max: 1, value: people.correlation }),
    ask("h-sd", "Standard deviation, by people",
      { min: 1e-6, value: people.sd })), hint("h-note", people.note)],
    tiles: [tile("h-now", "Half-width of the plan (95%)", "machine"),
      tile("h-with", "People must judge", "machine"),
      tile("h-without", "Without a machine", "people")],
    figures: ["h-curve"],
    given: [make("details", {}, make("summary", {}, "Price of a topic"),
      row(ask("h-people", "Judged by people", { value: 100 }),
        ask("h-machine", "Judged by the machine", { value: 1 })))],
    answer });
}(window));
