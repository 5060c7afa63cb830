/* A page of the planner: fields in, answers out, the plan in the address.
 * What it asks and answers is in a script of its own, which calls begin. */
(function (root) {
  "use strict";

  const form = document.getElementById("pl-form");
  const $ = (id) => document.getElementById(`pl-${id}`);
  const field = (name) => form.elements.namedItem(name);
  const number = (name) => Number(field(name).value);

  // ---- words --------------------------------------------------------------

  const count = (n, word) => `${n.toLocaleString("en")} ${word}${
    n === 1 ? "" : "s"}`;
  const money = (x) => x.toLocaleString("en", { maximumFractionDigits: 2 });
  const share = (x) => (x > 0.9995 ? x.toPrecision(6) : x.toFixed(3));
  const small = (x) => Number(x.toPrecision(3)).toString()
    .replace(/e\+?/, " × 10^").replaceAll("-", "\u2212");
  const times = (label) => label.replace(/ x /g, " × ");

  /* A new element; children are elements or text, never HTML. */
  function make(tag, attributes, ...children) {
    const svg = ["svg", "path", "line", "circle", "text"].includes(tag);
    const element = svg
      ? document.createElementNS("http://www.w3.org/2000/svg", tag)
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  function put(id, value, text) {
    $(id).value = value;
    $(id).textContent = text;
  }

  // ---- every change -------------------------------------------------------

  /* A plain word beside each field that cannot be right. */
  function complain() {
    let wrong = false;
    for (const input of form.querySelectorAll("input[type=number]")) {
      const id = `${input.id}-error`;
      const said = document.getElementById(id) ||
        make("p", { id, class: "planner-error" });
      said.textContent = input.validationMessage;
      if (input.checkValidity()) {
        said.remove();
        input.removeAttribute("aria-invalid");
        input.removeAttribute("aria-describedby");
        continue;
      }
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", id);
      input.parentElement.append(said);
      input.closest("details")?.setAttribute("open", "");
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
  const address = () => `#${new URLSearchParams(new FormData(form))}`;

  /* From the address into the fields: twice, for some of them decide which
   * others there are. */
  function readAddress(arrange) {
    const asked = new URLSearchParams(window.location.hash.slice(1));
    for (let pass = 1; pass <= 2; pass += 1) {
      for (const [name, value] of asked) {
        const input = field(name);
        if (!input) continue;
        const before = input.value;
        input.value = input.type === "number" &&
          Number.isNaN(Number(value)) ? "" : value;
        if (input.options && input.selectedIndex < 0) input.value = before;
      }
      arrange(asked);
    }
  }

  /* By what the book's copy buttons use; the button keeps the focus. */
  const copies = (id, said, text) => new root.ClipboardJS($(id), { text })
    .on("success", ({ trigger }) => {
      trigger.focus();
      $(said).textContent = "Copied.";
    });

  /* Start a page: `arrange` shows the fields that there are, `answer` shows
   * the results and gives them as a sentence, for who hears the page. */
  function begin({ arrange = () => {}, answer }) {
    const update = () => {
      arrange();
      soon("address", 250,
        () => window.history.replaceState(null, "", address()));
      const wrong = complain();
      for (const results of form.querySelectorAll("[data-results]")) {
        results.hidden = wrong;
      }
      $("waiting").hidden = !wrong;
      if (wrong) return;
      const said = answer();
      soon("say", 700, () => { $("status").textContent = said; });
    };
    const fromAddress = () => { readAddress(arrange); update(); };
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", fromAddress);
    copies("copy", "copied", () => $("python").textContent);
    copies("link", "linked",
      () => new URL(address(), window.location.href).href);
    const skip = document.querySelector("#pst-skip-link a");
    skip.textContent = "Skip to the planner";
    skip.addEventListener("click", (event) => {
      event.preventDefault();
      form.querySelector("input").focus();
    });
    $("root").hidden = false;
    fromAddress();
    return update;
  }

  root.plannerPage = { $, begin, count, field, make, money, number, put, share,
    small, times };
}(window));
