"use strict";

// Figures that a reader can move. What moves is laid over an image that is
// there without this script. Beside it stands an element with data, which
// book/_ext/interactive.py writes; places are in the image's own units.
// A slide needs the figure, this file at its end, and the style sheet.
{
  const KINDS = { draws, plan, rectangles, worst };
  const READ = '<p class="said" role="status"></p>';

  for (const root of document.querySelectorAll(".interactive")) {
    const known = JSON.parse(root.dataset.known);
    const [width, height] = known.size;
    const image = root.parentElement.querySelector("img");
    image.classList.add("still");
    root.innerHTML = `<div class="stage" style="--shape: ${width / height}">
      <svg viewBox="0 0 ${width} ${height}" aria-hidden="true"></svg></div>`;
    root.firstChild.prepend(image);
    root.dataset.preventSwipe = "";
    root.addEventListener("keydown", (event) => {  // else slides would turn
      const mine = event.target.type === "range" ? /^(Arrow|Page|Home|End)/
        : /^ $/;
      if (mine.test(event.key)) event.stopPropagation();
    });
    root.addEventListener("click", (event) => {  // and the keys turn slides
      if (event.detail && root.closest(".reveal")) event.target.blur();
    });
    KINDS[root.dataset.kind](root, root.querySelector("svg"), known);
  }

  // Two sets of topics: where each system lies, and who wins on each set.
  function draws(root, over, { panels, systems, sizes, draws }) {
    over.innerHTML = panels.map((panel) => `${frame(panel)}${ground(panel)}
      <path class="diagonal" d="M${at(panel, 0, 0)}L${at(panel, 9, 9)}"/>
      ${'<circle class="system" r="2.6"/>'.repeat(systems.length)}
      <g class="one"><path d="M0 0V999"/><circle r="3.5"/></g>
      <g class="other"><path d="M0 0H-999"/><circle r="5"/></g>
      </svg>`).join("");
    const [button, said] = below(root, `<button type="button">Draw other
      topics</button><div class="said columns" role="status"></div>`);
    let now = -1;
    button.addEventListener("click", show);
    show();

    function show() {
      now = (now + 1) % draws.length;
      said.innerHTML = panels.map((panel, k) => {
        const { means: [one, other], best, tau } = draws[now][k];
        const place = (system) => at(panel, one[system], other[system]);
        const drawn = (shapes) => over.children[k].querySelectorAll(shapes);
        drawn(".system").forEach((dot, s) => move(dot, place(s)));
        drawn("g").forEach((mark, w) => move(mark, place(best[w])));
        const same = draws.slice(0, now + 1)
          .filter(({ [k]: { best: [a, b] } }) => a === b).length;
        return `<p>${data("size", sizes[k], `${sizes[k]} topics a set`)}<br>
          One set's winner: ${data("one", best[0], systems[best[0]])}<br>
          The other's: ${data("other", best[1], systems[best[1]])}<br>
          tau ${data("tau", tau)}<br>
          Same winner in ${data("same", same, same)} of ${now + 1}
          draw${now ? "s" : ""}</p>`;
      }).join("");
    }
  }

  // Topics and assessors: what a plan is worth, what its error is made of.
  function plan(root, over, known) {
    const { panels: [panel], variance, topics, assessors, best } = known;
    over.innerHTML = `${frame(panel)}<path class="cost"/></svg>
      <path class="best" d="${best ? "M0 -6L6 0L0 6L-6 0Z" : ""}"/>
      <g class="grip"><circle class="reach" r="20"/><circle r="6"/>
      <text y="-10"/></g>`;
    const [cost, diamond, grip, label] = ["path", ".best", ".grip", "text"]
      .map((shape) => over.querySelector(shape));
    const n = slider(root, "Topics", topics, known.start[0], show);
    const m = slider(root, "Assessors", assessors, known.start[1], show);
    const [bar, said] = below(root, `<div class="bar"></div>${READ}`);
    drag(over, grip, (x, y) => {
      n.value = nearest(topics, (n) => at(panel, n, 1)[0] - x);
      m.value = nearest(assessors, (m) => at(panel, 1, m)[1] - y);
      show();
    });
    show();

    function worth(n, m) {
      const { universe: { "": system }, relative, absolute } = variance;
      const [order, level] = [relative, absolute].map((error) => [
        error.topic / n, error.assessor / m,
        error["topic assessor"] / (n * m)]);
      const error = order.map((part, k) => part + level[k]);
      const share = (parts) =>
        system / parts.reduce((sum, part) => sum + part, system);
      return { n, m, generalizability: share(order),
        dependability: share(error),
        parts: [system, ...error].map((part) => part / system * share(error)) };
    }

    function show() {
      const { parts, ...now } = worth(n.shown(), m.shown());
      const cells = now.n * now.m;
      const [x, y] = at(panel, now.n, now.m);
      const late = x > 0.3 * panel.box[0] + 0.7 * panel.box[1];
      move(grip, [x, y]);
      label.textContent =
        `${now.n} × ${now.m}: ${short(now.dependability, 2)}`;
      label.setAttribute("text-anchor", late ? "end" : "start");
      cost.setAttribute("d", `M${at(panel, 1, cells)}L${at(panel, cells, 1)}`);
      const names = ["system", "topic", "assessor", "both"];
      bar.innerHTML = names.map((name, k) => `<i style="flex-grow: ${parts[k]};
        background: var(--${name})"></i>`).join("");
      const [truth, t, a, both] = names.map((name, k) =>
        data(name, parts[k], `${(100 * parts[k]).toFixed(0)}%`));
      said.innerHTML = `${now.n} topics × ${now.m}
        assessor${now.m > 1 ? "s" : ""}: ${cells} judgments. Dependability
        ${data("dependability", now.dependability)}, generalizability
        ${data("generalizability", now.generalizability)}. Of the variance of
        a system's mean ${truth} is true. The rest is error: ${t} that more
        topics reduce, ${a} that more assessors reduce, ${both} that either
        does.`;
      if (!best) return;
      let most = now;
      for (let m = 1; m <= cells; m++) {
        const other = worth(Math.floor(cells / m), m);
        if (other.dependability > most.dependability) most = other;
      }
      move(diamond, at(panel, most.n, most.m));
      said.innerHTML += ` The best for as many judgments is ${most.n} ×
        ${most.m}, with ${data("most", most.dependability)}.`;
    }
  }

  // A curtain over the worst systems, and the alpha of those that stay.
  function worst(root, over, { panels, systems, alphas }) {
    const [left, , top] = panels[0].box;
    const panel = panels.at(-1);
    const bottom = panel.box[3];
    const down = `M0 ${top}V${bottom}`;
    over.innerHTML = `<rect class="curtain" x="${left}" y="${top}"
      height="${bottom - top}"/><g class="grip"><path class="edge"
      d="${down}"/><path class="reach" d="${down}"/></g>
      <g class="alpha"><circle r="5"/><text x="9" y="-7"/></g>`;
    const [curtain, grip, dot] = over.children;
    const counts = [...alphas.keys()];
    const gone = slider(root, "Systems taken away", counts, 0, show);
    const [said] = below(root, READ);
    drag(over, grip, (x) => {
      gone.value = nearest(counts, (k) => at(panel, k, 0)[0] - x);
      show();
    });
    show();

    function show() {
      const k = gone.shown();
      const [alpha, low, high] = alphas[k];
      const place = at(panel, k, alpha);
      curtain.setAttribute("width", Math.max(place[0] - left, 0));
      move(grip, [place[0], 0]);
      move(dot, place);
      dot.lastChild.textContent = short(alpha);
      const who = k ? `Without the ${k > 1 ? k : ""} worst of` : "With all";
      said.innerHTML = `${who} ${systems.length} systems alpha is
        ${data("generalizability", alpha)} (95% interval ${data("low", low)}
        to ${data("high", high)}).`;
      if (k) said.append(` The last to go was ${systems[k - 1]}.`);
    }
  }

  // Rectangles that move from stop to stop: gtlib has said all there is.
  function rectangles(root, over, { panels, tones, sliders, words, stops }) {
    const [first] = stops[0];
    over.innerHTML = panels.map((panel, k) => `${frame(panel)}${ground(panel)}
      ${'<rect class="mark" width="1" height="1"/>'.repeat(first[k][0].length)}
      <g></g></svg>`).join("");
    const ranges = sliders.map(([[name, values], start]) =>
      slider(root, name, values, start, show));
    const [said] = below(root, READ);
    show();

    function show() {
      const stop = ranges.reduce((sum, range) =>
        sum * (Number(range.max) + 1) + Number(range.value), 0);
      ranges.forEach((range) => range.shown());
      const [drawn, which, values] = stops[stop];
      drawn.forEach(([marks, letters, texts], k) => {
        const { box: [left, right, top, bottom] } = panels[k];
        const [across, down] = [right - left, bottom - top];
        const place = (x, y) => [left + x * across, top + y * down];
        over.children[k].querySelectorAll(".mark").forEach((mark, m) => {
          const [x, y, wide, high] = (marks ?? first[k][0])[m];
          const tone = tones[letters[m].toLowerCase()];
          mark.style.color = `var(--${tone})`;
          mark.classList.toggle("hollow", letters[m] < "a");
          move(mark, place(x, y));
          mark.style.transform += ` scale(${wide * across}, ${high * down})`;
        });
        over.children[k].lastElementChild.innerHTML = texts.map(
          ([x, y, text]) => `<text x="${left + x * across}"
            y="${top + y * down}">${text}</text>`).join("");
      });
      said.innerHTML = words[which].replace(/{(\w+):?(\w*)}/g, (_, name, tone) =>
        data(name, values[name], undefined, tone));
    }
  }

  // What is drawn into it ends where the axes of the image end.
  function frame({ box: [left, right, top, bottom] }) {
    const size = `width="${right - left}" height="${bottom - top}"`;
    return `<svg x="${left}" y="${top}" ${size}
      viewBox="${left} ${top} ${right - left} ${bottom - top}">`;
  }

  // It covers what the image has there.
  function ground({ box: [left, , top] }) {
    return `<rect class="ground" x="${left}" y="${top}" width="100%"
      height="100%"/>`;
  }

  function at({ x, y }, across, up) {
    const place = ([start, step, log], value) =>
      start + step * (log ? Math.log(value) : value);
    return [place(x, across), place(y, up)];
  }

  function move(shape, [x, y]) {
    shape.style.transform = `translate(${x}px, ${y}px)`;
  }

  // A finger drags the grip alone: elsewhere it scrolls the page.
  function drag(over, grip, moved) {
    const follow = (event) => {
      const box = over.getBoundingClientRect();
      const unit = over.viewBox.baseVal.width / box.width;
      moved((event.clientX - box.x) * unit, (event.clientY - box.y) * unit);
    };
    let held = null;  // a finger is captured wherever it comes down
    over.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" && !grip.contains(event.target)) return;
      held = event.pointerId;
      over.setPointerCapture(held);
    });
    over.addEventListener("pointermove", (event) => {
      if (event.pointerId === held) follow(event);
    });
    over.addEventListener("lostpointercapture", () => { held = null; });
    grip.addEventListener("touchstart", (event) => {
      if (event.cancelable) event.preventDefault();  // no scroll goes on
    }, { passive: false });
    over.addEventListener("click", follow);
  }

  function nearest(values, distance) {
    const far = values.map((value) => Math.abs(distance(value)));
    return far.indexOf(Math.min(...far));
  }

  // A range over some values; `shown` gives the one that it stands at.
  function slider(root, name, values, start, told) {
    const [label] = below(root, `<label>${name} <input type="range"
      name="${name.toLowerCase()}" max="${values.length - 1}"
      value="${values.indexOf(start)}"></label>`);
    const range = label.lastChild;
    range.shown = () => {
      range.setAttribute("aria-valuetext", values[range.value]);
      return values[range.value];
    };
    range.addEventListener("input", told);
    return range;
  }

  function below(root, html) {
    const before = root.children.length;
    root.insertAdjacentHTML("beforeend", html);
    return [...root.children].slice(before);
  }

  function data(name, value, text = short(value), tone = name) {
    return `<data class="${name}" value="${value}"
      style="color: var(--${tone}, inherit)">${text}</data>`;
  }

  function short(value, digits = 3) {
    if (Number.isInteger(value) || !value.toFixed) return value;
    return value.toFixed(digits).replace("-", "−");
  }
}
