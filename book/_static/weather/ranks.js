/* The ranks that systems would get in another study. No page is needed.
 *
 * Somebody has measured systems with n topics and m assessors. Another study
 * of this size has other topics and other assessors. With ρ = Eρ² of that
 * size, a universe score given a mean is normal (Kelley 1947): the grand mean
 * plus ρ times the distance from it, with the variance σ²(τ) (1 - ρ). The
 * other study adds its own relative error, σ²(δ). Components are gtlib's, and
 * `plannerArithmetic` adds them up for a plan.
 *
 * The means are not taken as true: the leader is leader by luck, too. With
 * observed means and σ²(δ) alone, it is promised too many other studies
 * (tests/support/test_weather.py counts).
 *
 * An address that brings other systems has the form
 *
 *   #design=crossed&means=bm25:0.312,dense%20v2:0.298&components=0.0058,...
 *     &topics=98&assessors=4
 *
 * design: single (system × topic), crossed (system × topic × assessor) or
 *   nested (system × (assessor:topic)).
 * means: NAME:MEAN, or MEAN alone, with commas between. A name is written by
 *   encodeURIComponent; nothing else is encoded.
 * components: in the order of gtlib.Design(...).labels, negative ones with
 *   their signs: of a crossed design system, topic, assessor, system × topic,
 *   system × assessor, topic × assessor, system × topic × assessor.
 * topics, assessors: where the sliders stand; of the study, at first.
 *
 * `weatherRanks.address(study)` writes it. */
