/* What a table of scores shows: components, coefficients with limits, means,
 * who may be best, and what would settle it. No page is needed.
 *
 * Each number is gtlib's, and is tested against it; the equations, (J1) and
 * the like, stand in gtlib/intervals.py and gtlib/comparisons.py. Designs
 * come from gtlib too, and so does the state of its generator. */
(function (root) {
  "use strict";

  const { coefficients, errorSums, product, sum } = root.plannerArithmetic;
  const chance = root.plannerChance;
  const FACETS = ["system", "topic", "assessor"];
  const [LEVEL, TARGET, DRAWS] = [0.95, 0.95, 2000];
  // As in gtlib/intervals.py
  const [PRIOR, PRIOR_SYSTEMS, UNKNOWN, ENOUGH, STEP] = [1.5, 10, 2, 5, 1e-6];
  const COEFFICIENTS = ["generalizability", "dependability"];
  const mean = (values) => sum(values) / values.length;
  const clip = (x, low, high) => Math.min(Math.max(x, low), high);

  /* How to find the cell of a level of each facet, in a table of some. */
  function grid(facets, n) {
    const steps = [0, 0, 0];
    let size = 1;
    for (let f = 2; f >= 0; f -= 1) {
      if (!facets.includes(FACETS[f])) continue;
      steps[f] = size;
      size *= n[f];
    }
    const used = [0, 1, 2].map((f) => (steps[f] ? n[f] : 1));
    return { steps, size, used };
  }

  /* Visit the levels of some facets: act(i, j, k). */
  function visit([a, b, c], act) {
    for (let i = 0; i < a; i += 1) {
      for (let j = 0; j < b; j += 1) {
        for (let k = 0; k < c; k += 1) act(i, j, k);
      }
    }
  }

  /* What a table has whatever its scores are: the cells behind each mean,
   * degrees of freedom, and how components are had from mean squares. */
  function sizesOf({ effects, signs }, n) {
    const levels = Object.fromEntries(
      FACETS.map((facet, f) => [facet, n[f]]));
    const cells = effects.map(({ facets }) => (
      product(n) / product(facets.map((f) => levels[f]))));
    const df = effects.map(({ facets, primary }) => product(
      facets.map((f) => levels[f] - primary.includes(f))));
    const solve = signs.map((row, e) => row.map((sign) => sign / cells[e]));
    return { levels, cells, df, solve };
  }

  /* The analysis of variance of a table without gaps: scores by system,
   * then topic, then assessor, who is numbered within the topic if nested. */
  function analyse(design, n, scores) {
    const { effects, signs } = design;
    const middle = mean(scores);
    const grids = effects.map(({ facets }) => grid(facets, n));
    const { levels, cells, df, solve } = sizesOf(design, n);
    const margins = grids.map(({ steps: [s, t, a], size }, e) => {
      const margin = new Float64Array(size);
      let at = 0;
      visit(n, (i, j, k) => {
        margin[i * s + j * t + k * a] += scores[at] - middle;
        at += 1;
      });
      return margin.map((x) => x / cells[e]);
    });
    const parts = grids.map(({ steps: [s, t, a], used, size }, e) => {
      const part = new Float64Array(size);
      grids.forEach(({ steps: [u, v, w] }, other) => {
        const sign = signs[other][e];
        if (!sign) return;
        visit(used, (i, j, k) => {
          part[i * s + j * t + k * a] +=
            sign * margins[other][i * u + j * v + k * w];
        });
      });
      return part;
    });
    const total = squareSum(scores, middle);
    const squares = parts.map((part, e) => {
      const own = cells[e] * squareSum(part);
      return own < 1e-28 * total ? 0 : own / df[e];
    });
    return { design, n, levels, scores, middle, grids, cells, margins, parts,
      df, squares, solve, components: times(solve, squares),
      rows: design.plans[design.name].rows };
  }

  function squareSum(values, middle = 0) {
    let total = 0;
    for (const x of values) total += (x - middle) ** 2;
    return total;
  }

  const times = (matrix, vector) => matrix.map(
    (row) => row.reduce((total, x, k) => total + x * vector[k], 0));

  // ---- how much more systems and topics scatter than normal ones -------

  /* (J1) of both coefficients. */
  function theta(study, squares, facet, kept = 1) {
    const { design, rows, levels, solve } = study;
    const components = times(solve, squares).map((x, e) => (
      facet && !design.effects[e].facets.includes(facet) ? x / kept : x));
    const last = squares[squares.length - 1];
    return COEFFICIENTS.map((name) => {
      let [error, least] = [0, 0];
      for (const row of rows) {
        if (name === "generalizability" && !row.relative) continue;
        const share = 1 / product(row.facets.map((f) => levels[f]));
        for (const e of row.of) {
          error += components[e] * share;
          if (e === squares.length - 1) least += last * share;
        }
      }
      error = Math.max(error, least);
      const total = Math.max(components[0] + error, error / 4);
      return Math.log(total) - Math.log(error);
    });
  }

  /* The mean squares without each level of a facet: (J2) and (J3). */
  function without(study, facet) {
    const { design, n, cells, parts, grids, df, squares } = study;
    const f = FACETS.indexOf(facet);
    const kept = n[f] - 1;
    const left = design.effects.map(({ facets, primary }, e) => {
      const { steps, used } = grids[e];
      const [s, t, a] = steps;
      const sums = new Float64Array(n[f]);
      let [size, free] = [cells[e], df[e] * kept / n[f]];
      if (facets.includes(facet)) {
        const own = primary.includes(facet) ? 1 + 1 / kept : 1;
        if (own > 1) free = df[e] * (kept - 1) / (n[f] - 1);
        visit(used, (...at) => {
          const x = parts[e][at[0] * s + at[1] * t + at[2] * a];
          sums[at[f]] += own * x * x;
        });
        const all = squareSum(parts[e]);
        sums.forEach((lost, level) => { sums[level] = all - lost; });
      } else {
        size *= kept / n[f];
        free = df[e];
        const joint = design.effects.findIndex((other) => (
          other.facets.length === facets.length + 1 &&
          other.facets.includes(facet) &&
          facets.every((one) => other.facets.includes(one))));
        const [u, v, w] = grids[joint].steps;
        visit(grids[joint].used, (...at) => {
          const moved = parts[joint][at[0] * u + at[1] * v + at[2] * w];
          const x = parts[e][at[0] * s + at[1] * t + at[2] * a];
          sums[at[f]] += (x - moved / kept) ** 2;
        });
      }
      return [...sums].map((total) => {
        const square = size * total / free;
        return square > 1e-12 * squares[e] ? square : 0;
      });
    });
    return Array.from({ length: n[f] }, (_, k) => left.map((one) => one[k]));
  }

  /* (J5): the variance of each log mean square, if scores are normal. */
  function expectedVariances({ design, df, squares }, facet) {
    return design.effects.map(({ facets }, e) => {
      if (facets.includes(facet)) return chance.trigamma(df[e] / 2);
      const joint = design.effects.findIndex((other) => (
        other.facets.length === facets.length + 1 &&
        [...facets, facet].every((one) => other.facets.includes(one))));
      const ratio = squares[joint] / Math.max(squares[e], 1e-300);
      return 4 * Math.min(ratio, 1) / df[e];
    });
  }

  /* r of both coefficients, which divides degrees of freedom: (J4), (J6). */
  function stretches(study) {
    const { design, n, squares } = study;
    const nested = design.name === "nested";
    const facets = FACETS.filter((facet, f) => (f ? n[f] >= ENOUGH &&
      !(nested && f === 2) : n[0] > 2));
    const most = n[0] - 1;
    if (n[0] < 3) return [most, most];
    const whole = theta(study, squares);
    const slopes = squares.map((_, e) => theta(study, squares.map(
      (x, k) => (k === e ? x * (1 + STEP) : x))).map(
      (value, c) => (value - whole[c]) / STEP));
    const [seen, expected] = [[0, 0], [0, 0]];
    for (const facet of facets) {
      const h = n[FACETS.indexOf(facet)];
      const left = without(study, facet).map(
        (one) => theta(study, one, facet, (h - 1) / h));
      const normal = expectedVariances(study, facet);
      whole.forEach((value, c) => {
        const pseudo = left.map((one) => h * value - (h - 1) * one[c]);
        const middle = mean(pseudo);
        seen[c] += mean(pseudo.map((x) => (x - middle) ** 2)) / (h - 1);
        expected[c] += sum(slopes.map((one, e) => one[c] ** 2 * normal[e]));
      });
    }
    const own = n[0] / (n[0] + PRIOR_SYSTEMS);
    return seen.map((value, c) => {
      let r = value / expected[c] * (1 + UNKNOWN / n[0]);
      if (Number.isNaN(r)) r = Infinity;
      if (!(expected[c] > 0)) r = 1;
      return Math.min(Math.max(r, 1e-3) ** own * PRIOR ** (1 - own), most);
    });
  }

  // ---- limits of coefficients and of numbers of topics -----------------

  const ENDS = [(1 - LEVEL) / 2, (1 + LEVEL) / 2];  // beyond each limit

  /* (C3) and (C5): signal to noise of one topic, of systems and topics. */
  function signals({ n, df, squares }, [relative, absolute]) {
    const feldt = ENDS.map((p) => (squares[0] / squares[2] /
      chance.fUpper(df[0] / relative, df[2] / relative, p) - 1) / n[1]);
    const free = df.map((x) => x / absolute);
    const arteaga = ENDS.map((p) => {
      const endless = chance.meanSquareUpper(free[0], p);
      const [topics, error] = [1, 2].map(
        (e) => chance.fUpper(free[0], free[e], p));
      const constant = (endless - error) * error * squares[2] ** 2;
      const systems = Math.max(squares[0], Math.sqrt(Math.max(constant, 0)));
      const noise = (n[0] - 1) * endless * squares[2] + topics * squares[1];
      return n[0] / n[1] * (systems ** 2 - endless * systems * squares[2] +
        constant) / (systems * noise);
    });
    return [feldt, arteaga].map((ends) => ends.map((x) => Math.max(x, 0)));
  }

  /* Components that could have led to these mean squares. */
  function pivotal({ df, squares, solve }, stretch) {
    const draw = chance.generator(root.plannerKnown.generator).chiSquare;
    const drawn = df.map((all, e) => {
      const free = all / stretch;
      return Array.from({ length: DRAWS },
        () => squares[e] / Math.max(draw(free) / free, 1e-12));
    });
    return Array.from({ length: DRAWS },
      (_, k) => times(solve, drawn.map((one) => one[k])));
  }

  const evenRound = (x) => (x % 1 === 0.5 ? 2 * Math.round(x / 2)
    : Math.round(x));
  function nearest(values) {
    const sorted = Float64Array.from(values).sort();
    return [...ENDS].map((p) => sorted[evenRound((sorted.length - 1) * p)]);
  }

  /* What intervals are made of: limits for any numbers of levels. */
  function limitsOf(study, known = null) {
    const { design, rows, squares } = study;
    if (!(squares[squares.length - 1] > 1e-18 * Math.max(...squares))) {
      return null;  // no error to judge by
    }
    const r = known || stretches(study);
    if (design.name === "single") {
      const found = signals(study, r);
      return { r, interval: ({ topic }) => agree(found.map((ends) => (
        ends.map((x) => 1 - 1 / (1 + topic * x))))),
      topics: (target) => found.map(([low, high]) => (
        [high, low].map((x) => roundUp(target / (1 - target) / x)))) };
    }
    const drawn = r.map((one) => pivotal(study, one));
    return { r, drawn,
      interval: (levels) => agree(COEFFICIENTS.map((name, c) => nearest(
        drawn[c].map((one) => coefficients(rows, one, levels)[name])))),
      fewest: (facet, levels, target) => COEFFICIENTS.map((name, c) => nearest(
        drawn[c].map((one) => fewest(study, one, facet, levels, target,
          name))).map(roundUp)) };
  }

  /* Dependability is never above generalizability, nor are its limits. */
  const agree = ([relative, absolute]) => ({
    generalizability: [relative[0], Math.max(relative[1], absolute[1])],
    dependability: [Math.min(absolute[0], relative[0]), absolute[1]] });

  const roundUp = (x) => (Number.isFinite(x)
    ? Math.max(1, Math.ceil(x * (1 - 1e-9))) : Infinity);

  /* The fewest levels of a facet that reach a target, not rounded: (N2). */
  function fewest({ rows }, components, facet, levels, target, coefficient) {
    const sums = (number) => {
      const [absolute, relative] = errorSums(rows, components,
        { ...levels, [facet]: number });
      return coefficient === "generalizability" ? [relative]
        : [relative, absolute];
    };
    const [single, endless] = [sums(1), sums(Infinity)];
    const allowed = components[0] * (1 - target) / target;
    let [most, least, possible] = [Infinity, 0, components[0] > 0];
    endless.forEach((rest, k) => {
      const shrinks = single[k] - rest;
      const room = allowed - rest;
      if (shrinks > 0) most = Math.min(most, room / shrinks);
      if (shrinks < 0) least = Math.max(least, room / shrinks);
      if (!shrinks && room < 0) possible = false;
    });
    return possible && most > 0 && least <= Math.min(most, 1) ? 1 / most
      : Infinity;
  }

  /* The number of a facet for a target, with its limits. */
  function numberFor(study, facet, target, coefficient) {
    const c = COEFFICIENTS.indexOf(coefficient);
    const { limits, levels, components, rows } = study;
    const reached = (number) => coefficients(rows, components,
      { ...levels, [facet]: number })[coefficient] >= target;
    let estimate = Math.max(1, Math.ceil(
      fewest(study, components, facet, levels, target, coefficient)));
    if (estimate < Infinity && !reached(estimate)) estimate += 1;
    if (estimate > 1 && reached(estimate - 1)) estimate -= 1;
    if (!limits) return { estimate, low: NaN, high: NaN };
    const ends = limits.topics ? limits.topics(target)
      : limits.fewest(facet, levels, target);
    const [low, high] = ends[c];
    return c ? { estimate, low, high: Math.max(ends[0][1], high) }
      : { estimate, low: Math.min(low, ends[1][0]), high };
  }

  // ---- means, and who may be best --------------------------------------

  /* How means move with the levels of what is drawn, a set of facets at a
   * time, of gtlib.comparisons: squares of each, and of each pair. */
  function estimateMeans({ design, n, margins, grids, levels, middle }) {
    const sets = design.name === "crossed"
      ? [["topic"], ["assessor"], ["topic", "assessor"]] : [["topic"]];
    const size = sets.map((set) => product(set.map((f) => levels[f])));
    const free = size.map((x, k) => (k < 2 ? x - 1
      : Math.min(x - 1, (size[0] - 1) * (size[1] - 1))));
    const systems = [...margins[0]];
    const moves = sets.map((set, k) => {
      const e = design.effects.findIndex(({ facets }) => (
        facets.length === set.length + 1 && facets.includes("system") &&
        set.every((f) => facets.includes(f))));
      const [s, t, a] = grids[e].steps;
      const wide = size[k];
      const move = new Float64Array(n[0] * wide);
      const step = t && a ? 1 : t || a;
      for (let i = 0; i < n[0]; i += 1) {
        for (let l = 0; l < wide; l += 1) {
          move[i * wide + l] = (margins[e][i * s + l * step] - systems[i]) /
            wide;
        }
      }
      const own = systems.map((_, i) => squareSum(
        move.subarray(i * wide, (i + 1) * wide)));
      for (let l = 0; l < wide; l += 1) {
        let shared = 0;
        for (let i = 0; i < n[0]; i += 1) shared += move[i * wide + l];
        for (let i = 0; i < n[0]; i += 1) move[i * wide + l] -= shared / n[0];
      }
      return { own, move, wide };
    });
    const kept = size.map((x) => 1 - 1 / x);
    const matrix = sets.map((one, i) => sets.map((other, j) => {
      const common = sets.findIndex((set) => set.length === one.filter(
        (f) => other.includes(f)).length && set.every(
        (f) => one.includes(f) && other.includes(f)));
      return common < 0 ? 0 : size[common] * kept[common] / size[i];
    }));
    const within = sets.map((set) => [...sets.keys()].filter((other) => (
      set.every((f) => sets[other].includes(f)))));
    return { value: systems.map((x) => x + middle), sets, size, free, moves,
      within, unmix: inverse(matrix) };
  }

  /* The products of three rows with three, each read once for three. It
   * takes most of the time, so its loop makes no lists. */
  function nineProducts([one, two, last], [first, second, third], size) {
    let [p, q, r, u, v, w, x, y, z] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (let t = 0; t < size; t += 1) {
      const c = one[t];
      const d = two[t];
      const e = last[t];
      const f = first[t];
      const g = second[t];
      const h = third[t];
      p += c * f;
      q += c * g;
      r += c * h;
      u += d * f;
      v += d * g;
      w += d * h;
      x += e * f;
      y += e * g;
      z += e * h;
    }
    return [p, q, r, u, v, w, x, y, z];
  }

  /* The squared moves of the differences of all pairs, in an order: the
   * squares of both less twice their product. */
  function squaredMoves({ move, wide, own }, order) {
    const size = order.length;
    const found = new Float64Array(size * (size - 1) / 2);
    const rows = order.map((i) => move.subarray(i * wide, (i + 1) * wide));
    const squares = rows.map((row) => squareSum(row));
    const nobody = new Float64Array(wide);
    const three = (k) => [0, 1, 2].map((more) => rows[k + more] || nobody);
    function square(a, b, joint) {
      const both = squares[a] + squares[b];
      let apart = both - 2 * joint;
      if (apart < 1e-4 * both) {  // digits were lost
        apart = rows[a].reduce((all, x, t) => all + (x - rows[b][t]) ** 2, 0);
      }
      return apart > 1e-14 * (own[order[a]] + own[order[b]]) ? apart : 0;
    }
    for (let a = 0; a < size; a += 3) {
      for (let b = a; b < size; b += 3) {
        const joint = nineProducts(three(a), three(b), wide);
        for (let k = 0; k < 9; k += 1) {
          const i = a + Math.floor(k / 3);
          const j = b + k % 3;
          if (i < j && j < size) {
            found[pairAt(size, i, j)] = square(i, j, joint[k]);
          }
        }
      }
    }
    return found;
  }

  function inverse(matrix) {
    const n = matrix.length;
    const rows = matrix.map((row, i) => [...row,
      ...row.map((_, j) => Number(i === j))]);
    for (let i = 0; i < n; i += 1) {
      const pivot = rows[i][i];
      rows[i] = rows[i].map((x) => x / pivot);
      rows.forEach((row, k) => {
        if (k !== i) rows[k] = row.map((x, j) => x - row[i] * rows[i][j]);
      });
    }
    return rows.map((row) => row.slice(n));
  }

  /* The standard error of what has these parts, those from `at` on, and its
   * degrees of freedom, the fewest of its own parts and of typical ones. */
  function totalError(means, free, parts, usual, at = 0) {
    const own = errorOf(means, free, parts, at);
    return [own[0], Math.min(own[1], usual)];
  }

  function errorOf({ sets, within }, free, parts, at) {
    let [total, spread, least] = [0, 0, Infinity];
    const size = sets.length;
    for (let k = 0; k < size; k += 1) {
      let joint = 0;
      total += parts[at + k];
      for (const other of within[k]) joint += parts[at + other];
      spread += joint ** 2 / free[k];
      least = Math.min(least, free[k]);
    }
    total = Math.max(total, parts[at + size - 1], 0);
    return [Math.sqrt(total), total > 0
      ? Math.max(total ** 2 / spread, least) : least];
  }

  /* The degrees of freedom of typical parts, which are their means. */
  const usualFreedom = (means, free, typical) => errorOf(means, free, typical,
    0)[1];

  /* The mean of each part, over all that have parts. */
  function meanParts(parts, size) {
    const total = new Array(size).fill(0);
    parts.forEach((x, k) => { total[k % size] += x; });
    return total.map((x) => x / parts.length * size);
  }

  /* All pairs of systems, in an order of these, the first with each below
   * it, then the second...: differences, their errors and degrees of freedom,
   * and the parts of the error. */
  function pairsOf(means, order) {
    const { moves, unmix, sets, free, value } = means;
    const size = sets.length;
    const number = order.length * (order.length - 1) / 2;
    const [gap, error, df] = [0, 1, 2].map(() => new Float64Array(number));
    const parts = new Float64Array(number * size);
    const pairs = { number, gap, error, df, parts, size };
    const squares = moves.map((one) => squaredMoves(one, order));
    eachPair(order.length, (k, a, b) => {
      gap[k] = value[order[a]] - value[order[b]];
      for (let m = 0; m < size; m += 1) {
        for (let part = 0; part < size; part += 1) {
          parts[k * size + part] += unmix[part][m] * squares[m][k];
        }
      }
    });
    pairs.typical = meanParts(parts, size);
    const usual = usualFreedom(means, free, pairs.typical);
    for (let k = 0; k < number; k += 1) {
      [error[k], df[k]] = totalError(means, free, parts, usual, k * size);
    }
    return pairs;
  }

  function eachPair(size, act) {
    let k = 0;
    for (let a = 0; a < size; a += 1) {
      for (let b = a + 1; b < size; b += 1, k += 1) act(k, a, b);
    }
  }

  /* Where a pair, a before b, stands among all. */
  const pairAt = (size, a, b) => a * (2 * size - a - 1) / 2 + b - a - 1;

  const tOf = ({ gap, error }, k) => (
    gap[k] === 0 ? 0 : Math.abs(gap[k]) / error[k]);

  /* McNemar's exact test of two systems that solve or do not. */
  function pOfSolved({ scores, n }, i, j) {
    let [first, second] = [0, 0];
    for (let t = 0; t < n[1]; t += 1) {
      const gap = scores[i * n[1] + t] - scores[j * n[1] + t];
      if (gap > 0) first += 1;
      if (gap < 0) second += 1;
    }
    return Math.min(1,
      2 * chance.coin(Math.min(first, second), first + second));
  }

  /* Which of the systems, best first, may be the best: Holm's method for all
   * pairs, and Bonferroni's for a system and those above it. */
  function firstTier(pairs, size, alpha, exact) {
    const { df, number } = pairs;
    // Most pairs need no p: these t are beyond what could matter.
    const [low, high] = [df.reduce((a, b) => Math.min(a, b)),
      df.reduce((a, b) => Math.max(a, b))];
    const sure = chance.tCritical(low, alpha / number * 0.999);
    const never = chance.tCritical(high,
      Math.max(alpha, 2 * alpha / (size - 1)) * 1.001);
    const p = new Float64Array(number);
    const between = [];
    eachPair(size, (k, a, b) => {
      const t = tOf(pairs, k);
      p[k] = exact ? exact(a, b) : t > sure ? 0 : t < never ? 1
        : chance.tTails(t, df[k]);
      if (p[k] < alpha) between.push(k);
    });
    between.sort((k, l) => p[k] - p[l]);
    const different = new Uint8Array(number);
    for (let k = 0; k < between.length; k += 1) {
      if (p[between[k]] * (number - k) >= alpha) break;
      different[between[k]] = 1;
    }
    const beaten = new Array(size).fill(false);
    eachPair(size, (k, a, b) => {
      beaten[b] ||= different[k] === 1 || (size - 1) * p[k] / 2 < alpha;
    });
    const last = beaten.lastIndexOf(false);
    return beaten.map((_, k) => k <= last);
  }

  /* Means with limits, best first, and who may be best. */
  function leaderboard(study, alpha = 0.05) {
    const { scores, n, design } = study;
    const means = estimateMeans(study);
    const { value, sets, free, moves, unmix } = means;
    const scale = value.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
    const rounded = value.map((x) => Math.round(x / scale * 1e12));
    const order = [...value.keys()].sort((i, j) => rounded[j] - rounded[i]);
    const pairs = pairsOf(means, order);
    const bounded = scores.every((x) => x >= 0 && x <= 1);
    const solved = bounded && design.name === "single" &&
      scores.every((x) => x === 0 || x === 1);
    const exact = solved &&
      ((a, b) => pOfSolved(study, order[a], order[b]));
    const best = firstTier(pairs, n[0], alpha, exact);
    const parts = value.flatMap((_, i) => times(unmix,
      moves.map(({ own }) => own[i])));
    const usual = usualFreedom(means, free, meanParts(parts, sets.length));
    const errors = value.map((_, i) => totalError(means, free, parts, usual,
      i * sets.length));
    const limits = bounded ? wilson(study, value, errors, solved)
      : errors.map(([error, df], i) => {
        const reach = chance.tCritical(df, 1 - LEVEL) * error;
        return [value[i] - reach, value[i] + reach];
      });
    const rows = order.map((i, k) => ({ system: i, mean: value[i],
      error: errors[i][0], low: limits[i][0], high: limits[i][1],
      mayBeBest: best[k], tied: rounded[i] === rounded[order[0]] }));
    return { rows, pairs, means, order, exact };
  }

  /* The first system less each other: the gap, its limits and its p. */
  function differences(study, { pairs, means, order, exact }) {
    const { gap, parts, size } = pairs;
    const number = order.length - 1;
    const usual = usualFreedom(means, means.free,
      meanParts(parts.subarray(0, number * size), size));
    return Array.from({ length: number }, (_, k) => {
      const [error, df] = totalError(means, means.free, parts, usual,
        k * size);
      const reach = chance.tCritical(df, 1 - LEVEL) * error;
      const t = gap[k] === 0 ? 0 : Math.abs(gap[k]) / error;
      return { gap: gap[k], ends: [gap[k] - reach, gap[k] + reach],
        p: exact ? exact(0, k + 1) : chance.tTails(t, df) };
    });
  }

  /* Whether at most two scores, and a third, are not the median. */
  function isNearlyConstant(scores) {
    const few = Math.min(2, scores.length / 3);
    const apart = (middle, rounding) => scores.reduce(
      (all, x) => all + (Math.abs(x - middle) > rounding), 0);
    const median = (values) => {
      const sorted = Float64Array.from(values).sort();
      const size = sorted.length;
      return (sorted[(size - 1) >> 1] + sorted[size >> 1]) / 2;
    };
    // If so, then most of the first five are the median: sort no more.
    return apart(median(scores.slice(0, 5)), 2e-9) <= few &&
      apart(median(scores), 1e-9) <= few;
  }

  /* Wilson's limits, with less variance than that of 0 and 1. */
  function wilson({ scores, n }, values, errors, solved) {
    const each = n[1] * n[2];
    const rows = values.map((value, i) => {
      const middle = Math.round(value * 1e12) / 1e12;
      const topics = errors[i][1] + 1;
      const most = middle * (1 - middle);
      return { middle, topics, most, df: errors[i][1],
        variance: Math.min(topics * errors[i][0] ** 2, most) };
    });
    const known = sum(rows.map((row) => row.most));
    const more = (known ? sum(rows.map((row) => row.variance)) / known : 1) /
      4;
    return rows.map(({ middle, topics, most, variance, df }, i) => {
      const own = scores.slice(i * each, (i + 1) * each);
      const share = isNearlyConstant(own) ? 1
        : (topics * variance + more) / (topics * most + 1 / 4);
      const z = solved ? chance.meanSquareUpper(1, 1 - LEVEL)
        : chance.tCritical(df, 1 - LEVEL) ** 2;
      const square = z * share / topics;
      const reach = Math.sqrt(square * (middle * (1 - middle) + square / 4));
      return [-reach, reach].map(
        (x) => clip((middle + x + square / 2) / (1 + square), 0, 1));
    });
  }

  // ---- how many more would show who is best: gtaudit/forecast.py -------

  const [FORECASTS, FIRST, SURE, MOST] = [1000, 100, 0.8, 1e6];

  /* The vectors and values of a symmetric matrix, by Jacobi's rotations;
   * each vector is a row. */
  function eigen(matrix) {
    const n = matrix.length;
    const a = matrix.map((row) => Float64Array.from(row));
    const v = a.map((_, i) => Float64Array.from(a, (__, j) => +(i === j)));
    const scale = a.reduce((most, row) => row.reduce(
      (x, y) => Math.max(x, Math.abs(y)), most), 0);
    function turnRows(one, other, c, s) {
      for (let k = 0; k < n; k += 1) {
        const x = one[k];
        const y = other[k];
        one[k] = c * x - s * y;
        other[k] = s * x + c * y;
      }
    }
    for (let sweep = 0; sweep < 60; sweep += 1) {
      let off = 0;
      for (let p = 0; p < n; p += 1) {
        for (let q = p + 1; q < n; q += 1) {
          const joint = a[p][q];
          if (Math.abs(joint) <= 1e-18 * scale) continue;
          off += joint ** 2;
          const turn = (a[q][q] - a[p][p]) / (2 * joint);
          const t = (turn < 0 ? -1 : 1) /
            (Math.abs(turn) + Math.sqrt(turn * turn + 1));
          const c = 1 / Math.sqrt(t * t + 1);
          const [first, last] = [a[p][p] - t * joint, a[q][q] + t * joint];
          turnRows(a[p], a[q], c, t * c);
          turnRows(v[p], v[q], c, t * c);
          for (let k = 0; k < n; k += 1) {
            a[k][p] = a[p][k];
            a[k][q] = a[q][k];
          }
          [a[p][p], a[q][q], a[p][q], a[q][p]] = [first, last, 0, 0];
        }
      }
      if (off <= 1e-30 * scale * scale) break;
    }
    return { values: a.map((row, k) => row[k]), vectors: v };
  }

  /* The products of a vector with each row of a matrix. */
  function products(rows, vector) {
    const found = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i];
      let total = 0;
      for (let k = 0; k < row.length; k += 1) total += row[k] * vector[k];
      found[i] = total;
    }
    return found;
  }

  /* Further levels of a facet with which the first is told apart from all
   * others, in four of five cases; NaN if a million are not enough. */
  function toSettle(board, facet, alpha = 0.05) {
    const { means } = board;
    const { sets, free, value, size } = means;
    const k = value.length;
    if (!sets.some((set) => set.length === 1 && set[0] === facet)) return NaN;
    if (value.every((x) => x === value[0])) return NaN;
    const order = [...value.keys()].sort((i, j) => value[j] - value[i])
      .slice(0, FIRST);
    const m = order.length;
    const pairs = pairsOf(means, order);
    const has = sets.map((set) => set.includes(facet));
    const present = size[sets.findIndex(
      (set) => set.length === 1 && set[0] === facet)];
    const square = order.map(() => new Float64Array(m));
    eachPair(m, (k_, a, b) => {
      has.forEach((falls, s) => {
        if (falls) square[a][b] += pairs.parts[k_ * has.length + s];
      });
      square[b][a] = square[a][b];
    });
    const fall = square.reduce((all, row) => all + sum([...row]), 0) /
      (m * (m - 1));
    const rowMeans = square.map((row) => sum([...row]) / m);
    const all = mean(rowMeans);
    const { values, vectors } = eigen(square.map((row, i) => row.map(
      (x, j) => -(x - rowMeans[i] - rowMeans[j] + all) / 2)));
    let sizes = values.map((x) => Math.max(x, 0));
    const total = sum(sizes);
    const share = m / (m + present);
    sizes = sizes.map((x) => x + share * (total / (m - 1) - x));
    const draw = chance.generator(root.plannerKnown.generator);
    const middle = mean(value);
    const spread = sum(value.map((x) => (x - middle) ** 2));
    const true_ = Array.from({ length: FORECASTS }, () => Math.max(
      spread / draw.chiSquare(k - 1) - fall / 2, 0));
    const inWays = (vector) => products(vectors, vector);
    const now = inWays(order.map((i) => value[i] - middle));
    const normals = () => Array.from({ length: FORECASTS },
      () => inWays(order.map(draw.normal)));
    const [first, second] = [normals(), normals()];
    // In the directions of systems again: what is there, and what is new
    const across = order.map((_, i) => vectors.map((row) => row[i]));
    const outOf = (vector) => products(across, vector);
    const here = outOf(now);
    const drawn = first.map((normal, d) => outOf(sizes.map((one, w) => {
      const kept = one > 0 ? true_[d] / (true_[d] + one) : 1;
      return kept * now[w] + Math.sqrt(kept * one) * normal[w];
    })));
    const error = second.map((normal) => outOf(
      sizes.map((one, w) => Math.sqrt(one) * normal[w])));
    const known = new Map();  // five digits of the degrees are enough
    const critical = (df) => {
      const key = df.toPrecision(5);
      if (!known.has(key)) {
        known.set(key, chance.tCritical(Number(key), 2 * alpha / (k - 1)));
      }
      return known.get(key);
    };
    function settles(more) {
      const grown = 1 + more / present;
      const need = order.map(() => new Float64Array(m));
      const freer = free.map((x, s) => (has[s] ? (x + 1) * grown - 1 : x));
      const usual = usualFreedom(means, freer,
        pairs.typical.map((x, s) => (has[s] ? x / grown : x)));
      const own = new Float64Array(has.length);
      eachPair(m, (k_, a, b) => {
        own.forEach((_, s) => {
          own[s] = pairs.parts[k_ * has.length + s] / (has[s] ? grown : 1);
        });
        const [e, df] = totalError(means, freer, own, usual);
        need[a][b] = critical(df) * e;
        need[b][a] = need[a][b];
      });
      const root_ = Math.sqrt(present / more);
      const at = new Float64Array(m);
      let apart = 0;
      for (let d = 0; d < FORECASTS; d += 1) {
        let leader = 0;
        for (let i = 0; i < m; i += 1) {
          at[i] = (present * here[i] + more * (drawn[d][i] +
            error[d][i] * root_)) / (present + more);
          if (at[i] > at[leader]) leader = i;
        }
        apart += at.every((x, i) => i === leader ||
          at[leader] - x > need[leader][i]);
      }
      return apart / FORECASTS >= SURE;
    }
    if (!settles(MOST)) return NaN;
    let high = 1;
    while (!settles(high)) high *= 2;
    let low = high / 2;
    while (high - low > 1) {
      const half = Math.floor((low + high) / 2);
      if (settles(half)) high = half; else low = half;
    }
    const unit = 10 ** Math.max(Math.floor(Math.log10(high)) - 1, 0);
    return Math.ceil(high / unit) * unit;
  }

  /* All that a table shows: sizes as [systems, topics, assessors]. */
  function study(name, n, scores) {
    const design = { ...root.plannerKnown.designs[name], name };
    const found = analyse(design, n, scores);
    found.limits = limitsOf(found);
    found.now = coefficients(found.rows, found.components, found.levels);
    return found;
  }

  /* The same of mean squares and of r, without the scores: components, and
   * limits for plans whose rows of errors these are. */
  function ofSquares(name, n, squares, r, rows) {
    const design = { ...root.plannerKnown.designs[name], name };
    const { df, solve } = sizesOf(design, n);
    return { components: times(solve, squares),
      limits: limitsOf({ design, n, df, squares, solve, rows }, r) };
  }

  root.plannerStudy = { differences, leaderboard, numberFor, ofSquares,
    study, toSettle, TARGET };
}(globalThis));
