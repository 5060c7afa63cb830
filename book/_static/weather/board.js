/* The board of a ranking that moves: a figure of the class `weather`, whose
 * image is the still, gets sliders, ridges, and draws of other studies. */
(function (root) {
  "use strict";

  const { draw, make } = root;
  const R = root.weatherRanks;
  const known = root.weatherKnown;
  const SHOWN = 40;  // systems on the board
  const FEW = 12;  // systems have bars and not ridges
  const EVERY = 1800;  // milliseconds from draw to draw
  const TOPICS = [5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200,
    250, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 5000, 1e4];
  const ASSESSORS = [...Array(12).keys()].map((k) => k + 1)
    .concat([15, 20, 25, 30, 40, 50]);
  const LOCK = "M1 4h6v5H1zM2.2 4V2.6a1.8 1.8 0 0 1 3.6 0V4";
  const still = root.matchMedia("(prefers-reduced-motion: reduce)");

  const whole = (n) => n.toLocaleString("en");
  const count = (n, word) => `${whole(n)} ${word}${n === 1 ? "" : "s"}`;
  const share = (x) => (x > 0.995 ? ">0.99" : x.toFixed(2));

  function slider(label, numbers) {
    const output = make("output", {});
    const input = make("input", { type: "range", min: 0,
      max: numbers.length - 1, step: 1, "aria-label": label });
    const field = make("label", {}, make("span", {}, `${label} `, output),
      input);
    const show = () => {
      const n = whole(numbers[input.value]);
      output.textContent = n;
      input.setAttribute("aria-valuetext", n);
    };
    input.addEventListener("input", show);
    return { field, input, number: () => numbers[input.value],
      put: (n) => { input.value = numbers.indexOf(n); show(); } };
  }

  function start(figure) {
    let [study, notice] = [null, ""];
    try {
      study = R.read(root.location.hash, known);
    } catch (wrong) {
      if (!(wrong instanceof RangeError)) throw wrong;
      notice = `${wrong.message} Here are our own scores instead.`;
      study = R.read("", known);
    }
    const { names, means, own } = study;
    const systems = Math.min(names.length, SHOWN);
    // Rows that a ridge is high if a rank is certain.
    const peak = names.length > FEW ? 2.6 : 0.85;
    figure.classList.add("live");
    figure.classList.toggle("own", own);
    figure.querySelector(".weather-live")?.remove();

    // ---- what stands on the page -------------------------------------------

    const with_ = (numbers, n) => [...new Set([...numbers, n])].sort(
      (a, b) => a - b);
    const topics = slider("Topics", with_(TOPICS, study.levels.topic));
    const assessors = slider(study.design === "nested"
      ? "Assessors per topic" : "Assessors",
    with_(ASSESSORS, study.levels.assessor));
    topics.put(study.levels.topic);
    assessors.put(study.levels.assessor);
    assessors.field.hidden = study.design === "single";
    const play = make("button", { type: "button" });
    const said = make("p", { role: "status" });
    const counted = make("span", {});
    const pairs = make("select", {}, ...names.map(
      (name, k) => new Option(name, k)));
    pairs.addEventListener("change", () => choose(Number(pairs.value)));
    const price = make("p", { class: "weather-price" });
    const rows = names.slice(0, systems).map((name, k) => {
      const ridge = draw("path", {});
      const first = make("span", { class: "weather-first" });
      const lock = draw("svg", { class: "weather-lock", viewBox: "0 0 8 10" },
        draw("path", { d: LOCK }));
      const row = make("div", { class: "weather-row" }, lock,
        make("span", { class: "weather-name" }, name),
        draw("svg", { class: "weather-ridge", preserveAspectRatio: "none",
          viewBox: `0 0 ${names.length} ${peak}` }, ridge), first);
      row.addEventListener("click", () => { choose(k); });
      return { row, ridge, first };
    });
    const board = make("div", { class: "weather-board", "aria-hidden": "true" }, ...rows.map(({ row }) => row));
    const table = make("tbody", {});
    const details = make("details", {}, make("summary", {},
      "The same in numbers, and what settles each pair"),
    make("div", { class: "weather-scroll", tabindex: 0, role: "region",
      "aria-label": "Ranks in numbers" }, make("table", {}, make("thead", {},
      make("tr", {}, ...["system", "mean", "first", "mean rank",
        "nine in ten ranks", "settled above the next by", "judgments"].map(
        (text) => make("th", { scope: "col" }, text)))), table)));
    const live = make("div", { class: "weather-live",
      style: `--rows: ${systems}; --peak: ${peak}` },
      make("div", { class: "weather-side" },
        make("p", { class: "weather-title" }, own
          ? `${count(names.length, "system")} from the address of this page`
          : `${known.title}: ${count(names.length, "system")}`),
        ...(notice ? [make("p", { class: "weather-notice" }, notice)] : []),
        make("div", { class: "weather-sliders" }, topics.field,
          assessors.field), said,
        make("p", { class: "weather-count" }, play, " ", counted),
        make("label", {}, "Locks: pairs with ", pairs), price),
      make("div", { class: "weather-rows" }, make("div", {
        class: "weather-head",
        "aria-hidden": "true" }, make("span", {}, "rank 1"),
      make("span", {}, whole(names.length)), make("span", {}, "first")),
      board, ...(systems < names.length ? [make("p", {},
        `The first ${systems} of ${whole(names.length)} systems.`)] : [])),
      details);
    figure.prepend(live);

    // ---- what the sliders change -------------------------------------------

    let [model, shares, chosen, drawn, held] = [null, [], 0, 0, 0];
    let [waiting, asked] = [0, 0];
    const levels = () => ({ topic: topics.number(),
      assessor: assessors.number() });

    function change() {
      model = R.model(study, levels());
      shares = rows.map((_, k) => R.rankShares(model, k));
      rows.forEach(({ ridge, first }, k) => {
        ridge.setAttribute("d", pathOf(shares[k]));
        const text = shares[k][0] >= 0.005 ? share(shares[k][0]) : "";
        if (first.textContent !== text) first.textContent = text;
      });
      [drawn, held] = [0, 0];
      showCount();
      showLocks();
      // What takes longer, and what is heard, waits until it is quiet.
      root.clearTimeout(waiting);
      waiting = root.setTimeout(() => {
        say();
        showPrices();
        fillTable();
      }, 150);
    }

    /* A ridge is drawn over the ranks that a system ever has: a line, or
     * steps where there are few. */
    function pathOf(of) {
      const ever = [...of.keys()].filter((k) => of[k] >= 0.002);
      const [low, high] = [ever[0], ever.at(-1)];
      const line = Array.from(of.slice(low, high + 1), (p, k) => {
        const y = (peak * (1 - p)).toFixed(3);
        return names.length > FEW
          ? `${low + k + 0.5} ${y}`
          : `${low + k} ${y}L${low + k + 1} ${y}`;
      });
      return `M${low} ${peak}L${line.join("L")}L${high + 1} ${peak}`;
    }

    const settled = (k) => k !== chosen && R.above(model,
      Math.min(k, chosen), Math.max(k, chosen)) >= R.SETTLED;

    function showLocks() {
      rows.forEach(({ row }, k) => {
        row.classList.toggle("chosen", k === chosen);
        row.classList.toggle("settled", settled(k));
      });
    }

    const named = (design) => [count(design.topic, "topic"),
      study.design === "single" ? "" : count(design.assessor, "assessor") +
        (study.design === "nested" ? " per topic" : "")]
      .filter(Boolean).join(" and ");
    const judgments = ({ topic, assessor }) => whole(topic * assessor);

    /* What settles the chosen system and those that are open: the cheapest
     * pair, and the dearest. */
    function showPrices() {
      const prices = [...names.keys()].filter(
        (k) => k !== chosen && !settled(k)).map((k) => {
        const [i, j] = [chosen, k].sort((a, b) => a - b);
        const found = R.settles(study, i, j);
        return { i, j, found,
          of: found ? found.topic * found.assessor : Infinity };
      }).sort((a, b) => a.of - b.of);
      const words = ({ i, j, found }) => `${names[i]} above ${names[j]} ` +
        (found ? `with ${named(found)} (${judgments(found)} judgments)`
          : "not with a million judgments");
      price.textContent = !prices.length
        ? `${names[chosen]} is settled against every other system.`
        : `Next to settle: ${words(prices[0])}.${prices.length > 1
          ? ` Last: ${words(prices.at(-1))}.` : ""}`;
    }

    function say() {
      const all = [...names.keys()];
      const neighbours = all.slice(1).filter(
        (k) => R.above(model, k - 1, k) >= R.SETTLED);
      said.textContent = `${named(levels())}, ${
        judgments(levels())} judgments: ${names[0]} is still first in ${
        share(shares[0][0])} of other studies. Settled: ${
        all.filter(settled).length} of ${names.length - 1} pairs with ${
        names[chosen]}, ${neighbours.length} of ${
        names.length - 1} pairs of neighbours.`;
    }

    function fillTable() {
      if (!details.open) return;
      table.replaceChildren(...rows.map((_, k) => {
        const [low, high] = [0.05, 0.95].map((p) => {
          let [rank, sum] = [0, shares[k][0]];
          while (sum < p && rank < names.length - 1) {
            rank += 1;
            sum += shares[k][rank];
          }
          return rank + 1;
        });
        const last = k + 1 === names.length;
        const found = last ? null : R.settles(study, k, k + 1);
        return make("tr", {}, make("th", { scope: "row" }, names[k]),
          ...[means[k].toFixed(3), share(shares[k][0]),
            R.expectedRank(model, k).toFixed(1), `${low} to ${high}`,
            found ? named(found) : last ? "" : "no design below",
            found ? judgments(found) : last ? "" : "1,000,000"].map(
            (text) => make("td", {}, text)));
      }));
    }

    function choose(k) {
      chosen = k;
      pairs.value = k;
      showLocks();
      say();
      showPrices();
    }

    // ---- other studies -----------------------------------------------------

    /* Rows stand where a draw puts them; among the shown ones only. */
    function place(ranks) {
      const order = [...rows.keys()].sort((a, b) => ranks[a] - ranks[b]);
      order.forEach((k, at) => {
        rows[k].row.style.transform = `translateY(calc(${at} * var(--pitch)))`;
      });
    }

    function showCount() {
      counted.textContent = drawn ? `${names[0]} is still first in ${
        whole(held)} of ${count(drawn, "study").replace("studys", "studies")
      } drawn here.` : "";
    }

    function another() {
      const ranks = R.draw(model);
      place(ranks);
      drawn += 1;
      held += ranks[0] === 0;
      showCount();
    }

    let timer = null;
    let seen = true;
    let playing = !still.matches;
    function tell() {
      play.textContent = playing ? "Stop" : still.matches
        ? "Draw another study" : "Go on";
    }
    function tick() {
      root.clearInterval(timer);
      timer = playing && seen && !document.hidden
        ? root.setInterval(another, EVERY) : null;
    }
    play.addEventListener("click", () => {
      if (still.matches) {
        another();
      } else {
        playing = !playing;
        if (!playing) place([...names.keys()]);
        tell();
        tick();
      }
    });
    const watcher = new IntersectionObserver(([entry]) => {
      seen = entry.isIntersecting;
      tick();
    });
    watcher.observe(board);
    document.addEventListener("visibilitychange", tick);
    const rest = () => place([...names.keys()]);
    root.addEventListener("beforeprint", rest);

    for (const { input } of [topics, assessors]) {
      input.addEventListener("input", () => {
        // Twenty times a second is enough, and leaves time to move.
        asked = asked || root.setTimeout(() => {
          asked = 0;
          change();
        }, 50);
        study.levels = levels();
        const hash = own ? R.address(study)
          : `#topics=${levels().topic}&assessors=${levels().assessor}`;
        root.clearTimeout(start.address);
        start.address = root.setTimeout(() => root.history.replaceState(
          null, "", hash), 250);
      });
    }
    details.addEventListener("toggle", fillTable);
    rest();
    tell();
    change();
    tick();
    return () => {  // before another study takes its place
      playing = false;
      tick();
      watcher.disconnect();
      document.removeEventListener("visibilitychange", tick);
      root.removeEventListener("beforeprint", rest);
    };
  }

  for (const figure of document.querySelectorAll("figure.weather")) {
    let stop = start(figure);
    root.addEventListener("hashchange", () => {
      if (!/[#&](means|topics)=/.test(root.location.hash)) return;
      stop();
      stop = start(figure);
    });
  }
}(globalThis));
