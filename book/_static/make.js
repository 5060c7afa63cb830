/* The one way in which our scripts make what stands on a page. */
(function (root) {
  "use strict";

  /* Attributes that are functions listen to the event of their name;
   * children are elements or text, never HTML. */
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(name, value);
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  root.make = (tag, attributes, ...children) => fill(
    document.createElement(tag), attributes, children);
  root.draw = (tag, attributes, ...children) => fill(
    document.createElementNS("http://www.w3.org/2000/svg", tag),
    attributes, children);
}(globalThis));
