/* A figure fills the screen when it is tapped, or when Enter is pressed on
   it, if it does not move (interactive.js); Esc or another tap closes it. On
   a dark page each is drawn in colours of its own. A table that is wider than the page can be scrolled by key. */

for (const image of document.querySelectorAll("article figure img:not(.still)")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "enlarge";
  button.setAttribute("aria-haspopup", "dialog");
  image.replaceWith(button);
  button.append(image);
  button.addEventListener("click", () => enlarge(image));
}

function colour() {
  const dark = document.documentElement.dataset.theme === "dark";
  for (const image of document.querySelectorAll("article img[src$='.svg']")) {
    const light = image.getAttribute("src").replace(/-dark\.svg$/, ".svg");
    if (!light.includes("_images/")) continue;
    image.src = dark ? light.replace(/\.svg$/, "-dark.svg") : light;
    image.classList.toggle("own-dark", dark);
  }
}

colour();
new MutationObserver(colour).observe(
  document.documentElement, { attributeFilter: ["data-theme"] });

function reach() {
  for (const box of document.querySelectorAll(".of-table .output")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

addEventListener("load", reach);
addEventListener("resize", reach);

function enlarge(image) {
  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.setAttribute("aria-label", "The figure, enlarged");
  const copy = image.cloneNode();
  const shape = image.naturalWidth / image.naturalHeight;
  copy.classList.toggle("wide", shape > innerWidth / innerHeight);
  dialog.append(copy);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("keydown", event => {
    if (event.key === "Escape") dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
