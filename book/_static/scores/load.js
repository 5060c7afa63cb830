/* What the place for a table needs, in this order, once the page is there. */
(function () {
  "use strict";

  const here = document.currentScript.src;
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = new URL("your-scores.css", here);
  document.head.append(style);
  for (const name of ["known", "../make", "../figures",
    "../planner/arithmetic", "../planner/chance", "../planner/study",
    "doubts", "words", "read", "verdict", "picture", "../weather/ranks",
    "your-scores"]) {
    const address = new URL(`${name}.js`, here);
    if ([...document.scripts].some(({ src }) => (
      src.split("?")[0] === address.href))) continue;  // the weather's
    const script = document.createElement("script");
    script.src = address;
    script.async = false;
    document.head.append(script);
  }
}());
