/* What the names of columns mean: gtaudit/words.py, for a page. The words
 * themselves are those of gtaudit/words.csv. */
(function (root) {
  "use strict";

  const FACETS = ["system", "topic", "task", "assessor", "seed",
    "repetition"];
  const set = (text) => new Set(text.split(" "));
  const AFFIXES = set("id ids uid key idx index no nr num number names name " +
    "label code nummer numero nom nombre nome text n o member mitglied of " +
    "the de du des del la le el");
  const GLUED = ["id", "ids", "name", "nummer", "nr", "no"];
  const OF = set("de du des del di da of");
  const UNITS = set("usd eur s ms sec h b m k gb mb kg total in out");
  const [BEFORE, BEHIND, LONGEST, MOST_WORDS] = [4, 5, 40, 9];
  const COUNTED =
    /^(n|num|nb|number|anzahl|nombre)[^\p{L}\p{N}].*[\p{L}\p{N}]s$/iu;
  const INDEX = new RegExp("^((rank|index|level_\\d+|unnamed_\\d+|row|rows|" +
    "row_?names?|no|nr)?|number|(row|line|zeile|ligne|fila)_(number|nr|no|" +
    "num|index|id))$");

  const cached = (act) => {
    const known = new Map();
    return (name) => {
      if (!known.has(name)) known.set(name, act(name));
      return known.get(name);
    };
  };
  const bare = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "");
  const plain = cached((name) => name.replace(/([a-z])(?=[A-Z])/g, "$1_")
    .toLowerCase().replace(/ß/g, "ss").replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, ""));

  /* A word, and what its plural may be in six languages. */
  function forms(word) {
    const found = ["", "s", "es", "n", "en", "e", "er"].map(
      (end) => word + end);
    if (word.endsWith("y")) found.push(`${word.slice(0, -1)}ies`);
    if (/[aoe]$/.test(word)) found.push(`${word.slice(0, -1)}i`);
    if (word.endsWith("z")) found.push(`${word.slice(0, -1)}ces`);
    return found;
  }

  /* By role, the rank of each word, and of each form of each word. */
  const [singular, every] = [{}, {}];
  for (const line of root.plannerKnown.words.trim().split(/\r?\n/).slice(1)) {
    const [word, role, rank] = line.split(",");
    singular[role] ??= new Map();
    if (!singular[role].has(bare(word))) {
      singular[role].set(bare(word), Number(rank));
    }
  }
  for (const [role, words] of Object.entries(singular)) {
    every[role] = new Map();
    for (const [word, rank] of words) {
      for (const form of forms(word)) {
        if (!every[role].has(form)) every[role].set(form, rank);
      }
    }
  }

  /* A name, and what is left of it without its affixes. */
  function bases(written) {
    const found = [written];
    let words = written.split("_");
    while (words.length > 1 && AFFIXES.has(words[words.length - 1])) {
      words = words.slice(0, -1);
      found.push(words.join("_"));
    }
    while (words.length > 1 && AFFIXES.has(words[0])) {
      words = words.slice(1);
      found.push(words.join("_"));
    }
    for (const end of GLUED) {
      if (words.length === 1 && words[0].endsWith(end) && words[0] !== end) {
        found.push(words[0].slice(0, -end.length));
      }
    }
    return found;
  }

  /* The facets that the noun of a name is, one rank lower. */
  function ranksOfNoun(written) {
    const words = bases(written).pop().split("_");
    let nouns = words.slice(-1);
    if (words.length > 2 && OF.has(words[1])) nouns = words.slice(0, 1);
    else if (words.length === 1) {
      const [word] = words;
      nouns = [];
      for (let start = Math.max(BEFORE, word.length - LONGEST);
        start <= word.length - BEHIND; start += 1) {
        nouns.push(word.slice(start));
      }
    }
    const found = {};
    for (const noun of nouns) {
      for (const role of FACETS) {
        const rank = singular[role].get(noun);
        if (rank <= 2) found[role] = rank + 1;
      }
    }
    return found;
  }

  /* The roles that a name has in the table, with its rank. */
  const ranksOf = cached((name) => {
    const written = bare(plain(name));
    const found = {};
    for (const base of bases(written)) {
      for (const [role, ranks] of Object.entries(every)) {
        if (ranks.has(base)) found[role] ??= ranks.get(base);
      }
    }
    return Object.keys(found).length ? found : ranksOfNoun(written);
  });

  /* The word to which all names add a number; null if there is none. */
  function stemOf(names) {
    let stem = null;
    for (const name of names) {
      const match = /^(\D*?)[-_ ./]*\d+[a-z]?$/.exec(name.trim());
      if (!match || (stem !== null && plain(match[1]) !== stem)) return null;
      stem = plain(match[1]);
    }
    return stem;
  }

  /* The role of which all names are numbered, as q1, q2 are of topics. */
  function roleOfNumbered(names) {
    const word = stemOf(names);
    if (word === null) return "";
    if (["", "i", "t", "q"].includes(word)) return "topic";
    if (word === "run") return "repetition";
    if (["sys", "model", "system"].includes(word)) return "system";
    const ranks = Object.entries(ranksOf(word)).filter(
      ([role]) => FACETS.includes(role));
    return ranks.sort((a, b) => a[1] - b[1])[0]?.[0] || "";
  }

  /* Whether half of the names or more are of systems that are known. */
  function areKnownSystems(names) {
    const found = names.filter((name) => {
      const words = bare(plain(name)).split("_");
      return words.length <= MOST_WORDS && words.some((word) => (
        every.known.has(word) || every.known.has(word.replace(/\d+$/, ""))));
    }).length;
    return names.length > 1 && 2 * found >= names.length;
  }

  const wordsOf = (name) => bare(plain(name)).split("_");
  const isAny = (word, ...roles) => roles.some(
    (role) => every[role].has(word));

  const isAside = cached((name) => {
    let words = wordsOf(name);
    if (isAny(words.join("_"), "criterion")) return false;
    while (words.length > 1 && UNITS.has(words[words.length - 1])) {
      words = words.slice(0, -1);
    }
    const last = words[words.length - 1];
    if (COUNTED.test(name.trim())) {
      return !isAny(last, ...Object.keys(every));
    }
    return isAny(last, "aside");
  });

  const isAverage = cached((name) => {
    const words = wordsOf(name);
    if (isAny(words.join("_"), "average")) return true;
    return words.some((word) => isAny(word, "average")) && words.every(
      (word) => word === "performance" ||
        isAny(word, "average", "rate", "criterion", "less"));
  });

  const isCriterion = cached((name) => {
    const written = bare(plain(name));
    if (isAny(written, "criterion")) return true;
    const words = written.split("_").filter((word) => !/^\d+$/.test(word))
      .map((word) => word.replace(/(?<=[a-z]{2})\d+$/, ""));
    return words.length > 0 && words.every(
      (word) => isAny(word, "criterion", "rate"));
  });

  /* Who marked, as a name says: human, judge, or nobody (marks.py). */
  const whose = cached((name) => {
    const words = (plain(name).match(/\p{L}+/gu) || []).filter(
      (word) => word.length > 1);
    const any = (role, holds) => words.some((word) => {
      const rank = ranksOf(word)[role];
      return rank && holds(rank);
    });
    const machine = any("machine", (rank) => rank === 1);
    if (any("human", Boolean)) return machine ? "" : "human";
    if (machine || any("machine", Boolean) || any("known", Boolean)) {
      return "judge";
    }
    return any("assessor", (rank) => rank < 3) ? "human" : "";
  });

  /* Whether scores are called like errors: less is better. */
  function isLessBetter(name) {
    const written = plain(name);
    if (name.includes("↓") || /lower_(is_)?better/.test(written) ||
        every.less.get(written) === 2) return true;
    const words = wordsOf(name);
    const less = words.some((word) => every.less.get(word) === 1 ||
      (/(mse|mae|fehler|loss)$/.test(word) && !/^f?gloss$|^floss$/.test(
        word))) || /(^|[^A-Za-z])([WCTMDFP]ER|HTER|EER|R?MSE|MAE|S?MAPE|FID|ECE)($|[^A-Za-z])/
      .test(name);
    return less && !/^\s*[-−]/.test(name) &&
      !words.some((word) => isAny(word, "more"));
  }

  root.scoreWords = { FACETS, areKnownSystems, isAside, isAverage,
    isCriterion, whose, isId: (name) => /^(\w+_)?(id|uid|idx|key)$/.test(plain(name)),
    isIndex: (name) => INDEX.test(plain(name)), isLessBetter,
    isNumbered: (names) => stemOf(names) !== null,
    isUnnamed: (name) => /^\s*($|unnamed: )/i.test(name), plain, ranksOf,
    roleOfNumbered };
}(globalThis));
