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

  /* The sums of a plan's absolute and relative error, with their signs. */
  function errorSums(rows, components, levels) {
    let [absolute, relative] = [0, 0];
    for (const row of rows) {
      let part = 0;
      for (const k of row.of) part += components[k];
      for (const facet of row.facets) part /= levels[facet];
      absolute += part;
      if (row.relative) relative += part;
    }
    return [absolute, relative];
  }

  /* Both coefficients. As in gtlib, components are added with their signs,
   * and sums are cut off at zero, absolute error at the relative one. */
  function coefficients(rows, components, levels) {
    const universe = Math.max(components[0], 0);
    const [absolute, relative] = errorSums(rows, components, levels);
    const ratio = (error) => universe && universe / (universe + error);
    return { dependability: ratio(Math.max(0, absolute, relative)),
      generalizability: ratio(Math.max(0, relative)) };
  }

  /* The same, and what each row adds to the error: a row is shown as zero
   * where its own sum is negative. */
  function evaluate(rows, components, levels) {
    const errors = rows.map((row) => {
      const estimate = sum(row.of.map((k) => components[k]));
      const of = product(row.facets.map((f) => levels[f]));
      const variance = Math.max(estimate, 0);
      return { ...row, estimate, variance, error: variance / of };
    });
    return { errors, sums: errorSums(rows, components, levels),
      ...coefficients(rows, components, levels) };
  }

  /* The sums that the error is the highest of, beside zero, each as
   * A/topics + B/assessors + C/(topics assessors). */
  function errorTerms(rows, components, coefficient) {
    const kinds = coefficient === "dependability"
      ? [() => true, (row) => row.relative] : [(row) => row.relative];
    const { errors } = evaluate(rows, components, {});
    return kinds.map((counted) => {
      const terms = { topic: 0, assessor: 0, both: 0 };
      for (const row of errors.filter(counted)) {
        const name = row.facets.length > 1 ? "both" : row.facets[0];
        terms[name] += row.estimate;
      }
      return terms;
    });
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

  const errorOf = (error, { topic, assessor }) => Math.max(0,
    ...error.map((terms) => terms.topic / topic + terms.assessor / assessor +
      terms.both / (topic * assessor)));

  /* The facet of which more would cost nothing and still help. */
  const freeFacet = (error, price) => ["topic", "assessor"].find((facet) => (
    price[facet] + price.both === 0 && error.some(
      (terms) => terms[facet] > 0 || terms.both > 0)));

  /* Each sum as a + b/topics, for one number of assessors. */
  const lines = (error, assessor) => error.map((terms) => (
    [terms.assessor / assessor, terms.topic + terms.both / assessor]));

  /* The numbers of topics up to `most`, some of which has the least error:
   * the highest of lines in 1/topics is lowest at an end, or where two of
   * them meet. */
  function topicsToTry(sums, most) {
    const all = [...sums, [0, 0]];
    const tried = [1, most];
    all.forEach(([a, b], k) => {
      for (const [c, d] of all.slice(k + 1)) {
        const meet = (d - b) / (a - c);
        tried.push(Math.floor(meet), Math.ceil(meet));
      }
    });
    return tried.filter((n) => n >= 1 && n <= most);
  }

  const order = (a, b) => (
    a > b * (1 + TIE) ? 1 : b > a * (1 + TIE) ? -1 : 0);

  /* Of designs with 1, 2, 3... assessors the first in the order of `keys`;
   * `topics(n)` lists numbers of topics for them, null if no more will do. */
  function first(error, topics, keys) {
    let found = null;
    const helps = error.some(
      (terms) => terms.assessor > 0 || terms.both > 0);
    for (let assessor = 1; assessor <= MOST; assessor += 1) {
      const numbers = topics(assessor, found);
      if (!numbers) break;
      for (const topic of numbers) {
        const levels = { topic, assessor };
        const mine = keys(levels);
        if (!found || (order(mine[0], found.keys[0]) ||
            order(mine[1], found.keys[1])) < 0) {
          found = { levels, keys: mine };
        }
      }
      if (!helps) break;
    }
    return found && found.levels;
  }

  /* The lowest error that a budget buys. */
  function best(error, price, budget) {
    const topics = (assessor) => {
      const left = budget - price.assessor * assessor;
      const each = price.topic + price.both * assessor;
      const most = Math.floor((left / each) * (1 + TIE));
      if (most < 1) return null;
      return Number.isFinite(most)
        ? topicsToTry(lines(error, assessor), most) : [1];
    };
    return first(error, topics,
      (levels) => [errorOf(error, levels), priceOf(price, levels)]);
  }

  /* The lowest price of an error that is small enough. */
  function cheapest(error, price, allowed) {
    const topics = (assessor, found) => {
      const least = priceOf(price, { topic: 1, assessor });
      if (found && least > found.keys[0]) return null;
      let [low, high] = [1, Infinity];
      for (const [a, b] of lines(error, assessor)) {
        const left = allowed - a;
        if (b > 0) {
          low = left > 0 ? Math.max(low, Math.ceil((b / left) * (1 - TIE)))
            : Infinity;
        } else if (left < 0) {
          high = Math.min(high, Math.floor((b / left) * (1 + TIE)));
        }
      }
      return low <= high && low < Infinity ? [low] : [];
    };
    return first(error, topics,
      (levels) => [priceOf(price, levels), errorOf(error, levels)]);
  }

  /* The first whole number of a range from which something holds. */
  function smallest(from, to, holds) {
    if (to < from || !holds(to)) return null;
    let [low, high] = [from, to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (holds(middle)) high = middle; else low = middle + 1;
    }
    return low;
  }

  root.plannerArithmetic = { best, cheapest, coefficients, errorOf,
    errorSums, errorTerms, evaluate, freeFacet, priceOf, priceTerms,
    product, smallest, sum, topicsToTry };
}(globalThis));
