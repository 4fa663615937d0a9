// What makes pages safer and clearer where scripts run; everything here also works without them, but for the times that
// a browser alone can tell.
"use strict";
(function () {
  const LONGEST_WAIT = 30000;
  const MOST_EVENTS = 200;
  const form = document.getElementById("step-form");
  const status = document.getElementById("status");
  const opened = performance.now();
  const visibility = [];
  let unsent = false;

  // Back from another page: the browser may show an old copy, so the current page is asked for.
  window.addEventListener("pageshow", function (event) {
    if (event.persisted) window.location.reload();
  });

  // Who uses a keyboard or a screen reader begins where there is something new.
  const first = document.getElementById("problems") || document.getElementById("heading");
  if (first && !window.location.hash) first.focus({ preventScroll: first.id === "heading" });

  // Forms that lead to other pages are sent once.
  document.querySelectorAll("form[data-once]").forEach(function (each) {
    let sent = false;
    each.addEventListener("submit", function (event) {
      if (sent) event.preventDefault();
      sent = true;
    });
    window.addEventListener("pageshow", function () { sent = false; });
  });

  if (!form || !window.fetch || !window.URLSearchParams || !window.FormData) return;

  const earlier = Number(form.elements.seconds.value) || 0;

  function note() {
    if (visibility.length < MOST_EVENTS) {
      visibility.push([Math.round(performance.now() - opened), document.hidden ? "hidden" : "visible"]);
    }
  }
  document.addEventListener("visibilitychange", note);

  function fillTimes() {
    let held = {};
    try { held = JSON.parse(form.elements.timing.value) || {}; } catch (error) { held = {}; }
    held.page = { visibility: visibility, width: window.innerWidth, height: window.innerHeight };
    form.elements.seconds.value = (earlier + (performance.now() - opened) / 1000).toFixed(3);
    form.elements.timing.value = JSON.stringify(held);
  }

  function say(words, waiting) {
    // A screen reader is told only what is new.
    if (status.textContent !== words) status.textContent = words;
    status.classList.toggle("waiting", Boolean(waiting));
  }

  function warn(event) {
    if (!unsent) return undefined;
    event.preventDefault();
    event.returnValue = "";
    return "";
  }

  function buttons(disabled) {
    form.querySelectorAll("button[type=submit]").forEach(function (each) { each.disabled = disabled; });
  }

  function finished() {
    unsent = false;
    window.removeEventListener("beforeunload", warn);
  }

  function replaced(html) {
    finished();
    document.open();
    document.write(html);
    document.close();
  }

  // The same body, hence the same id, is sent until the server says what became of it.
  function send(body, attempt) {
    fetch(form.action, { method: "POST", body: body, credentials: "same-origin", redirect: "manual", cache: "no-store" })
      .then(function (answer) {
        if (answer.type === "opaqueredirect" || answer.redirected || answer.ok) {
          finished();
          window.location.replace("/page");
        } else if (answer.status === 422) {
          return answer.text().then(replaced);
        } else if (answer.status >= 500 || answer.status === 429 || answer.status === 408) {
          again(body, attempt, Number(answer.headers.get("retry-after")) * 1000 || 0);
        } else {
          finished();
          say(status.dataset.refused, true);
          status.dataset.httpStatus = String(answer.status);
          buttons(false);
        }
        return undefined;
      })
      .catch(function () { again(body, attempt, 0); });
  }

  function again(body, attempt, wanted) {
    say(status.dataset.waiting, true);
    // Somewhat at random, so that hundreds who lost the same server do not all come back at once.
    const wait = Math.min(LONGEST_WAIT, Math.max(wanted, 1000 * Math.pow(2, attempt))) * (0.75 + 0.5 * Math.random());
    const timer = window.setTimeout(go, wait);
    function go() {
      window.clearTimeout(timer);
      window.removeEventListener("online", go);
      send(body, attempt + 1);
    }
    window.addEventListener("online", go);
  }

  form.addEventListener("submit", function (event) {
    event.preventDefault();
    if (unsent) return;
    unsent = true;
    fillTimes();
    const body = new URLSearchParams(new FormData(form));
    window.addEventListener("beforeunload", warn);
    buttons(true);
    say(status.dataset.sending, false);
    send(body, 0);
  });
})();
