/* Starts the slides; the body says when they are ready. The two frames of the
   presenter's window say so to that, or it may leave the next slide behind.
   A phone that is held upright gets slides as high as it is: a figure fills
   the width, and text and notes are read below it, scrolling. */
const upright = "(max-width: 600px) and (orientation: portrait)";
const tall = parent === window && matchMedia(upright).matches;
document.documentElement.classList.toggle("tall", tall);
const size = tall
  ? { width: 640, height: Math.round((640 * innerHeight) / innerWidth) }
  : { width: 1280, height: 720 };
Reveal.initialize({
  ...size, margin: 0, center: false, display: "flex",
  controls: tall, fragments: !tall, touch: !tall,
  hash: true, transition: "none", viewDistance: 99,
  pdfMaxPagesPerSlide: 1, pdfSeparateFragments: false,
  scrollActivationWidth: 0, defaultTiming: 0, plugins: [RevealNotes],
}).then(() => {
  document.body.dataset.ready = true;
  const ready = { namespace: "reveal", eventName: "ready" };
  if (parent !== window) parent.postMessage(JSON.stringify(ready), "*");
});
