/* One picture of what a table of scores shows: means and who may be best,
 * where the variance is, and what more topics would bring. */
(function (root) {
  "use strict";

  const { draw } = root;
  const { axes, curve: drawn, line, text, ticks } = root.figures;
  const { coefficients } = root.plannerArithmetic;
  const { TARGET } = root.plannerStudy;
  const [ROWS, FEW, ROW] = [20, 3, 22];
  const COLORS = ["ink", "quiet", "line", "ground", "topic", "assessor",
    "both", "green"];

  // In the picture, so that it can be taken away with them.
  const RULES = `.ys-svg text{fill:var(--ys-ink);font-size:13px}
.ys-svg .title{font-weight:600;font-size:14px}
.ys-svg .quiet,.ys-svg text.other{fill:var(--ys-quiet)}
.ys-svg .grid{stroke:var(--ys-line)}
.ys-svg line.best{stroke:var(--ys-ink);stroke-width:2.5}
.ys-svg line.other{stroke:var(--ys-quiet);stroke-width:1.5}
.ys-svg text.best{font-weight:600}
.ys-svg circle.best{fill:var(--ys-ink)}
.ys-svg circle.other{fill:var(--ys-ground);stroke:var(--ys-quiet);stroke-width:1.5}
.ys-svg .curve{fill:none;stroke:var(--ys-green);stroke-width:2.5}
.ys-svg .band{fill:var(--ys-green);fill-opacity:.16}
.ys-svg .here{fill:var(--ys-green);stroke:var(--ys-ground);stroke-width:2}
.ys-svg .now{stroke:var(--ys-green)}
.ys-svg .settled{fill:var(--ys-ground);stroke:var(--ys-green);stroke-width:2}
.ys-svg .target{stroke:var(--ys-quiet);stroke-dasharray:4 4}
.ys-svg .halo{paint-order:stroke;stroke:var(--ys-ground);stroke-width:4px;stroke-linejoin:round}
.ys-svg text.green{fill:var(--ys-green);font-weight:600}
` + ["ink", "topic", "assessor", "both"].map((name) => (
    `.ys-svg .fill-${name}{fill:var(--ys-${name})}`)).join("\n");

  const cut = (name, most) => (name.length > most
    ? `${name.slice(0, most - 1)}…` : name);

  /* Means with their limits; those that may be best are strong. */
  function means({ names: [systems] }, { rows }, width) {
    const shown = rows.length <= ROWS + FEW ? rows : rows.slice(0, ROWS);
    const part = draw("g", {});
    const left = Math.min(150, 16 + 7.2 * Math.max(...shown.map(
      ({ system }) => Math.min(systems[system].length, 18))));
    const low = Math.min(...shown.map((row) => row.low || row.mean));
    const high = Math.max(...shown.map((row) => row.high || row.mean));
    const x = (value) => left + (value - low) / (high - low || 1) *
      (width - left - 16);
    const best = rows.filter((row) => row.mayBeBest).length;
    const some = shown.length < rows.length
      ? `; ${shown.length} of ${rows.length} shown` : "";
    part.append(text("Means, and who may be best", 0, 16, { class: "title" }),
      text(`filled: ${best === 1 ? "the only one" : `the ${best}`} that ` +
        `may be best${some}`, 0, 34, { class: "quiet" }));
    const bottom = 50 + ROW * shown.length;
    for (const [at, said] of ticks(low, high, 4)) {
      part.append(line(x(at), 46, x(at), bottom, "grid"),
        text(said, x(at), bottom + 16,
          { class: "quiet", "text-anchor": "middle" }));
    }
    shown.forEach((row, k) => {
      const y = 50 + ROW * (k + 0.5);
      const kind = row.mayBeBest ? "best" : "other";
      part.append(text(cut(systems[row.system], 18), left - 10, y + 4.5,
        { class: kind, "text-anchor": "end" }));
      if (Number.isFinite(row.low)) {
        part.append(line(x(row.low), y, x(row.high), y, kind));
      }
      part.append(draw("circle",
        { cx: x(row.mean), cy: y, r: 4, class: kind }));
    });
    return [part, bottom + 24];
  }

  const FILLS = { system: "ink", topic: "topic", assessor: "assessor" };
  function fill(label) {
    const parts = label.split(/ x |:/).map((x) => x.replace(/[()]/g, ""));
    const others = parts.filter((facet) => facet !== "system");
    if (others.length > 1) return ["both", parts.length > 2 ? 0.45 : 1];
    return [FILLS[others[0] || "system"], others.length === parts.length ||
      parts.length === 1 ? 1 : 0.5];
  }

  /* Where the variance is: one bar, and what its parts are. */
  function variance({ components, design }, nouns, width) {
    const part = draw("g", {});
    const sizes = components.map((x) => Math.max(x, 0));
    const total = sizes.reduce((a, b) => a + b, 0) || 1;
    part.append(text("Where the variance of a score is", 0, 16,
      { class: "title" }));
    let at = 0;
    const order = [...sizes.keys()];
    order.forEach((k, place) => {
      const [name, opacity] = fill(design.labels[k]);
      const wide = sizes[k] / total * width;
      part.append(draw("rect", { x: at, y: 28, width: wide, height: 22,
        class: `fill-${name}`, "fill-opacity": opacity }));
      at += wide;
      const y = 74 + 19 * place;
      const label = design.labels[k].replace(/ x /g, " × ");
      part.append(draw("rect", { x: 0, y: y - 10, width: 11, height: 11,
        class: `fill-${name}`, "fill-opacity": opacity }),
      text(nouns[1] === "topic" ? label : label.replace("topic", nouns[1]),
        18, y),
      text(`${Math.round(100 * sizes[k] / total)}%`, width, y,
        { "text-anchor": "end" }));
    });
    return [part, 74 + 19 * order.length];
  }

  /* Generalizability against the number of topics, with its band. */
  function curve(study, nouns, width, settled) {
    const { levels, limits, rows, components } = study;
    const [left, top, bottom] = [40, 30, 190];
    const now = levels.topic;
    const value = (topic) => coefficients(rows, components,
      { ...levels, topic }).generalizability;
    const then = settled && settled <= 5 * now ? settled : 0;
    const most = Math.max(2 * now, 1.15 * then);
    const numbers = Array.from({ length: 33 },
      (_, k) => Math.max(1, most * (k / 32) ** 1.3));
    const ends = limits && numbers.map((topic) => (
      limits.interval({ ...levels, topic }).generalizability));
    const at = numbers.findIndex((topic) => topic >= now / 3);
    const low = Math.max(0, Math.floor(10 * Math.min(0.9, value(numbers[at]),
      ends ? ends[at][0] : 1)) / 10);
    const frame = axes([left, width - 8, top, bottom], [0, most], [low, 1]);
    const { x, y, part } = frame;
    part.prepend(text(`Generalizability with more ${nouns[1]}s`, 0, 16,
      { class: "title" }));
    part.append(drawn(frame, "",
      numbers.map((topic) => [topic, value(topic)]),
      ends && numbers.map((topic, k) => [topic, ...ends[k]])));
    part.append(line(left, y(TARGET), width - 8, y(TARGET), "target"),
      line(x(now), y(value(now)), x(now), bottom, "now"),
      draw("circle",
        { cx: x(now), cy: y(value(now)), r: 5.5, class: "here" }),
      text("you are here", x(now) - 6, bottom - 8,
        { class: "halo green", "text-anchor": "end" }),
      text(`${TARGET} is enough`, width - 8, y(TARGET) + 16,
        { class: "halo quiet", "text-anchor": "end" }),
      text(`${nouns[1]}s`, (left + width) / 2, bottom + 34,
        { class: "quiet", "text-anchor": "middle" }));
    if (then) {  // where the lower end is expected to be enough
      part.append(line(x(then), y(TARGET), x(then), bottom, "now"),
        draw("circle",
          { cx: x(then), cy: y(TARGET), r: 5, class: "settled" }),
        text(`+${then - now}`, x(then) + 6, bottom - 8,
          { class: "halo green" }));
    }
    return [part, bottom + 40];
  }

  /* The picture for a width, and its words for who does not see it. */
  function picture(table, study, board, width, words, settled) {
    const narrow = width < 620;
    const right = narrow ? width : 300;
    const left = narrow ? width : width - right - 36;
    const [first, tall] = means(table, board, left);
    const [second, high] = variance(study, table.nouns, right);
    const [third, deep] = curve(study, table.nouns, right, settled);
    const x = narrow ? 0 : left + 36;
    const y = narrow ? tall + 24 : 0;
    second.setAttribute("transform", `translate(${x} ${y})`);
    third.setAttribute("transform", `translate(${x} ${y + high + 22})`);
    const bottom = Math.max(tall, y + high + 22 + deep);
    const svg = draw("svg", { viewBox: `0 0 ${width} ${bottom}`, width,
      height: bottom, role: "img", "aria-label": words, class: "ys-svg",
      xmlns: "http://www.w3.org/2000/svg" });
    svg.append(draw("style", {}, RULES), first, second, third);
    return svg;
  }

  /* The same to be taken away: with its colours, and a ground. */
  function standalone(svg) {
    const copy = svg.cloneNode(true);
    const has = getComputedStyle(svg);
    const known = COLORS.map((name) => `--ys-${name}:${
      has.getPropertyValue(`--ys-${name}`).trim()}`).join(";");
    const style = draw("style", {}, `.ys-svg{${known};font-family:${
      has.fontFamily.replace(/"/g, "'")}}`);
    copy.prepend(style, draw("rect", { width: "100%", height: "100%",
      fill: "var(--ys-ground)" }));
    return new XMLSerializer().serializeToString(copy);
  }

  root.scorePicture = { picture, standalone };
}(globalThis));
