/* Pivotal intervals of a plan's coefficients, as gtlib's Plan.interval gives
 * them: a mean square over its expectation is a chi-square over its degrees
 * of freedom. Draw that, and solve for the components. */
(function (root) {
  "use strict";

  const A = root.plannerArithmetic;
  const DRAWS = 2000;
  const SEED = 1;

  /* A small generator of random numbers, so that a plan has one interval. */
  function generator(seed) {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) *
    Math.cos(2 * Math.PI * random());

  /* Marsaglia and Tsang (2000). */
  function gamma(shape, random) {
    if (shape < 1) {
      return gamma(shape + 1, random) * (1 - random()) ** (1 / shape);
    }
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = normal(random);
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - random()) <
          0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  function degreesOfFreedom(design, levels) {
    return A.LABELS[design].map((label) => {
      const nested = label.includes("(") || label.startsWith("assessor:");
      return A.facetsOf(label).reduce((product, facet) => (
        product * (nested && facet === "topic"
          ? levels.topic : levels[facet] - 1)
      ), 1);
    });
  }

  let last = {};

  function draws(study) {
    const { design, levels, squares } = study;
    const key = JSON.stringify([design, levels, squares]);
    if (last.key === key) return last.found;
    const random = generator(SEED);
    const freedom = degreesOfFreedom(design, levels);
    const found = Array.from({ length: DRAWS }, () => A.components(
      design, levels,
      squares.map((ms, k) => (
        (ms * freedom[k]) / (2 * gamma(freedom[k] / 2, random)))),
    ));
    last = { key, found };
    return found;
  }

  function quantile(sorted, p) {
    const at = p * (sorted.length - 1);
    const low = Math.floor(at);
    const high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
  }

  /* {generalizability: [low, high], dependability: [low, high]}, or null
   * where only components are known and not what they were computed from. */
  function intervals(study, shape, levels) {
    if (!study.squares || !study.levels) return null;
    // Both errors are sums of components: what does one unit of each add?
    const weights = study.squares.map((_, k) => A.evaluate(
      { ...study, components: study.squares.map((__, j) => Number(j === k)) },
      shape, levels,
    ));
    const sum = (components, error) => components.reduce((total, x, k) => (
      total + Math.max(x, 0) * weights[k][error]), 0);
    const all = draws(study).map((components) => {
      const universe = Math.max(components[0], 0);
      const share = (error) => universe / (universe + sum(components, error));
      return { generalizability: share("relativeError"),
        dependability: share("absoluteError") };
    });
    return Object.fromEntries(
      ["generalizability", "dependability"].map((name) => {
        const sorted = all.map((row) => row[name]).sort((a, b) => a - b);
        return [name, [quantile(sorted, 0.025), quantile(sorted, 0.975)]];
      }),
    );
  }

  root.plannerIntervals = intervals;
}(typeof globalThis === "undefined" ? window : globalThis));
