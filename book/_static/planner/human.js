/* How many topics people must judge, beside a machine that judges all: the
 * same as gtlib.human_topics, at 95%. */
(function (root) {
  "use strict";

  const P = 0.05;
  const FEWEST = 4;
  const MOST = 1e6;
  const known = new Map();
  const LANCZOS = [0.99999999999980993, 676.5203681218851,
    -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7];

  function logGamma(x) {
    const sum = LANCZOS.slice(1).reduce(
      (total, c, k) => total + c / (x + k), LANCZOS[0],
    );
    const t = x + 6.5;
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t +
      Math.log(sum);
  }

  /* The regularized incomplete beta function, by its continued fraction. */
  function beta(x, a, b) {
    if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a);
    const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) +
      a * Math.log(x) + b * Math.log1p(-x)) / a;
    let [c, d] = [1, 1 / (1 - ((a + b) * x) / (a + 1))];
    let value = d;
    for (let m = 1; m < 10000; m += 1) {
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / (1 + even * d);
      c = 1 + even / c;
      value *= c * d;
      const odd = (-(a + m) * (a + b + m) * x) /
        ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / (1 + odd * d);
      c = 1 + odd / c;
      value *= c * d;
      if (Math.abs(c * d - 1) < 1e-15) break;
    }
    return front * value;
  }

  /* Student's t that is exceeded, in either direction, with P. */
  function t(df) {
    if (!known.has(df)) {
      let [low, high] = [1.9, 13];
      for (let k = 0; k < 60; k += 1) {
        const middle = (low + high) / 2;
        const p = beta(df / (df + middle * middle), df / 2, 0.5);
        if (p > P) low = middle; else high = middle;
      }
      known.set(df, high);
    }
    return known.get(df);
  }

  /* The first whole number of a range from which something holds. */
  function first(from, to, holds) {
    if (to < from || !holds(to)) return null;
    let [low, high] = [from, to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (holds(middle)) high = middle; else low = middle + 1;
    }
    return low;
  }

  const alone = (width, sd, most) => first(2, most,
    (n) => t(n - 1) * sd / Math.sqrt(n) <= width);

  function topics(width, sd, correlation, total) {
    const explained = correlation ** 2;
    const enough = (n) => {
      const line = ((1 - explained) * (1 + (1 - n / total) / (n - 3))) / n;
      return t(n - 2) * sd * Math.sqrt(line + explained / total) <= width;
    };
    const found = first(FEWEST, total - 1, enough);
    return found || (alone(width, sd, total) === null ? null : total);
  }

  // ---- the page ----------------------------------------------------------

  const $ = (id) => document.getElementById(`pl-h-${id}`);
  const FIELDS = ["width", "sd", "correlation", "topics", "people", "machine"];

  function start() {
    const { sd, correlation, note } = root.plannerHumanStart || {};
    if (sd === undefined) return;
    $("sd").value = sd;
    $("correlation").value = correlation;
    $("note").textContent = note;
  }

  function update() {
    const [width, sd, correlation, total, people, machine] = FIELDS.map(
      (id) => root.plannerForm.read($(id)),
    );
    const ready = [width, sd, correlation, total, people, machine]
      .every(Number.isFinite);
    $("results").hidden = !ready;
    if (!ready) return;
    const n = topics(width, sd, correlation, total);
    const without = alone(width, sd, MOST);
    const { money, put } = root.plannerResults;
    const whole = (number) => (
      number === null ? "none are enough" : number.toLocaleString("en"));
    put("h-with", n === null ? "" : n, whole(n));
    put("h-without", without === null ? "" : without, whole(without));
    $("with-note").textContent = n === null
      ? "more topics are needed than the machine judges"
      : `of ${whole(total)}, for ${money(n * people + total * machine)}`;
    $("without-note").textContent = without === null
      ? "" : `people judge them all, for ${money(without * people)}`;
    $("python").textContent =
      `gt.human_topics(${width}, ${sd}, ${correlation}, [${total}])`;
  }

  root.plannerHuman = { alone, start, t, topics, update,
    fields: FIELDS.map((id) => `h-${id}`) };
}(window));
