/* The planner's arithmetic: the same D-study and allocation as gtlib's
 * errors, best and cheapest of a plan, for topics and assessors.
 * No page is needed to run it. */
(function (root) {
  "use strict";

  // Relative difference under which two errors or two costs are equal.
  const TIE = 1e-12;
  // More designs than this are not tried while a reader waits.
  const MOST_STEPS = 3e6;

  const LABELS = {
    single: ["system", "topic", "system x topic"],
    crossed: [
      "system", "topic", "assessor", "system x topic", "system x assessor",
      "topic x assessor", "system x topic x assessor",
    ],
    nested: [
      "system", "topic", "assessor:topic", "system x topic",
      "system x (assessor:topic)",
    ],
  };

  const TEXT = {
    single: "system x topic",
    crossed: "system x topic x assessor",
    nested: "system x (assessor:topic)",
  };

  function facetsOf(label) {
    return ["system", "topic", "assessor"].filter((f) => label.includes(f));
  }

  function factor(levels, facets) {
    return facets.reduce((product, facet) => product * levels[facet], 1);
  }

  /* Variance components of a balanced study, in the order of its labels:
   * each effect's mean square less the components of the effects that
   * contain it, from the highest effect down. */
  function components(design, levels, meanSquares) {
    const labels = LABELS[design];
    const every = facetsOf(labels[labels.length - 1]);
    const found = new Array(labels.length);
    for (let i = labels.length - 1; i >= 0; i -= 1) {
      const mine = facetsOf(labels[i]);
      let rest = meanSquares[i];
      labels.forEach((label, j) => {
        const theirs = facetsOf(label);
        if (j > i && mine.every((f) => theirs.includes(f))) {
          const others = every.filter((f) => !theirs.includes(f));
          rest -= factor(levels, others) * found[j];
        }
      });
      found[i] = rest / factor(levels, every.filter((f) => !mine.includes(f)));
    }
    return found;
  }

  /* What each component of a study does in a plan. A plan that nests what
   * the study crosses adds the components that it cannot tell apart. */
  function sources(study, structure) {
    const labels = LABELS[structure];
    const rows = labels.map((label) => ({
      label,
      facets: facetsOf(label).filter((f) => f !== "system"),
      relative: label.includes("system"),
      variance: 0,
    }));
    LABELS[study.design].forEach((label, i) => {
      let home = facetsOf(label);
      if (structure === "nested" && home.includes("assessor")) {
        home = facetsOf(`topic ${label}`);
      }
      const row = rows[labels.findIndex(
        (other) => facetsOf(other).join() === home.join(),
      )];
      row.variance += Math.max(study.components[i], 0);
    });
    return rows;
  }

  /* Errors and coefficients of a plan, and the share of each source. */
  function evaluate(study, structure, levels) {
    const parts = sources(study, structure).map((row) => ({
      ...row,
      divisor: factor(levels, row.facets),
      share: row.variance / factor(levels, row.facets),
    }));
    const universe = parts[0].share;
    const errors = parts.slice(1);
    const sum = (rows) => rows.reduce((total, row) => total + row.share, 0);
    const relative = sum(errors.filter((row) => row.relative));
    const absolute = relative + sum(errors.filter((row) => !row.relative));
    return {
      generalizability: ratio(universe, relative),
      dependability: ratio(universe, absolute),
      relativeError: relative,
      absoluteError: absolute,
      universe,
      errors,
    };
  }

  function ratio(universe, error) {
    return universe + error > 0 ? universe / (universe + error) : 0;
  }

  /* The error as A/topics + B/assessors + C/(topics assessors). */
  function errorTerms(study, structure, coefficient) {
    const terms = { topic: 0, assessor: 0, both: 0 };
    for (const row of sources(study, structure)) {
      const counted = coefficient === "dependability" || row.relative;
      if (row.facets.length && counted) {
        terms[row.facets.length > 1 ? "both" : row.facets[0]] += row.variance;
      }
    }
    return terms;
  }

  /* The price as a/topic + b/assessor + c/(topic assessor); null prices
   * mean that only judgments count. */
  function costTerms(structure, prices) {
    const { judgment, topic, assessor } = prices ||
      { judgment: 1, topic: 0, assessor: 0 };
    if (structure === "single") {
      return { topic: judgment + topic, assessor: 0, both: 0 };
    }
    return structure === "nested"
      ? { topic, assessor: 0, both: judgment + assessor }
      : { topic, assessor, both: judgment };
  }

  function cost(structure, prices, levels) {
    return priceOf(costTerms(structure, prices), levels.topic, levels.assessor);
  }

  function priceOf(terms, topics, assessors) {
    return terms.topic * topics + terms.assessor * assessors +
      terms.both * topics * assessors;
  }

  function errorOf(terms, topics, assessors) {
    return terms.topic / topics + terms.assessor / assessors +
      terms.both / (topics * assessors);
  }

  /* Keeps the best design offered: lowest first, then lowest second, then
   * fewest assessors, then fewest topics. */
  function chooser() {
    let best = null;
    const order = (a, b) => (
      a > b * (1 + TIE) ? 1 : b > a * (1 + TIE) ? -1 : 0
    );
    return {
      offer(first, second, topic, assessor) {
        const better = best === null || 0 > (
          order(first, best.first) || order(second, best.second) ||
          assessor - best.assessor || topic - best.topic
        );
        if (better) best = { first, second, topic, assessor };
      },
      beyond: (bound) => best !== null && bound > best.first * (1 + TIE),
      get levels() {
        return best && { topic: best.topic, assessor: best.assessor };
      },
    };
  }

  function freeFacet(structure, error, price) {
    const used = { topic: error.topic || error.both,
      assessor: error.assessor || error.both };
    const paid = { topic: price.topic || price.both,
      assessor: price.assessor || price.both };
    return ["topic", "assessor"].find((f) => (
      used[f] && !paid[f] && !(structure === "single" && f === "assessor")
    ));
  }

  /* Numbers that stay at one whatever the budget: what divides no error, or
   * what the other does as well for the same money. */
  function idleFacet(error, price) {
    const assessor = !error.assessor && (!error.both || !price.topic);
    const topic = !error.topic && (!error.both ||
      (!price.assessor && !assessor));
    return { topic, assessor };
  }

  function prepare(study, structure, coefficient, prices) {
    const error = errorTerms(study, structure, coefficient);
    const price = costTerms(structure, prices);
    const free = freeFacet(structure, error, price);
    if (free) return { problem: "free", facet: free };
    const idle = idleFacet(error, price);
    const most = {
      topic: idle.topic ? 1 : Infinity,
      assessor: idle.assessor || structure === "single" ? 1 : Infinity,
    };
    return { error, price, most };
  }

  /* The best whole-number design for a budget: {levels} or {problem}. */
  function best(study, structure, coefficient, prices, budget) {
    const ready = prepare(study, structure, coefficient, prices);
    if (ready.problem) return ready;
    const { error, price, most } = ready;
    const allowed = budget * (1 + TIE);
    if (priceOf(price, 1, 1) > allowed) {
      return { problem: "budget", least: priceOf(price, 1, 1) };
    }
    const found = chooser();
    const outer = error.topic > 0 || most.topic === 1 ? "assessor" : "topic";
    const inner = outer === "assessor" ? "topic" : "assessor";
    for (let n = 1; n <= most[outer]; n += 1) {
      const rest = allowed - price[outer] * n;
      const each = price[inner] + price.both * n;
      const m = Math.min(most[inner], each > 0
        ? Math.floor((rest / each) * (1 + TIE)) : most[inner]);
      if (m < 1 || rest < 0 || found.beyond(error[inner] / m)) break;
      if (n > MOST_STEPS) return { problem: "large" };
      const [topic, assessor] = outer === "topic" ? [n, m] : [m, n];
      found.offer(errorOf(error, topic, assessor),
        priceOf(price, topic, assessor), topic, assessor);
    }
    return { levels: found.levels };
  }

  /* The cheapest whole-number design that reaches a coefficient. */
  function cheapest(study, structure, coefficient, prices, target) {
    const ready = prepare(study, structure, coefficient, prices);
    if (ready.problem) return ready;
    const { error, price, most } = ready;
    const universe = Math.max(study.components[0], 0);
    const allowed = (universe * (1 - target)) / target * (1 + TIE);
    const found = chooser();
    const fewestTopics = Math.max(1, Math.ceil(error.topic / allowed));
    for (let n = 1; n <= most.assessor; n += 1) {
      if (found.beyond(priceOf(price, fewestTopics, n))) break;
      if (n > MOST_STEPS) return { problem: "large" };
      const rest = allowed - error.assessor / n;
      const shared = error.topic + error.both / n;
      const topic = rest > 0
        ? Math.max(1, Math.ceil((shared / rest) * (1 - TIE))) : Infinity;
      if (topic <= most.topic) {
        found.offer(priceOf(price, topic, n), errorOf(error, topic, n),
          topic, n);
      }
    }
    return { levels: found.levels };
  }

  /* Levels of topics to one assessor that split judgments best. */
  function optimalRatio(study, structure, coefficient) {
    const error = errorTerms(study, structure, coefficient);
    return error.topic / error.assessor;
  }

  root.plannerArithmetic = {
    LABELS, TEXT, facetsOf, components, evaluate, errorTerms, costTerms, cost,
    best, cheapest, optimalRatio,
  };
}(typeof globalThis === "undefined" ? window : globalThis));
