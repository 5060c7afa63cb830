/* Two more questions of the planner's: how many topics people must judge
 * beside a machine, and how many documents to judge on a topic. */
(function (root) {
  "use strict";

  const A = root.plannerArithmetic;
  const { documents, people, reach: table } = root.plannerKnown;
  const [Z, Z80] = [1.959963984540054, 0.8416212335729143];
  const FEWEST = 4;
  const MOST = 1e6;

  /* What four in five studies have of half-width, or less, in standard
   * errors: Student's t that is exceeded, in either direction, with .05, and
   * the root of the variance that is exceeded with .2. From gtlib's table,
   * and after it by Cornish and Fisher, and by Wilson and Hilferty. */
  function reach(df) {
    if (df <= table.length) return table[df - 1];
    const t = Z + (Z ** 3 + Z) / (4 * df) +
      (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * df ** 2) +
      (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / (384 * df ** 3);
    const part = 2 / (9 * df);
    return t * (1 - part + Z80 * Math.sqrt(part)) ** 1.5;
  }

  /* The first whole number of a range from which something holds. */
  function first(from, to, holds) {
    if (to < from || !holds(to)) return null;
    let [low, high] = [from, to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (holds(middle)) high = middle; else low = middle + 1;
    }
    return low;
  }

  const alone = (width, sd, most) => first(2, most,
    (n) => (reach(n - 1) * sd) / Math.sqrt(n) <= width);

  /* As gtlib.human_topics, at 95% and with an assurance of .8. */
  function humanTopics(width, sd, correlation, total) {
    const explained = correlation ** 2;
    const found = first(FEWEST, total - 1, (n) => {
      const line = ((1 - explained) * (1 + (1 - n / total) / (n - 3))) / n;
      return reach(n - 2) * sd * Math.sqrt(line + explained / total) <= width;
    });
    return found || (alone(width, sd, total) === null ? null : total);
  }

  const human = {
    name: "h",
    start(field, $) {
      field("h-sd").value = people.sd;
      field("h-correlation").value = people.correlation;
      $("h-note").textContent = people.note;
    },
    update({ money, number, put }) {
      const [width, sd, correlation, total] = ["h-width", "h-sd",
        "h-correlation", "h-topics"].map(number);
      const whole = (n) => (
        n === null ? "none are enough" : n.toLocaleString("en"));
      const note = (id, text) => {
        document.getElementById(`pl-h-${id}`).textContent = text;
      };
      const n = humanTopics(width, sd, correlation, total);
      const without = alone(width, sd, MOST);
      put("h-with", n === null ? "" : n, whole(n));
      put("h-without", without === null ? "" : without, whole(without));
      note("with-note", n === null
        ? "more topics are needed than the machine judges"
        : `of ${whole(total)}, for ${money(n * number("h-people") +
          total * number("h-machine"))}`);
      note("without-note", without === null ? ""
        : `people judge them all, for ${money(without * number("h-people"))}`);
      note("python",
        `gt.human_topics(${width}, ${sd}, ${correlation}, [${total}])`);
    },
  };

  const priceOf = (prices, { topic, document, assessor }) => (
    topic * (prices.topic + prices.judgment * document * assessor));

  /* Every number of documents and assessors, with all the topics that the
   * budget buys: more topics never raise an error. */
  function best(rows, coefficient, prices, budget, most) {
    let found = null;
    for (let assessor = 1; assessor <= most.assessor; assessor += 1) {
      for (let document = 1; document <= most.document; document += 1) {
        const one = priceOf(prices, { topic: 1, document, assessor });
        const topic = Math.floor((budget / one) * (1 + 1e-12));
        if (topic < 1) break;
        const levels = { topic, document, assessor };
        const value = A.evaluate(rows, documents.components,
          levels)[coefficient];
        if (!found || value > found.value * (1 + 1e-12)) {
          found = { levels, value };
        }
      }
    }
    return found;
  }

  const ofDocuments = {
    name: "d",
    start(field, $) { $("d-note").textContent = documents.note; },
    update({ count, field, money, number, put, share }) {
      const { rows } = documents.plans[field("d-shape").value];
      const levels = { topic: number("d-topics"),
        document: number("d-documents"), assessor: number("d-assessors") };
      const prices = { topic: number("d-price-topic"),
        judgment: number("d-price-judgment") };
      const now = A.evaluate(rows, documents.components, levels);
      for (const name of ["generalizability", "dependability"]) {
        put(`d-${name}`, now[name], share(now[name]));
      }
      put("d-cost", priceOf(prices, levels), money(priceOf(prices, levels)));
      if (!(prices.topic + prices.judgment)) {
        put("d-best", "", "A design costs nothing at these prices.");
        return;
      }
      const found = best(rows, field("d-coefficient").value, prices,
        number("d-budget"), { document: number("d-most-documents"),
          assessor: number("d-most-assessors") });
      if (!found) {
        put("d-best", "", "The budget does not buy one topic.");
        return;
      }
      const { topic, document, assessor } = found.levels;
      put("d-best", found.value, `${count(topic, "topic")}, ` +
        `${count(document, "document")} each, ${
          count(assessor, "assessor")}: ${share(found.value)} for ${
          money(priceOf(prices, found.levels))}`);
    },
  };

  root.plannerParts = [human, ofDocuments];
}(window));
