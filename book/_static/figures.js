/* What our scripts draw with: axes, curves with bands, and a map of designs
 * on which a plan can be moved. */
(function (root) {
  "use strict";

  const { draw } = root;
  const text = (said, x, y, more = {}) => draw("text", { x, y, ...more },
    said);
  const line = (x1, y1, x2, y2, name) => draw("line",
    { x1, y1, x2, y2, class: name });

  /* Round numbers between two ends, about as many as are wanted. */
  function ticks(low, high, wanted) {
    const rough = (high - low) / wanted;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((x) => x * unit).find((x) => x >= rough);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9) || 0;
      k * step <= high + 1e-9 * step; k += 1) found.push(k * step);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return found.map((x) => [x, x.toLocaleString("en", {
      minimumFractionDigits: digits, maximumFractionDigits: digits })
      .replace("-", "−")]);
  }

  /* Whole numbers on an axis of logarithms: 1, 2, 5, 10, up to the end. */
  function powers(most) {
    const found = [];
    for (let unit = 1; unit <= most; unit *= 10) {
      found.push(...[1, 2, 5].map((x) => x * unit).filter((x) => x <= most));
    }
    const kept = found.length > 7
      ? found.filter((x) => /^1/.test(x)) : found;
    return kept.map((x) => [x, x.toLocaleString("en")]);
  }

  /* Axes in a box [left, right, top, bottom]: the places of numbers, and a
   * part with a grid and its numbers. `across` and `up` are [low, high]. */
  function axes([left, right, top, bottom], across, up, log = false) {
    const at = log ? Math.log : (x) => x;
    const place = ([low, high], from, to) => (value) => from +
      (at(value) - at(low)) / (at(high) - at(low) || 1) * (to - from);
    const x = place(across, left, right);
    const y = place(up, bottom, top);
    const part = draw("g", {});
    for (const [tick, said] of log ? powers(up[1]) : ticks(...up, 4)) {
      part.append(line(left, y(tick), right, y(tick), "grid"),
        text(said, left - 6, y(tick) + 4,
          { class: "quiet", "text-anchor": "end" }));
    }
    for (const [tick, said] of log ? powers(across[1]) : ticks(...across, 4)) {
      part.append(text(said, x(tick), bottom + 17, { class: "quiet",
        "text-anchor": x(tick) > right - 12 ? "end" : "middle" }));
    }
    const path = (points) => `M${points.map(([a, b]) => (
      `${x(a).toFixed(1)},${y(b).toFixed(1)}`)).join("L")}`;
    return { x, y, part, path, low: up[0] };
  }

  /* A curve of [x, y], in its band of [x, low, high] if there is one; what
   * lies below the axis is left out. */
  function curve({ path, low }, kind, points, band) {
    const part = draw("g", {});
    if (band) {
      const inside = band.filter(([, , end]) => end >= low);
      const there = inside.map(([x, , end]) => [x, end]);
      const back = inside.map(([x, end]) => [x, Math.max(end, low)])
        .reverse();
      part.append(draw("path",
        { d: `${path([...there, ...back])}Z`, class: `band ${kind}` }));
    }
    part.append(draw("path", { class: `curve ${kind}`,
      d: path(points.filter(([, value]) => value >= low)) }));
    return part;
  }

  function figure(width, height, said, ...parts) {
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": said }, ...parts);
  }

  const STEPS = [10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6];
  const upTo = (...numbers) => STEPS.find((n) => numbers.every(
    (x) => x <= n)) || 1e6;
  const between = (low, high, n) => Array.from({ length: n },
    (_, k) => low * (high / low) ** (k / (n - 1)));

  /* Designs of two numbers, on logarithms. `reaches(y)` is the least x that
   * reaches the target with y, `buys(y)` the most that the budget buys;
   * `plan` and `marks` are [x, y, words]; a plan is moved by `moved(x, y)`. */
  function map({ kind, names, said, target, budget, reaches, buys, plan, marks,
    moved }) {
    const [width, height] = [480, 330];
    const box = [48, 464, 12, 274];
    const all = [plan, ...marks];
    const across = [1, upTo(50, ...all.map(([x]) => 1.2 * x))];
    const up = [1, upTo(10, ...all.map(([, y]) => 1.2 * y))];
    const { x, y, part, path } = axes(box, across, up, true);
    const rows = between(1, up[1], 90);
    const inside = (value) => Math.min(Math.max(value, 1), across[1]);
    const shape = rows.map((n) => [inside(reaches(n)), n]);
    const afford = rows.map((n) => [buys(n), n]).filter(([n]) => n >= 1);
    const edge = path(shape);
    const whole = draw("g", {},
      draw("path", { class: `reached ${kind}`, d: `${edge}L${box[1]},${
        box[2]}L${box[1]},${box[3]}Z` }), part);
    const open = shape.filter(([n]) => n < across[1]);
    if (open.length) {
      whole.append(draw("path", { class: `edge ${kind}`, d: path(open) }),
        text(target, box[1] - 6, box[2] + 16,
          { class: `halo name ${kind}`, "text-anchor": "end" }));
    }
    const bought = afford.filter(([n]) => n <= across[1]);
    const dots = [...marks.map(([mx, my, words]) => [x(mx), y(my), words,
      "mark"]), [x(plan[0]), y(plan[1]), plan[2], "plan"]];
    const below = dots.some(([, py]) => py < box[2] + 22 * dots.length);
    if (bought.length > 1) {
      whole.append(draw("path", { class: "price", d: path(bought) }));
      // Where it is furthest from the names of the plans
      const away = ([bx, by]) => Math.min(...dots.map(([px, py]) => Math.hypot(
        x(bx) - px, y(by) - py + (below ? -36 : 36))));
      const [px, py] = bought.filter(([bx, by]) => x(bx) > box[0] + 90 &&
        y(by) > box[2] + 20 && y(by) < box[3] - 20)
        .reduce((one, other) => (away(other) > away(one) ? other : one),
          bought[Math.floor(0.7 * (bought.length - 1))]);
      whole.append(text(budget, x(px) - 8, y(py), { class: "halo quiet",
        "text-anchor": "end" }));
    }
    // Names stand one above the other, each beside a line to its dot: those
    // to the left of their dots first, so that no line crosses another name.
    const [left, right] = [dots.every(([px]) => px > box[0] + 150),
      dots.every(([px]) => px < box[1] - 150)];
    const late = (px) => (left || (!right && px > (box[0] + box[1]) / 2));
    dots.sort(([a], [b]) => late(b) - late(a) || (late(a) ? a - b : b - a));
    // If their dots are close, all names are clear of all dots.
    const heights = dots.map(([, py]) => py);
    const [high, low] = [Math.min(...heights), Math.max(...heights)];
    const from = (py) => (low - high > 100 ? py : below ? low : high);
    dots.forEach(([px, py, words, kind], k) => {
      const to = from(py) + (below ? 16 + 20 * k : -16 - 20 * k);
      const one = draw("g", { class: kind === "plan" ? "grip" : "" },
        line(px, py, px, to, "leader"),
        text(words, px + (late(px) ? -5 : 5), to + (below ? 4 : 8),
          { class: `halo ${kind}-name`,
            "text-anchor": late(px) ? "end" : "start" }));
      if (kind === "plan") {
        one.append(draw("circle", { class: "reach", r: 22, cx: px, cy: py }));
      }
      one.append(draw("circle", { class: kind === "plan" ? "here" : "mark",
        r: kind === "plan" ? 7.5 : 5, cx: px, cy: py }));
      whole.append(one);
    });
    whole.append(text(names[0], (box[0] + box[1]) / 2, height - 12,
      { class: "quiet", "text-anchor": "middle" }),
    text(names[1], 12, (box[2] + box[3]) / 2, { class: "quiet",
      "text-anchor": "middle",
      transform: `rotate(-90 12 ${(box[2] + box[3]) / 2})` }));
    const svg = figure(width, height, said, whole);
    drag(svg, width, height, (px, py) => {
      const number = (at, low, high, from, to) => Math.round(low *
        (high / low) ** Math.min(Math.max((at - from) / (to - from), 0), 1));
      moved(number(px, ...across, box[0], box[1]),
        number(py, ...up, box[3], box[2]));
    });
    return svg;
  }

  /* A press takes the plan there, and as long as it lasts along with it. The
   * figure is drawn again meanwhile, so that the window listens. */
  function drag(svg, width, height, act) {
    svg.classList.add("moves");
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const box = svg.getBoundingClientRect();
      const go = ({ clientX, clientY }) => act(
        (clientX - box.left) / box.width * width,
        (clientY - box.top) / box.height * height);
      const stop = () => {
        root.removeEventListener("pointermove", go);
        root.removeEventListener("pointerup", stop);
        root.removeEventListener("pointercancel", stop);
      };
      root.addEventListener("pointermove", go);
      root.addEventListener("pointerup", stop);
      root.addEventListener("pointercancel", stop);
      go(event);
      event.preventDefault();
    });
  }

  /* Curves against one number, from `low` up: each has a kind, a name, its
   * points, and perhaps a band; `at` is where the plan stands. `upright` is
   * [x, words] of a line across; an `early` name ends at its dot. */
  function curves({ name, said, across, up, at, target, targetSaid, lines,
    upright, falls = false }) {
    const [width, height] = [480, 330];
    const box = [48, 464, 12, 274];
    const frame = axes(box, across, up);
    const { x, y, part } = frame;
    const whole = draw("g", {}, part);
    for (const { kind, points, band } of lines) {
      whole.append(curve(frame, kind, points, band));
    }
    if (target >= up[0] && target <= up[1]) {
      whole.append(line(box[0], y(target), box[1], y(target), "target"),
        text(targetSaid, box[0] + 4, y(target) - 6, { class: "halo quiet" }));
    }
    if (upright) {
      const [value, words] = upright;
      whole.append(line(x(value), box[2], x(value), box[3], "target"),
        text(words, x(value) + 6, box[3] - 8, { class: "halo quiet" }));
    }
    const end = x(at) > box[0] + 0.72 * (box[1] - box[0]);
    lines.forEach(({ kind, name: words, here, mark, early }, k) => {
      const [mx, my] = mark || [at, here];
      const late = early ?? end;
      if (!(my >= up[0] && my <= up[1] && mx <= across[1])) return;
      whole.append(draw("circle", { class: `dot ${kind}`, r: 5.5, cx: x(mx),
        cy: y(my) }), text(words, x(mx) + (late ? -8 : 8),
        y(my) + (k && !falls ? 19 : -9), { class: `halo name ${kind}`,
          "text-anchor": late ? "end" : "start" }));
    });
    whole.append(text(name, (box[0] + box[1]) / 2, height - 12,
      { class: "quiet", "text-anchor": "middle" }));
    return figure(width, height, said, whole);
  }

  root.figures = { axes, curve, curves, line, map, text, ticks, upTo };
}(globalThis));
