/* A table of scores as text: what its columns are, and its scores by system,
 * topic and assessor. No page is needed.
 *
 * It reads as gtaudit/{structure,columns,arrange}.py do, which say why; what
 * they would ask is asked here, and what is rarer is left to the command. */
(function (root) {
  "use strict";

  const W = root.scoreWords;
  const { product } = root.plannerArithmetic;
  const ROLES = ["system", "topic", "assessor"];
  const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
  const GROUPED = /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
  const TIME = new RegExp("^(\\d{4}-\\d\\d(-\\d\\d)?([ T]\\d\\d:\\d\\d.*)?" +
    "|\\d\\d?[:.]\\d\\d[:.]\\d\\d(\\.\\d+)?|\\d\\d?[./]\\d\\d?[./]\\d{2,4}.*)$");
  const MISSING = new Set(["", "na", "n/a", "nan", "null", "none", "-", "–",
    "—", "#n/a", "<na>", "?", "n.a."]);
  const WORDS = new Map([["p", 0.5], ...("true pass passed yes correct c " +
    "resolved success ✓ ✔ ✅ y").split(" ").map((word) => [word, 1]),
  ...("false fail failed no incorrect unresolved failure ✗ ✘ ❌ n i")
    .split(" ").map((word) => [word, 0])]);
  // As in gtaudit/columns.py and structure.py
  const [UNNAMED, BY_VALUES, NEVER] = [4, 1, 12];
  const [MANY_PEOPLE, SENTENCE, MANY_ROWS, SHORTER] = [9, 3, 16, 10];
  const [CLEAR, CLEAR_NAMED, MANY, NEARLY, MISTAKES] = [2, 1, 60, 0.5, 0.1];
  const [MOST_SCORES, MOST_SYSTEMS, ENOUGH_SEEN] = [1e6, 1000, 1e5];
  const [SMALLEST, LARGEST] = [1e-60, 1e60];

  /* Why a table is not read here; `command` if gtlib audit does it. */
  class Refused extends Error {
    constructor(what, command = false) {
      super(what);
      this.command = command;
    }
  }
  /* A question, with the answers that there are: what is said by each. */
  class Question extends Error {
    constructor(what, ways) {
      super(what);
      this.ways = ways;
    }
  }
  const refuse = (what) => { throw new Refused(what); };
  const leave = (what) => { throw new Refused(what, true); };
  const count = (n, word) => `${n.toLocaleString("en")} ${word}${
    n === 1 ? "" : "s"}`;
  const list = (columns) => columns.map((c) => c.name || "the first column")
    .join(", ");

  // ---- text into columns ------------------------------------------------

  const [NEWLINE, QUOTE, SPACE] = [..."\n\" "].map((x) => x.charCodeAt(0));

  /* Each row of a text that is not blank, as where its fields begin and end:
   * act(starts, ends, fields). A mark between quotes is part of a field. */
  function eachRow(letters, mark, act) {
    const sign = mark.charCodeAt(0);
    const [starts, ends] = [[0], []];
    let [fields, quoted, opened] = [0, false, false];
    let [blank, allBlank] = [true, true];  // the field, the row
    for (let k = 0; k <= letters.length; k += 1) {
      const c = k < letters.length ? letters[k] : NEWLINE;
      if (c !== sign && c !== NEWLINE) {
        if (c === QUOTE && (blank || opened)) {
          quoted = !quoted;
          opened = true;
        }
        if (c > SPACE) blank = false;
      } else if (quoted && k === letters.length) {
        refuse("A quote is opened in the table and never closed.");
      } else if (!quoted) {
        ends[fields] = k;
        fields += 1;
        allBlank &&= blank;
        if (c === NEWLINE) {
          if (!allBlank) act(starts, ends, fields);
          [fields, allBlank] = [0, true];
        }
        starts[fields] = k + 1;
        [blank, opened] = [true, false];
      }
    }
  }

  const unquoted = (field) => field.replace(/^\s*"((?:[^"]|"")*)"(.*)$/s,
    (_, inner, rest) => inner.replaceAll("\"\"", "\"") + rest);

  /* A number for each different field of each column, in the order in which
   * they come. No string is made of a field to look it up. */
  function numbering(letters, width) {
    const [columns, starts, ends, codes] = [[], [], [], []];
    const different = new Int32Array(width);
    let slots = new Int32Array(2 ** 12);  // one more than a place in these
    function hashOf(column, start, end) {
      let hash = column;
      for (let k = start; k < end; k += 1) {
        hash = Math.imul(hash ^ letters[k], 0x5bd1e995);
        hash ^= hash >>> 15;
      }
      return hash;
    }
    function isSame(one, other, size) {
      for (let k = 0; k < size; k += 1) {
        if (letters[one + k] !== letters[other + k]) return false;
      }
      return true;
    }
    /* The slot of a field, empty if it is new. */
    function slotOf(column, start, end) {
      let at = hashOf(column, start, end) & (slots.length - 1);
      while (slots[at]) {
        const k = slots[at] - 1;
        if (columns[k] === column && ends[k] - starts[k] === end - start &&
            isSame(starts[k], start, end - start)) break;
        at = (at + 1) & (slots.length - 1);
      }
      return at;
    }
    function codeOf(column, start, end) {
      const at = slotOf(column, start, end);
      if (slots[at]) return codes[slots[at] - 1];
      const code = different[column];
      different[column] += 1;
      starts.push(start);
      ends.push(end);
      codes.push(code);
      slots[at] = columns.push(column);
      if (2 * columns.length > slots.length) {
        slots = new Int32Array(2 * slots.length);
        columns.forEach((one, k) => {
          slots[slotOf(one, starts[k], ends[k])] = k + 1;
        });
      }
      return code;
    }
    /* The different fields of each column. */
    function fields(text) {
      const values = Array.from(different, () => []);
      columns.forEach((column, k) => {
        values[column].push(text.slice(starts[k], ends[k]));
      });
      return values;
    }
    return { codeOf, fields };
  }

  /* A column without quotes around its fields. */
  function merged({ name, codes, values }) {
    if (!values.some((value) => value.includes("\""))) {
      return { name, codes, values };
    }
    const known = new Map();
    const own = values.map(unquoted).map((value) => known.get(value) ??
      known.set(value, known.size).get(value));
    return { name, codes: codes.map((code) => own[code]),
      values: [...known.keys()] };
  }

  /* The names of the columns, and the rows of fields below them. */
  function fieldsOf(whole) {
    let lines = whole.replace(/^\ufeff/, "").trimStart();
    if (lines.includes("\r")) lines = lines.replace(/\r\n?/g, "\n");
    const top = lines.slice(0, 2 ** 16).split("\n").slice(0, 20)
      .map((line) => line.split(/[,\t;]/));
    const wide = Math.max(...top.map((parts) => parts.length));
    for (const parts of top.slice(0, -2)) {  // a title, or comments
      const comment = parts[0].startsWith("#") && parts.length !== wide;
      if (wide < 3 || !(comment || parts.filter(Boolean).length < 2)) break;
      lines = lines.replace(/^[^\n]*\n/, "");
    }
    const header = /^[^\n]*/.exec(lines)[0];
    const often = (sign) => header.split(sign).length;
    let mark = [",", "\t", ";"].sort((a, b) => often(b) - often(a))[0];
    if (often(mark) < 2) {
      mark = " ";
      lines = lines.replace(/[ \t]+/g, " ").replace(/^ | $/gm, "");
    }
    const letters = new Uint16Array(lines.length);
    let most = 1;
    for (let k = 0; k < lines.length; k += 1) {
      letters[k] = lines.charCodeAt(k);
      most += letters[k] === NEWLINE;
    }
    let [names, columns, coded, rows] = [null, null, null, 0];
    eachRow(letters, mark, (starts, ends, fields) => {
      if (!names) {
        names = starts.slice(0, fields).map((start, k) => unquoted(
          lines.slice(start, ends[k])).trim());
        return;
      }
      if (!columns) {  // R names no column of names
        if (fields === names.length + 1) names = ["", ...names];
        coded = numbering(letters, names.length);
        columns = names.map(() => new Int32Array(most));
      }
      if (fields !== names.length) {
        refuse(`Row ${rows + 1} has ${count(fields, "field")}, the line of ` +
          `names has ${names.length}.`);
      }
      for (let k = 0; k < fields; k += 1) {
        columns[k][rows] = coded.codeOf(k, starts[k], ends[k]);
      }
      rows += 1;
    });
    if (!columns) {
      refuse("A table has a line of names, and below it a line for each " +
        "system or score.");
    }
    if (names.length < 2) {
      refuse("Commas, tabs or semicolons must divide the columns.");
    }
    const like = names.slice(1).filter((name) => (
      /^[-+]?([01]?[.,]\d+|\d+(\.\d*)?e[-+]?\d+)$/i.test(name)));
    if (like.length >= (names.length - 1) / 2) {
      refuse("The first line reads like scores: write the names of the " +
        "columns in a line above it.");
    }
    const fields = coded.fields(lines);
    const found = columns.map((codes, k) => merged({ name: names[k],
      codes: codes.subarray(0, rows), values: fields[k] }))
      .filter(({ name, values }) => name || values.some((x) => x.trim()));
    const twice = found.map((c) => c.name).find(
      (name, k, all) => all.indexOf(name) !== k);
    if (twice !== undefined) {
      leave(twice ? `Two columns are called ${twice}.`
        : "Several columns have no name.");
    }
    if (found.slice(1).some((c) => !c.name)) leave("A column has no name.");
    return found;
  }

  // ---- what the content allows -------------------------------------------

  const toNumber = (text) => (NUMBER.test(text) ? Number(text) : NaN);
  const isMissing = (text) => text.length < 5 &&
    MISSING.has(text.toLowerCase());

  /* Fields as numbers; null if one is neither a number nor missing. */
  function asNumbers(texts) {
    const found = new Float64Array(texts.length);
    for (let k = 0; k < texts.length; k += 1) {
      found[k] = toNumber(texts[k]);
      if (Number.isNaN(found[k]) && !isMissing(texts[k])) return null;
    }
    return found;
  }

  /* Fields as scores: NaN where one is missing, null if one is no score. */
  function asScores(texts) {
    const plain = asNumbers(texts);
    if (plain) return plain;
    const seen = texts.filter((text) => !isMissing(text));
    const each = (act) => Float64Array.from(texts, (text) => (
      isMissing(text) ? NaN : act(text)));
    if (seen.every((text) => WORDS.has(text.toLowerCase()))) {
      return each((text) => WORDS.get(text.toLowerCase()));
    }
    const point = (text) => Number(text.replace(",", "."));
    if (seen.every((text) => /^[-+]?(\d+[.,]?\d*|[.,]\d+)\s*%$/.test(text))) {
      return each((text) => point(text.replace(/\s*%$/, "")) / 100);
    }
    const commas = seen.filter((text) => text.includes(","));
    const decimal = seen.every((text) => (
      /^[-+]?(\d+,?\d*|,\d+)(e[-+]?\d+)?$/i.test(text)));
    const rest = seen.filter((text) => !text.includes(","));
    if (commas.length && !commas.every((text) => GROUPED.test(text))) {
      return decimal ? each(point) : null;
    }
    if (commas.length && rest.every((text) => NUMBER.test(text)) &&
        (!decimal || rest.some((text) => Number(text) > 9))) {
      return each((text) => Number(text.replaceAll(",", "")));
    }
    return null;
  }

  function kindOf(values) {
    const trimmed = values.map((value) => value.trim());
    if (trimmed.every(isMissing)) return ["empty", null];
    const scores = asScores(trimmed);
    if (scores) return ["number", scores];
    const texts = trimmed.filter((text) => !isMissing(text));
    if (texts.every((text) => TIME.test(text))) return ["time", null];
    const parts = texts.map((text) => (GROUPED.test(text) ? 0
      : toNumber(text)));
    const known = parts.filter((x) => !Number.isNaN(x));
    if (known.length >= NEARLY * parts.length ||
        known.some((x) => x % 1 > 0)) return ["broken", null];
    return [known.length ? "mixed" : "text", null];
  }

  function describe({ name, codes, values }, many) {
    const [kind, distinct] = kindOf(values);
    const column = { name, kind, codes, values, rows: codes.length,
      levels: values.length };
    if (distinct) {
      column.distinct = distinct;
      column.numbers = lookUp(codes, distinct);
      column.gaps = distinct.some(Number.isNaN);
      column.whole = distinct.every((x) => Number.isNaN(x) || x % 1 === 0);
    }
    // Of a very wide table numbers are not looked at one by one.
    return many && distinct && asNumbers(values.map((x) => x.trim()))
      ? { ...column, codes: null, levels: codes.length } : column;
  }

  /* The number that each code stands for. */
  function lookUp(codes, each) {
    const numbers = new Float64Array(codes.length);
    for (let k = 0; k < codes.length; k += 1) numbers[k] = each[codes[k]];
    return numbers;
  }

  /* How many rows have a cell that another row has before them. */
  const repeated = new Map();
  function repeats(columns) {
    if (!columns.length) return 0;
    const key = columns.map((c) => c.id).join();
    if (!repeated.has(key)) {
      const size = product(columns.map((c) => c.levels));
      const cells = new Float64Array(columns[0].rows);
      for (const { levels, codes } of columns) {
        for (let row = 0; row < cells.length; row += 1) {
          cells[row] = cells[row] * levels + codes[row];
        }
      }
      let different = 0;
      if (size <= 5e7) {
        const seen = new Uint8Array(size);
        for (const cell of cells) {
          different += 1 - seen[cell];
          seen[cell] = 1;
        }
      } else different = new Set(cells).size;
      repeated.set(key, cells.length - different);
    }
    return repeated.get(key);
  }

  const isOnce = (c) => c.levels === c.rows;
  const isConstant = (c) => c.levels === 1;
  const isShared = (c) => Boolean(c.codes) && c.levels > 1 && !isOnce(c);
  const isWhole = (c) => Boolean(c.numbers) && c.whole && !c.gaps &&
    !c.distinct.every((x) => x === 0 || x === 1);
  const hasFractions = (c) => Boolean(c.numbers) &&
    c.distinct.some((x) => x % 1 > 0);
  const isText = (c) => c.kind === "text" || c.kind === "mixed";
  const mayName = (c) => isShared(c) && (isText(c) || isWhole(c));
  const countsRows = (c) => Boolean(c.numbers) && c.rows >= 8 && c.whole &&
    !c.gaps && isOnce(c) && new Set(c.distinct).size === c.rows &&
    c.distinct.reduce((a, b) => Math.max(a, b)) -
      c.distinct.reduce((a, b) => Math.min(a, b)) === c.rows - 1;
  const average = (c, size) => {
    const each = c.values.map(size);
    return c.codes.reduce((total, code) => total + each[code], 0) / c.rows;
  };
  const letters = (c) => average(c, (value) => value.length);
  const wordsIn = (c) => average(c,
    (value) => value.split(/\s+/).filter(Boolean).length);
  const isDetermined = (c, by) => Boolean(c.codes) &&
    c.levels <= product(by.map((one) => one.levels)) &&
    repeats(by) === repeats([...by, c]);
  const sameRows = (a, b) => a.levels === b.levels && isDetermined(a, [b]);
  const fills = (key) => key[0].rows / product(key.map((c) => c.levels));

  function* combinations(all, size, from = 0) {
    if (!size) yield [];
    for (let k = from; size && k < all.length; k += 1) {
      for (const rest of combinations(all, size - 1, k + 1)) {
        yield [all[k], ...rest];
      }
    }
  }

  /* Columns that together name every row once, and nearly cross. */
  function keysOf(naming, named) {
    const wanted = naming.filter((c) => c.codes).slice(0, 10);
    const exact = [];
    const nearly = [];
    for (let size = 1; size <= 4; size += 1) {
      for (const key of combinations(wanted, size)) {
        const good = key.every((c) => named.includes(c)) ||
          (size <= 3 && fills(key) >= NEARLY);
        if (!good || (size > 1 && key.some(isOnce))) continue;
        const rows = key[0].rows;
        if (product(key.map((c) => c.levels)) < rows * (1 - MISTAKES)) continue;
        const times = repeats(key);
        if (!times) exact.push(key);
        else if (times <= rows * MISTAKES) nearly.push(key);
      }
    }
    return exact.length ? exact : nearly;
  }

  // ---- what the names say of it -------------------------------------------

  const rank = (c, role) => W.ranksOf(c.name)[role];
  const facetRanks = (c) => Object.entries(W.ranksOf(c.name)).filter(
    ([role]) => W.FACETS.includes(role));
  const bestRank = (c) => Math.min(UNNAMED + 1,
    ...facetRanks(c).map(([, n]) => n));
  const isBeside = (c) => !facetRanks(c).length && (
    "score" in W.ranksOf(c.name) || "measure" in W.ranksOf(c.name) ||
    /^\d+$/.test(W.plain(c.name)) || W.isAside(c.name) ||
    W.isUnnamed(c.name));
  const namesEachRow = (c) => Boolean(c.numbers) && c.whole && (isOnce(c)
    ? W.isIndex(c.name) || W.isId(c.name) || countsRows(c)
    : W.isIndex(c.name));
  const mayBeScores = (c) => (rank(c, "score") === 1 ||
    ((c.numbers || c.kind === "broken") && bestRank(c) !== 1)) &&
    !W.isAside(c.name) && !W.isUnnamed(c.name) && !namesEachRow(c);
  const isMeasure = (c) => "score" in W.ranksOf(c.name) ||
    (c.name.length > 1 && (W.isCriterion(c.name) ||
      W.isCriterion(c.name.replace(/(@|_at_|_cut_)\d+$/, ""))));

  function nameBetter(c, other) {
    const ranks = [bestRank(c), bestRank(other)];
    const texts = [c, other].map((one) => wordsIn(one) >= SENTENCE);
    if (texts[0] !== texts[1] && Math.min(...ranks) > 1) return texts[1];
    if (ranks[0] !== ranks[1]) return ranks[0] < ranks[1];
    const [own, its] = [letters(c), letters(other)];
    if (Math.abs(own - its) > SHORTER) return own < its;
    return ranks[0] > UNNAMED && !c.numbers && Boolean(other.numbers);
  }

  function namingColumns(table) {
    const allowed = table.filter((c) => (bestRank(c) === 1 && isShared(c)) ||
      (mayName(c) && !isBeside(c))).sort((a, b) => bestRank(a) - bestRank(b));
    const kept = [];
    for (const c of allowed) {
      const roles = facetRanks(c).map(([role]) => role);
      const at = kept.findIndex((one) => {
        const its = facetRanks(one).map(([role]) => role);
        return sameRows(c, one) && (!roles.length || !its.length ||
          roles.some((role) => its.includes(role)));
      });
      if (at < 0) kept.push(c);
      else if (nameBetter(c, kept[at])) kept[at] = c;
    }
    return kept;
  }

  function scoreColumns(table, facets) {
    const free = table.filter((c) => !facets.includes(c) && mayBeScores(c));
    const varied = free.filter((c) => !isConstant(c) &&
      !facets.some((f) => isDetermined(c, [f])));
    const some = varied.length ? varied : free;
    const plain = some.filter((c) => !W.isAverage(c.name));
    return plain.length ? plain : some;
  }

  /* Whether another facet has columns beside the key, as rater_1 has. */
  function hasFurtherFacet(table, key) {
    const numbered = table.filter((c) => c.numbers && !key.includes(c) &&
      /\d$/.test(c.name)).map((c) => c.name);
    return numbered.length > 1 &&
      W.FACETS.includes(W.roleOfNumbered(numbered));
  }

  function rolesByValues(c, across) {
    const values = c.values.filter((value) => value.trim());
    const numbered = W.roleOfNumbered(values);
    if (W.FACETS.includes(numbered) && isText(c)) {
      return { [numbered]: BY_VALUES,
        [numbered === "topic" ? "system" : "topic"]: NEVER };
    }
    if (W.areKnownSystems(values)) return { system: BY_VALUES, topic: NEVER };
    if (W.isNumbered(values) || wordsIn(c) >= SENTENCE) {
      return { topic: UNNAMED - 1 };
    }
    return !across && values.length < MANY_PEOPLE
      ? { assessor: UNNAMED + 1 } : {};
  }

  /* The roles that a column may have, and what each costs. */
  function rolesOf(c, across, relaxed) {
    const named = facetRanks(c).map(([role, n]) => [role, n - 1]);
    if (!relaxed && named.some(([, price]) => price < UNNAMED - 2)) {
      return named;
    }
    const either = { system: UNNAMED, topic: UNNAMED };
    if (named.some(([role]) => role === "assessor")) either.system += 2;
    if (relaxed) either.assessor = UNNAMED + 1;
    if (named.length) {
      return Object.entries({ ...either, ...Object.fromEntries(named) });
    }
    if (W.isUnnamed(c.name) || W.isIndex(c.name)) {
      return Object.entries({ ...either,
        ...(across && isText(c) ? rolesByValues(c, across) : {}) });
    }
    if (isBeside(c) || W.isAverage(c.name)) return [];
    return Object.entries({ ...either, ...rolesByValues(c, across) });
  }

  function* choices(options) {
    if (!options.length) yield [];
    else {
      for (const first of options[0]) {
        for (const rest of choices(options.slice(1))) yield [first, ...rest];
      }
    }
  }

  /* The ways to give the columns of a key their roles. */
  function* assign(table, key, across, relaxed) {
    for (const chosen of choices(key.map(
      (c) => rolesOf(c, across, relaxed)))) {
      const roles = chosen.map(([role]) => role);
      const every = across ? [...roles, across] : roles;
      const prices = Object.fromEntries(chosen);
      const drawn = (c, k) => ["system", "topic"].includes(roles[k]);
      if (new Set(every).size < every.length || !every.includes("system") ||
          !every.some((role) => role === "topic" || role === "assessor") ||
          (!relaxed && every.includes("topic") &&
            prices.assessor > UNNAMED)) continue;
      if (!relaxed && roles.includes("assessor") && key.some((c, k) => drawn(c, k) &&
          chosen[k][1] >= UNNAMED - 1 && c.numbers &&
          c.levels < MANY_PEOPLE)) continue;
      if (!relaxed && key.some((c, k) => drawn(c, k) && table.some(
        (good) => !key.includes(good) && good.codes && mayName(good) &&
          rank(good, roles[k]) < 3 && !(rank(c, roles[k]) <= 2) &&
          !sameRows(c, good)))) continue;
      if (inPieces(table, key, chosen)) continue;
      yield { columns: key, roles, across,
        cost: chosen.reduce((total, [, price]) => total + price, 0),
        guessed: chosen.some(([, price]) => price >= UNNAMED) };
    }
  }

  /* Whether two columns are properties of what another column names. */
  function inPieces(table, key, chosen) {
    const beside = key.filter((_, k) => chosen[k][0] !== "system");
    const worst = Math.max(...chosen.filter(([role]) => role !== "system")
      .map(([, price]) => price));
    return beside.length > 1 && worst >= 2 && table.some((whole) => (
      !key.includes(whole) && mayName(whole) && !isBeside(whole) &&
      beside.every((c) => isDetermined(c, [whole]))));
  }

  function longLayouts(table, relaxed) {
    const naming = namingColumns(table);
    const named = naming.filter((c) => bestRank(c) <= UNNAMED);
    const once = table.filter((c) => c.codes && !naming.includes(c) &&
      isOnce(c) && ["system", "topic"].some((r) => rank(c, r) < UNNAMED));
    const texts = (key) => key.filter((c) => bestRank(c) > UNNAMED &&
      wordsIn(c) >= SENTENCE).length;
    let keys = keysOf([...naming, ...once], named);
    const fewest = Math.min(...keys.map(texts));
    keys = keys.filter((key) => texts(key) === fewest);
    let layouts = keys.flatMap((key) => layoutsOf(table, key, relaxed));
    if (!layouts.length) {
      for (let size = 1; size <= 4; size += 1) {
        for (const key of combinations(named, size)) {
          layouts.push(...layoutsOf(table, key, relaxed));
        }
      }
      const least = Math.min(...layouts.map((x) => repeats(x.columns)));
      layouts = layouts.filter((x) => !x.guessed &&
        repeats(x.columns) === least);
    }
    const has = (x, c, role) => x.roles[x.columns.indexOf(c)] === role;
    return layouts.filter((x) => !layouts.some((less) => (
      less.columns.length < x.columns.length &&
      less.columns.every((c, k) => has(x, c, less.roles[k])))));
  }

  function layoutsOf(table, key, relaxed) {
    if (!table.some((c) => !key.includes(c) && mayBeScores(c)) ||
        hasFurtherFacet(table, key)) return [];
    const dear = repeats(key) ? UNNAMED : 0;
    return [...assign(table, key, "", relaxed)].map((x) => (
      { ...x, cost: x.cost + (x.guessed ? dear : 0) }));
  }

  // ---- wide tables ----------------------------------------------------------

  function rowKey(table) {
    const free = table.filter((c) => c.codes && c.kind !== "time" &&
      c.kind !== "empty" && !W.isAverage(c.name) && !W.isAside(c.name));
    const topicName = (c) => rank(c, "topic") === 1 && c.name.length > 1;
    const once = free.filter((c) => isOnce(c) &&
      !(hasFractions(c) && !topicName(c)));
    const byName = (a, b) => bestRank(a) - bestRank(b) ||
      (a.kind === "number") - (b.kind === "number") || letters(a) - letters(b);
    const numbered = once.filter((c) => c.numbers && c.whole && !c.gaps &&
      (W.isUnnamed(c.name) || W.isId(c.name) || W.isIndex(c.name)));
    for (const choice of [once.filter((c) => bestRank(c) <= UNNAMED),
      once.filter(isText), once.filter((c) => !W.isUnnamed(c.name) &&
        countsRows(c))]) {
      if (choice.length) return [choice.sort(byName)[0]];
    }
    const several = free.filter((c) => bestRank(c) <= 2 && mayName(c));
    for (const size of [2, 3]) {
      for (const key of combinations(several, size)) {
        if (!repeats(key)) return key;
      }
    }
    if (several.length || numbered.length) return [(several[0] || numbered[0])];
    const [first] = table;
    return first.codes && (!first.numbers || isApart(table, first))
      ? [first] : null;
  }

  function isApart(table, c) {
    if (!isWhole(c) || !isOnce(c)) return false;
    const others = table.filter((one) => one !== c && one.numbers);
    if (!others.length) return false;
    if (others.some(hasFractions)) return true;
    const all = others.flatMap((one) => one.distinct);
    const [low, high] = [all.reduce((a, b) => Math.min(a, b)),
      all.reduce((a, b) => Math.max(a, b))];
    return c.distinct.some((x) => x < low || x > high);
  }

  function mayBeAcross(c) {
    if (c.kind !== "number" && c.kind !== "broken") return false;
    if ((c.kind === "broken" && W.isId(c.name)) || W.isAside(c.name) ||
        W.isAverage(c.name) || (c.numbers && namesEachRow(c))) return false;
    const facets = facetRanks(c).filter(([, n]) => n === 1);
    if (facets.length && !facets.some(([role]) => role === "system") &&
        c.name.length > 1) return !(isWhole(c) || isConstant(c));
    return true;
  }

  function widePart(table) {
    const key = rowKey(table);
    if (!key) return null;
    const rest = table.filter((c) => !key.includes(c));
    let scores = rest.filter(mayBeAcross);
    const numbered = scores.filter((c) => /\d$/.test(c.name));
    if (numbered.length > 2 && W.roleOfNumbered(
      numbered.map((c) => c.name)) === "topic") {
      scores = scores.filter((c) => numbered.includes(c) || !rank(c, "score"));
    }
    return { key, scores, leftOut: rest.filter((c) => !scores.includes(c)) };
  }

  function seemsLong(table, wide) {
    if (wide && !repeats(wide.key)) {
      const { key, scores } = wide;
      if (key.length === 1 && scores.length > key[0].rows) return false;
      if (W.isUnnamed(key[0].name) && !key[0].numbers) return false;
      if (key.some((c) => bestRank(c) < UNNAMED - 1) &&
          (key.length === 1 || scores.length > 1)) return false;
    }
    const naming = namingColumns(table);
    return keysOf(naming, []).some((key) => key.length > 1 &&
      (key.some((c) => !c.numbers) || (key[0].rows >= MANY_ROWS &&
        fills(key) === 1)) && !hasFurtherFacet(table, key));
  }

  function wideLayouts(table, { key, scores }) {
    const names = scores.map((c) => c.name);
    let byNames = W.roleOfNumbered(names);
    if (W.areKnownSystems(names)) byNames = "system";
    let across = W.FACETS.includes(byNames) ? [byNames]
      : ["system", "topic"];
    if (byNames === "repetition") across.push("system");
    const dear = repeats(key) ? 2 * UNNAMED : 0;
    return across.flatMap((role) => [...assign(table, key, role, false)].map(
      (x) => ({ ...x, cost: x.cost + dear + (role === byNames ? 0 : 1),
        guessed: x.guessed || role !== byNames })));
  }

  // ---- one reading, or one question ------------------------------------------

  const said = (layout) => (layout.across
    ? { rows: layout.roles[0], columns: layout.across }
    : Object.fromEntries(layout.columns.map(
      (c, k) => [c.name, layout.roles[k]])));

  function choose(layouts) {
    const ordered = [...layouts].sort((a, b) => a.cost - b.cost ||
      a.columns.length - b.columns.length);
    const key = (x) => JSON.stringify([x.across, x.columns.map(
      (c, k) => `${c.id} ${x.roles[k]}`).sort()]);
    const once = ordered.filter((x, k) => (
      ordered.findIndex((one) => key(one) === key(x)) === k));
    const [first, ...others] = once;
    const clear = first.guessed ? CLEAR : CLEAR_NAMED;
    const near = others.filter((x) => x.cost < first.cost + clear);
    if (near.length) ask([first, ...near]);
    return first;
  }

  function ask(layouts) {
    const ways = layouts.slice(0, 4).map(said);
    throw new Question(layouts.every((x) => x.across)
      ? "Are the rows systems or topics?"
      : "What are the columns?", ways);
  }

  /* Of several measures that a column names, the rows of one. */
  function ofMeasure(table, wanted) {
    const column = table.find((c) => c.codes && isText(c) && (
      "measure" in W.ranksOf(c.name) || (c.levels > 1 && c.levels <= MANY &&
        !W.isNumbered(c.values) && c.values.every((value) => (
        isMeasure({ name: value.trim() }))))));
    if (!column) return table;
    if (column.levels > 1 && wanted.measure === undefined) {
      throw new Question(`Which ${column.name}?`, column.values.slice(0, 9)
        .map((value) => ({ measure: value })));
    }
    const wants = column.values.indexOf(wanted.measure);
    return structure(table.filter((c) => c !== column).map((c) => (
      wants < 0 ? c : ofRows(c, (_, row) => column.codes[row] === wants))));
  }

  /* A column in those rows that stay: stays(code, row). */
  function ofRows({ name, codes, values }, stays) {
    const order = new Map();
    const kept = codes.filter(stays).map((code) => order.get(code) ??
      order.set(code, order.size).get(code));
    return { name, codes: kept,
      values: [...order.keys()].map((code) => values[code]) };
  }

  let ids = 0;
  function structure(columns) {
    const many = columns.length > MANY;
    return columns.map((column) => {
      ids += 1;
      return { ...describe(column, many), id: ids };
    });
  }

  /* The score, the only one or the one that is called so. */
  function chooseScore(table, facets) {
    const free = scoreColumns(table, facets);
    const ranks = free.map((c) => rank(c, "score") ||
      (W.ranksOf(c.name.split(/[^\p{L}\p{N}]+/u).pop() || "").score === 1
        ? 3 : 9));
    const best = Math.min(...ranks);
    const called = free.filter((_, k) => ranks[k] === best && best < 9);
    const known = called.length ? [] : free.filter(isMeasure);
    const offered = [...called, ...known];
    const all = offered.length ? offered : free;
    if (!all.length) refuse(`No column of scores stands beside ${
      list(facets)}.`);
    if (all.length > 1) {
      throw new Question("Which column has the scores?",
        all.slice(0, 9).map((c) => ({ [c.name]: "score" })));
    }
    return all[0];
  }

  /* A layout that somebody has clicked. */
  function layoutOf(table, wanted) {
    if (wanted.rows) {
      return { across: wanted.columns, roles: [wanted.rows],
        columns: widePart(table)?.key || [table[0]] };
    }
    const columns = table.filter((c) => (
      W.FACETS.includes(wanted[c.name])));
    return columns.length > 1 && { columns, across: "",
      roles: columns.map((c) => wanted[c.name]) };
  }

  /* What a text is read as: names and codes of each facet, and scores. `told`
   * is what was clicked: of columns, of rows and columns, of a measure. */
  function arrange(text, told) {
    repeated.clear();
    const table = ofMeasure(structure(fieldsOf(text)), told);
    if (!Object.keys(told).length) leaveMarks(table);
    const score = table.find((c) => told[c.name] === "score");
    let layout = layoutOf(table, told);
    const wide = widePart(table);
    if (!layout) {
      const free = score ? table.filter((c) => c !== score) : table;
      let layouts = longLayouts(score ? [...free, score] : table, false);
      const long = (layouts.length && !layouts.reduce(
        (a, b) => (b.cost < a.cost ? b : a)).guessed) ||
        seemsLong(table, wide);
      if (!long && wide) {
        refuseMeasures(table, wide);
        layouts.push(...wideLayouts(table, wide));
      }
      if (!layouts.length) {
        layouts = longLayouts(table, true);
        if (layouts.length) {
          const least = Math.min(...layouts.map((x) => x.cost));
          ask(layouts.filter((x) => x.cost <= least + 1));
        }
        leave("No columns name the systems and the topics.");
      }
      layout = choose(layouts);
    }
    return layout.across ? acrossColumns(table, layout, wide)
      : downRows(table, layout, score);
  }

  /* The measure in a name that also has a system's, as lm_p@5 has. */
  function measureWithin(name) {
    const is = (part) => isMeasure({ name: part });
    for (const { 0: mark, index } of name.matchAll(/\s*[_:/|. -]\s*/g)) {
      const parts = [name.slice(0, index), name.slice(index + mark.length)];
      for (const [system, measure] of [parts, [parts[1], parts[0]]]) {
        if (system && measure && is(measure) && !is(system)) return measure;
      }
    }
    return undefined;
  }

  /* Columns that are measures of one system. */
  function refuseMeasures(table, { key, scores }) {
    if (!scores.length) leave("No column holds scores.");
    const split = scores.map((c) => measureWithin(c.name));
    const measures = new Set(split);
    if (!measures.has(undefined) && measures.size > 1 &&
        measures.size < scores.length) {
      leave(`The columns are ${[...measures].join(", ")} of each system.`);
    }
    const known = scores.filter(isMeasure);
    const systems = rank(key[0], "system") && !rank(key[0], "topic");
    if (scores.length <= MANY && (known.length === scores.length ||
        (known.length > 1 && 2 * known.length >= scores.length))) {
      if (scores.length > 1 || systems) {
        leave(`The columns ${list(scores)} read like measures, not like ` +
          "systems or topics.");
      }
      leave("There is one column of scores, of one system: nothing to " +
        "compare it with.");
    }
  }

  /* Leave marks by people and machines to the command, in a column each or
   * in one that names who marked; it asks, if they may be systems. */
  function leaveMarks(table) {
    const valuesOf = (c) => c.values.map((value) => value.trim())
      .filter(Boolean);
    const texts = table.filter(isText);
    const marks = table.filter((c) => (isText(c)
      ? c.levels <= 21 && texts.some((other) => other !== c &&
        valuesOf(c).some((value) => valuesOf(other).includes(value)))
      : c.numbers && !countsRows(c)) && !W.isAside(c.name) &&
      !W.isId(c.name) && !W.isIndex(c.name) && !W.isAverage(c.name));
    const named = texts.filter((c) => !isOnce(c)).map(valuesOf);
    const wide = marks.map((c) => c.name);
    for (const names of [wide, ...named]) {
      const sides = new Set(names.map(W.whose));
      if (sides.has("human") && sides.has("judge") &&
          (names === wide || !sides.has(""))) {
        leave(`${names.slice(0, 5).join(", ")} are called like people and ` +
          "machines that marked the same: they are raters, and no systems.");
      }
    }
  }

  function downRows(table, { columns, roles }, given) {
    const further = namingColumns(table).filter((c) => (
      !columns.includes(c) && c !== given && rank(c, "assessor") === 1));
    const facets = [...columns];
    const names = [...roles];
    if (further.length && !roles.includes("assessor")) {
      facets.push(further[0]);
      names.push("assessor");
    }
    // A column of this very name is that of the topics, needed or not.
    const topic = table.find((c) => c.name === "topic" && c.codes);
    if (topic && !roles.includes("topic") && !facets.includes(topic)) {
      facets.push(topic);
      names.push("topic");
    }
    const score = given || chooseScore(table, facets);
    if (repeats(facets)) {
      leave(`Several scores stand in a cell of ${list(facets)}.`);
    }
    const values = numbersOf(score);
    return { roles: facets.map((c, k) => [c.name, names[k]]).concat(
      [[score.name, "score"]]), leftOut: table.filter((c) => (
      !facets.includes(c) && c !== score && !W.isUnnamed(c.name)))
      .map((c) => c.name), names, levels: facets, values,
    called: score.name };
  }

  /* The numbers of a column; what is none of them is refused. */
  function numbersOf(c) {
    if (c.numbers) return c.numbers;
    const each = c.values.map((value) => asScores([value.trim()])?.[0] ??
      refuse(`${value} stands among the scores of ${c.name}; a number such as ` +
      "0.31 is needed."));
    return lookUp(c.codes, each);
  }

  function acrossColumns(table, { columns, roles, across }, wide) {
    const scores = wide?.scores.filter((c) => !columns.includes(c)) ||
      table.filter((c) => !columns.includes(c));
    const names = [...roles, across];
    const { rows } = table[0];
    const across_ = scores.length;
    const values = new Float64Array(rows * across_);
    scores.forEach((c, k) => {
      const numbers = numbersOf(c);
      for (let row = 0; row < rows; row += 1) {
        values[row * across_ + k] = numbers[row];
      }
    });
    const spread = (codeOf) => {
      const codes = new Int32Array(values.length);
      for (let row = 0; row < rows; row += 1) {
        for (let k = 0; k < across_; k += 1) {
          codes[row * across_ + k] = codeOf(row, k);
        }
      }
      return codes;
    };
    const levels = columns.map((c) => ({ values: c.values,
      codes: spread((row) => c.codes[row]) }));
    levels.push({ values: scores.map((c) => c.name),
      codes: spread((_, k) => k) });
    const called = /^(.*[^\p{L}])?([wc]er|hter|eer|mse|mae|rmse)$/iu;
    return { roles: [...columns.map((c, k) => [c.name || "rows", roles[k]]),
      ["columns", across]],
    leftOut: (wide?.leftOut || []).map((c) => c.name).filter(Boolean), names,
    levels, values,
    called: scores.every((c) => called.test(c.name)) ? "wer" : "" };
  }

  // ---- a table without gaps ----------------------------------------------------

  /* A design, its sizes, the names of its levels, and scores in order. */
  function read(text, told = {}) {
    const found = arrange(text, told);
    if (found.called && W.isLessBetter(found.called) &&
        found.values.some((x) => x > 0)) {
      leave(`The scores are called ${found.called}: of these less may be ` +
        "better.");
    }
    const others = found.names.filter((role) => !ROLES.includes(role));
    if (others.length) {
      leave(`There is a facet more, the ${others.join(" and the ")}.`);
    }
    const drawn = found.names.includes("topic") ? "topic" : "assessor";
    let facets = ROLES.filter((role) => found.names.includes(role));
    let coded = facets.map((role) => (
      found.levels[found.names.indexOf(role)]));
    const single = facets.findIndex((_, k) => k > 1 &&
      coded[k].values.length === 1);
    if (single > 0) {
      facets = facets.slice(0, 2);
      coded = coded.slice(0, 2);
    }
    // Rows of averages are no systems and no topics.
    const out = coded.map(({ values }, k) => values.filter((name) => (
      k < 2 && W.isAverage(name))).filter((_, __, all) => (
      values.length - all.length >= 2)));
    const dropped = coded.map(({ values }, k) => values.map(
      (name) => out[k].includes(name)));
    let numbers = found.values;
    if (out.some((names) => names.length)) {
      const stays = (_, row) => !coded.some(
        ({ codes }, k) => dropped[k][codes[row]]);
      numbers = numbers.filter(stays);
      coded = coded.map((column) => ofRows(column, stays));
    }
    const levels = coded.map(({ codes, values }, k) => {
      const names = values.map((name) => name.trim());
      if (names.some((name) => !name)) refuse(`One ${facets[k]} has no name.`);
      if (names.length < 2) {
        leave(`The table has one ${facets[k]}: nothing to compare.`);
      }
      return { names, codes };
    });
    const within = facets.length > 2 && withinTopics(levels);
    const n = levels.map(({ names }) => names.length);
    if (within) {
      levels[2].codes = levels[2].codes.map((code) => within.numbers[code]);
      n[2] = within.size;
    }
    if (facets.length < 3) n.push(1);
    if (product(n) > MOST_SCORES || n[0] > MOST_SYSTEMS) {
      leave(`${count(n[0], "system")} and ${count(numbers.length, "score")} ` +
        "would stop this page.");
    }
    const scores = new Float64Array(product(n)).fill(NaN);
    const [systems, topics, assessors] = levels.map(({ codes }) => codes);
    for (let k = 0; k < numbers.length; k += 1) {
      const cell = (systems[k] * n[1] + topics[k]) * n[2] +
        (assessors ? assessors[k] : 0);
      if (!Number.isNaN(scores[cell])) leave("Several scores stand in a cell.");
      scores[cell] = numbers[k];
    }
    const gaps = scores.filter(Number.isNaN).length;
    if (gaps) leave(`There ${gaps > 1 ? `are ${count(gaps, "gap")}`
      : "is a gap"} in the table.`);
    check(scores);
    const names = levels.map((one) => one.names);
    doubt(facets, names, n, within, scores);
    return { design: within ? "nested" : ["single", "crossed"][
      facets.length - 2], n, names, scores, nouns: facets.map(
      (facet) => (facet === "topic" ? drawn : facet)), roles: found.roles,
    leftOut: [...found.leftOut, ...out.flat().map((name) => (
      `the rows of ${name}`))], told };
  }

  function check(scores) {
    const low = scores.reduce((a, b) => Math.min(a, b));
    const high = scores.reduce((a, b) => Math.max(a, b));
    if (low === high) {
      refuse(`Every score is ${low}: there is no variance to divide.`);
    }
    if (!(high - low > SMALLEST && Math.max(high, -low) < LARGEST)) {
      refuse(`The scores go from ${low} to ${high}: squares of such numbers ` +
        "lose their digits. Give them in another unit.");
    }
  }

  /* Assessors who judge one topic each, numbered within it; else nothing. */
  function withinTopics([, topics, assessors]) {
    const home = [];
    assessors.codes.forEach((code, k) => {
      home[code] ??= topics.codes[k];
      if (home[code] !== topics.codes[k]) home.several = true;
    });
    if (home.several) return null;
    const sizes = new Map();
    const numbers = home.map((topic) => {
      sizes.set(topic, (sizes.get(topic) ?? -1) + 1);
      return sizes.get(topic);
    });
    const size = Math.max(...sizes.values()) + 1;
    if (size < 2) leave("Every topic has one assessor only.");
    return { numbers, size };
  }

  /* Doubts about the content, as the command has them. Of very many scores
   * some topics are enough to see a system or an assessor by. */
  function doubt(facets, names, sizes, within, scores) {
    const every = Math.max(1, Math.min(Math.ceil(scores.length / ENOUGH_SEEN),
      Math.floor(sizes[1] / 20)));
    const seen = names[1].filter((_, topic) => topic % every === 0);
    const n = [sizes[0], seen.length, sizes[2]];
    const some = every < 2 ? scores : scores.filter((_, k) => (
      Math.floor(k / n[2]) % sizes[1] % every === 0));
    const grids = facets.map((_, f) => {
      const own = within && f === 2 ? [1, 2] : [f];
      const rest = facets.map((__, k) => k).filter((k) => !own.includes(k) &&
        !(within && f < 2 && k === 2));
      const [rows, columns] = [own, rest].map(
        (one) => product(one.map((k) => n[k])));
      const table = Array.from({ length: rows },
        () => new Array(columns).fill(0));
      const at = [0, 0, 0];
      const each = some.length / rows / columns;
      for (const score of some) {
        let [row, column] = [0, 0];
        for (const k of own) row = row * n[k] + at[k];
        for (const k of rest) column = column * n[k] + at[k];
        table[row][column] += score / each;
        for (let k = 2; k >= 0; k -= 1) {
          at[k] = (at[k] + 1) % n[k];
          if (at[k]) break;
        }
      }
      return table;
    });
    const called = names.map((own, k) => (k === 1 ? seen : within && k === 2
      ? grids[2].map((_, level) => `no. ${level + 1}`) : own));
    const found = root.plannerDoubts(scores, facets, called, grids,
      !within);
    if (found) {
      const error = new Refused(`${found[1]} Mend it; or if it is right, ` +
        "the command takes it.", true);
      error.allow = found[0];
      throw error;
    }
  }

  root.scoreReader = { Question, Refused, read };
}(globalThis));
