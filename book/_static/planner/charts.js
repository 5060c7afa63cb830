/* The planner's pictures, in SVG. Each function draws into an empty figure
 * and computes nothing that plannerArithmetic has not given it. */
(function (root) {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
  const HEIGHT = 300;
  const BAR = 70;
  const EDGE = { top: 26, right: 18, bottom: 44, left: 46 };

  function add(parent, name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes || {})) {
      element.setAttribute(key, value);
    }
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  /* A fresh drawing that fills its holder, named for screen readers. */
  function canvas(holder, name, height) {
    const width = Math.max(holder.clientWidth, 240);
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", name);
    holder.replaceChildren(svg);
    return { svg, width, height };
  }

  function scale(from, to, start, end, log) {
    const f = log ? Math.log : (x) => x;
    const span = f(to) - f(from);
    const at = (x) => start + ((f(x) - f(from)) / span) * (end - start);
    at.invert = (px) => {
      const y = f(from) + ((px - start) / (end - start)) * span;
      return log ? Math.exp(y) : y;
    };
    return at;
  }

  function ticks(from, to, log, most) {
    if (log) {
      const found = [];
      for (let power = 1; power <= to; power *= 10) {
        found.push(...[1, 2, 5].map((m) => m * power));
      }
      const inside = found.filter((x) => x >= from && x <= to);
      const ones = inside.filter((x) => /^10*$/.test(String(x)));
      return inside.length > most && ones.length > 2 ? ones : inside;
    }
    const rough = (to - from) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= rough);
    const first = Math.ceil(from / step - 1e-9);
    const count = Math.floor(to / step + 1e-9) - first + 1;
    return Array.from({ length: count },
      (_, k) => Number(((first + k) * step).toPrecision(12)));
  }

  function axes(plot, xs, ys, xName, yName) {
    const { svg, x, y, width } = plot;
    const bottom = HEIGHT - EDGE.bottom;
    const frame = add(svg, "g", { class: "planner-axis" });
    for (const tick of xs) {
      add(frame, "line", { x1: x(tick), x2: x(tick), y1: bottom,
        y2: bottom + 4 });
      add(frame, "text", { x: x(tick), y: bottom + 18,
        "text-anchor": "middle" }, tick);
    }
    for (const tick of ys) {
      add(frame, "line", { x1: EDGE.left - 4, x2: EDGE.left, y1: y(tick),
        y2: y(tick) });
      add(frame, "text", { x: EDGE.left - 8, y: y(tick) + 4,
        "text-anchor": "end" }, tick);
    }
    add(frame, "line", { x1: EDGE.left, x2: width - EDGE.right, y1: bottom,
      y2: bottom });
    add(frame, "line", { x1: EDGE.left, x2: EDGE.left, y1: EDGE.top,
      y2: bottom });
    add(frame, "text", { x: (EDGE.left + width - EDGE.right) / 2,
      y: HEIGHT - 6, "text-anchor": "middle" }, xName);
    add(frame, "text", { x: 4, y: 12 }, yName);
  }

  function path(points) {
    return points.map(([x, y], k) => (
      `${k ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`
    )).join("");
  }

  /* Two bars, one for each error, split by where it comes from.
   * bars: [{name, error, parts: [{label, share, kind}]}] */
  function errorBars(holder, bars, name) {
    const { svg, width } = canvas(holder, name, bars.length * BAR);
    const most = Math.max(...bars.map((bar) => bar.error), Number.MIN_VALUE);
    bars.forEach((bar, k) => {
      const top = k * BAR;
      add(svg, "text", { x: 0, y: top + 13, class: "planner-ink" }, bar.name);
      add(svg, "text", { x: width, y: top + 13, "text-anchor": "end",
        class: "planner-ink" }, bar.shown);
      let x = 0;
      for (const part of bar.parts.filter((p) => p.share > 0)) {
        const wide = (part.share / most) * width;
        const box = add(svg, "rect", { x, y: top + 20, height: 22,
          width: Math.max(wide - 1, 0.5), class: `planner-${part.kind}` });
        add(box, "title", {}, `${part.label}: ${part.shown}`);
        if (wide > part.label.length * 7.2) {
          add(svg, "text", { x, y: top + 56 }, part.label);
        }
        x += wide;
      }
    });
  }

  /* Coefficients against topics at the plan's number of assessors.
   * lines: [{name, kind, at(topics)}], plan.topic, target. */
  function curve(holder, { lines, plan, target, name }) {
    const { svg, width } = canvas(holder, name, HEIGHT);
    const last = Math.max(100, Math.min(plan.topic * 2, 1e6));
    const low = Math.min(...lines.map((line) => line.at(last / 12)), target,
      ...lines.map((line) => line.at(plan.topic)));
    const floor = Math.min(0.9, Math.floor(low * 10) / 10);
    const x = scale(0, last, EDGE.left, width - EDGE.right);
    const y = scale(floor, 1, HEIGHT - EDGE.bottom, EDGE.top);
    axes({ svg, x, y, width }, ticks(0, last, false, width / 90),
      ticks(floor, 1, false, 5), "topics", "coefficient");
    add(svg, "line", { class: "planner-target", x1: EDGE.left,
      x2: width - EDGE.right, y1: y(target), y2: y(target) });
    add(svg, "text", { class: "planner-quiet", x: EDGE.left + 6,
      y: y(target) - 5 }, `target ${target}`);
    const clip = clipTo(svg, holder, width);
    for (const line of lines) {
      const points = [];
      for (let k = 0; k <= 160; k += 1) {
        const topics = Math.max(1, (last * (k / 160) ** 2));
        points.push([x(topics), y(line.at(topics))]);
      }
      add(svg, "path", { d: path(points), class: `planner-line ${line.kind}`,
        "clip-path": clip });
    }
    const ends = lines.map((line) => y(line.at(last)));
    const apart = Math.abs(ends[0] - ends[1]) < 14 ? 10 : 0;
    lines.forEach((line, k) => {
      const at = y(line.at(plan.topic));
      add(svg, "circle", { cx: x(plan.topic), cy: at, r: 5,
        class: `planner-dot ${line.kind}` });
      const above = ends[k] <= ends[1 - k] ? -8 - apart / 2 : 16 + apart / 2;
      add(svg, "text", { x: width - EDGE.right, "text-anchor": "end",
        y: ends[k] + above, class: `planner-name ${line.kind}` }, line.name);
    });
  }

  function clipTo(svg, holder, width) {
    const id = `${holder.id}-clip`;
    const clip = add(svg, "clipPath", { id });
    add(clip, "rect", { x: EDGE.left, y: EDGE.top,
      width: width - EDGE.left - EDGE.right,
      height: HEIGHT - EDGE.top - EDGE.bottom });
    return `url(#${id})`;
  }

  /* Reliability over topics and assessors, with what the budget buys.
   * levels: [{value, topicsAt(assessors)}], budgets: [{text, topicsAt}],
   * points: [{kind, topic, assessor}]; onPick(topic, assessor). */
  function contour(holder, { levels, budgets, points, name, onPick }) {
    const { svg, width } = canvas(holder, name, HEIGHT);
    const topics = points.map((p) => p.topic);
    const assessors = points.map((p) => p.assessor);
    const from = Math.min(...topics) < 8 ? 1 : 5;
    const to = Math.max(200, Math.max(...topics) * 1.6);
    const most = Math.max(8, Math.max(...assessors) * 1.6);
    const x = scale(from, to, EDGE.left, width - EDGE.right, true);
    const y = scale(0.85, most, HEIGHT - EDGE.bottom, EDGE.top, true);
    const clip = clipTo(svg, holder, width);
    const steps = Array.from({ length: 90 },
      (_, k) => 0.85 * (most / 0.85) ** (k / 89));
    const inside = add(svg, "g", { "clip-path": clip });
    const drawn = (topicsAt) => steps.map((n) => [topicsAt(n), n])
      .filter(([t]) => t > 0 && Number.isFinite(t))
      .map(([t, n]) => [x(Math.min(Math.max(t, from / 4), to * 4)), y(n)]);
    let free = -Infinity;
    for (const level of levels) {
      const line = drawn(level.topicsAt);
      if (line.length < 2) continue;
      const right = x(to) + 40;
      const area = [...line, [right, line[line.length - 1][1]],
        [right, line[0][1]]];
      add(inside, "path", { d: `${path(area)}Z`, class: "planner-band" });
      add(inside, "path", { d: path(line), class: "planner-contour" });
      const [tx, ty] = line[line.length - 1];
      if (ty < EDGE.top + 1 && tx > Math.max(EDGE.left + 70, free) &&
          tx < width - 12) {
        add(svg, "text", { x: tx, y: EDGE.top - 6, "text-anchor": "middle",
          class: "planner-quiet" }, level.value);
        free = tx + 30;
      }
    }
    for (const budget of budgets) {
      const line = drawn(budget.topicsAt);
      if (line.length < 2) continue;
      add(inside, "path", { d: path(line), class: `planner-cost ${budget.kind}` });
    }
    axes({ svg, x, y, width }, ticks(from, to, true, width / 45),
      ticks(1, most, true, 8), "topics (log scale)", "assessors");
    for (const point of points) {
      marker(svg, x(point.topic), y(point.assessor), point.kind);
    }
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const px = ((event.clientX - box.left) * width) / box.width;
      const py = ((event.clientY - box.top) * HEIGHT) / box.height;
      if (px < EDGE.left || px > width - EDGE.right) return;
      if (py < EDGE.top || py > HEIGHT - EDGE.bottom) return;
      onPick(Math.max(1, Math.round(x.invert(px))),
        Math.max(1, Math.round(y.invert(py))));
    });
  }

  const SHAPES = {
    plan: "M-6,0a6,6 0 1,0 12,0a6,6 0 1,0 -12,0",
    best: "M0,-8L8,0L0,8L-8,0Z",
    cheapest: "M0,-7.5L7.5,6L-7.5,6Z",
  };

  function marker(parent, x, y, kind) {
    add(parent, "path", { d: SHAPES[kind], class: `planner-mark ${kind}`,
      transform: `translate(${x.toFixed(1)},${y.toFixed(1)})` });
  }

  /* A small drawing of a marker, for the key under the picture. */
  function keyMark(kind) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "-10 -10 20 20");
    svg.setAttribute("class", "planner-keymark");
    svg.setAttribute("aria-hidden", "true");
    marker(svg, 0, 0, kind);
    return svg;
  }

  root.plannerCharts = { errorBars, curve, contour, keyMark };
}(typeof globalThis === "undefined" ? window : globalThis));