(function (root) {
  "use strict";

  const { cheapest, errorTerms, evaluate, priceTerms } =
    root.plannerArithmetic;
  // Of studies that have two systems in this order, and its normal quantile.
  const [SETTLED, QUANTILE] = [0.95, 1.6448536269514722];
  const ONE_UNIT = { judgment: 1, topic: 0, assessor: 0 };
  const MOST = { topic: 1e5, assessor: 1e3, system: 1000, judgments: 1e6 };
  const STEP = 0.25;  // of the sum over a system's own luck
  const SURE = 1e-12;

  /* The normal distribution function (Marsaglia 2004). */
  function normal(x) {
    if (x < -8) return 0;
    if (x > 8) return 1;
    let [total, before, term] = [x, 0, x];
    for (let k = 3; total !== before; k += 2) {
      before = total;
      term *= x * x / k;
      total += term;
    }
    return 0.5 + total * Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
  }

  /* The same to six digits, at once. */
  const [EDGE, FINE] = [8, 512];
  const TABLE = Float64Array.from({ length: 2 * EDGE * FINE + 2 },
    (_, k) => normal(k / FINE - EDGE));
  function fromTable(x) {
    if (!(Math.abs(x) < EDGE)) return x > 0 ? 1 : 0;
    const at = (x + EDGE) * FINE;
    const k = Math.floor(at);
    return TABLE[k] + (at - k) * (TABLE[k + 1] - TABLE[k]);
  }

  /* What another study of this size finds of each system: a middle, and a
   * standard deviation that all share. */
  function model({ means, components, rows }, levels) {
    const { generalizability, sums } = evaluate(rows, components, levels);
    const universe = Math.max(components[0], 0);
    const grand = means.reduce((a, b) => a + b, 0) / means.length;
    return {
      generalizability,
      middles: means.map((x) => generalizability * (x - grand)),
      spread: Math.sqrt(universe * (1 - generalizability) +
        Math.max(0, sums[1])),
    };
  }

  const over = (difference, spread) => normal(
    spread ? difference / spread : Math.sign(difference) * Infinity || 0);

  /* How often i is above j. */
  const above = ({ middles, spread }, i, j) => over(
    middles[i] - middles[j], Math.SQRT2 * spread);

  const expectedRank = (found, i) => found.middles.reduce(
    (rank, _, j) => rank + (j === i ? 0 : above(found, j, i)), 1);

  /* How often a system has each rank. With a luck of z of its own, others
   * are above it independently of each other; z is summed over. */
  function rankShares({ middles, spread }, i) {
    const shares = new Float64Array(middles.length);
    const count = new Float64Array(middles.length);
    for (let z = -6; z <= 6; z += STEP) {
      let [sure, open] = [0, 0];
      count.fill(0);
      count[0] = STEP * Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
      for (let j = 0; j < middles.length; j += 1) {
        const p = j === i ? 0 : spread
          ? fromTable((middles[j] - middles[i]) / spread - z)
          : over(middles[j] - middles[i], 0);
        if (p > 1 - SURE) {
          sure += 1;
        } else if (p > SURE) {
          open += 1;
          for (let k = open; k > 0; k -= 1) {
            count[k] += (count[k - 1] - count[k]) * p;
          }
          count[0] *= 1 - p;
        }
      }
      for (let k = 0; k <= open; k += 1) shares[sure + k] += count[k];
    }
    return shares;
  }

  /* Ranks in one such study, from 0. */
  function draw({ middles, spread }, random = Math.random) {
    const luck = () => Math.sqrt(-2 * Math.log(1 - random())) *
      Math.cos(2 * Math.PI * random());
    const scores = middles.map((middle) => middle + spread * luck());
    const order = [...scores.keys()].sort((a, b) => scores[b] - scores[a]);
    const ranks = [];
    order.forEach((system, rank) => { ranks[system] = rank; });
    return ranks;
  }

  /* The cheapest design of which 19 in 20 studies have i above j, or null.
   * Only the relative error decides, so the planner finds it. */
  function settles({ design, components, rows, means }, i, j) {
    const universe = components[0];
    if (!(universe > 0 && means[i] > means[j])) return null;
    const wide = (means[i] - means[j]) ** 2 / (2 * universe * QUANTILE ** 2);
    let [low, high] = [0, 1];  // of generalizability
    for (let k = 0; k < 60; k += 1) {
      const r = (low + high) / 2;
      if (r ** 3 * wide >= 1 - r ** 2) high = r; else low = r;
    }
    const allowed = universe * (1 - high) / high;
    const found = cheapest(errorTerms(rows, components, "generalizability"),
      priceTerms(design, ONE_UNIT), allowed);
    return found && found.topic * found.assessor <= MOST.judgments
      ? found : null;
  }

  /* The study that an address brings, best system first, or else what is
   * known; a RangeError if the address cannot be read. */
  function read(hash, known) {
    const given = Object.fromEntries(hash.replace(/^#/, "").split("&").map(
      (part) => [part.split("=")[0], part.slice(part.indexOf("=") + 1)]));
    const refuse = (why) => { throw new RangeError(why); };
    const number = (text) => (
      text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text)
        : refuse(`The address has ${text || "nothing"} where a number is ` +
          "needed."));
    const levelsOr = (levels) => Object.fromEntries(
      Object.entries(levels).map(([facet, otherwise]) => {
        const n = number(given[`${facet}s`] || String(otherwise));
        return [facet, Math.min(MOST[facet], Math.max(1, Math.round(n)))];
      }));
    if (!given.means) {
      return { ...known, rows: known.designs[known.design].rows,
        levels: levelsOr(known.levels), own: false };
    }
    const design = given.design || "single";
    if (!Object.hasOwn(known.designs, design)) {
      refuse(`The address names the design ${design}, which is none of ${
        Object.keys(known.designs).join(", ")}.`);
    }
    const { rows, labels } = known.designs[design];
    const systems = given.means.split(",").map((part, k) => {
      const at = part.lastIndexOf(":");
      let name = `system ${k + 1}`;
      try {
        if (at >= 0) name = decodeURIComponent(part.slice(0, at));
      } catch { refuse("The address has a name that cannot be read."); }
      return { name, mean: number(part.slice(at + 1)) };
    }).sort((a, b) => b.mean - a.mean);
    const components = (given.components || "").split(",").map(number);
    if (components.length !== labels.length) {
      refuse(`The address has ${components.length} components; the design ${
        design} has ${labels.length}.`);
    }
    if (systems.length < 2 || systems.length > MOST.system) {
      refuse(`Between 2 and ${MOST.system} systems can be shown; the address ` +
        `has ${systems.length}.`);
    }
    const levels = levelsOr({ topic: 1, assessor: 1 });
    if (design === "single") levels.assessor = 1;
    return { design, rows, components, levels, own: true,
      names: systems.map(({ name }) => name),
      means: systems.map(({ mean }) => mean) };
  }

  function address({ design, names, means, components, levels }) {
    const systems = means.map(
      (mean, k) => `${encodeURIComponent(names[k])}:${mean}`);
    return `#design=${design}&means=${systems.join(",")}&components=${
      components.join(",")}&topics=${levels.topic}` +
      (design === "single" ? "" : `&assessors=${levels.assessor}`);
  }

  root.weatherRanks = { MOST, SETTLED, above, address, draw, expectedRank,
    model, rankShares, read, settles };
}(globalThis));
