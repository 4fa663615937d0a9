// Draws the scene that the counts make, and tells their sum. The server checks the sum; this only helps.
"use strict";
(function () {
  const SVG = "http://www.w3.org/2000/svg";

  function count(text) {
    // Full-width digits are digits, as on the server.
    const plain = text.trim().replace(/[\uff10-\uff19]/g, function (digit) {
      return String.fromCharCode(digit.charCodeAt(0) - 0xfee0);
    });
    if (plain === "") return 0;
    return /^[0-9]{1,4}$/.test(plain) ? Number(plain) : NaN;
  }

  function thing(shape, colour, x, y) {
    const made = document.createElementNS(SVG, { circle: "circle", square: "rect" }[shape] || "polygon");
    const attributes = {
      circle: { cx: x + 12, cy: y + 12, r: 10 },
      square: { x: x + 3, y: y + 3, width: 18, height: 18 },
      diamond: { points: [[x + 12, y + 1], [x + 22, y + 12], [x + 12, y + 23], [x + 2, y + 12]].join(" ") },
    }[shape] || { points: [[x + 12, y + 2], [x + 22, y + 21], [x + 2, y + 21]].join(" ") };
    Object.entries(attributes).forEach(function (pair) { made.setAttribute(pair[0], pair[1]); });
    // A colour of a domain of one's own is an attribute: the policy of the page allows no style of ours.
    if (colour.startsWith("#")) made.setAttribute("fill", colour);
    made.setAttribute("class", colour.startsWith("#") ? "thing-own" : "thing-" + colour);
    return made;
  }

  document.querySelectorAll("[data-reconstruction]").forEach(function (task) {
    const inputs = Array.from(task.querySelectorAll("input[data-shape]"));
    const told = task.querySelector("[data-sum]");
    const drawing = task.querySelector("[data-drawing]");
    const size = Number(task.dataset.size);
    const across = Number(task.dataset.across);
    const cell = Number(task.dataset.cell);

    function draw(counts) {
      // Kinds that cannot be drawn are counted in words only.
      if (!drawing) return;
      const things = [];
      inputs.forEach(function (input, place) {
        // A slip of the finger (400 for 40) must not draw for minutes.
        const many = Math.min(counts[place] || 0, 2 * size);
        for (let n = 0; n < many; n += 1) things.push(input);
      });
      const rows = Math.max(1, Math.ceil(Math.max(things.length, size) / across));
      drawing.setAttribute("viewBox", [0, 0, across * cell, rows * cell].join(" "));
      drawing.setAttribute("height", rows * cell);
      drawing.replaceChildren(...things.map(function (input, place) {
        const x = (place % across) * cell;
        return thing(input.dataset.shape, input.dataset.colour, x, Math.floor(place / across) * cell);
      }));
    }

    function tell(counts) {
      const total = counts.reduce(function (sum, each) { return sum + each; }, 0);
      const way = Number.isNaN(total) ? "unreadable" : total < size ? "less" : total > size ? "more" : "right";
      const words = task.dataset[way]
        .replace("{total}", total).replace("{size}", size).replace("{left}", Math.abs(size - total));
      // Said again only when it is something new.
      if (told.textContent !== words) told.textContent = words;
      told.classList.toggle("right", way === "right");
    }

    function follow() {
      const counts = inputs.map(function (input) { return count(input.value); });
      draw(counts);
      tell(counts);
    }

    inputs.forEach(function (input) { input.addEventListener("input", follow); });
    task.querySelectorAll(".scripted").forEach(function (each) { each.hidden = false; });
    follow();
  });
})();
