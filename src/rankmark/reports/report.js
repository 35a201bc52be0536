"use strict";
// Sorts, filters and opens the queries of the page. All text goes in as text, never as markup.
(async () => {
  const byId = (id) => document.getElementById(id);
  const TYPES = { f4: Float32Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
  const ROW = 36;
  const AROUND = 8;
  const said = JSON.parse(byId("data").textContent);

  function decoded(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const letters = atob(text);
    const raw = new Uint8Array(letters.length);
    for (let at = 0; at < raw.length; at++) raw[at] = letters.charCodeAt(at);
    return raw;
  }

  async function bytes(text) {
    const raw = decoded(text);
    const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  }

  async function unpacked(packed) {
    if (!packed) return null;
    const content = await bytes(packed.data);
    if (packed.type === "json") return JSON.parse(new TextDecoder().decode(content));
    const numbers = new TYPES[packed.type](content);
    if (!packed.scale) return numbers;
    const values = new Float32Array(numbers.length);
    for (let at = 0; at < values.length; at++) values[at] = numbers[at] === packed.none ? NaN : numbers[at] / packed.scale;
    return values;
  }

  const element = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === true) made.setAttribute(name, "");
      else if (value !== false && value != null) made.setAttribute(name, value);
    }
    made.append(...children.filter((each) => each != null));
    return made;
  };
  const isolated = (text) => element("bdi", null, text);
  const unseen = (text) => element("span", { class: "unseen" }, text);
  const number = (value) => (Number.isNaN(value) ? "–" : (value < 0 ? "−" : "") + Math.abs(value).toFixed(said.digits));
  const signed = (value) => (Number.isNaN(value) ? "–" : (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(said.digits));

  const several = said.systems.length > 1;
  const queries = await unpacked(said.queries);
  const texts = await unpacked(said.texts);
  // What is seen first is unpacked first: the other measures and the lists follow when the table stands.
  const values = [await Promise.all(said.values[0].map(unpacked))];
  let lists = null;
  let starts = null;
  const listed = new Map();

  async function unpackOthers() {
    for (const own of said.values.slice(1)) values.push(await Promise.all(own.map(unpacked)));
    if (!said.lists) return;
    lists = { depth: said.lists.depth };
    for (const name of ["rows", "lengths", "items", "grades", "tied", "names", "titles"]) lists[name] = await unpacked(said.lists[name]);
    lists.rows.forEach((row, place) => listed.set(row, place));
    starts = new Uint32Array(lists.lengths.length + 1);
    lists.lengths.forEach((length, place) => { starts[place + 1] = starts[place] + length; });
  }

  let searched = null;
  let alphabetical = null;

  // What is looked at.
  const state = { measure: 0, one: said.pair[said.pair.length - 1], other: several ? said.pair[0] : null, which: "all", slice: null, find: "", by: several ? "size" : "one", down: true, open: null };
  if (!several) state.down = said.measures[0].sign < 0;
  let shown = new Uint32Array(0);
  let change = new Float32Array(queries.length);

  const better = (difference) => said.measures[state.measure].sign * difference;

  function choose() {
    const one = values[state.measure][state.one];
    const other = several ? values[state.measure][state.other] : null;
    change = several ? one.map((value, row) => value - other[row]) : one;
    const near = 0.5 * 10 ** -said.digits;
    const wanted = {
      all: () => true,
      better: (row) => better(change[row]) >= near,
      worse: (row) => better(change[row]) <= -near,
      changed: (row) => Math.abs(change[row]) >= near,
      equal: (row) => Math.abs(change[row]) < near,
    }[state.which];
    const within = (row) => !state.slice || state.slice.numbers[row] === state.slice.number;
    const words = state.find.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !searched) searched = queries.map((query, row) => (texts ? `${query} ${texts[row]}` : query).toLowerCase());
    const rows = [];
    for (let row = 0; row < queries.length; row++) {
      if (wanted(row) && within(row) && words.every((word) => searched[row].includes(word))) rows.push(row);
    }
    shown = order(Uint32Array.from(rows), one, other);
  }

  function order(rows, one, other) {
    const sign = state.down ? -1 : 1;
    if (state.by === "query") {
      alphabetical = alphabetical || placesOf(queries);
      return rows.sort((a, b) => sign * (alphabetical[a] - alphabetical[b]));
    }
    const keys = { one, other, change, size: change.map(Math.abs) }[state.by];
    // Without a value last, whichever way.
    return rows.sort((a, b) => {
      const [x, y] = [keys[a], keys[b]];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a - b;
      return sign * (x - y) || a - b;
    });
  }

  function placesOf(names) {
    const inOrder = new Intl.Collator(undefined, { numeric: true }).compare;
    const places = new Uint32Array(names.length);
    Uint32Array.from(names.keys()).sort((a, b) => inOrder(names[a], names[b]) || a - b).forEach((row, place) => { places[row] = place; });
    return places;
  }

  // The table: as many rows as are seen, and room above and below for the others.
  const pane = byId("rows");
  const body = byId("body");

  function columns() {
    const heads = [["query", "query"], ["one", said.systems[state.one]]];
    if (several) heads.push(["other", said.systems[state.other]], ["change", "difference"]);
    return heads;
  }

  function drawHeads() {
    const heads = columns().map(([by, title]) => {
      const on = state.by === by || (by === "change" && state.by === "size");
      const button = element("button", { type: "button", title }, isolated(title), on ? element("span", null, state.down ? " ↓" : " ↑") : null);
      button.addEventListener("click", () => {
        state.down = state.by === by ? !state.down : by !== "query";
        state.by = by;
        refresh();
      });
      return element("th", { scope: "col", "aria-sort": on ? (state.down ? "descending" : "ascending") : "none" }, button);
    });
    byId("heads").replaceChildren(...heads);
  }

  function space(height) {
    const row = element("tr", { class: "space", "aria-hidden": "true" }, element("td", { colspan: columns().length }));
    row.style.height = `${height}px`;
    return row;
  }

  function drawRows() {
    const first = Math.max(0, Math.floor(pane.scrollTop / ROW) - AROUND);
    const last = Math.min(shown.length, Math.ceil((pane.scrollTop + pane.clientHeight) / ROW) + AROUND);
    const focused = document.activeElement && document.activeElement.dataset.row;
    const drawn = [];
    for (let place = first; place < last; place++) drawn.push(drawRow(shown[place], place));
    body.replaceChildren(space(first * ROW), ...drawn, space((shown.length - last) * ROW));
    if (focused && body.querySelector(`[data-row="${focused}"]`)) body.querySelector(`[data-row="${focused}"]`).focus({ preventScroll: true });
  }

  function drawRow(row, place) {
    const name = element("button", { type: "button", "data-row": row, title: texts ? texts[row] : null }, isolated(queries[row]));
    const head = element("td", null, name);
    if (texts && texts[row]) head.append(" ", element("i", null, isolated(texts[row])));
    const line = element("tr", { class: row === state.open ? "open" : null, "aria-rowindex": place + 2 }, head);
    line.append(element("td", null, number(values[state.measure][state.one][row])));
    if (several) {
      const side = better(change[row]);
      line.append(
        element("td", null, number(values[state.measure][state.other][row])),
        element("td", { class: side > 0 ? "good" : side < 0 ? "bad" : null }, signed(change[row])),
      );
    }
    line.addEventListener("click", () => open(row, place));
    return line;
  }

  function refresh(keepPlace) {
    choose();
    drawHeads();
    byId("table").setAttribute("aria-rowcount", shown.length + 1);
    const all = shown.length === queries.length ? "" : ` of ${queries.length.toLocaleString("en")}`;
    byId("count").textContent = `${shown.length.toLocaleString("en")}${all} queries`;
    if (!keepPlace) pane.scrollTop = 0;
    drawRows();
    follow();
  }

  // What is open is one of those that are shown.
  function follow() {
    if (values.length < said.measures.length || shown.includes(state.open)) return;
    if (shown.length) open(shown[0], 0);
    else { state.open = null; byId("detail").replaceChildren(); }
  }

  // One query: its values, and two lists side by side.
  function figures(row) {
    const heads = [["measure"], [said.systems[state.one]], ...(several ? [[said.systems[state.other]], ["difference"]] : [])];
    const lines = said.measures.map((measure, place) => {
      const one = values[place][state.one][row];
      const cells = [element("th", { scope: "row", class: "name" }, isolated(measure.name)), element("td", null, number(one))];
      if (several) {
        const other = values[place][state.other][row];
        const side = measure.sign * (one - other);
        cells.push(element("td", null, number(other)), element("td", { class: side > 0 ? "good" : side < 0 ? "bad" : null }, signed(one - other)));
      }
      return element("tr", null, ...cells);
    });
    const head = element("thead", null, element("tr", null, ...heads.map(([title], place) => element("th", { scope: "col", class: place ? null : "name" }, isolated(title)))));
    return element("div", { class: "wide figures", tabindex: 0, role: "region", "aria-label": "Values of this query" }, element("table", null, head, element("tbody", null, ...lines)));
  }

  function listOf(place, list) {
    const at = place * (said.systems.length + 1) + list;
    const found = [];
    for (let entry = starts[at]; entry < starts[at + 1]; entry++) {
      found.push({ item: lists.items[entry], grade: lists.grades[entry], tied: Boolean(lists.tied[entry]), rank: found.length + 1 });
    }
    return found;
  }

  function moved(entry, ranks, judgedBest) {
    if (judgedBest) return null;
    const there = ranks.get(entry.item);
    if (there === undefined || there === entry.rank) return null;
    const by = there - entry.rank;
    return by > 0 ? [`↑ ${by}`, `${by} higher than in the other list`] : [`↓ ${-by}`, `${-by} lower than in the other list`];
  }

  function drawList(title, own, other, judgedBest, compared) {
    const ranks = new Map(other.map((entry) => [entry.item, entry.rank]));
    const lines = own.map((entry) => {
      const unjudged = Number.isNaN(entry.grade);
      const grade = unjudged ? "?" : String(entry.grade);
      const told = unjudged ? "nobody judged it" : `grade ${grade}`;
      const name = lists.names[entry.item];
      const label = lists.titles && lists.titles[entry.item];
      const text = element("span", null, label ? element("span", { class: "title" }, isolated(label)) : null, element("span", { class: label ? "id" : null }, isolated(name)));
      const marks = [];
      const move = compared && moved(entry, ranks, judgedBest);
      if (move) marks.push(move);
      if (entry.tied) marks.push(["=", "its score is equal to another's"]);
      const line = element(
        "li",
        { "data-item": entry.item },
        element("span", { class: "rank" }, String(entry.rank)),
        element("span", { class: entry.grade > 0 ? "grade relevant" : "grade", title: told }, element("span", { "aria-hidden": "true" }, grade), unseen(told)),
        text,
        element("span", { class: "moved" }, ...marks.flatMap(([mark, why], at) => [at ? "  " : "", element("span", { "aria-hidden": "true", title: why }, mark), unseen(` ${why}`)])),
      );
      return line;
    });
    const content = lines.length ? element("ol", null, ...lines) : element("p", { class: "key" }, "No results.");
    return element("section", { class: "list" }, element("h4", null, isolated(title)), content);
  }

  const JUDGED = "judged items, best first";

  function drawLists(place) {
    const last = said.systems.length;
    const [a, b] = several ? [state.one, state.other] : [state.one, last];
    const [first, second] = [listOf(place, a), listOf(place, b)];
    const name = (list) => (list === last ? JUDGED : said.systems[list]);
    const box = element("div", { class: "lists" }, drawList(name(a), first, second, a === last, several), drawList(name(b), second, first, b === last, several));
    if (several) box.append(drawList(JUDGED, listOf(place, last).slice(0, 10), [], true, false));
    for (const event of ["mouseover", "mouseleave"]) {
      box.addEventListener(event, ({ target }) => {
        const line = event === "mouseover" && target.closest("li");
        const item = line && line.dataset.item;
        for (const each of box.querySelectorAll("li")) each.classList.toggle("same", Boolean(item) && each.dataset.item === item);
      });
    }
    return box;
  }

  function open(row, place) {
    state.open = row;
    if (values.length < said.measures.length) return;
    const parts = [element("h3", null, isolated(queries[row]))];
    if (texts && texts[row]) parts.push(element("p", null, isolated(texts[row])));
    parts.push(figures(row));
    if (listed.has(row)) {
      parts.push(drawLists(listed.get(row)));
      parts.push(element("p", { class: "key" }, `The first ${lists.depth} items. Filled: relevant; ?: nobody judged it; =: a score equal to another's` + (several ? `; ↑ ↓: by how many ranks it stands higher or lower than among the first ${lists.depth} of the other list.` : ".")));
    } else if (lists) {
      parts.push(element("p", { class: "key" }, `The lists of ${lists.rows.length.toLocaleString("en")} queries are in this file, those that changed most; this is none of them. rankmark explain shows it.`));
    }
    byId("detail").replaceChildren(...parts);
    if (place !== undefined) drawRows();
  }

  function options(select, names, chosen, change_) {
    select.replaceChildren(...names.map((name, place) => element("option", { value: place, selected: place === chosen }, name)));
    select.addEventListener("change", () => change_(Number(select.value)));
  }

  const again = () => { refresh(); if (state.open !== null) open(state.open); };
  options(byId("measure"), said.measures.map((each) => each.name), 0, (chosen) => { state.measure = chosen; again(); });
  if (several) {
    // Of two, never one twice: they change places.
    const choosing = (name, beside) => (chosen) => {
      if (chosen === state[beside]) { state[beside] = state[name]; byId(beside).value = state[beside]; }
      state[name] = chosen;
      again();
    };
    options(byId("one"), said.systems, state.one, choosing("one", "other"));
    options(byId("other"), said.systems, state.other, choosing("other", "one"));
    byId("which").addEventListener("change", ({ target }) => { state.which = target.value; refresh(); });
  } else {
    document.querySelectorAll(".pairs").forEach((each) => each.remove());
  }
  if (said.slices.length) {
    const choice = byId("slice");
    const numbers = await Promise.all(said.slices.map((each) => unpacked(each.numbers)));
    choice.append(element("option", { value: "" }, "all"));
    said.slices.forEach((each, by) => {
      const own = each.names.map((name, number) => element("option", { value: `${by} ${number}` }, name));
      choice.append(element("optgroup", { label: each.by }, ...own));
    });
    choice.addEventListener("change", () => {
      const [by, number] = choice.value.split(" ").map(Number);
      state.slice = choice.value ? { numbers: numbers[by], number } : null;
      refresh();
    });
    byId("sliced").hidden = false;
  }
  byId("find").addEventListener("input", ({ target }) => { state.find = target.value; refresh(); });
  pane.addEventListener("scroll", drawRows, { passive: true });
  window.addEventListener("resize", drawRows);
  pane.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !shown.length) return;
    event.preventDefault();
    const now = shown.indexOf(state.open);
    const next = Math.min(shown.length - 1, Math.max(0, now + step));
    pane.scrollTop = Math.min(Math.max(pane.scrollTop, (next + 3) * ROW - pane.clientHeight), next * ROW);
    open(shown[next], next);
  });

  pane.classList.toggle("worded", Boolean(texts));
  document.querySelectorAll(".still").forEach((each) => { each.hidden = true; });
  byId("explorer").hidden = false;
  refresh();
  await unpackOthers();
  byId("measure").disabled = false;
  if (shown.length) open(state.open ?? shown[0], 0);
  document.documentElement.dataset.ready = String(performance.now());
})();
