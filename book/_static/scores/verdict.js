/* The three answers to a table of scores, in the words of gtaudit/verdict.py.
 * No page is needed. */
(function (root) {
  "use strict";

  const { coefficients, errorSums } = root.plannerArithmetic;
  const { numberFor, toSettle, differences, TARGET } = root.plannerStudy;
  const [ENOUGH, NOT, UNKNOWN] = ["Enough", "Not enough", "Cannot be told"];
  const [FAR, WIDE] = [30, 100];

  const whole = (n) => Math.ceil(n - 1e-9).toLocaleString("en");
  const count = (n, word) => `${n.toLocaleString("en")} ${word}${
    n === 1 ? "" : "s"}`;
  function short(x) {
    const sign = x < 0 && Number(x.toFixed(3)) ? "−" : "";
    const size = Math.abs(x);
    return sign + (size < 1000 ? size.toFixed(3)
      : size < 1e6 ? whole(size) : size.toPrecision(3));
  }
  const range = ([low, high]) => `[${short(low)}, ${short(high)}]`;
  const first = (...said) => said.find((one) => one.length <= WIDE - 6) ||
    said[said.length - 1];

  /* Question, answer and number of each line; what is next, as text. */
  function verdict(table, study, board) {
    const { n, design, names: [systems] } = table;
    const [, topic, assessor = "assessor"] = table.nouns;
    const spent = n[1] * n[2];
    const prices = { topic: n[2], assessor: n[1] };
    const present = { topic: n[1], assessor: n[2] };
    const facets = design === "single" ? ["topic"] : ["topic", "assessor"];
    const word = { topic, assessor };
    const remedy = (facet, levels, settles) => ({ facet, levels, settles,
      price: levels * prices[facet] });
    const cheapest = (all) => all.filter(Boolean)
      .sort((a, b) => a.price - b.price)[0];
    const describe = ({ facet, levels, price }) => `${
      levels.toLocaleString("en")} more ${word[facet]}${
      levels === 1 ? "" : "s"}${design === "nested" && facet === "assessor"
      ? ` of each ${topic}` : ""} (${whole(price * n[0])} scores)`;

    const pairs = differences(study, board);
    const width = ({ ends }) => ends[1] - ends[0];
    const widest = Math.max(...pairs.map(width));
    /* Which pairs have the same scores throughout, but for rounding. */
    const same = pairs.map((pair) =>
      Math.max(Math.abs(pair.gap), width(pair)) <= 1e-9 * widest);

    function best() {
      const [top, ...rest] = board.rows;
      const maybe = rest.filter((row) => row.mayBeBest);
      const question = `Is ${systems[top.system]} the best?`;
      if (rest.every((row) => row.tied)) {
        return { question: "Which system is the best?", answer: UNKNOWN,
          said: "all have the same mean" };
      }
      if (n[0] === 2) return ofTwo(top, rest[0]);
      if (!study.limits && !maybe.length) {
        return { question, answer: UNKNOWN,
          said: "these scores do not show their error" };
      }
      if (!maybe.length) {
        return { question, answer: ENOUGH, said: `told apart from ${
          rest.length === 2 ? "both others" : `all ${rest.length} others`
        } at once (95% confidence)` };
      }
      const rival = systems[maybe[0].system];
      const said = maybe.length === rest.length
        ? `any of the ${n[0]} systems may be`
        : `${rival} ${maybe.length > 1 ? `and ${maybe.length - 1} more ` : ""
        }may be as well`;
      return { question, answer: NOT, said, remedy: cheapest(facets.map(
        (facet) => {
          if (same.includes(true)) return null;
          const levels = toSettle(board, facet);
          return Number.isFinite(levels) && remedy(facet, levels,
            "who is best");
        })) };
    }

    function ofTwo(top, other) {
      const { gap, ends, p } = pairs[0];
      const [a, b] = [top, other].map((row) => systems[row.system]);
      return { question: `Is ${a} better than ${b}?`,
        answer: p < 0.05 ? ENOUGH : NOT,
        said: `by ${short(gap)} ${range(ends)}` };
    }

    function order() {
      const question = "Can the order be trusted?";
      const value = study.now.generalizability;
      const number = `generalizability ${value.toFixed(3)}`;
      if (!study.limits) {
        return { question, answer: UNKNOWN,
          said: `${number} has no interval` };
      }
      const ends = study.limits.interval(study.levels).generalizability;
      if (ends[0] >= TARGET) {
        return { question, answer: ENOUGH, said: `${number} ${range(ends)}` };
      }
      return { question, answer: ends[1] < TARGET ? NOT : UNKNOWN,
        said: `${number} ${range(ends)}; ${TARGET} is enough`,
        remedy: cheapest(facets.map((facet) => {
          const { high } = numberFor(study, facet, TARGET,
            "generalizability");
          return Number.isFinite(high) && remedy(facet,
            Math.max(high - present[facet], 1), "the order");
        })) };
    }

    function next(answers) {
      if (answers.every(({ answer }) => answer === ENOUGH)) {
        return `stop; ${answers.length > 1 ? "both answers are"
          : "the answer is"} enough`;
      }
      const remedies = answers.map((one) => one.remedy).filter(Boolean)
        .sort((a, b) => a.price - b.price);
      const [one, ...others] = remedies;
      if (!one || one.price > FAR * spent) return asMuchAgain(one, answers);
      const said = `${describe(one)} would settle ${one.settles}`;
      const besides = others.filter(({ facet }) => facet === one.facet).map(
        ({ levels, settles }) => `, ${levels.toLocaleString("en")} ${settles}`);
      const tail = `; you have ${present[one.facet].toLocaleString("en")}`;
      return first(said + besides.join("") + tail, said + tail, said);
    }

    /* What as many topics again would bring, where nothing near settles. */
    function asMuchAgain(far, answers) {
      const said = `${describe(remedy("topic", n[1], ""))} would`;
      const more = { ...study.levels, topic: 2 * n[1] };
      const later = far && far.facet === "topic"
        ? `; ${far.levels.toLocaleString("en")} would settle ${far.settles}`
        : "";
      const value = coefficients(study.rows, study.components, more)
        .generalizability;
      if (n[0] > 2 && value > 0 && study.limits &&
          answers[1].answer !== ENOUGH) {
        const ends = range(study.limits.interval(more).generalizability);
        const better = `${said} bring generalizability to ${value.toFixed(3)}`;
        return first(better + (later || ` ${ends}`), `${better} ${ends}`,
          better);
      }
      const { gap, ends } = pairs[Math.max(same.indexOf(false), 0)];
      const [now, then] = [study.levels, more].map((levels) => Math.max(0,
        errorSums(study.rows, study.components, levels)[1]));
      if (!(now > 0) || !Number.isFinite(ends[0])) {
        return `${said} show more; so far all differ as by chance`;
      }
      const half = (ends[1] - ends[0]) / 2 * Math.sqrt(then / now);
      const seen = same[0] ? "; the first two are the same"
        : `; the first two differ by ${short(Math.abs(gap))}`;
      const shown = `${said} leave differences ±${short(half)}`;
      return first(shown + (later || seen), shown + seen, shown);
    }

    const answers = [best()];
    if (n[0] > 2) answers.push(order());
    return { answers, next: next(answers) };
  }

  root.scoreVerdict = { count, verdict };
}(globalThis));
