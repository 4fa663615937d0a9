// What does the page do by itself? It remembers language and colours, opens what a link points into, shades the
// surprisals of failing items, draws the figures.
(() => {
  "use strict";
  const root = document.documentElement;
  const tags = { en: "en", zh: "zh-Hans" };

  const recall = (key) => {
    try { return localStorage.getItem("hengliang-" + key); } catch { return null; }
  };
  const remember = (key, value) => {
    try { localStorage.setItem("hengliang-" + key, value); } catch { /* a page may be forbidden to remember */ }
  };

  const browserLanguage = () => {
    const wanted = (navigator.languages || [navigator.language]).map((name) => name.toLowerCase().split("-")[0]);
    return wanted.find((name) => name in tags) || "en";
  };
  const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`).value;
  const choose = (name, value) => {
    const button = document.getElementById(`${name}-${value}`);
    if (button) button.checked = true;
  };

  choose("language", recall("language") || browserLanguage());
  choose("theme", recall("theme") || "auto");
  root.lang = tags[chosen("language")];

  for (const name of ["language", "theme"]) {
    for (const button of document.querySelectorAll(`input[name="${name}"]`)) {
      button.addEventListener("change", () => {
        remember(name, button.value);
        root.lang = tags[chosen("language")];
        drawFigures();
      });
    }
  }

  const openTarget = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView({ block: "center" });
  };

  const openAll = (event) => {
    const folds = [...document.querySelectorAll("main details")];
    const open = folds.some((fold) => !fold.open);
    for (const fold of folds) fold.open = open;
    event.currentTarget.setAttribute("aria-pressed", String(open));
  };

  // Failing items: a cell is shaded by its number, three nats a step; a choice of model hides what that model passes.
  const shade = (fold) => {
    for (const cell of fold.querySelectorAll(".surprisals td:not([colspan])")) {
      const nats = cell.textContent === "∞" ? 99 : Number(cell.textContent);
      if (nats >= 3) cell.dataset.shade = Math.min(5, Math.floor(nats / 3));
    }
  };
  const failedBy = (model) => {
    for (const item of document.querySelectorAll(".item[data-failed]")) {
      item.hidden = model !== "all" && !item.dataset.failed.split(" ").includes(model);
    }
  };
  const prepareItems = () => {
    for (const item of document.querySelectorAll(".item")) {
      item.addEventListener("toggle", () => shade(item), { once: true });
    }
    const choice = document.getElementById("failed-by");
    if (!choice) return;
    choice.closest("[hidden]").hidden = false;
    choice.addEventListener("change", () => failedBy(choice.value));
  };

  // Figures. The same sums as in figures.py: how many panels side by side and how wide, labels, entries of the legend.
  const gap = 28, narrowest = 132, labelMargin = 14;
  const labelLimit = (width) => Math.max(80, Math.min(190, Math.floor(width * 0.38)));
  const panelGrid = (panels, width, labelWidth) => {
    const free = width - labelWidth - labelMargin;
    const fitting = Math.max(1, Math.floor(free / (narrowest + gap)));
    const rows = Math.ceil(panels / Math.min(fitting, panels));
    const columns = Math.ceil(panels / rows);
    return [columns, Math.max(narrowest, Math.floor((free - gap * columns) / columns))];
  };
  const legendColumns = (width, widths) =>
    Number(widths.legend) <= width ? 0 : Math.max(1, Math.floor((width - 90) / Number(widths.series)));

  const fitted = (text, width, widths) => {
    const figure = JSON.parse(text);
    const limit = labelLimit(width), labelWidth = Math.min(Number(widths.rows), limit);
    const [columns, panelWidth] = panelGrid(figure.concat.length, width, labelWidth);
    figure.columns = columns;
    figure.config.legend.columns = legendColumns(width - labelWidth, widths);
    figure.concat.forEach((panel, number) => {
      panel.width = panelWidth;
      panel.title.limit = panelWidth + gap - 14;
      for (const layer of panel.layer) {
        const labels = number % columns === 0;
        Object.assign(layer.encoding.y.axis, { labels, labelLimit: limit, minExtent: labels ? labelWidth : 0 });
        layer.encoding.x.axis.tickCount = Math.max(2, Math.min(6, Math.floor(panelWidth / 42)));
      }
    });
    return figure;
  };

  const drawn = new WeakMap(), views = new WeakMap();
  const options = {
    mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
    tooltip: { disableDefaultStyle: true, theme: "page" },
  };

  const drawFigure = async (drawing) => {
    const width = Math.floor(drawing.clientWidth);
    if (!width || drawn.get(drawing) === width) return;
    drawn.set(drawing, width);
    const live = drawing.querySelector(".live");
    const figure = fitted(drawing.querySelector("script").textContent, width, drawing.dataset);
    try {
      views.get(drawing)?.finalize();
      views.set(drawing, await window.vegaEmbed(live, figure, options));
      drawing.classList.add("is-live");
    } catch (problem) {
      drawing.classList.remove("is-live"); // the still picture stays
      console.error(problem);
    }
  };

  function drawFigures() {
    if (!window.vegaEmbed) return;
    for (const drawing of document.querySelectorAll(".drawing")) drawFigure(drawing);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("open-all");
    if (button) {
      button.hidden = false;
      button.addEventListener("click", openAll);
    }
    prepareItems();
    window.addEventListener("hashchange", openTarget);
    openTarget();
    drawFigures();
    let waiting;
    window.addEventListener("resize", () => {
      clearTimeout(waiting);
      waiting = setTimeout(drawFigures, 150);
    });
  });
})();
