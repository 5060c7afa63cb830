/* The planner: its faces as tabs, fields in, answers out, the plan in the
 * address. What a face asks and answers is in a script of its own. */
(function (root) {
  "use strict";

  const { make } = root;
  const place = document.getElementById("pl-root");
  const $ = (id) => document.getElementById(`pl-${id}`);
  const form = make("form", { id: "pl-form", novalidate: "",
    autocomplete: "off" });
  const field = (name) => form.elements.namedItem(name);
  const number = (name) => Number(field(name).value);

  // ---- words --------------------------------------------------------------

  const whole = (n) => n.toLocaleString("en");
  const count = (n, word) => `${whole(n)} ${word}${n === 1 ? "" : "s"}`;
  const money = (x) => x.toLocaleString("en", { maximumFractionDigits: 2 });
  const share = (x) => (x > 0.9995 ? x.toPrecision(6) : x.toFixed(3));
  const small = (x) => Number(x.toPrecision(3)).toString()
    .replace(/e\+?/, " × 10^").replaceAll("-", "\u2212");
  const times = (label) => label.replace(/ x /g, " × ");

  function put(id, value, text) {
    $(id).value = value;
    $(id).textContent = text;
  }

  // ---- what a face is made of ---------------------------------------------

  const limits = { min: 0, max: 1e9, step: "any" };
  const input = (name, more) => make("input", { id: `pl-${name}`, name,
    type: "number", required: "", ...limits, ...more });
  const label = (name, said) => make("label", { for: `pl-${name}` }, said);

  /* A number. */
  const ask = (name, said, more) => make("div", { class: "planner-field" },
    label(name, said), input(name, more));

  /* A whole number, that a slider moves as well. */
  const slide = (name, said, to, more) => make("div",
    { class: "planner-number", id: `pl-${name}-field` },
    label(name, said), make("input", { id: `pl-${name}-slider`,
      type: "range", min: more.min || 1, max: to,
      "aria-label": `${said}, slider`,
      input: ({ target }) => { field(name).value = target.value; } }),
    input(name, { min: 1, max: 1e6, step: 1, ...more }));

  /* One of several, as a menu. */
  const choose = (name, said, options) => make("div",
    { class: "planner-field", id: `pl-${name}-field` }, label(name, said),
    make("select", { id: `pl-${name}`, name }, ...options.map(
      ([value, text]) => new Option(text, value))));

  /* One of a few, all of them seen. */
  const pick = (name, said, options) => make("div",
    { class: "planner-choice", id: `pl-${name}-field`, role: "radiogroup",
      "aria-label": said }, ...options.map(([value, text], k) => make(
      "label", {}, make("input", { type: "radio", name, value,
        ...(k ? {} : { checked: "" }) }), text)));

  const row = (...fields) => make("div", { class: "planner-row" }, ...fields);
  const hint = (id, ...said) => make("p", { class: "planner-hint",
    id: `pl-${id}` }, ...said);
  const folded = (said, ...what) => make("details", { class: "planner-more" },
    make("summary", {}, said), ...what);

  /* A number that is answered, and a line below it. */
  const tile = (id, title, kind = "") => make("div",
    { class: `planner-tile ${kind}` }, make("h2", {}, title),
    make("data", { id: `pl-${id}` }), make("p", { id: `pl-${id}-note` }));

  const scrolled = (name, ...what) => make("div", { class: "planner-scroll",
    tabindex: 0, role: "region", "aria-label": name }, ...what);

  const faces = [];
  let shown = null;

  /* A face: `aim`, `plan` and `given` are its fields, `tiles` and `figures`
   * its answers, `more` what waits below them. `arrange` shows the fields
   * that there are; `answer` fills tiles and figures, and gives a verdict
   * and the same in Python. */
  function face({ name, title, about, aim, plan, given, tiles, figures,
    more = [], arrange = () => {}, answer }) {
    const fields = make("fieldset", {},
    make("p", { class: "planner-about" }, about),
    make("div", { class: "planner-console" },
      make("div", { class: "planner-levels", role: "group",
        "aria-label": "Aim and plan" }, row(...aim), ...plan),
      make("div", { class: "planner-now" },
        make("p", { class: "planner-waiting", hidden: "" },
          "Correct what is marked to see the results."),
        make("div", { "data-results": "" },
          make("p", { class: "planner-verdict" }),
          make("div", { class: "planner-tiles" }, ...tiles),
          make("div", { class: "planner-figures" }, ...figures.map(
            (id) => make("div", { id: `pl-${id}`,
              class: "planner-figure" }))))),
      make("div", { class: "planner-given", role: "group",
        "aria-label": "What is known" }, ...given)),
    make("div", { "data-results": "" }, ...more));
    const part = make("div", { class: "planner-face",
      id: `pl-${name}-face`, role: "tabpanel",
      "aria-labelledby": `pl-${name}-tab` }, fields);
    const tab = make("button", { type: "button", role: "tab",
      id: `pl-${name}-tab`, "aria-controls": part.id,
      click: () => { turnTo(faces.find((one) => one.part === part));
        update(); },
      keydown: move }, title);
    faces.push({ name, part, tab, arrange, answer });
  }

  function turnTo(one) {
    shown = one;
    for (const { part, tab } of faces) {
      const here = part === one.part;
      part.hidden = !here;
      part.firstChild.disabled = !here;  // is then neither checked nor in the address
      tab.setAttribute("aria-selected", here);
      tab.tabIndex = here ? 0 : -1;
    }
  }

  /* With the arrows from tab to tab. */
  function move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const k = (faces.indexOf(shown) + step + faces.length) % faces.length;
    faces[k].tab.focus();
    faces[k].tab.click();
  }

  // ---- every change -------------------------------------------------------

  /* A plain word beside each field that cannot be right. */
  function complain() {
    let wrong = false;
    for (const one of shown.part.querySelectorAll("input[type=number]")) {
      const id = `${one.id}-error`;
      const said = document.getElementById(id) ||
        make("p", { id, class: "planner-error" });
      said.textContent = one.validationMessage;
      if (one.checkValidity()) {
        said.remove();
        one.removeAttribute("aria-invalid");
        one.removeAttribute("aria-describedby");
        continue;
      }
      one.setAttribute("aria-invalid", "true");
      one.setAttribute("aria-describedby", id);
      one.parentElement.append(said);
      one.closest("details")?.setAttribute("open", "");
      wrong = true;
    }
    return wrong;
  }

  /* Once it is quiet: browsers refuse an address that changes with every
   * key, and a screen reader need not read every one. */
  const waiting = {};
  function soon(name, milliseconds, act) {
    window.clearTimeout(waiting[name]);
    waiting[name] = window.setTimeout(act, milliseconds);
  }
  const address = () => `#face=${shown.name}&${
    new URLSearchParams(new FormData(form))}`;

  /* From the address into the fields: twice, for some of them decide which
   * others there are. An address without a face is of the face that has
   * the fields which it names. */
  function readAddress() {
    const asked = new URLSearchParams(window.location.hash.slice(1));
    const named = [...asked.keys()].map(field).find(Boolean);
    turnTo(faces.find(({ name }) => name === asked.get("face")) ||
      faces.find(({ part }) => named && part.contains(named[0] || named)) ||
      shown || faces[0]);
    for (let pass = 1; pass <= 2; pass += 1) {
      for (const [name, value] of asked) {
        const one = field(name);
        if (!one) continue;
        const before = one.value;
        one.value = one.type === "number" &&
          Number.isNaN(Number(value)) ? "" : value;
        if (one.options && one.selectedIndex < 0) one.value = before;
      }
      shown.arrange(asked);
    }
  }

  function update() {
    shown.arrange();
    for (const slider of shown.part.querySelectorAll("[type=range]")) {
      slider.value = document.getElementById(
        slider.id.replace("-slider", "")).value;
    }
    soon("address", 250,
      () => window.history.replaceState(null, "", address()));
    const wrong = complain();
    shown.part.querySelector(".planner-waiting").hidden = !wrong;
    for (const results of shown.part.querySelectorAll("[data-results]")) {
      results.hidden = wrong;
    }
    $("end").hidden = wrong;
    if (wrong) return;
    const { verdict: [word, ...said], python } = shown.answer();
    const line = shown.part.querySelector(".planner-verdict");
    line.replaceChildren(make("strong", {}, word), " ", ...said);
    $("python").textContent = python;
    soon("say", 700, () => { $("status").textContent = line.textContent; });
  }

  /* Fields that an answer sets. */
  function use(values) {
    for (const [name, value] of Object.entries(values)) {
      field(name).value = value;
    }
    update();
  }

  /* A button for a plan that is better than the one that is shown. */
  const useThis = (values) => make("button", { type: "button",
    class: "planner-use", click: () => use(values) }, "Use this plan");

  /* By what the book's copy buttons use; the button keeps the focus. */
  const copies = (id, said, text) => new root.ClipboardJS($(id), { text })
    .on("success", ({ trigger }) => {
      trigger.focus();
      $(said).textContent = "Copied.";
    });
  const copier = (id, said, what) => [make("button", { type: "button",
    id: `pl-${id}` }, what), " ", make("span", { id: `pl-${said}`,
    role: "status" })];

  function begin() {
    form.append(make("div", { class: "planner-faces", role: "tablist",
      "aria-label": "What to plan" }, ...faces.map(({ tab }) => tab)),
    ...faces.map(({ part }) => part),
    make("div", { id: "pl-end" }, folded("The same in Python",
      make("div", { class: "planner-code", tabindex: 0, role: "region",
        "aria-label": "Python code" }, make("code", { id: "pl-python" })),
      make("p", {}, ...copier("copy", "copied", "Copy as Python"))),
    make("p", {}, ...copier("link", "linked", "Copy a link to this plan"))),
    make("p", { id: "pl-status", class: "planner-hidden", role: "status" }));
    place.replaceChildren(form);
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    const fromAddress = () => { readAddress(); update(); };
    window.addEventListener("hashchange", fromAddress);
    copies("copy", "copied", () => $("python").textContent);
    copies("link", "linked",
      () => new URL(address(), window.location.href).href);
    const skip = document.querySelector("#pst-skip-link a");
    skip.textContent = "Skip to the planner";
    skip.addEventListener("click", (event) => {
      event.preventDefault();
      shown.part.querySelector("[type=range]").focus();
    });
    fromAddress();
  }
  document.addEventListener("DOMContentLoaded", begin);

  root.plannerPage = { $, ask, choose, count, face, field, folded, hint,
    money, number, pick, put, row, scrolled, share, slide, small, tile, times,
    use, useThis, whole };
}(window));
