// Keeps the counts of the overview fresh while the page is looked at; stops when the session is over.
"use strict";
(function () {
  const place = document.getElementById("progress");
  if (!place || !window.fetch) return;
  const PAUSE = 10000;
  let fails = 0;

  function reveal() {
    place.querySelectorAll(".scripted").forEach(function (each) { each.hidden = false; });
  }

  async function refresh() {
    if (document.hidden) return again();
    try {
      const answer = await fetch(place.dataset.refresh, { credentials: "same-origin", redirect: "error" });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      // A focused table keeps its focus: nothing moves under a reader's hands.
      if (!place.contains(document.activeElement)) {
        place.replaceChildren(...page.body.childNodes);
        reveal();
      }
      fails = 0;
    } catch (error) {
      fails += 1;
    }
    if (fails < 30) again();
  }

  function again() {
    window.setTimeout(refresh, PAUSE);
  }

  reveal();
  again();
})();
