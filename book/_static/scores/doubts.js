/* Doubts about the content of a pasted table, as gtlib audit has them.
 *
 * The same rules stand in gtaudit/doubts.py, which says why; its
 * names and thresholds come from there. Fewer stand here: what needs
 * many scores to be seen is left to the command. Both are tested on the same
 * tables. */
(function (root) {
  "use strict";

  const { sum } = root.plannerArithmetic;
  const rules = root.plannerKnown.doubts;
  const whole = (pattern) => new RegExp(`^(${pattern})$`, "i");
  const [AVERAGE, INDEX] = [rules.average, rules.index].map(whole);
  const isWhole = (x) => x % 1 === 0;
  const mean = (values) => sum(values) / values.length;
  function share(values, holds) {
    let times = 0;
    for (const x of values) times += holds(x);
    return times / values.length;
  }
  const least = (values) => values.reduce((a, b) => Math.min(a, b));
  const most = (values) => values.reduce((a, b) => Math.max(a, b));
  const ascending = (values) => Float64Array.from(values).sort();
  function columnSums(grid) {
    const totals = new Array(grid[0].length).fill(0);
    for (const row of grid) {
      for (let k = 0; k < row.length; k += 1) totals[k] += row[k];
    }
    return totals;
  }

  function quantile(values, at) {
    const sorted = ascending(values);
    const place = at * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return low + (high - low) * (place % 1);
  }

  const spreadOf = (values) => quantile(values, 0.95) - quantile(values, 0.05);

  function* nameDoubts(facet, names) {
    const odd = names.find((name) => AVERAGE.test(name) || INDEX.test(name));
    if (odd) {
      yield [AVERAGE.test(odd) ? "summary" : "names",
        `The ${facet} ${odd} is called like an average or an index.`];
    }
    const exchanged = rules.numbered[facet];
    if (exchanged && names.every((name) => whole(exchanged).test(name))) {
      yield ["names", `The ${facet}s are called ${names[0]}, ${
        names[1]}: rows and columns seem to be exchanged.`];
    }
  }

  function isSign(value) {
    const size = Math.abs(value);
    const nines = size >= 9 && /^9+$/.test(String(size));
    return value === -1 || (nines && (value < 0 || size > 9));
  }

  /* The number that stands for what is missing, or nothing. */
  function missingSign(scores, levels) {
    for (const value of [least(scores), most(scores)]) {
      if ((value >= 0 && value <= 1) || !isWhole(value)) continue;
      const rest = scores.filter((x) => x !== value && !isSign(x));
      if (!rest.length) continue;
      const counts = rest.every(isWhole);
      const largest = most(rest.map(Math.abs));
      const fills = () => levels.some((grid) => grid.every((row) => (
        row.every((x) => x === value) || !row.includes(value))));
      if (value < 0 && least(rest) >= 0 && (
        value <= -largest * (counts ? 9 : 1) ||
        (isSign(value) && (value < -1 || !counts)) ||
        (value === -1 && fills()))) return value;
      if (isSign(value) && value > 9 * largest) return value;
    }
    return null;
  }

  /* Whether scores begin farther above the others than chance brings. */
  function areApart(scores, isBeyond) {
    const beyond = scores.filter(isBeyond);
    const rest = ascending(scores.filter((x) => x > 0 && !isBeyond(x)));
    if (rest.length < 2) return false;
    const k = beyond.length;
    const m = Math.min(rest.length - 1,
      Math.max(rules.tail, Math.floor(rest.length / 50)));
    const top = rest.slice(-m - 1);
    const highest = top[m];
    const lower = rest.filter((x) => x < highest);
    const step = lower.length ? highest - lower[lower.length - 1] : 0;
    const gaps = top.slice(1).map((x, i) => (
      (k + m - i) * Math.log(x / top[i])));
    const usual = Math.max(mean(gaps),
      (k + m) * -Math.log1p(-step / highest) / m);
    const gap = Math.log(Math.max((least(beyond) - step) / highest, 1));
    if (!usual) return gap > 0;
    return m * Math.log2(1 + k * gap / (m * usual)) > rules.gap;
  }

  function* rangeDoubts(scores, levels) {
    const sign = missingSign(scores, levels);
    if (sign !== null) {
      yield ["sentinel",
        `${sign} stands among scores that are far from it: a sign for what ` +
        "is missing?"];
    }
    const isBeyond = (x) => x > 1 && x !== sign;
    const beyond = scores.filter(isBeyond);
    const within = share(scores, (x) => x >= 0 && x <= 1) > 0.5 &&
      share(scores, (x) => x > 0 && x < 1 && x !== 0.5) > rules.fractions &&
      share(scores, (x) => x > -1 && x < 0) < rules.below;
    const oneLevel = () => scores.every(
      (x) => isBeyond(x) || x === 0 || x === 1) && levels.some((grid) => {
      const rows = grid.filter((row) => row.some(isBeyond));
      return rows.length === 1 && grid.length > 5 &&
        share(rows[0], isBeyond) > 0.5;
    });
    if (beyond.length && (
      (within && areApart(scores.filter((x) => x !== sign), isBeyond)) ||
      oneLevel())) {
      yield ["scale",
        `${beyond.length} of ${scores.length} scores lie outside of [0, 1], ` +
        `such as ${beyond[0]}, and most others inside: a lost decimal ` +
        "point, percentages, or no scores?"];
    }
  }

  /* The last digit of the scores, how far they lie apart, and how far
   * without the means of their rows and columns. */
  function fineness(grid) {
    const ofRows = grid.map(mean);
    const middle = mean(ofRows);
    const ofColumns = columnSums(grid).map((x) => x / grid.length);
    const flat = grid.flat();
    const every = Math.ceil(flat.length / rules.sample);
    const [seen, apart] = [[], []];
    for (let k = 0; k < flat.length; k += every) {
      const column = k % ofColumns.length;
      seen.push(flat[k]);
      apart.push(flat[k] - ofRows[(k - column) / ofColumns.length] -
        ofColumns[column] + middle);
    }
    const scale = [0, 1, 2, 3, 4, 5, 6].map((k) => 10 ** k).find((by) => (
      flat.every((x) => Math.abs(x * by - Math.round(x * by)) < 1e-6)));
    return [scale ? 1 / scale : 1e-9 * (most(seen) - least(seen)),
      spreadOf(seen), spreadOf(apart)];
  }

  function lastDigit(row) {
    const scale = [0, 1, 2, 3, 4, 5, 6].map((k) => 10 ** -k).find((by) => (
      row.every((x) => Math.abs(x / by - Math.round(x / by)) <= 1e-4)));
    return scale || 1e-9;
  }

  const bitsOf = (fine, spread) => (
    spread ? -Math.log2(3 * fine / (3 * fine + spread)) : 0);

  /* How unlikely it is, in bits, that a level agrees with a target. */
  function surprise(target, others, by, own, near) {
    return sum(target.map((x, k) => {
      const agree = others.filter((row) => Math.abs(row[k] - x) <= near);
      const chance = Math.max(
        agree.length / (others.length + 1), 2 ** -bitsOf(by, own));
      return chance <= rules.coarse ? -Math.log2(chance) : 0;
    }));
  }

  /* What the scores of a level would be if it were an average, and how
   * nearly. */
  function possibleAverages(grid, fine, spread) {
    const n = grid.length;
    if (n < 3) return [];
    const totals = columnSums(grid);
    const medians = totals.map((_, k) => {
      const sorted = ascending(grid.map((row) => row[k]));
      return (sorted[Math.floor(n / 2) - 1] +
        sorted[Math.floor(n / 2) + n % 2]) / 2;
    });
    const near = Math.max(1e-4 * spread, Math.min(5.1e-5, 1e-3 * spread));
    const by = Math.max(near, Math.min(fine, 1e-4) * n ** 0.5);
    return [["mean", totals.map((x) => x / n), Math.max(near, fine)],
      ["median", medians, Math.max(near, fine)],
      ["sum", totals.map((x) => x / 2), by]];
  }

  function* levelDoubts(facet, names, grid) {
    const [fine, spread, own] = fineness(grid);
    const digits = grid.map(lastDigit);
    for (const [name, target, byAll] of possibleAverages(grid, fine, spread)) {
      const nears = digits.map((digit) => (
        Math.max(byAll, Math.min(0.501 * digit, spread / 4))));
      const isSame = (row, level) => row.every(
        (x, k) => Math.abs(x - target[k]) <= nears[level]);
      const same = grid.map(isSame);
      const times = same.filter(Boolean).length;
      if (!times || times > Math.min(name === "median" ? 1 : 3,
        grid.length - 2)) continue;
      const near = most(nears.filter((_, level) => same[level]));
      const by = Math.max(near, fine);
      const others = grid.filter((_, level) => !same[level]);
      const bits = surprise(target, others, by, own, near) +
        bitsOf(by, spread) - bitsOf(by, own);
      if (bits - Math.log2(grid.length) > rules.bits) {
        yield ["summary", `The scores of ${facet} ${
          names[same.indexOf(true)]} are the ${name} of the others, each.`];
      }
    }
    const cells = grid[0].length;
    const counts = grid.map((row) => {
      const step = row[1] - row[0];
      return row.every(isWhole) && cells > 2 && Math.abs(step) === 1 &&
        row.every((x, k) => !k || x - row[k - 1] === step);
    });
    const rest = grid.filter((_, level) => !counts[level]).flat();
    const chance = rest.length ? share(rest, isWhole) : 1;
    if (counts.includes(true) &&
        -Math.log2(Math.max(chance, 1e-3)) * cells > rules.bits) {
      yield ["index", `The scores of ${facet} ${names[counts.indexOf(true)]
        } are numbers that only count, beside others that do not.`];
    }
  }

  function* scaleDoubts(facet, names, grid) {
    const [tops, means] = [grid.map(most), grid.map(mean)];
    const high = tops.map((top) => top > 1);
    const middle = (wanted) => quantile(
      means.filter((_, level) => high[level] === wanted), 0.5);
    const largest = most(tops);
    if (least(grid.map(least)) < 0 || largest <= 5 || largest > 100 ||
        !high.includes(true) || !high.includes(false)) return;
    const [low, rest] = [middle(false), middle(true)];
    const fractions = grid.some((row, level) => (
      !high[level] && !row.every(isWhole)));
    if (fractions && 20 * low < rest && rest < 500 * low) {
      yield ["percent", `The scores of ${facet} ${names[high.indexOf(true)]
        } are percentages beside fractions.`];
    }
  }

  function* idleDoubts(names, grid) {
    for (const [level, row] of grid.entries()) {
      if (!row.every((x) => x === row[0])) continue;
      const others = grid.filter((_, other) => other !== level).flat();
      const chance = Math.max(share(others, (x) => x === row[0]),
        1 / grid.flat().length);
      if (-Math.log2(chance) * row.length > rules.bits) {
        yield ["constant",
          `The scores of assessor ${names[level]} are all ${row[0]}.`];
      }
    }
  }

  /* The first fault: its code and a sentence; or nothing. Of each facet,
   * `grids` has a row for each level. */
  function* doubts(scores, facets, names, grids, crossed) {
    for (const [k, facet] of facets.entries()) {
      yield* nameDoubts(facet, names[k]);
    }
    yield* rangeDoubts(scores, grids);
    for (const [k, facet] of facets.entries()) {
      yield* levelDoubts(facet, names[k], grids[k]);
      if (facet !== "topic") yield* scaleDoubts(facet, names[k], grids[k]);
      if (facet === "assessor" && crossed) yield* idleDoubts(names[k], grids[k]);
    }
  }

  root.plannerDoubts = (...table) => {
    const found = [...doubts(...table)];
    return found.find(([code]) => code !== "scale") || found[0];
  };
}(globalThis));
