/* Quantiles, and the numbers that gtlib draws. No page is needed.
 *
 * Tails are those of the incomplete beta and gamma functions, by their
 * continued fractions; quantiles are found by Newton's steps in the
 * logarithm, kept within what is known to hold them. */
(function (root) {
  "use strict";

  const { log, log1p, exp, abs, sqrt } = Math;

  /* log Γ(z) less Stirling's formula. */
  function stirling(z) {
    let shift = 0;
    let at = z;
    while (at < 16) {
      shift += (at + 0.5) * log1p(1 / at) - 1;
      at += 1;
    }
    const s = 1 / (at * at);
    return shift + (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 -
      s * (1 / 1188 - s * 691 / 360360))))) / at;
  }

  /* Lentz's continued fraction, of numerators and denominators. */
  function fraction(first, above, below) {
    const tiny = 1e-300;
    let f = first || tiny;
    let [c, d] = [f, 0];
    for (let k = 1; k < 1e5; k += 1) {
      const [a, b] = [above(k), below(k)];
      d = 1 / (b + a * d || tiny);
      c = b + a / c || tiny;
      f *= c * d;
      if (abs(c * d - 1) < 1e-16) break;
    }
    return f;
  }

  /* The beta distribution at x = 1 - y: its two tails, and x y times its
   * density. */
  function beta(x, y, a, b) {
    const far = b * x - a * y;
    const near = (z, c, gap) => (
      abs(gap) < 0.5 * c ? log1p(gap / c) : log(z * (a + b) / c));
    const density = x && y && exp(a * near(x, a, far) + b * near(y, b, -far) +
      stirling(a + b) - stirling(a) - stirling(b)) *
      sqrt(a * b / (2 * Math.PI * (a + b)));
    if (far > 0 && x > a / (a + b)) {
      const { low, high } = beta(y, x, b, a);
      return { low: high, high: low, density };
    }
    const term = (k) => {
      const m = k >> 1;
      return k % 2
        ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    };
    const low = density && density / (a * fraction(1, term, () => 1));
    return { low, high: 1 - low, density };
  }

  /* The same of the gamma distribution of shape a; x times its density. */
  function gamma(x, a) {
    const far = (x - a) / a;
    const density = exp(-a * (far - log1p(far)) - stirling(a)) *
      sqrt(a / (2 * Math.PI));
    if (x < a + 1) {
      let [term, total] = [1 / a, 1 / a];
      for (let k = 1; term > 1e-17 * total; k += 1) {
        term *= x / (a + k);
        total += term;
      }
      return { low: density * total, high: 1 - density * total, density };
    }
    const high = density / fraction(x + 1 - a, (k) => -k * (k - a),
      (k) => x + 2 * k + 1 - a);
    return { low: 1 - high, high, density };
  }

  /* The z = log of a quantity at which the upper tail is p. */
  function quantile(tails, p, start = 0) {
    let [low, high, z] = [-700, 700, start];
    for (let k = 0; k < 200; k += 1) {
      const at = tails(z);
      const gap = p < 0.5 ? at.high - p : (1 - p) - at.low;
      if (gap > 0) low = z; else high = z;
      const next = z + gap / at.density;
      const step = next > low && next < high ? next : (low + high) / 2;
      if (abs(step - z) < 1e-15 * Math.max(1, abs(z))) return exp(step);
      z = step;
    }
    return exp(z);
  }

  /* What F with a and b degrees of freedom exceeds with probability p. */
  const fUpper = (a, b, p) => quantile((z) => {
    const f = a * exp(z);
    return beta(f / (f + b), b / (f + b), a / 2, b / 2);
  }, p);

  /* The same of chi-square over its degrees of freedom. */
  const meanSquareUpper = (df, p) => quantile(
    (z) => gamma(df / 2 * exp(z), df / 2), p);

  /* Student's t: the two-sided p of a value, and the value of a p. */
  const tTails = (t, df) => (Number.isFinite(t)
    ? beta(df / (df + t * t), t * t / (df + t * t), df / 2, 0.5).low : 0);
  const tCritical = (df, p) => sqrt(fUpper(1, df, p));

  /* P(X <= k) of n throws of a coin. */
  const coin = (k, n) => (k >= n ? 1 : beta(0.5, 0.5, n - k, k + 1).low);

  /* P(X >= k) of n throws that succeed with p; k and n may be no whole
   * numbers. */
  const binomial = (k, n, p) => (k > 0 ? beta(p, 1 - p, k, n - k + 1).low
    : 1);

  /* P(Z <= z). */
  function normal(z) {
    const { low, high } = gamma(z * z / 2, 0.5);
    return z < 0 ? high / 2 : (1 + low) / 2;
  }

  function trigamma(z) {
    let [total, at] = [0, z];
    while (at < 16) {
      total += 1 / (at * at);
      at += 1;
    }
    const s = 1 / (at * at);
    return total + 1 / at + s / 2 + s / at * (1 / 6 - s * (1 / 30 - s *
      (1 / 42 - s * (1 / 30 - s * (5 / 66 - s * 691 / 2730)))));
  }

  // ---- numpy's generator: PCG64, and its ziggurats ----------------------

  const UNIT = 2 ** 16;
  /* A number of 128 bits as eight digits, the last one first. */
  const digitsOf = (number) => Float64Array.from({ length: 8 },
    (_, k) => Number((BigInt(number) >> BigInt(16 * k)) & 0xffffn));
  const MULTIPLIER = digitsOf(0x2360ED051FC65DA44385DF649FCCF645n);

  /* Strips of one area below a falling curve, from its end `top` on. */
  function strips(top, area, size, curve, inverse) {
    const [k, w, f] = [[], [], []];
    let x = top;
    f[255] = curve(x);
    [w[255], w[0], f[0]] = [x / size, area / f[255] / size, 1];
    [k[0], k[1]] = [Math.floor(x * f[255] / area * size), 0];
    for (let i = 254; i > 0; i -= 1) {
      const next = inverse(area / x + f[i + 1]);
      k[i + 1] = Math.floor(next / x * size);
      [w[i], f[i]] = [next / size, curve(next)];
      x = next;
    }
    return { k, w, f, top };
  }
  const bell = strips(3.6541528853610088, 0.00492867323399, 2 ** 52,
    (x) => exp(-0.5 * x * x), (y) => sqrt(-2 * log(y)));
  const decay = strips(7.69711747013104972, 0.0039496598225815571993,
    2 ** 53, (x) => exp(-x), (y) => -log(y));

  /* Draws from a state of the generator, as gtlib has it for a seed. */
  function generator({ state, inc }) {
    let at = digitsOf(state);
    let after = new Float64Array(8);
    const step = digitsOf(inc);
    let high = 0;  // the two halves of what is drawn
    let low = 0;
    function bits() {
      let carry = 0;
      for (let k = 0; k < 8; k += 1) {
        let total = step[k] + carry;
        for (let i = 0; i <= k; i += 1) total += at[i] * MULTIPLIER[k - i];
        carry = Math.floor(total / UNIT);
        after[k] = total - carry * UNIT;
      }
      [at, after] = [after, at];
      const turn = at[7] >> 10;
      const a = (at[3] ^ at[7]) << 16 | (at[2] ^ at[6]);
      const b = (at[1] ^ at[5]) << 16 | (at[0] ^ at[4]);
      const [one, other] = turn < 32 ? [a, b] : [b, a];
      // Bits that are shifted by 32 stay where they are: so twice.
      const rest = 31 - (turn & 31);
      high = (one >>> (turn & 31) | other << rest << 1) >>> 0;
      low = (other >>> (turn & 31) | one << rest << 1) >>> 0;
    }
    const upper = () => high * 2 ** 21 + (low >>> 11);
    function uniform() {
      bits();
      return upper() / 2 ** 53;
    }
    function normal() {
      const { k, w, f, top } = bell;
      for (;;) {
        bits();
        const i = low & 255;
        const sign = low & 256 ? -1 : 1;
        const size = (high & 0x1fffffff) * 2 ** 23 + (low >>> 9);
        const x = size * w[i];
        if (size < k[i]) return sign * x;
        while (i === 0) {
          const far = -log1p(-uniform()) / top;
          const y = -log1p(-uniform());
          if (2 * y > far * far) {
            return Math.floor(size / 256) % 2 ? -(top + far) : top + far;
          }
        }
        if ((f[i - 1] - f[i]) * uniform() + f[i] < exp(-0.5 * x * x)) {
          return sign * x;
        }
      }
    }
    function exponential() {
      const { k, w, f, top } = decay;
      for (;;) {
        bits();
        const i = (low >>> 3) & 255;
        const size = upper();
        const x = size * w[i];
        if (size < k[i]) return x;
        if (i === 0) return top - log1p(-uniform());
        if ((f[i - 1] - f[i]) * uniform() + f[i] < exp(-x)) return x;
      }
    }
    /* Of shapes below 1 by Ahrens and Dieter, above by Marsaglia and
     * Tsang. */
    function standardGamma(shape) {
      if (shape === 1) return exponential();
      while (shape < 1) {
        const u = uniform();
        const v = exponential();
        const near = u <= 1 - shape;
        const y = near ? 0 : -log((1 - u) / shape);
        const x = (near ? u : 1 - shape + shape * y) ** (1 / shape);
        if (x <= v + y) return x;
      }
      const b = shape - 1 / 3;
      const c = 1 / sqrt(9 * b);
      for (;;) {
        let x;
        let v;
        do {
          x = normal();
          v = 1 + c * x;
        } while (v <= 0);
        v **= 3;
        const u = uniform();
        if (u < 1 - 0.0331 * x ** 4 ||
            log(u) < 0.5 * x * x + b * (1 - v + log(v))) return b * v;
      }
    }
    return { normal, uniform, chiSquare: (df) => 2 * standardGamma(df / 2) };
  }

  root.plannerChance = { binomial, coin, fUpper, generator, meanSquareUpper,
    normal, tCritical, tTails, trigamma };
}(globalThis));
