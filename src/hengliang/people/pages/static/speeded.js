// Fixation mark, text, response as quickly as possible. Times are on the clock of performance.now(). The reaction time runs
// from the first frame after the one in which the text was painted to the key press or the touch that began the response.
// Screens and keyboards have delays that no script sees: only differences within a participant mean something.
"use strict";
(function () {
  const MOST_EVENTS = 40;
  const MOST_FRAMES = 6000;

  function rounded(time) {
    return Math.round(time * 10) / 10;
  }

  function median(numbers) {
    const sorted = numbers.slice().sort(function (a, b) { return a - b; });
    return sorted.length ? sorted[Math.floor(sorted.length / 2)] : 0;
  }

  // What happened around a trial: frames, and when the page was out of sight or out of focus.
  function record() {
    const intervals = [];
    const events = [];
    let last = null;
    let started = performance.now();
    function note(kind) {
      if (events.length < MOST_EVENTS) events.push([kind, rounded(performance.now() - started)]);
    }
    function seen() { note(document.hidden ? "hidden" : "visible"); }
    function blurred() { note("blur"); }
    function focused() { note("focus"); }
    return {
      note: note,
      begin: function () {
        started = performance.now();
        document.addEventListener("visibilitychange", seen);
        window.addEventListener("blur", blurred);
        window.addEventListener("focus", focused);
      },
      frame: function (now) {
        if (last !== null && intervals.length < MOST_FRAMES) intervals.push(now - last);
        last = now;
      },
      told: function () {
        document.removeEventListener("visibilitychange", seen);
        window.removeEventListener("blur", blurred);
        window.removeEventListener("focus", focused);
        const usual = median(intervals);
        const missed = intervals.filter(function (each) { return each > 1.5 * usual; }).length;
        const entry = performance.getEntriesByType("navigation")[0];
        return {
          frames: intervals.length,
          frame_interval: rounded(usual),
          longest_interval: rounded(intervals.reduce(function (most, each) { return Math.max(most, each); }, 0)),
          missed_frames: missed,
          missed_frame: missed > 0,
          reloaded: Boolean(entry && entry.type === "reload"),
          events: events,
        };
      },
    };
  }

  function keep(form, told) {
    let field = form.querySelector("input[name=timing]");
    if (!field) {
      field = document.createElement("input");
      field.type = "hidden";
      field.name = "timing";
      form.append(field);
    }
    let held = {};
    try { held = JSON.parse(field.value) || {}; } catch (error) { held = {}; }
    held.speeded = told;
    field.value = JSON.stringify(held);
  }

  function prepare(task) {
    const form = task.closest("form");
    const find = function (name) { return task.querySelector("[data-" + name + "]"); };
    const start = find("start"), stage = find("stage"), cross = find("cross"), text = find("text"), status = find("status");
    const answer = find("answer"), time = find("time"), outcome = find("outcome");
    const buttons = Array.from(task.querySelectorAll("[data-response]"));
    const fixation = Number(task.dataset.fixation);
    const textTime = Number(task.dataset.textTime);
    const timeout = Number(task.dataset.timeout);
    const trial = record();
    let state = "waiting";
    let crossed = null, painted = null, onset = null, pressed = null, early = 0;

    function finish(words, told) {
      state = "done";
      stage.hidden = true;
      start.hidden = true;
      status.textContent = words;
      if (told) keep(form, told);
      const next = form.querySelector("button[type=submit], button:not([type])");
      (next || status).focus();
    }

    function respond(label, at, device) {
      if (state !== "text") {
        early += 1;
        return;
      }
      const reaction = Math.max(0, at - onset);
      answer.value = label;
      time.value = reaction.toFixed(1);
      outcome.value = "";
      finish(task.dataset.done, Object.assign(trial.told(), {
        device: device, early: early, onset_delay: rounded(onset - painted), handled: rounded(performance.now() - onset),
      }));
    }

    function expire() {
      answer.value = "";
      time.value = "";
      outcome.value = "timeout";
      finish(task.dataset.out, Object.assign(trial.told(), { early: early, timeout: timeout }));
    }

    function frame(now) {
      if (state === "done") return;
      trial.frame(now);
      if (state === "cross") {
        if (crossed === null) crossed = now;
        if (now - crossed >= fixation) {
          cross.classList.add("unseen");
          text.classList.remove("unseen");
          painted = now;
          state = "painting";
        }
      } else if (state === "painting") {
        // The frame with the text has been handed to the screen; from now on it can be read.
        onset = now;
        state = "text";
      } else {
        if (textTime && now - onset >= textTime) text.classList.add("unseen");
        if (timeout && now - onset >= timeout) return expire();
      }
      window.requestAnimationFrame(frame);
    }

    start.addEventListener("click", function () {
      if (state !== "waiting") return;
      state = "cross";
      start.hidden = true;
      stage.hidden = false;
      // Keys are heard only while the focus is in here, so that they never work elsewhere on the page.
      stage.focus();
      trial.begin();
      window.requestAnimationFrame(frame);
    });

    stage.addEventListener("keydown", function (event) {
      if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
      const key = event.key.toLowerCase();
      const found = buttons.find(function (button) {
        const wanted = button.dataset.key;
        // With a Chinese input method switched on, a browser may tell only which key it was, not which letter.
        return key === wanted || event.code === "Key" + wanted.toUpperCase() || event.code === "Digit" + wanted;
      });
      if (!found) return;
      event.preventDefault();
      respond(found.dataset.response, event.timeStamp, "key");
    });

    buttons.forEach(function (button) {
      // A touch that slides off is no response; one that stays counts from when it began.
      button.addEventListener("pointerdown", function (event) { pressed = event.timeStamp; });
      button.addEventListener("click", function (event) {
        const byPointer = event.detail > 0 && pressed !== null;
        respond(button.dataset.response, byPointer ? pressed : event.timeStamp, byPointer ? "pointer" : "key");
        pressed = null;
      });
    });

    task.querySelectorAll(".scripted").forEach(function (each) { each.hidden = false; });
    // A form that came back for another reason keeps its response: nobody responds twice to one text.
    if (answer.value && time.value) finish(task.dataset.done, null);
    else if (outcome.value === "timeout") finish(task.dataset.out, null);
  }

  document.querySelectorAll("[data-speeded]").forEach(prepare);
})();
