/* The planner's form: what its fields hold, and which of them are asked. */
(function (root) {
  "use strict";

  const A = root.plannerArithmetic;
  const $ = (id) => document.getElementById(`pl-${id}`);
  const { RULES } = root.plannerReading;
  const presets = root.plannerPresets || [];
  const FACETS = ["system", "topic", "assessor"];
  const OWN = {
    components: "my own variance components",
    squares: "my own mean squares",
  };
  const SIGNIFICANT = 6;
  let lastPreset = presets[0];

  const choice = (name) => (
    document.querySelector(`input[name="pl-${name}"]:checked`).value
  );

  function choose(name, value) {
    const radio = document.querySelector(
      `input[name="pl-${name}"][value="${value}"]`,
    );
    if (radio) radio.checked = true;
  }

  /* The value of a field, or undefined and a message beside it. */
  function read(input, rule) {
    const { value, error } = RULES[rule || input.dataset.rule](input.value);
    complain(input, error);
    return value;
  }

  function complain(input, error) {
    const id = `${input.id}-error`;
    let note = document.getElementById(id);
    if (!error) {
      if (note) note.remove();
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
      return;
    }
    if (!note) {
      note = document.createElement("p");
      note.id = id;
      note.className = "planner-error";
      input.closest(".planner-field, td").append(note);
    }
    note.textContent = error;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", id);
  }

  const source = () => $("source").value;
  const preset = () => presets.find((p) => p.name === source());
  const studyDesign = () => (preset() ? preset().design : $("study").value);

  function structure() {
    const design = studyDesign();
    return design === "crossed" ? choice("shape") : design;
  }

  function readStudy() {
    const known = preset();
    const design = studyDesign();
    if (known) {
      const { components, levels, squares } = known;
      return { design, components, levels, squares };
    }
    const inputs = [...$("components").querySelectorAll("input")];
    const squares = source() === "squares";
    const values = inputs.map((input, k) => read(
      input, squares ? "square" : k === 0 ? "truth" : "component",
    ));
    if (!squares) return { design, components: values };
    const levels = {};
    for (const facet of levelFacets()) levels[facet] = read($(`n-${facet}`));
    if (![...values, ...Object.values(levels)].every(Number.isFinite)) {
      return { design, components: [undefined] };
    }
    const components = A.components(design, levels, values);
    if (!(components[0] > 0)) {
      complain(inputs[0], "The system component comes out as zero or less: " +
        "these mean squares do not tell systems apart.");
      return { design, components: [undefined] };
    }
    return { design, components, levels, squares: values };
  }

  const levelFacets = () => FACETS.slice(0, studyDesign() === "single" ? 2 : 3);

  function readPlan() {
    const study = readStudy();
    const shape = structure();
    const prices = choice("cost") === "prices" ? {
      topic: read($("price-topic")),
      judgment: read($("price-judgment")),
      assessor: shape === "single" ? 0 : read($("price-assessor")),
    } : null;
    const levels = {
      topic: read($("topics")),
      assessor: shape === "single" ? 1 : read($("assessors")),
    };
    const plan = {
      study, shape, prices, levels,
      budget: read($("budget")),
      target: read($("target")),
      coefficient: $("coefficient").value,
    };
    const numbers = [...study.components, ...Object.values(levels),
      ...Object.values(prices || {}), plan.budget, plan.target];
    return numbers.every(Number.isFinite) ? plan : null;
  }

  function fillSources() {
    const groups = [
      ["Several assessors", (p) => p.design !== "single"],
      ["One assessor, average precision",
        (p) => p.design === "single" && p.measure === "AP"],
      ["One assessor, other measures",
        (p) => p.design === "single" && p.measure !== "AP"],
    ];
    for (const [title, belongs] of groups) {
      const here = presets.filter(belongs);
      if (here.length) {
        $("source").append(group(title, here.map(
          (p) => [p.name, `${p.title} · ${p.measure}`],
        )));
      }
    }
    $("source").append(group("Your own", Object.entries(OWN)));
  }

  function group(title, options) {
    const element = document.createElement("optgroup");
    element.label = title;
    element.append(...options.map(([value, text]) => new Option(text, value)));
    return element;
  }

  /* Rows of components: text and a bar for a preset, fields for one's own.
   * `values` fills the fields; without it they keep what they hold. */
  function showComponents(values) {
    const known = preset();
    const design = studyDesign();
    const labels = A.LABELS[design];
    const table = document.createElement("table");
    table.className = "planner-components";
    const total = known
      ? known.components.reduce((sum, x) => sum + Math.max(x, 0), 0) : 1;
    labels.forEach((label, k) => {
      const row = table.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      row.append(head);
      const cell = row.insertCell();
      if (known) {
        head.textContent = label.replace(/ x /g, " × ");
        const share = Math.max(known.components[k], 0) / total;
        cell.textContent = root.plannerResults.small(known.components[k]);
        row.insertCell().innerHTML =
          `<span class="planner-share" style="width:${100 * share}%"></span>` +
          `${(100 * share).toFixed(1)}%`;
        return;
      }
      const input = document.createElement("input");
      input.id = `pl-c-${k}`;
      input.inputMode = "decimal";
      input.autocomplete = "off";
      input.value = values && values[k] !== undefined ? values[k] : "";
      const name = document.createElement("label");
      name.htmlFor = input.id;
      name.textContent = label.replace(/ x /g, " × ");
      head.append(name);
      cell.append(input);
    });
    $("components").replaceChildren(table);
  }

  /* What fields of one's own start with: the last preset, if it fits. */
  function startingValues() {
    const p = lastPreset;
    if (!p || p.design !== studyDesign()) return undefined;
    const numbers = source() === "squares" ? p.squares : p.components;
    return numbers.map((x) => String(Number(x.toPrecision(SIGNIFICANT))));
  }

  /* Fields for numbers of one's own, filled from the last preset. */
  function startOwn() {
    if (preset()) lastPreset = preset();
    else if (lastPreset) {
      for (const facet of FACETS) {
        $(`n-${facet}`).value = lastPreset.levels[facet] || "";
      }
    }
    showComponents(startingValues());
  }

  function changeSource() {
    if (!preset() && lastPreset) $("study").value = lastPreset.design;
    $("source-missing").textContent = "";
    startOwn();
  }

  function arrange() {
    const known = preset();
    const design = studyDesign();
    const shape = structure();
    const single = shape === "single";
    const nested = shape === "nested";
    $("study-field").hidden = Boolean(known);
    $("levels-field").hidden = source() !== "squares";
    $("n-assessor").parentElement.hidden = design === "single";
    $("paste-field").hidden = Boolean(known);
    $("shape-field").hidden = design !== "crossed";
    $("assessors-field").hidden = single;
    $("price-assessor-field").hidden = single;
    $("prices").hidden = choice("cost") !== "prices";
    $("contour-part").hidden = single;
    $("assessors-label").textContent = nested
      ? "Assessors per topic" : "Assessors";
    $("assessors-slider").setAttribute("aria-label",
      `${$("assessors-label").textContent}, slider`);
    $("source-note").textContent = sourceNote(known, design);
  }

  function sourceNote(known, design) {
    let from = "";
    if (known) {
      const sizes = FACETS.filter((f) => known.levels[f])
        .map((f) => `${known.levels[f]} ${f}s`).join(", ");
      from = `Estimated from ${sizes}. ${known.components.some((x) => x < 0)
        ? "A negative estimate counts as zero. " : ""}`;
    }
    if (design === "single") {
      return `${from}One assessor judged each topic, so these numbers say ` +
        "nothing about more assessors: plan topics.";
    }
    return design === "nested"
      ? `${from}Assessors were nested in topics, so only a nested design can ` +
        "be planned."
      : from;
  }


  root.plannerForm = {
    arrange, changeSource, choice, choose, fillSources, levelFacets, preset, read, readPlan,
    showComponents, source, startOwn, structure, studyDesign, FACETS,
  };
}(window));
