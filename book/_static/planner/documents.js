/* Documents, topics and assessors: the same D-study and allocation as
 * gtlib's, on the chapter's study of decisions about documents. */
(function (root) {
  "use strict";

  const MOST_TRIED = 1e6;

  /* What each facet is nested in. */
  const SHAPES = {
    crossed: { document: ["topic"] },
    topic: { document: ["topic"], assessor: ["topic"] },
    document: { document: ["topic"], assessor: ["document", "topic"] },
  };

  /* Each component as what it is divided by, and where it belongs. */
  function sources(components, shape) {
    return components.map(([facets, variance]) => {
      const every = new Set(facets.flatMap((f) => (
        [f, ...(SHAPES[shape][f] || [])])));
      return {
        variance: Math.max(variance, 0),
        relative: every.delete("system"),
        facets: [...every],
      };
    });
  }

  function evaluate(parts, levels) {
    const sum = { universe: 0, relative: 0, absolute: 0 };
    for (const { variance, relative, facets } of parts) {
      const share = facets.reduce((v, f) => v / levels[f], variance);
      if (!facets.length) sum.universe += share;
      else sum[relative ? "relative" : "absolute"] += share;
    }
    const { universe, relative, absolute } = sum;
    const ratio = (error) => (
      universe > 0 ? universe / (universe + error) : 0);
    return {
      generalizability: ratio(relative),
      dependability: ratio(relative + absolute),
    };
  }

  const cost = (prices, { topic, document, assessor }) => (
    topic * (prices.topic + prices.judgment * document * assessor));

  /* Every number of documents and assessors, with all the topics that the
   * budget buys: more topics never raise an error. */
  function best(parts, coefficient, prices, budget, most) {
    let found = null;
    for (let assessor = 1; assessor <= most.assessor; assessor += 1) {
      for (let document = 1; document <= most.document; document += 1) {
        const one = cost(prices, { topic: 1, document, assessor });
        const topic = Math.floor(budget / one * (1 + 1e-12));
        if (topic < 1) break;
        const levels = { topic, document, assessor };
        const value = evaluate(parts, levels)[coefficient];
        if (!found || value > found.value * (1 + 1e-12)) {
          found = { levels, value };
        }
      }
    }
    return found;
  }

  // ---- the page ----------------------------------------------------------

  const $ = (id) => document.getElementById(`pl-d-${id}`);
  const NUMBERS = ["topics", "documents", "assessors", "price-topic",
    "price-judgment", "budget", "most-documents", "most-assessors"];

  function start() {
    const { note } = root.plannerDocumentsStart || {};
    if (note) $("note").textContent = note;
  }

  function update() {
    const { components } = root.plannerDocumentsStart || {};
    const numbers = NUMBERS.map((id) => root.plannerForm.read($(id)));
    const ready = Boolean(components) && numbers.every(Number.isFinite);
    $("results").hidden = !ready;
    if (!ready) return;
    const [topic, documents, assessor, ofTopic, judgment, budget,
      mostDocuments, mostAssessors] = numbers;
    const { money, put } = root.plannerResults;
    const parts = sources(components, $("shape").value);
    const levels = { topic, document: documents, assessor };
    const prices = { topic: ofTopic, judgment };
    const now = evaluate(parts, levels);
    for (const name of ["generalizability", "dependability"]) {
      put(`d-${name}`, now[name], now[name].toFixed(3));
    }
    const spent = cost(prices, levels);
    put("d-cost", spent, money(spent));
    if (ofTopic + judgment === 0) {
      put("d-best", "", "A design costs nothing at these prices.");
    } else if (mostDocuments * mostAssessors > MOST_TRIED) {
      put("d-best", "", "These are too many designs to try in a page.");
    } else {
      showBest(best(parts, $("coefficient").value, prices, budget,
        { document: mostDocuments, assessor: mostAssessors }), prices);
    }
  }

  function showBest(found, prices) {
    const { money, put } = root.plannerResults;
    if (!found) {
      put("d-best", "", "The budget does not buy one topic.");
      return;
    }
    const { topic, document, assessor } = found.levels;
    const many = (n, name) => `${money(n)} ${name}${n === 1 ? "" : "s"}`;
    put("d-best", found.value, `${many(topic, "topic")}, ` +
      `${many(document, "document")} each, ${many(assessor, "assessor")}: ` +
      `${found.value.toFixed(3)} for ${money(cost(prices, found.levels))}`);
  }

  root.plannerDocuments = { best, evaluate, sources, start, update,
    fields: [...NUMBERS, "shape", "coefficient"].map((id) => `d-${id}`) };
}(window));
