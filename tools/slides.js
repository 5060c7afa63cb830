/* Starts the slides; the body says when they are ready. The two frames of the
   presenter's window say so to that, or it may leave the next slide behind. */
Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, display: "flex",
  controls: false, hash: true, transition: "none", viewDistance: 99,
  pdfMaxPagesPerSlide: 1, pdfSeparateFragments: false,
  scrollActivationWidth: 0, defaultTiming: 0, plugins: [RevealNotes],
}).then(() => {
  document.body.dataset.ready = true;
  const ready = { namespace: "reveal", eventName: "ready" };
  if (parent !== window) parent.postMessage(JSON.stringify(ready), "*");
});
