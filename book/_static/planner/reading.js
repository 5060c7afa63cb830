/* Reading what people type: numbers, pasted tables, the page's address. */
(function (root) {
  "use strict";

  const { LABELS, facetsOf } = root.plannerArithmetic;

  /* What a field may hold: rule(text) gives {value} or {error}. */
  function rule(pattern, allowed, error) {
    return (text) => {
      const tidy = text.trim().replace(/\u2212/g, "-");
      if (!tidy) return { error: "Enter a number." };
      if (/^[-+]?\d+,\d+$/.test(tidy)) {
        return { error: "Write the number with a point and no comma." };
      }
      const value = Number(tidy);
      return pattern.test(tidy) && Number.isFinite(value) && allowed(value)
        ? { value } : { error };
    };
  }

  const WHOLE = /^\+?\d+$/;
  const REAL = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

  const RULES = {
    count: rule(WHOLE, (n) => n >= 1 && n <= 1e6,
      "Enter a whole number from 1 to 1000000."),
    levels: rule(WHOLE, (n) => n >= 2 && n <= 1e6,
      "Enter a whole number of at least 2."),
    price: rule(REAL, (x) => x >= 0 && x <= 1e9,
      "Enter a price: a number, zero or more."),
    budget: rule(REAL, (x) => x > 0 && x <= 1e9,
      "Enter a budget above zero."),
    target: rule(REAL, (x) => x > 0 && x < 1,
      "Enter a number between 0 and 1, for instance 0.95."),
    component: rule(REAL, (x) => Math.abs(x) <= 1e9,
      "Enter a number, for instance 0.0126."),
    truth: rule(REAL, (x) => x > 0 && x <= 1e9,
      "Enter a number above zero: if systems do not differ, no collection " +
      "can tell them apart."),
    width: rule(REAL, (x) => x > 0 && x <= 1e9,
      "Enter a number above zero, for instance 0.05."),
    correlation: rule(REAL, (x) => Math.abs(x) <= 1,
      "Enter a correlation, from -1 to 1."),
    many: rule(WHOLE, (n) => n >= 5 && n <= 1e6,
      "Enter a whole number from 5 to 1000000."),
    square: rule(REAL, (x) => x >= 0 && x <= 1e9,
      "Enter a mean square: a number, zero or more."),
  };

  const NAMES = {
    system: "system", systems: "system", s: "system", p: "system",
    run: "system", runs: "system", person: "system", participant: "system",
    topic: "topic", topics: "topic", t: "topic", i: "topic",
    query: "topic", queries: "topic", q: "topic", item: "topic",
    assessor: "assessor", assessors: "assessor", a: "assessor",
    judge: "assessor", judges: "assessor", j: "assessor", rater: "assessor",
  };

  function facetSet(label) {
    const words = label.toLowerCase().split(/[^a-z]+/)
      .filter((word) => word && word !== "x");
    const short = words.length === 1 && !NAMES[words[0]] ? [...words[0]] : words;
    const facets = short.map((word) => NAMES[word]);
    return facets.length && facets.every(Boolean)
      ? ["system", "topic", "assessor"].filter((f) => facets.includes(f))
      : null;
  }

  const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

  /* One line of a pasted table: {facets, value}, {problem} or {}. */
  function readLine(line) {
    const tidy = line.replace(/["'{}[\]|]/g, " ").replace(/\u2212/g, "-")
      .trim();
    if (!tidy) return {};
    if (/(?<![.\d])\d+,\d/.test(tidy)) {
      return { problem: `${tidy} (a comma in a number; write a point)` };
    }
    const words = tidy.split(/[\s:=,]+/).filter(Boolean);
    const first = words.findIndex((word) => NUMBER.test(word));
    const facets = first > 0 && facetSet(words.slice(0, first).join(" "));
    if (!facets) return { unknown: tidy };
    return words.length > first + 1
      ? { problem: `${tidy} (more than one number)` }
      : { facets, value: words[first] };
  }

  /* A pasted table, one effect and its number a line (or a Python dict).
   * Gives {values: [number or undefined], unknown: [lines that name no
   * effect], problems: [lines that cannot be right], missing: [labels]}. */
  function readTable(text, design) {
    const labels = LABELS[design];
    const values = new Array(labels.length).fill(undefined);
    const unknown = [];
    const problems = [];
    for (const line of text.split(/[\n;]+|,(?=\s*(?:["'}a-z]|$))/im)) {
      const { facets, value, problem, unknown: other } = readLine(line);
      const at = facets ? labels.findIndex(
        (label) => facetsOf(label).join() === facets.join(),
      ) : -1;
      if (problem) problems.push(problem);
      else if (facets && at < 0) unknown.push(line.trim());
      else if (other) unknown.push(other);
      else if (at >= 0 && values[at] !== undefined) {
        problems.push(`${labels[at]} (twice)`);
      } else if (at >= 0) values[at] = value;
    }
    const missing = labels.filter((_, k) => values[k] === undefined);
    return { values, unknown, problems, missing };
  }

  /* The page's address carries the whole plan, so that it can be shared. */
  function toAddress(fields) {
    const pairs = Object.entries(fields).map(([key, value]) => (
      `${key}=${encodeURIComponent(value).replace(/%20/g, "+")
        .replace(/%2C/g, ",")}`
    ));
    return `#${pairs.join("&")}`;
  }

  function fromAddress(hash) {
    return Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  }

  root.plannerReading = { RULES, readTable, toAddress, fromAddress };
}(typeof globalThis === "undefined" ? window : globalThis));
