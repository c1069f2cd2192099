// Sorting, filtering, and a sheet beside the grid. The page is whole without it.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const table = byId("matrix");
  const tbody = table.tBodies[0];
  const rows = [...tbody.rows];
  const panelOf = (row) => byId(row.dataset.bug);

  // --- light or dark, remembered where the browser allows it ---
  const themes = [...document.querySelectorAll(".themes input")];
  try {
    const kept = byId("theme-" + localStorage.getItem("matrix-theme"));
    if (kept) kept.checked = true;
    for (const theme of themes) {
      theme.addEventListener("change", () => localStorage.setItem("matrix-theme", theme.id.slice(6)));
    }
  } catch { /* a file: page may have no storage */ }

  // --- sorting: up, down, and back to the order of the report ---
  const heads = [...table.tHead.rows[0].cells];
  const told = new Map(rows.map((row, place) => [row, place]));
  const value = (row, column) => {
    if (column === 0) return row.dataset.bug;
    if (column === heads.length - 1) return Number(row.dataset.rank);
    const text = row.cells[column].textContent;
    if (heads[column].classList.contains("layer")) return parseInt(text, 10) || (text.includes("!") ? -1 : 0);
    return column === 1 ? Number(text) : text;
  };
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const first = head.classList.contains("layer") ? "descending" : "ascending";
    const second = first === "ascending" ? "descending" : "ascending";
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const next = now === first ? second : now === second ? null : first;
      for (const other of heads) other.removeAttribute("aria-sort");
      if (next) head.setAttribute("aria-sort", next);
      const sign = next === "descending" ? -1 : 1;
      const order = (a, b) => (next && sign * compare(value(a, column), value(b, column))) || told.get(a) - told.get(b);
      tbody.append(...[...rows].sort(order));
    });
  });

  // --- filters ---
  const filters = byId("filters");
  const [text, how, layer, chapter, family] = ["text", "how", "layer", "chapter", "family"].map((n) => byId("f-" + n));
  const words = new Map(rows.map((row) => [row, (row.textContent + " " + panelOf(row).textContent).toLowerCase()]));
  const list = (row, name) => row.dataset[name].split(" ").filter(Boolean);
  const inLayer = { // `one` is the number of a layer, or "" for any
    kills: (row, one) => !one || list(row, "kills").includes(one),
    first: (row, one) => (one ? row.dataset.rank === one : row.dataset.rank !== "-1"),
    only: (row, one) => (one ? row.dataset.kills === one : list(row, "kills").length === 1),
    not: (row, one) => (one ? !list(row, "kills").includes(one) : !list(row, "kills").length),
    misses: (row, one) => (one ? list(row, "misses").includes(one) : list(row, "misses").length > 0),
  };
  const filter = () => {
    const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const show =
        inLayer[how.value](row, layer.value) &&
        (!chapter.value || row.dataset.chapter === chapter.value) &&
        (!family.value || row.dataset.family === family.value) &&
        wanted.every((word) => words.get(row).includes(word));
      row.hidden = panelOf(row).hidden = !show;
      shown += show;
    }
    byId("f-count").textContent = `${shown} of ${rows.length} shown`;
  };
  filters.hidden = false;
  filters.addEventListener("input", filter);
  byId("f-clear").addEventListener("click", () => {
    text.value = layer.value = chapter.value = family.value = "";
    how.selectedIndex = 0;
    filter();
  });
  filter();

  // --- the sheet: a panel lent to a dialog, and given back when it closes ---
  const sheet = byId("sheet");
  let lent = null; // the panel whose body is in the sheet
  const giveBack = () => {
    if (lent) lent.append(...byId("sheet-body").childNodes);
    lent = null;
  };
  const show = (panel, target) => {
    giveBack();
    byId("sheet-title").replaceChildren(...[...panel.querySelector("h3").childNodes].map((n) => n.cloneNode(true)));
    byId("sheet-body").append(panel.querySelector(".body"));
    lent = panel;
    if (!sheet.open) sheet.showModal();
    sheet.scrollTop = 0;
    sheet.style.scrollPaddingTop = `${sheet.firstElementChild.offsetHeight + 16}px`;
    for (const old of sheet.querySelectorAll(".here")) old.classList.remove("here");
    if (target && target !== panel) {
      target.classList.add("here");
      target.scrollIntoView({ block: "start" });
      target.focus({ preventScroll: true });
    }
  };
  const step = (by) => {
    const visible = [...tbody.rows].filter((row) => !row.hidden);
    const at = visible.findIndex((row) => panelOf(row) === lent);
    const next = visible[(at + by + visible.length) % visible.length];
    if (next) show(panelOf(next), null);
  };
  sheet.addEventListener("close", giveBack);
  window.addEventListener("beforeprint", () => { giveBack(); sheet.close(); }); // a panel prints in its place
  sheet.addEventListener("click", (event) => { if (event.target === sheet) sheet.close(); });
  byId("sheet-close").addEventListener("click", () => sheet.close());
  byId("sheet-before").addEventListener("click", () => step(-1));
  byId("sheet-after").addEventListener("click", () => step(1));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#bug-']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = byId(link.getAttribute("href").slice(1));
    const panel = target && (target.closest("details.bug") || lent);
    if (!panel) return;
    event.preventDefault();
    show(panel, target);
  });

  // --- arrow keys walk through the grid ---
  table.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const cell = event.target.closest("tbody th, tbody td");
    if (!move || !cell) return;
    const lines = [...tbody.rows].filter((row) => !row.hidden);
    let [down, right] = [lines.indexOf(cell.parentElement), cell.cellIndex];
    for (;;) {
      down += move[0];
      right += move[1];
      const next = lines[down]?.cells[right];
      if (!next) return;
      const link = next.querySelector("a");
      if (link) {
        event.preventDefault();
        link.focus();
        return;
      }
    }
  });

  // --- open all, for reading on or for printing ---
  const button = byId("open-all");
  const panels = [...document.querySelectorAll("details.bug")];
  button.hidden = false;
  button.addEventListener("click", () => {
    const open = panels.some((panel) => !panel.open);
    for (const panel of panels) panel.open = open;
    button.textContent = open ? "Close all" : "Open all";
  });
})();
