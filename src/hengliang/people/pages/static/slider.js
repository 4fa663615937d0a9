// A slider beside a typed number. It has no value of its own until somebody moves it, clicks it or presses the space bar.
"use strict";
(function () {
  document.querySelectorAll("[data-slider]").forEach(function (field) {
    const range = field.querySelector("input[type=range]");
    const typed = field.querySelector("input[type=number]");
    const label = typed.closest("label");

    function touched() {
      range.classList.remove("untouched");
      range.removeAttribute("aria-valuetext");
    }

    function untouched() {
      range.classList.add("untouched");
      range.setAttribute("aria-valuetext", field.dataset.untouched);
    }

    function answer() {
      touched();
      typed.value = range.value;
      // Whoever watches the form for answers hears of it as if it had been typed.
      typed.dispatchEvent(new Event("change", { bubbles: true }));
    }

    function follow() {
      if (typed.value === "") return untouched();
      range.value = typed.value;
      touched();
    }

    range.addEventListener("input", answer);
    // The middle, where the slider stands, can be meant: a click or the space bar there is an answer, too.
    range.addEventListener("click", answer);
    range.addEventListener("keydown", function (event) {
      if (event.key === " ") {
        event.preventDefault();
        answer();
      }
    });
    typed.addEventListener("input", follow);
    field.querySelectorAll(".scripted").forEach(function (each) { each.hidden = false; });
    if ("onlyWithoutScript" in label.dataset) label.hidden = true;
    follow();
  });
})();
