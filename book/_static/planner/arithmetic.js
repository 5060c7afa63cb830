/* What a plan gives and what it costs, for any facets. No page is needed.
 *
 * A plan's rows say which components of the study it adds up, and by the
 * levels of which facets it divides them: gtlib has written them while the
 * book was built, so the rules of nesting stand in gtlib alone. */
(function (root) {
  "use strict";

  // Relative difference under which two errors or two costs are equal.
  const TIE = 1e-12;
  // More designs than this are not tried while a reader waits.
  const MOST = 1e6;

  const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
  const product = (numbers) => numbers.reduce((total, x) => total * x, 1);

  /* Errors and coefficients of a plan, and the share of each row. */
  function evaluate(rows, components, levels) {
    const errors = rows.map((row) => {
      const variance = sum(row.of.map((k) => Math.max(components[k], 0)));
      const error = variance / product(row.facets.map((f) => levels[f]));
      return { ...row, variance, error };
    });
    const universe = Math.max(components[0], 0);
    const ratio = (part) => universe &&
      universe / (universe + sum(errors.map(part)));
    return { errors, dependability: ratio((row) => row.error),
      generalizability: ratio((row) => row.relative && row.error) };
  }

  /* 95% limits: quantiles of the coefficient over draws of the components. */
  function interval(rows, draws, levels, coefficient) {
    const values = draws
      .map((components) => evaluate(rows, components, levels)[coefficient])
      .sort((a, b) => a - b);
    return [0.025, 0.975].map((p) => {
      const at = p * (values.length - 1);
      const low = values[Math.floor(at)];
      return low + (at % 1) * (values[Math.ceil(at)] - low);
    });
  }

  /* The error as A/topics + B/assessors + C/(topics assessors). */
  function errorTerms(rows, components, coefficient) {
    const terms = { topic: 0, assessor: 0, both: 0 };
    for (const row of evaluate(rows, components, {}).errors) {
      const name = row.facets.length > 1 ? "both" : row.facets[0];
      if (coefficient === "dependability" || row.relative) {
        terms[name] += row.variance;
      }
    }
    return terms;
  }

  /* The price as a·topics + b·assessors + c·topics·assessors. */
  function priceTerms(shape, { judgment, topic, assessor }) {
    if (shape === "single") {
      return { topic: judgment + topic, assessor: 0, both: 0 };
    }
    return shape === "nested"
      ? { topic, assessor: 0, both: judgment + assessor }
      : { topic, assessor, both: judgment };
  }

  const priceOf = (price, { topic, assessor }) => price.topic * topic +
    price.assessor * assessor + price.both * topic * assessor;

  const errorOf = (error, { topic, assessor }) => error.topic / topic +
    error.assessor / assessor + error.both / (topic * assessor);

  /* The facet of which more would cost nothing and still help. */
  const freeFacet = (error, price) => ["topic", "assessor"].find((facet) => (
    error[facet] + error.both > 0 && price[facet] + price.both === 0));

  const order = (a, b) => (
    a > b * (1 + TIE) ? 1 : b > a * (1 + TIE) ? -1 : 0);

  /* Of designs with 1, 2, 3... assessors the first in the order of `keys`;
   * `topics(n)` is the number of topics for them, 0 if no more will do. */
  function first(error, topics, keys) {
    let found = null;
    for (let assessor = 1; assessor <= MOST; assessor += 1) {
      const topic = topics(assessor, found);
      if (topic < 1) break;
      if (topic === Infinity) continue;
      const levels = { topic, assessor };
      const mine = keys(levels);
      if (!found || (order(mine[0], found.keys[0]) ||
          order(mine[1], found.keys[1])) < 0) {
        found = { levels, keys: mine };
      }
      if (!(error.assessor + error.both)) break;
    }
    return found && found.levels;
  }

  /* The lowest error that a budget buys. */
  function best(error, price, budget) {
    const topics = (assessor) => {
      const left = budget - price.assessor * assessor;
      const each = price.topic + price.both * assessor;
      const most = Math.floor((left / each) * (1 + TIE));
      return error.topic + error.both > 0 ? most : Math.min(most, 1);
    };
    return first(error, topics,
      (levels) => [errorOf(error, levels), priceOf(price, levels)]);
  }

  /* The lowest price of an error that is small enough. */
  function cheapest(error, price, allowed) {
    const topics = (assessor, found) => {
      const least = priceOf(price, { topic: 1, assessor });
      if (found && least > found.keys[0]) return 0;
      const left = allowed - error.assessor / assessor;
      const need = error.topic + error.both / assessor;
      if (!need) return left < 0 ? Infinity : 1;
      return left > 0
        ? Math.max(1, Math.ceil((need / left) * (1 - TIE))) : Infinity;
    };
    return first(error, topics,
      (levels) => [priceOf(price, levels), errorOf(error, levels)]);
  }

  root.plannerArithmetic = { best, cheapest, errorOf, errorTerms, evaluate,
    freeFacet, interval, priceOf, priceTerms, product, sum };
}(window));
