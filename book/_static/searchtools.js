// The search page's script, in place of Sphinx's own: it ranks sections,
// which book/_ext/sections.py has written down, and shows the words found.

const MOST = 40;
const LONGEST = 200;
const AROUND = 80;
const WORD = /[\p{L}\p{N}_@.]*[\p{L}\p{N}_]/gu;
const PART = /[\p{L}\p{N}]+/gu;
const GREEK = {
  alpha: "α", delta: "δ", kappa: "κ", phi: "φ", rho: "ρ", sigma: "σ",
};

function wordsOf(text) {
  const words = [...new Set(text.toLowerCase().match(WORD))];
  const telling = words.filter((word) => !stopwords.includes(word));
  return telling.length ? telling : words;
}

// Finds a word where it begins, a short one as a whole; plural or not;
// gt for gtlib; and Greek letters by their names.
function finderOf(word) {
  let pattern = word.replace(/(?<=..)s$/, "").replaceAll(".", "\\.")
    .replace(/^gt(lib)?(?=\\)/, "gt(lib)?").replace(/[2²]$/, "[2²]");
  if (pattern.length < 4) pattern += "s?(?![\\p{L}\\p{N}])";
  for (const names of Object.entries(GREEK)) {
    const either = names.join("|");
    pattern = pattern.replace(RegExp(either), `(${either})`);
  }
  return RegExp(`(?<![\\p{L}\\p{N}])${pattern}`, "giu");
}

// The sections with the most of the words, best first.
function ranked(finders) {
  const rows = SECTIONS.map(([title, chapter, address, text]) => {
    const named = finders.map((finder) => title.search(finder) >= 0);
    const said = finders.map((finder) => text.match(finder)?.length ?? 0);
    const covered = said.filter((times, i) => times || named[i]).length;
    return { title, chapter, address, text, named, said, covered };
  });
  const rarity = finders.map((_, i) => Math.log(
    rows.length / (1 + rows.filter((row) => row.said[i]).length)));
  const most = Math.max(1, ...rows.map((row) => row.covered));
  return rows.filter((row) => row.covered === most)
    .map((row) => ({ ...row, score: score(row, finders, rarity) }))
    .sort((a, b) => b.score - a.score);
}

// A title that says just this counts most, then a word in the title, early
// in the text, and often. Sections count more than the first lines of a
// chapter and than what is written of a function.
function score(row, finders, rarity) {
  const { title, chapter, address, text, named, said } = row;
  const length = Math.max(finders.length, title.match(PART).length);
  let sum = 8 * (named.filter(Boolean).length / length) ** 2;
  rarity.forEach((weight, i) => {
    const often = said[i] / (said[i] + 1 + text.length / 2000);
    const early = said[i] && 1 / (1 + text.search(finders[i]) / 40);
    sum += weight * (2 * named[i] + often + early);
  });
  const less = address.includes("/api/") || chapter.endsWith(title);
  return less ? 0.7 * sum : sum;
}

// A word that the book does not have: the most similar one in a title.
function mended(word) {
  const finder = finderOf(word);
  if (SECTIONS.some((row) => row.join(" ").search(finder) >= 0)) return word;
  const pairs = (text) => [...text].map((_, i) => text.slice(i, i + 2));
  const mine = pairs(word);
  const likeness = (other) => 2 * pairs(other).filter(
    (pair) => mine.includes(pair)).length / (mine.length + other.length);
  const [best] = SECTIONS.flatMap(([title]) => wordsOf(title))
    .filter((other) => other[0] === word[0])
    .sort((a, b) => likeness(b) - likeness(a));
  return best && likeness(best) >= 0.5 ? best : word;
}

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

function entry({ title, chapter, address, text }, finder) {
  const first = text.search(finder);
  const start = first < AROUND ? 0 : text.indexOf(" ", first - AROUND);
  const end = text.lastIndexOf(" ", start + 3 * AROUND);
  const line = text.length > start + 3 * AROUND
    ? `${text.slice(start, end)} …` : text.slice(start);
  const parts = [start ? "…" : ""];
  let done = 0;
  for (const found of line.matchAll(finder)) {
    parts.push(line.slice(done, found.index), element("mark", found[0]));
    done = found.index + found[0].length;
  }
  const link = element("a", title);
  link.href = address;
  return element("li", link, " ", element("small", chapter),
    element("p", ...parts, line.slice(done)));
}

function search(query) {
  const typed = wordsOf(query.slice(0, LONGEST));
  const words = typed.map(mended);
  const finders = words.map(finderOf);
  const found = words.length ? ranked(finders) : [];
  const sources = finders.map(({ source }) => source).join("|");
  const any = RegExp(`(${sources})\\p{L}*`, "giu");
  const status = element("p");
  status.setAttribute("role", "status");
  const list = element("ul",
    ...found.slice(0, MOST).map((row) => entry(row, any)));
  list.className = "search";
  document.getElementById("search-results").append(status, list);
  const said = [`Found: ${found.length}`];
  if (found.length > MOST) said.push(`the first ${MOST} are shown`);
  if (`${words}` !== `${typed}`) said.push(`for “${words.join(" ")}”`);
  if (found[0]?.covered < words.length) said.push("none has all the words");
  // Screen readers speak of what changes once the page is there.
  setTimeout(() => {
    status.textContent = found.length ? said.join(", ")
      : "Nothing found. Try fewer or other words.";
  }, 100);
}

_ready(() => {
  const query = new URLSearchParams(location.search).get("q") ?? "";
  const fields = document.querySelectorAll('input[name="q"]');
  fields.forEach((field) => { field.value = query; });
  if (query.trim()) search(query);
});
