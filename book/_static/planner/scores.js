/* A pasted table of scores, and its variance components. No page is needed.
 *
 * What gtlib.gstudy refuses is refused here, and so are gaps.
 * Names of the table stand in messages, which are shown as text. */
(function (root) {
  "use strict";

  const { sum, product } = root.plannerArithmetic;
  const { designs } = root.plannerKnown;
  const FACETS = ["system", "topic", "assessor"];
  const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
  const NOTHING = /^(|-|na|n\/a|nan|none|null)$/i;
  // Of the range of scores, so that sums of squares are no infinite ones.
  const [SMALLEST, LARGEST] = [1e-60, 1e60];

  const MOST = 1e6;  // fields

  const refuse = (why) => { throw new RangeError(why); };
  const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  /* The fields of a line; a mark between quotes is part of a name. */
  function split(line, mark) {
    const fields = [""];
    let quoted = false;
    const text = mark ? line : line.trim().replace(/\s+/g, " ");
    for (let k = 0; k < text.length; k += 1) {
      const [sign, last] = [text[k], fields.length - 1];
      if (quoted && text.slice(k, k + 2) === "\"\"") {
        fields[last] += sign;
        k += 1;
      } else if (sign === "\"" && (quoted || !fields[last].trim())) {
        quoted = !quoted;
      } else if (!quoted && sign === (mark || " ")) {
        fields.push("");
      } else {
        fields[last] += sign;
      }
    }
    return fields.map((field) => field.trim());
  }

  /* Lines of fields: apart by tabs, else semicolons, commas, blanks. */
  function fieldsOf(text) {
    const lines = text.split(/\r\n?|\n/).filter((line) => line.trim());
    if (lines.length < 2) {
      refuse("A table has a line of names and then a line for each system.");
    }
    const names = lines[0].replace(/"[^"]*"/g, "");
    const mark = ["\t", ";", ","].find((sign) => names.includes(sign));
    const rows = lines.map((line) => split(line.trimEnd(), mark));
    const [head, next] = rows;
    if (mark && FACETS.includes(next[0].toLowerCase()) &&
        next.slice(1).every((field) => !field)) {
      head[0] = rows.splice(1, 1)[0][0];  // pandas names its index below
    }
    if (!mark && head.length === next.length - 1) head.unshift("");
    if (head.length < 2) {
      refuse("Tabs, semicolons, commas or blanks must divide the columns.");
    }
    if (rows.length * head.length > MOST) {
      refuse("So large a table would stop this page: gtlib audit reads it.");
    }
    rows.forEach((row, k) => row.length === head.length || refuse(
      `Line ${k + 1} has ${count(row.length, "field")}, the first line has ${
        head.length}.`));
    return rows;
  }

  /* One record for each score, of a table that is wide or long. */
  function recordsOf([head, ...rows]) {
    const names = head.map((name) => name.toLowerCase());
    const twice = [...FACETS, "score"].find(
      (name) => names.indexOf(name) !== names.lastIndexOf(name));
    if (twice) refuse(`Two columns are called ${twice}.`);
    if (names.includes("score")) {
      const missing = FACETS.slice(0, 2).find((f) => !names.includes(f));
      if (missing) {
        refuse(`A table with a column score needs a column ${missing}.`);
      }
      return rows.map((row) => Object.fromEntries(
        row.map((field, k) => [names[k], field])));
    }
    const [down, across] = names[0] === "topic" ? ["topic", "system"]
      : ["system", "topic"];
    for (const [facet, place, found] of [[across, "line", head.slice(1)],
      [down, "column", rows.map((row) => row[0])]]) {
      const score = found.find((name) => NUMBER.test(name) && name % 1);
      if (score) {
        refuse(`The first ${place} must name the ${facet}s, and ${score} ` +
          "looks like a score.");
      }
    }
    return rows.flatMap(([name, ...scores]) => scores.map(
      (score, k) => ({ [down]: name, [across]: head[k + 1], score })));
  }

  function namesOf(records, facet) {
    const names = [...new Set(records.map((record) => record[facet]))];
    if (names.includes("")) refuse(`One ${facet} has no name.`);
    if (names.length < 2) {
      refuse(`The table has ${count(names.length, facet)}; variance between ` +
        `${facet}s needs at least two.`);
    }
    return names;
  }

  /* Assessors who judge one topic each, numbered within it; else nothing. */
  function withinTopics(records) {
    const homes = new Map();
    for (const { topic, assessor } of records) {
      if (!homes.has(topic)) homes.set(topic, new Set());
      homes.get(topic).add(assessor);
    }
    const numbers = [...homes.values()].flatMap(
      (home) => [...home].map((assessor, k) => [assessor, k]));
    const within = new Map(numbers);
    if (within.size < numbers.length) return null;
    if (within.size === homes.size) {
      refuse("Every topic has one assessor only: leave the assessors out.");
    }
    return within;
  }

  /* Of each level of a facet (rows), the mean scores in the cells of what
   * it is crossed with. Assessors of one topic each are levels there. */
  function gridOf(k, sizes, within, scores) {
    const all = [...sizes.keys()];
    const one = all.filter((j) => j === k || (within && k === 2 && j === 1));
    const others = all.filter(
      (j) => !one.includes(j) && !(within && k < 2 && j === 2));
    const place = (levels, facets) => facets.reduce(
      (at, j) => at * sizes[j] + levels[j], 0);
    const [rows, columns] = [one, others].map(
      (facets) => product(facets.map((j) => sizes[j])));
    const grid = Array.from(
      { length: rows }, () => new Array(columns).fill(0));
    const levels = sizes.map(() => 0);
    for (const score of scores) {
      grid[place(levels, one)][place(levels, others)] += score;
      for (let j = sizes.length - 1; j >= 0; j -= 1) {
        levels[j] = (levels[j] + 1) % sizes[j];
        if (levels[j]) break;
      }
    }
    const each = scores.length / rows / columns;
    return grid.map((row) => row.map((total) => total / each));
  }

  function refuseDoubts(facets, names, sizes, within, scores) {
    const ordered = new Array(scores.size);
    scores.forEach((score, cell) => { ordered[cell] = score; });
    const grids = facets.map((_, k) => gridOf(k, sizes, within, ordered));
    const called = [...names];
    if (within) called[2] = [...grids[2].keys()].map((k) => `no. ${k + 1}`);
    const doubt = root.plannerDoubts(
      ordered, facets, called, grids, !within);
    if (doubt) {
      refuse(`${doubt[1]} Mend it; or if it is right, take ` +
        `gtlib audit FILE --allow ${doubt[0]}.`);
    }
  }

  /* A design, the names and numbers of its levels, and its components. */
  function read(text) {
    const records = recordsOf(fieldsOf(text));
    const facets = FACETS.filter((facet) => facet in records[0]);
    const names = facets.map((facet) => namesOf(records, facet));
    const codes = names.map(
      (all) => new Map(all.map((name, code) => [name, code])));
    const within = facets.length > 2 && withinTopics(records);
    if (within) codes[2] = within;
    const sizes = codes.map(
      (code) => [...code.values()].reduce((a, b) => Math.max(a, b)) + 1);
    const called = (level) => facets.map(
      (facet, k) => `${facet} ${level(facet, k)}`
        .replace(`${facet} ${facet} `, `${facet} `)).join(", ");
    const scores = new Map();
    for (const record of records) {
      const cell = facets.reduce((at, facet, k) => (
        at * sizes[k] + codes[k].get(record[facet])), 0);
      const where = () => called((facet) => record[facet]);
      if (NOTHING.test(record.score)) continue;
      if (!NUMBER.test(record.score)) {
        refuse(`The score of ${where()} is ${record.score}; a number such ` +
          "as 0.31 is needed.");
      }
      if (scores.has(cell)) refuse(`Two scores are given for ${where()}.`);
      scores.set(cell, Number(record.score));
    }
    // The level of a facet that a cell belongs to
    const levelOf = (cell, k) => Math.floor(
      cell / product(sizes.slice(k + 1))) % sizes[k];
    const gaps = product(sizes) - scores.size;
    if (gaps) {
      let cell = 0;
      while (scores.has(cell)) cell += 1;
      const where = called((_, k) => (within && k > 1
        ? `${levelOf(cell, k) + 1} of that topic`
        : names[k][levelOf(cell, k)]));
      refuse(`There ${gaps > 1 ? `are ${gaps} gaps` : "is one gap"}, the ` +
        `first at ${where}. Leave out what has gaps, or take ` +
        "gtlib.gstudy, which allows for them.");
    }
    const values = [...scores.values()];
    const [low, high] = values.reduce(([least, most], x) => (
      [Math.min(least, x), Math.max(most, x)]), [values[0], values[0]]);
    if (low === high) {
      refuse(`Every score is ${low}: there is no variance to divide.`);
    }
    if (!(high - low > SMALLEST && high - low < LARGEST)) {
      refuse(`The scores go from ${low} to ${high}: squares of such numbers ` +
        "lose their digits. Give them in another unit.");
    }
    refuseDoubts(facets, names, sizes, within, scores);
    const design = within ? "nested" : ["single", "crossed"][facets.length - 2];
    const levels = Object.fromEntries(facets.map((f, k) => [f, sizes[k]]));
    const codesOf = Object.fromEntries(facets.map((facet, k) => (
      [facet, [...scores.keys()].map((cell) => levelOf(cell, k))])));
    return { design, levels, names,
      components: estimate(designs[design], values, levels, codesOf) };
  }

  /* The analysis of variance: what an effect adds to each score is a sum of
   * means, with the signs that gtlib gives, and its component one of mean
   * squares with the same signs. */
  function estimate({ effects, signs }, scores, levels, codesOf) {
    const near = scores.map((x) => x - scores[0]);
    const mean = sum(near) / near.length;
    const cells = effects.map(
      ({ facets }) => product(facets.map((facet) => levels[facet])));
    const means = effects.map(({ facets }, k) => {
      const sums = new Array(cells[k]).fill(0);
      const home = near.map((x, at) => {
        const cell = facets.reduce((place, facet) => (
          place * levels[facet] + codesOf[facet][at]), 0);
        sums[cell] += x - mean;
        return cell;
      });
      return home.map((cell) => sums[cell] * cells[k] / near.length);
    });
    const squares = effects.map(({ facets, primary }, j) => {
      const freedom = product(facets.map(
        (facet) => levels[facet] - primary.includes(facet)));
      return sum(near.map((_, at) => sum(effects.map(
        (__, k) => signs[k][j] * means[k][at])) ** 2)) / freedom;
    });
    return cells.map((n, k) => sum(squares.map((square, j) => (
      signs[k][j] * square))) * n / near.length);
  }

  root.plannerScores = read;
}(window));
