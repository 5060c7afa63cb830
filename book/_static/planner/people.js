/* How many topics people must judge beside a machine that judges all. */
(function (root) {
  "use strict";

  const { $, begin, field, money, number, put } = root.plannerPage;
  const { people, reach: table } = root.plannerKnown;
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

  function answer() {
    const [width, sd, correlation, total] = ["h-width", "h-sd",
      "h-correlation", "h-topics"].map(number);
    const whole = (n) => (
      n === null ? "none are enough" : n.toLocaleString("en"));
    const n = humanTopics(width, sd, correlation, total);
    const without = alone(width, sd, MOST);
    put("h-with", n === null ? "" : n, whole(n));
    put("h-without", without === null ? "" : without, whole(without));
    $("h-with-note").textContent = n === null
      ? "more topics are needed than the machine judges"
      : `of ${whole(total)}, for ${money(n * number("h-people") +
        total * number("h-machine"))}`;
    $("h-without-note").textContent = without === null ? ""
      : `people judge them all, for ${money(without * number("h-people"))}`;
    $("python").textContent = "import gtlib as gt\n\n" +
      `topics = gt.human_topics(${width}, ${sd}, ${correlation}, [${total}])`;
    return `People judge ${whole(n)}; without a machine, ${whole(without)}.`;
  }

  field("h-sd").value = people.sd;
  field("h-correlation").value = people.correlation;
  $("h-note").textContent = people.note;
  begin({ answer });
}(window));
