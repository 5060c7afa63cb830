/* A place to drop a table of scores, and what is answered to it. Nothing is
 * sent anywhere. Each element of the class your-scores becomes one. */
(function (root) {
  "use strict";

  const { make } = root;
  const { Question, Refused, read } = root.scoreReader;
  const { leaderboard, numberFor, study, TARGET } = root.plannerStudy;
  const { count, verdict } = root.scoreVerdict;
  const { picture, standalone } = root.scorePicture;
  const HERE = document.currentScript.src;
  const ROLES = ["", "system", "topic", "assessor", "score"];
  // By the headings of the page that chapters link to
  const ASKED = { best: "Which system is the best?",
    order: "Can the order be trusted?",
    next: "What should you pay for next?",
    variance: "Where does the variance of a score come from?" };
  const asked = root.location.hash.slice(1);
  const OTHER_KINDS = /\.(xlsx?|ods|jsonl?|parquet|gz|zip|eval|txt)$/i;

  const button = (said, act) => make("button", { type: "button", click: act },
    said);
  const quoted = (name) => (/^[\w.+-]+$/.test(name) ? name
    : `'${name.replace(/'/g, "'\\''")}'`);
  const places = (x) => (x === undefined || Number.isNaN(x) ? "" : x);

  function take(name, content, type) {
    const blob = content instanceof Blob ? content
      : new Blob([content], { type });
    const link = make("a", { href: URL.createObjectURL(blob),
      download: name });
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function begin(place) {
    let source = { name: "scores.csv", text: "" };
    let shown = null;
    const file = make("input", { type: "file", class: "ys-file",
      "aria-label": "A file of scores",
      accept: ".csv,.tsv,.txt,text/csv,text/tab-separated-values",
      change: () => file.files[0] && open(file.files[0]) });
    const area = make("textarea", { rows: 4, wrap: "off",
      spellcheck: "false", "aria-label": "A table of scores, pasted",
      input: () => area.value.trim() &&
        start("pasted.csv", area.value, {}, 250) });
    const zone = make("div", { class: "ys-zone" },
      make("p", { class: "ys-invite" }, make("strong", {},
        "Drop a table of scores."), " It stays in your browser."),
      make("p", { class: "ys-ways" },
        make("label", { class: "ys-button" }, file, "Choose a file"),
        button("Use our example", example)),
      make("details", { class: "ys-paste" },
        make("summary", {}, "or paste it"), area));
    const status = make("p", { class: "ys-status", role: "status" });
    const body = make("div", { class: "ys-body" });
    place.replaceChildren(zone, status, body);
    if (ASKED[asked]) {
      status.textContent = `Your chapter asks: ${ASKED[asked]}`;
      root.addEventListener("load", () => place.scrollIntoView());
    }

    for (const kind of ["dragover", "dragenter", "dragleave", "drop"]) {
      zone.addEventListener(kind, (event) => {
        event.preventDefault();
        zone.classList.toggle("ys-over", kind.startsWith("drago") ||
          kind === "dragenter");
        if (kind !== "drop") return;
        const [dropped] = event.dataTransfer.files;
        if (dropped) open(dropped);
        else start("dropped.csv", event.dataTransfer.getData("text"));
      });
    }

    async function open(chosen) {
      file.value = "";
      if (OTHER_KINDS.test(chosen.name) && !/\.txt$/i.test(chosen.name)) {
        source = { name: chosen.name, text: "" };
        return refuse("This page reads CSV and TSV.", true);
      }
      return start(chosen.name, await chosen.text());
    }

    /* Ours is a script, since a page of files can read no other file. */
    function example() {
      const go = () => start("our example", root.scoresExample);
      if (root.scoresExample) return go();
      const script = make("script", { src: new URL("example.js", HERE),
        load: go });
      return document.head.append(script);
    }

    /* Once that is seen, and nobody types any more. */
    let waiting = 0;
    function start(name, text, told = {}, milliseconds = 30) {
      source = { name, text };
      status.textContent = "Reading…";
      body.replaceChildren();
      window.clearTimeout(waiting);
      waiting = window.setTimeout(() => answer(told), milliseconds);
    }

    function refuse(what, command, allow) {
      const more = allow ? ` --allow ${allow}` : "";
      status.textContent = command ? `${what} The command reads such tables:`
        : what;
      body.replaceChildren(...(command ? [make("pre", { class: "ys-line",
        tabindex: 0 }, make("code", {},
        `gtlib audit ${quoted(source.name)}${more}`))] : []));
    }

    /* A question: a button for each answer. */
    function ask(what, ways, told) {
      status.textContent = `${what} ${ways.length > 1
        ? "Choose what is right." : ""}`;
      body.replaceChildren(make("p", { class: "ys-ways" }, ...ways.map(
        (way) => button(wordsOf(way), () => start(source.name, source.text,
          { ...told, ...way })))));
      body.querySelector("button")?.focus();
    }

    function wordsOf(way) {
      if (way.rows) return `Rows are ${way.rows}s`;
      if (way.measure) return way.measure;
      const pairs = Object.entries(way);
      if (pairs.length === 1 && pairs[0][1] === "score") return pairs[0][0];
      return pairs.map(([name, role]) => (name === role ? name
        : `${name || "first column"} = ${role}`)).join(", ");
    }

    function answer(told) {
      try {
        const table = read(source.text, told);
        const found = study(table.design, table.n, table.scores);
        show({ table, found, board: leaderboard(found) });
      } catch (error) {
        shown = null;
        if (error instanceof Question) ask(error.message, error.ways, told);
        else if (error instanceof Refused) {
          refuse(error.message, error.command, error.allow);
        } else throw error;
      }
    }

    function show({ table, found, board }) {
      const { answers, next } = verdict(table, found, board);
      const sizes = table.nouns.map((noun, k) => count(k < 2 ||
        table.design !== "nested" ? table.names[k].length : table.n[2], noun));
      const readAs = `Read as ${sizes.join(" × ")}${
        table.design === "nested" ? ` of each ${table.nouns[1]}` : ""}.`;
      status.textContent = readAs;
      const lines = make("dl", { class: "ys-lines" });
      for (const { question, answer: word, said } of answers) {
        lines.append(make("dt", {}, question), make("dd", {},
          make("strong", { class: `ys-${word.split(" ")[0].toLowerCase()}` },
            word), `: ${said}.`));
      }
      lines.append(make("dt", {}, "Next:"), make("dd", {}, `${next}.`));
      const words = `${readAs} ${lines.textContent}`;
      const figure = make("figure", { class: "ys-picture" });
      const order = answers[1]?.remedy;
      shown = { table, found, board, words, figure,
        settled: order?.facet === "topic" && table.n[1] + order.levels };
      body.replaceChildren(roles(table), lines, figure, results());
      redraw();
      const terms = [...lines.querySelectorAll("dt")];
      const answer = { best: terms[0], order: answers[1] && terms[1],
        next: terms[answers.length], variance: figure }[asked];
      answer?.classList.add("ys-asked");
      answer?.nextElementSibling.scrollIntoView({ block: "nearest" });
    }

    function redraw() {
      if (!shown) return;
      const width = Math.round(Math.min(Math.max(shown.figure.clientWidth,
        300), 900));
      if (shown.width === width) return;
      shown.width = width;
      shown.figure.replaceChildren(picture(shown.table, shown.found,
        shown.board, width, shown.words, shown.settled));
    }
    new ResizeObserver(redraw).observe(body);

    /* What the columns were taken for, and how to say otherwise. */
    function roles({ roles: known, leftOut, told }) {
      const named = known.map(([name, role]) => (name === role ? name
        : `${name} = ${role}`)).join(", ");
      const part = make("details", { class: "ys-roles" }, make("summary", {},
        `${named}${leftOut.length ? `; left out: ${
          leftOut.slice(0, 6).join(", ")}${leftOut.length > 6 ? "…" : ""}`
          : ""}`));
      const across = known.find(([name]) => name === "columns");
      if (across) {
        const other = across[1] === "system" ? "system" : "topic";
        part.append(make("p", { class: "ys-ways" }, button(
          `Rows are ${other}s`, () => start(source.name, source.text,
            { ...told, rows: other,
              columns: other === "system" ? "topic" : "system" }))));
        return part;
      }
      const current = Object.fromEntries(known);
      const columns = [...known.map(([name]) => name),
        ...leftOut.filter((name) => !name.startsWith("the rows of "))];
      const chosen = columns.map((name) => {
        const select = make("select", {}, ...ROLES.map((role) => make(
          "option", { value: role }, role || "left out")));
        select.value = current[name] || "";
        return [name, select];
      });
      part.append(make("p", { class: "ys-ways" }, ...chosen.map(
        ([name, select]) => make("label", {}, `${name} `, select)),
      button("Read it so", () => start(source.name, source.text,
        Object.fromEntries(chosen.map(([name, { value }]) => [name, value])
          .filter(([, role]) => role))))));
      return part;
    }

    // ---- to be taken away -------------------------------------------------

    const stem = () => source.name.replace(/\.\w+$/, "").replace(/\W+/g, "-");

    function results() {
      const copied = make("span", { role: "status" });
      const link = make("a", { href: planner() }, "Open in the planner");
      const copy = button("Copy a link", () => {});
      // By what the book's copy buttons use
      new root.ClipboardJS(copy, { text: () => link.href })
        .on("success", () => {
          copy.focus();
          copied.textContent = "Copied: it holds components and mean squares, no scores.";
        });
      return make("p", { class: "ys-ways ys-results" }, link,
        make("a", { href: weather() }, "Ranks with other topics"), copy, button("CSV", () => take(`${stem()}-results.csv`, numbers(),
          "text/csv")),
        button("SVG", () => take(`${stem()}.svg`, svg(), "image/svg+xml")),
        button("PNG", png), copied);
    }

    /* The planner, with these components and this plan, and with the mean
     * squares that intervals stand on. */
    function planner() {
      const { found, table } = shown;
      const plan = new URLSearchParams({ source: "components",
        study: table.design, shape: table.design, topics: table.n[1],
        assessors: table.n[2] });
      found.components.forEach((x, k) => plan.set(`c${k}`, x));
      if (found.limits) {
        plan.set("from", [table.n, found.squares, found.limits.r].map(
          (numbers) => numbers.join(" ")).join("_"));
      }
      return new URL(`../../book/planner.html#${plan}`, HERE).href;
    }

    /* The weather of this ranking, with names and means. */
    function weather() {
      const { found, table, board } = shown;
      const address = root.weatherRanks.address({ design: table.design,
        names: board.rows.map(({ system }) => table.names[0][system]),
        means: board.rows.map(({ mean }) => mean),
        components: found.components,
        levels: { topic: table.n[1], assessor: table.n[2] } });
      return new URL(`../../book/weather.html${address}`, HERE).href;
    }

    function numbers() {
      const { table, found, board } = shown;
      const rows = [["what", "name", "estimate", "low", "high", "note"]];
      for (const row of board.rows) {
        rows.push(["mean", table.names[0][row.system], row.mean, row.low,
          row.high, row.mayBeBest ? "may be best" : ""]);
      }
      found.components.forEach((x, k) => rows.push(["variance component",
        found.design.labels[k], x]));
      const limits = found.limits?.interval(found.levels);
      for (const name of ["generalizability", "dependability"]) {
        rows.push(["coefficient", name, found.now[name],
          ...(limits ? limits[name] : [])]);
        const { estimate, low, high } = numberFor(found, "topic", TARGET,
          name);
        rows.push(["number of topics", `${name} ${TARGET}`, estimate, low,
          high]);
      }
      return rows.map((row) => row.map((field) => {
        const text = String(places(field));
        return /[",\n]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"`
          : text;
      }).join(",")).join("\n").concat("\n");
    }

    const svg = () => standalone(shown.figure.querySelector("svg"));

    function png() {
      const image = new Image();
      image.addEventListener("load", () => {
        const canvas = make("canvas", { width: 2 * image.width,
          height: 2 * image.height });
        const context = canvas.getContext("2d");
        context.scale(2, 2);
        context.drawImage(image, 0, 0);
        canvas.toBlob((blob) => take(`${stem()}.png`, blob));
      });
      image.src = `data:image/svg+xml,${encodeURIComponent(svg())}`;
    }
  }

  document.querySelectorAll(".your-scores").forEach(begin);
}(globalThis));
