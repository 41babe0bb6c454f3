"use strict";
(() => {
  const select = document.getElementById("metric");
  const names = select ? [...select.options].map((option) => option.textContent) : [];
  const rows = [...document.querySelectorAll("tr[data-v]")].map((row) => ({
    row,
    cell: row.cells[1],
    values: row.dataset.v.split(",").map((text) => (text === "" ? null : Number(text))),
    sources: row.dataset.s ? row.dataset.s.split(" ") : [],
  }));
  const byRow = new Map(rows.map((each) => [each.row, each]));
  const madeOf = new Map();
  for (const each of rows) for (const id of each.sources) madeOf.set(id, [...(madeOf.get(id) ?? []), each.row]);

  const short = (value) => {
    for (const [unit, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
      if (Math.abs(value) >= unit) return `${Number((value / unit).toPrecision(3))}${name}`;
    return String(Number(value.toPrecision(3)));
  };

  // Heat: of each line the chosen number beside the largest.
  const paint = () => {
    const index = select.selectedIndex;
    const most = rows.reduce((found, { values }) => Math.max(found, values[index] ?? 0), 0);
    for (const { row, cell, values } of rows) {
      const value = values[index];
      cell.textContent = value === null || value === undefined ? "" : short(value);
      row.style.setProperty("--h", most && value ? String(Math.sqrt(value / most)) : "0");
    }
    const sums = new Map();
    for (const { values, sources } of rows) {
      const id = sources[0];
      if (id && values[index] !== null) sums.set(id, (sums.get(id) ?? 0) + values[index]);
    }
    const largest = Math.max(0, ...sums.values());
    for (const row of document.querySelectorAll("tr.from")) {
      const value = sums.get(row.id);
      const text = names[index] === "live registers" ? "" : value === undefined ? "" : short(value);
      row.cells[1].textContent = text;
      row.style.setProperty("--h", text && largest ? String(Math.sqrt(value / largest)) : "0");
    }
  };
  if (select) {
    select.addEventListener("change", paint);
    paint();
  }

  // Lines that belong together light up together.
  let lit = [];
  const light = (elements) => {
    for (const element of lit) element.classList.remove("on");
    lit = elements.filter(Boolean);
    for (const element of lit) element.classList.add("on");
  };
  const partners = (row) => {
    const known = byRow.get(row);
    if (known) return [row, ...known.sources.map((id) => document.getElementById(id))];
    return madeOf.has(row.id) ? [row, ...madeOf.get(row.id)] : [];
  };
  const show = (element) => {
    const pane = element?.closest(".pane");
    if (!pane) return;
    const top = element.offsetTop - pane.clientHeight / 3;
    pane.scrollTo({ top });
  };

  // What is known of the line that was chosen.
  const about = document.getElementById("about");
  const tell = (row) => {
    const known = byRow.get(row);
    if (!known || !about) return;
    about.hidden = false;
    about.querySelector("pre").textContent = row.cells[2].textContent.trim();
    const list = about.querySelector("dl");
    list.textContent = "";
    names.forEach((name, index) => {
      const value = known.values[index];
      if (value === null || value === undefined) return;
      const entry = document.createElement("div");
      const term = document.createElement("dt");
      const number = document.createElement("dd");
      term.textContent = name;
      number.textContent = value.toLocaleString("en");
      entry.append(term, number);
      list.append(entry);
    });
  };

  // A long head of declarations is passed over at first.
  const first = rows[0]?.row;
  if (first && first.rowIndex > 24 && !location.hash) show(first);

  const code = document.getElementById("panes");
  code?.addEventListener("mouseover", (event) => {
    const row = event.target.closest("tr");
    if (row) light(partners(row));
  });
  code?.addEventListener("mouseleave", () => light([]));
  code?.addEventListener("focusin", (event) => {
    const row = event.target.closest("tr");
    if (row) {
      light(partners(row));
      tell(row);
    }
  });
  code?.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    const found = row ? partners(row) : [];
    if (!found.length) return;
    light(found);
    tell(row);
    show(found[1]);
  });

  // A block of the graph is a run of lines.
  for (const link of document.querySelectorAll("a.block")) {
    const first = Number(link.dataset.first);
    const last = Number(link.dataset.last);
    const own = () => {
      const found = [];
      for (let number = first; number <= last; number++) found.push(document.getElementById(`p${number}`));
      return found;
    };
    link.addEventListener("click", () => {
      const lines = own();
      light(lines);
      show(lines[0]);
    });
  }
})();
