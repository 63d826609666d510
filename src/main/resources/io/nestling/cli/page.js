"use strict";
/* Fills the page from the JSON of a run: numbers as text, results by setting, then one function for each section. */
const ABSENT = "\u2013";
const NANOS = 1e9;

/* Numbers as people read them: three digits that count, with units. What is not a number is a dash. */
const present = value => Number.isFinite(value) && value >= 0;
const exact = value => Number.isFinite(value) ? value.toLocaleString("en-US") : ABSENT;

function number(value) {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) {
    return size === 0 && value !== null ? "0" : ABSENT;
  }
  if (size < 1e-3 || size >= 1e15) {
    return value.toExponential(1);
  }
  return size >= 999.5 ? exact(Math.round(value)) : value.toPrecision(3);
}

function scaled(value, units) {
  if (!Number.isFinite(value)) {
    return ABSENT;
  }
  let unit = 0;
  for (; Math.abs(value) >= 999.5 && unit < units.length - 1; unit++) {
    value /= 1000;
  }
  return (number(value) + " " + units[unit]).trim();
}

const prefixed = value => scaled(value, ["", "k", "M", "G", "T"]);
const rate = value => scaled(value, ["/s", "k/s", "M/s", "G/s", "T/s"]);
const nanos = value => scaled(value, ["ns", "\u00b5s", "ms", "s"]);
const trimmed = words => words.replace(/(\.\d*?)0+(?=[ e]|$)/, "$1").replace(/\.(?=[ e]|$)/, "");
const compact = value => trimmed(prefixed(value));
const counted = (value, singular) => compact(value) + " " + singular + (value === 1 ? "" : "s");

function times(ratio) {
  const words = ratio >= 1e-3 && ratio < 9.995 ? ratio.toFixed(ratio < 0.1 ? 3 : 2) : prefixed(ratio);
  return words + (present(ratio) ? "\u00d7" : "");
}

function perKey(bytes) {
  return Math.abs(bytes) >= 1e15 || !Number.isFinite(bytes) ? number(bytes)
    : bytes.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

function memory(bytes) {
  return bytes >= 2 ** 30 ? number(bytes / 2 ** 30) + " GiB" : bytes >= 2 ** 20 ? number(bytes / 2 ** 20) + " MiB"
    : exact(bytes) + " bytes";
}

/* The unit for all rates of a table or chart, so that they can be compared at a glance. */
function rateUnit(results) {
  const most = greatest(results.map(result => result.opsPerSecond.median));
  const [symbol, size] = most >= 1e5 ? ["M/s", 1e6] : most >= 100 ? ["k/s", 1e3] : ["/s", 1];
  const of = value => present(value) ? value / size : NaN;
  return { symbol, format: value => number(of(value)), tick: value => compact(of(value)) };
}

/* Elements. A value of null leaves an attribute out; a child that is a string becomes text. */
function fill(element, attributes, children) {
  Object.keys(attributes).filter(key => attributes[key] !== null).forEach(key => element.setAttribute(key, attributes[key]));
  element.append(...children);
  return element;
}
const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const muted = (...children) => el("p", { class: "muted" }, ...children);
const grid = figures => el("div", { class: "grid" }, ...figures);

function button(action, ...children) {
  const made = el("button", { type: "button" }, ...children);
  made.onclick = () => action(made);
  return made;
}

/* The run: results by setting, workload and subject, each list in the order of the run. */
const run = JSON.parse(document.getElementById("run").textContent);
const subjects = new Map();
const settings = new Map();
run.subjects.forEach(subject => describe(subject.name, subject.peer, subject.configuration));
for (const result of run.results) {
  const key = JSON.stringify([result.dataset, result.keys, result.threads]);
  describe(result.subject, false, "");
  const { rows } = at(settings, key, { dataset: result.dataset, keys: result.keys, threads: result.threads, rows: new Map() });
  at(at(rows, result.workload, new Map()), result.subject, result);
}
const all = [...subjects.values()];
const hasRatios = run.results.some(result => result.ratioToBaseline !== null && result.subject !== run.baseline);

/* What is in a map, or is now. */
function at(map, key, otherwise) {
  return map.has(key) ? map.get(key) : map.set(key, otherwise).get(key);
}

function describe(name, peer, configuration) {
  const index = subjects.size;
  at(subjects, name, { name, peer, configuration, baseline: name === run.baseline, colour: "c" + index % COLOURS,
    shape: shape(index), dash: DASHES[Math.floor(index / 3) % DASHES.length] });
}

const rowOf = (setting, workload) => setting.rows.get(workload) || new Map();
const resultsOf = (setting, workload) => all.filter(subject => rowOf(setting, workload).has(subject.name))
  .map(subject => rowOf(setting, workload).get(subject.name));
const workloadsOf = setting => [...setting.rows.keys()];
const subjectsOf = setting => all.filter(subject => [...setting.rows.values()].some(row => row.has(subject.name)));

/* Whether the rounds of a result and those of the baseline overlap, so that the run shows no difference. */
function overlaps(setting, result) {
  const base = rowOf(setting, result.workload).get(run.baseline);
  const [a, b] = [result.opsPerSecond, base?.opsPerSecond ?? {}];
  return base !== result && [a.min, a.max, b.min, b.max].every(Number.isFinite) && a.min <= b.max && b.min <= a.max;
}

const ratioOf = (setting, result) => (overlaps(setting, result) ? "\u2248" : "") + times(result.ratioToBaseline);

/* The last step of a path, as long as that tells datasets apart. */
function datasetLabel(dataset) {
  const last = path => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1) || path;
  const same = new Set([...settings.values()].map(setting => setting.dataset).filter(other => last(other) === last(dataset)));
  return same.size <= 1 ? last(dataset) : dataset;
}

const labelOf = setting => [datasetLabel(setting.dataset), counted(setting.keys, "key"), counted(setting.threads, "thread")]
  .join(" \u00b7 ");
const noteOf = workload => (run.workloads.find(known => known.name === workload) || { description: "", unit: "operations" });

/* A block for each setting. With a single one there is nothing to fold; of many only the first stands open. */
function blocks(chosenSettings, body) {
  return chosenSettings.map((setting, i) => {
    const heading = el("h3", { title: setting.dataset }, labelOf(setting));
    return chosenSettings.length === 1 ? el("div", {}, heading, ...body(setting))
      : el("details", chosenSettings.length <= 4 || i === 0 ? { open: "" } : {}, el("summary", {}, heading), ...body(setting));
  });
}

function name(subject, ...more) {
  const [, , degrees, path] = subject.shape;
  const mark = svg("svg", { viewBox: "-7 -7 14 14", class: "chip", "aria-hidden": "true" }, svg("path",
    { d: path, transform: "rotate(" + degrees + ")", style: "fill: var(--" + subject.colour + ")" }));
  return el("span", { class: "name", title: subject.name }, mark, subject.name, ...more);
}

/* A table that scrolls sideways by itself. A head is a text, or a text and a note for a column of numbers. */
function table(label, classes, heads, rows) {
  const head = heads.map(([title, note]) => el("th", { scope: "col", class: note === undefined ? null : "num",
    title: note || null }, classes.includes("sortable") ? button(sort, title) : title));
  return el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, el("table", { class: classes },
    el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows.map(row => el("tr", {}, ...row)))));
}

function sort(pressed) {
  const [head, body] = [pressed.closest("th"), pressed.closest("table").tBodies[0]];
  const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  [...head.parentNode.cells].forEach(cell => cell.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  const value = row => row.cells[head.cellIndex].dataset.v === undefined ? row.cells[head.cellIndex].textContent
    : Number(row.cells[head.cellIndex].dataset.v);
  const compare = (a, b) => typeof a !== typeof b ? (typeof a === "number" ? -1 : 1)
    : typeof a === "number" ? a - b : a.localeCompare(b);
  body.append(...[...body.rows].sort((a, b) => direction * compare(value(a), value(b))));
}

const rowHead = subject => el("th", { scope: "row" }, name(subject));
const numberCell = (words, value) => el("td", { class: "num", "data-v": Number.isFinite(value) ? value : null }, words);

/* Subjects down, workloads across: ratio and median; and the memory of each subject. */
function glance(setting) {
  const workloads = workloadsOf(setting);
  const unit = rateUnit(workloads.flatMap(workload => resultsOf(setting, workload)));
  const cell = result => {
    if (!result) {
      return el("td", { class: "num muted" }, ABSENT);
    }
    const median = unit.format(result.opsPerSecond.median);
    const ratio = result.ratioToBaseline;
    if (ratio === null || !hasRatios) {
      return el("td", { class: "num" }, el("b", {}, median));
    }
    const strength = [1.1, 1.5, 3].filter(step => Math.max(ratio, 1 / ratio) >= step).length;
    const colour = strength === 0 || overlaps(setting, result) ? "" : (ratio >= 1 ? " faster" : " slower") + strength;
    return el("td", { class: "num" + colour }, el("b", {}, ratioOf(setting, result)), el("small", {}, median));
  };
  const first = (subject, field) => {
    const own = workloads.map(workload => rowOf(setting, workload).get(subject.name));
    return perKey(own.map(result => result?.[field]).find(present));
  };
  return [table("Throughput and memory, " + labelOf(setting), "glance", [[unit.symbol],
    ...workloads.map(workload => [workload, noteOf(workload).description]),
    ["B/key", "bytes per key: index, keys and values; below, the index without both"]],
  subjectsOf(setting).map(subject => [rowHead(subject),
    ...workloads.map(workload => cell(rowOf(setting, workload).get(subject.name))),
    el("td", { class: "num" }, el("b", {}, first(subject, "totalBytesPerKey")),
      el("small", {}, "index " + first(subject, "indexBytesPerKey")))]))];
}

function throughput(setting, workload) {
  const results = rowOf(setting, workload);
  const unit = rateUnit([...results.values()]);
  const rows = subjectsOf(setting).map(subject => {
    const result = results.get(subject.name);
    const { median, min, max } = result ? result.opsPerSecond : {};
    const ratio = !result ? "" : subject.baseline ? (hasRatios ? "base" : "")
      : result.ratioToBaseline === null ? "" : ratioOf(setting, result);
    const note = ["median " + rate(median), "rounds " + rate(min) + " to " + rate(max)];
    return { subject, from: 0, to: median, low: min, high: max, texts: [unit.format(median), ratio],
      note: note.concat(ratio.endsWith("\u00d7") ? ratio + " the baseline" : []) };
  });
  const most = greatest(rows.map(row => row.to));
  const axis = linear(Math.max(most, Math.min(greatest(rows.map(row => row.high)), most * 1.6)), unit.tick);
  const { description, unit: counts } = noteOf(workload);
  const hint = [description, (counts === "operations" ? "" : counts + ", ") + unit.symbol].filter(words => words);
  return figure(workload, hint.join(" \u00b7 "), "Throughput of " + workload + ", " + labelOf(setting), wordsOf(rows),
    heightOf(rows), rowChart(rows, axis, whisker));
}

const wordsOf = rows => rows.map(row => [row.subject.name, ...row.note].join(" "));
const heightOf = rows => Math.max(110, rows.length * 17.5 + 26); // a hint needs some room too

/* One workload of each kind, reads, inserts and scans; or the first one if none is known. */
function telling(setting) {
  const there = workloadsOf(setting);
  const kinds = [["c", "get", "get-dependent", "b", "a", "d", "f", "getall"],
    ["load", "load-batched", "load-sorted", "load-reversed"], ["scan", "iterate", "e"]];
  const found = kinds.flatMap(kind => kind.filter(workload => there.includes(workload)).slice(0, 1));
  return (found.length ? found : there.slice(0, 1)).filter(workload => marksOf(setting, workload).length);
}

function marksOf(setting, workload) {
  return resultsOf(setting, workload).filter(result => present(result.totalBytesPerKey) && present(result.opsPerSecond.median))
    .map(result => ({
      subject: subjects.get(result.subject), x: result.totalBytesPerKey, y: result.opsPerSecond.median,
      hollow: result.indexBytesPerKey === result.totalBytesPerKey ? NaN : result.indexBytesPerKey,
      note: [rate(result.opsPerSecond.median), perKey(result.totalBytesPerKey) + " B/key in all",
        "index " + perKey(result.indexBytesPerKey) + " B/key"]
    }));
}

function space(setting, workload) {
  const marks = marksOf(setting, workload);
  const unit = rateUnit(resultsOf(setting, workload));
  const bytes = marks.map(mark => mark.x);
  const horizontal = greatest(bytes) > WIDE * least(bytes)
    ? logarithmic(least(bytes.concat(marks.map(mark => mark.hollow))) / 1.12, greatest(bytes) * 1.12, compact)
    : linear(greatest(bytes) * 1.12, compact);
  const label = "Bytes per key against throughput of " + workload + ", " + labelOf(setting);
  return figure(workload, noteOf(workload).description, label, wordsOf(marks), 280, pointChart(marks, horizontal,
    flexible(marks.map(mark => mark.y), 1.12, unit.tick), ["bytes per key, left is smaller", unit.symbol + ", up is faster"]));
}

/* Settings of one dataset that differ in the number of keys alone, or of threads alone. */
function scaling(by, fixed) {
  const families = new Map();
  for (const setting of [...settings.values()].sort((a, b) => a[by] - b[by])) {
    const heading = "By number of " + by + ": " + datasetLabel(setting.dataset) + " \u00b7 "
      + counted(setting[fixed], fixed.slice(0, -1));
    families.set(heading, (families.get(heading) || []).concat(setting));
  }
  return [...families].flatMap(([heading, family]) => {
    const workloads = [...new Set([...settings.values()].flatMap(workloadsOf))];
    const figures = workloads.map(workload => [workload, family.filter(setting => setting.rows.has(workload))])
      .filter(([, ran]) => ran.length > 1).map(([workload, ran]) => sweep(by, heading, workload, ran));
    return figures.length ? [el("h3", {}, heading), grid(figures)] : [];
  });
}

function sweep(by, heading, workload, ran) {
  const series = all.map(subject => ({
    subject, dash: subject.dash, points: ran.filter(setting => rowOf(setting, workload).has(subject.name)).map(setting => {
      const { median, min, max } = rowOf(setting, workload).get(subject.name).opsPerSecond;
      return { x: setting[by], y: median, low: min, high: max,
        note: [counted(setting[by], by.slice(0, -1)), "median " + rate(median), "rounds " + rate(min) + " to " + rate(max)] };
    }).filter(point => present(point.y))
  })).filter(line => line.points.length);
  return lineFigure(series, workload, noteOf(workload).description, workload + ". " + heading,
    rateUnit(ran.flatMap(setting => resultsOf(setting, workload))), compact);
}

function lineFigure(series, caption, hint, label, unit, tick) {
  const medians = series.flatMap(line => line.points.map(point => point.y));
  const highest = greatest(series.flatMap(line => line.points.map(point => point.high)));
  const end = Math.max(greatest(medians), Math.min(highest, greatest(medians) * 1.3));
  const words = series.map(line => line.subject.name + ": " + line.points.map(point => point.note.join(" ")).join(", "));
  return figure(caption, hint, label, words, 230,
    lineChart(series, flexible(medians, 1.1, unit.tick, end * 1.05), tick, unit.symbol));
}

const PERCENTILES = [["p50", "p50"], ["p90", "p90"], ["p99", "p99"], ["p999", "p99.9"], ["max", "max"]];
const timed = (setting, workload) => resultsOf(setting, workload).filter(result => result.latency);

function latency(setting, workload) {
  const rows = timed(setting, workload).map(result => ({
    subject: subjects.get(result.subject), latency: result.latency, from: result.latency.p50, to: result.latency.p999,
    texts: [nanos(result.latency.p50), nanos(result.latency.p999)],
    note: PERCENTILES.map(([field, title]) => title + " " + nanos(result.latency[field]))
  }));
  const fastest = least(rows.map(row => row.latency.p50));
  const axis = logarithmic(fastest / 1.15, greatest(rows.map(row => row.latency.max)) * 1.15, value => trimmed(nanos(value)));
  const marks = (ctx, row, x, y) => {
    const { p50, p90, p99, p999, max } = row.latency;
    lines(ctx, paint(row.subject), 1, [[x(p999), y, x(max), y]]);
    lines(ctx, paint(row.subject), 2, [p90, p99, p999].map(value => [x(value), y - 4, x(value), y + 4]));
    for (const [value, colour] of [[p50, paint(row.subject)], [max, css("bg")]]) {
      ctx.beginPath();
      ctx.arc(x(value), y, 4, 0, 2 * Math.PI);
      ctx.fillStyle = css("bg");
      ctx.fill();
      ctx.fillStyle = colour;
      ctx.fill();
      Object.assign(ctx, { strokeStyle: paint(row.subject), lineWidth: 1.4 });
      ctx.stroke();
    }
  };
  return figure(workload, noteOf(workload).description, "Latency of " + workload + ", " + labelOf(setting), wordsOf(rows),
    heightOf(rows) + 14, rowChart(rows, axis, marks, ["p50", "p99.9"], 2));
}

function percentiles(setting) {
  const rows = workloadsOf(setting).flatMap(workload => timed(setting, workload)).map(result => [
    rowHead(subjects.get(result.subject)), el("td", {}, result.workload),
    ...PERCENTILES.map(([field]) => numberCell(exact(result.latency[field]), result.latency[field]))]);
  return el("details", {}, el("summary", {}, "All percentiles"), table("Latency percentiles, " + labelOf(setting),
    "numbers sortable", [["subject"], ["workload"], ...PERCENTILES.map(([, title]) => [title + ", ns", ""])], rows));
}

/* What the machine's memory gives, in words, as a chart and as a table. */
const stepOf = (steps, reads) => steps.find(step => step.reads === reads)?.nanos;

function model({ hugePages, smallPages, linesPerSecond }) {
  const [huge, small, many] = [stepOf(hugePages, 1), stepOf(smallPages, 1), stepOf(hugePages, 16)];
  const facts = [];
  if (present(huge)) {
    facts.push("One round trip, a dependent read of a random line of 1 GiB on 2 MiB pages, took " + nanos(huge)
      + " in this run.");
  }
  if (present(small)) {
    facts.push("On 4 KiB pages it took " + nanos(small) + (huge > 0 ? ", " + number(small / huge) + " times as long." : "."));
  }
  if (present(many) && huge > 0) {
    facts.push("16 independent reads together took " + number(many / huge)
      + " round trips: reads side by side are cheap, reads one after the other are not.");
  }
  if (linesPerSecond > 0) {
    facts.push("At most " + prefixed(linesPerSecond) + " random lines a second came in, one in " + nanos(NANOS / linesPerSecond)
      + ".");
  }
  const words = el("p", {}, facts.join(" ") || "The memory\u2019s model holds no numbers.");
  const series = [["2 MiB pages", "link", [], hugePages], ["4 KiB pages", "soft", [6, 3], smallPages]].map(
    ([title, colour, dash, steps]) => ({
      subject: { name: title, colour, shape: SHAPES[0] }, dash, points: steps.filter(step => present(step.nanos)).map(step =>
        ({ x: step.reads, y: step.nanos, note: [counted(step.reads, "read") + " " + nanos(step.nanos)] }))
    })).filter(line => line.points.length);
  if (!series.length) {
    return [words];
  }
  const reads = [...new Set(series.flatMap(line => line.points.map(point => point.x)))].sort((a, b) => a - b);
  const rows = reads.map(step => {
    const values = [stepOf(hugePages, step), stepOf(hugePages, step) / huge, stepOf(smallPages, step)];
    return [el("th", { scope: "row", class: "num" }, String(step)), ...values.map(value => numberCell(number(value), value))];
  });
  return [words, grid([lineFigure(series, "Time for K reads at once", "K across, ns up",
    "Time for K independent reads of random lines", { symbol: "ns", tick: value => trimmed(number(value)) }, String),
  table("Time for K independent reads", "numbers narrow", [["K", "independent reads in a step"], ["2 MiB, ns", ""],
    ["round trips", "over one read on 2 MiB pages"], ["4 KiB, ns", ""]], rows)])];
}

/* Scans and iterations go through entries in order, of which none has a round trip of its own. */
const tripsIn = (setting, workload) => noteOf(workload).unit !== "entries" && workload !== "e"
  && resultsOf(setting, workload).some(result => present(result.roundTrips));

function limit(setting, workload) {
  const roundTrip = run.model ? stepOf(run.model.hugePages, 1) : NaN;
  const rows = subjectsOf(setting).map(subject => {
    const result = rowOf(setting, workload).get(subject.name);
    const trips = result?.roundTrips;
    if (!present(trips)) {
      return { subject, texts: ["", ABSENT], note: [ABSENT] };
    }
    const { median, min, max } = result.opsPerSecond;
    const time = present(roundTrip) ? nanos(trips * roundTrip) : "";
    return { subject, from: 1, to: trips, low: trips * median / max, high: trips * median / min, texts: [time, number(trips)],
      note: [number(trips) + " round trips"].concat(time || []) };
  });
  const trips = rows.map(row => row.to);
  const axis = logarithmic(Math.min(least(trips), 1) / 1.1, Math.max(greatest(trips), 2) * 1.1, value => trimmed(number(value)));
  axis.line = 1;
  return figure(workload, noteOf(workload).description, "DRAM round trips per operation of " + workload + ", " + labelOf(setting),
    wordsOf(rows), heightOf(rows), rowChart(rows, axis, whisker));
}

function everything() {
  const unit = rateUnit(run.results);
  const rows = run.results.map(result => {
    const setting = settings.get(JSON.stringify([result.dataset, result.keys, result.threads]));
    const { median, min, max } = result.opsPerSecond;
    const time = present(median) ? NANOS * result.threads / median : NaN;
    return [rowHead(subjects.get(result.subject)), el("td", {}, result.workload),
      el("td", { class: "dataset", title: result.dataset }, datasetLabel(result.dataset)),
      numberCell(exact(result.keys), result.keys), numberCell(exact(result.threads), result.threads),
      numberCell(el("b", {}, unit.format(median)), median), numberCell(unit.format(min), min), numberCell(unit.format(max), max),
      numberCell(ratioOf(setting, result), result.ratioToBaseline), numberCell(number(time), time),
      numberCell(number(result.roundTrips), result.roundTrips),
      ...[result.indexBytesPerKey, result.totalBytesPerKey].map(bytes => numberCell(perKey(bytes), bytes)),
      el("td", {}, el("code", {}, result.checksum ?? ABSENT))];
  });
  return table("All results", "numbers sortable", [["subject"], ["workload"], ["dataset"], ["keys", "keys loaded"],
    ["threads", "threads that worked"], [unit.symbol, "median of the rounds; entries of scans, keys of loads and batches"],
    ["min", "slowest round"], ["max", "fastest round"],
    ["ratio", "median over that of the baseline; \u2248: rounds of both overlap"],
    ["ns/op", "time of one thread for one operation"], ["round trips", "time per operation in dependent reads on 2 MiB pages"],
    ["index B/key", "memory without keys and values"], ["total B/key", "memory with keys and values"], ["checksum"]], rows);
}

/* "hugePages", "huge_pages" and "huge pages" alike become "huge pages". */
const words = fact => fact.replace(/[_-]/g, " ").replace(/(.) ?bytes$/i, "$1")
  .replace(/([a-z0-9])([A-Z])(?=[a-z])/g, (_, before, letter) => before + " " + letter.toLowerCase());

function factText(fact, value) {
  if (Array.isArray(value)) {
    return value.map(inner => factText(fact, inner)).join(", ");
  }
  if (value !== null && typeof value === "object") {
    return Object.entries(value).map(([key, inner]) => words(key) + " " + factText(key, inner)).join(", ");
  }
  if (typeof value === "number" && /bytes$/i.test(fact)) {
    return memory(value);
  }
  return value === null ? ABSENT : typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

const facts = Object.entries(run.machine).map(([fact, value]) => [fact, factText(fact, value)])
  .filter(([, value]) => value.trim());

function machine() {
  const isCommand = ([fact]) => /command/i.test(fact);
  const command = facts.find(isCommand);
  document.querySelector("#machine h2").append(command ? " and command" : "");
  const list = facts.filter(fact => !isCommand(fact))
    .flatMap(([fact, value]) => [el("dt", {}, words(fact)), el("dd", {}, value)]);
  return (list.length ? [el("dl", { class: "facts" }, ...list)] : []).concat(command
    ? [el("p", {}, "Run it again:"), el("pre", { tabindex: "0" }, el("code", {}, command[1]))] : []);
}

/* Puts content into a section, or removes one that has none. */
const byId = id => document.getElementById(id);
const section = (id, content) => content.length ? byId(id).append(...content) : byId(id).remove();

function writeSections() {
  const every = [...settings.values()];
  const figures = (workloads, chart) => blocks(every.filter(setting => workloads(setting).length), setting =>
    [grid(workloads(setting).map(workload => chart(setting, workload)))]);
  section("glance", every.length ? [hasRatios ? muted("Large: times the throughput of ", el("b", {}, run.baseline),
    " in the same run. Small: median. \u2248: the rounds of both overlap, so read no difference.")
    : muted("Median throughput; nothing was compared with a baseline."), ...blocks(every, glance)] : []);
  section("throughput", figures(workloadsOf, throughput));
  section("space", figures(telling, space));
  section("scaling", [...scaling("keys", "threads"), ...scaling("threads", "keys")]);
  const timedOf = setting => workloadsOf(setting).filter(workload => timed(setting, workload).length);
  section("latency", blocks(every.filter(setting => timedOf(setting).length), setting =>
    [grid(timedOf(setting).map(workload => latency(setting, workload))), percentiles(setting)]));
  const distances = figures(setting => workloadsOf(setting).filter(workload => tripsIn(setting, workload)), limit);
  section("limit", (run.model ? model(run.model) : []).concat(distances.length ? [muted("Below: time per operation in DRAM round "
    + "trips, on a logarithmic axis. Bars begin at one round trip, the upright line: a lookup whose key depends on the last "
    + "answer cannot be much faster. Independent lookups overlap in the processor and batched ones are made to, so their bars "
    + "may go to the left. Small or skewed sets live in caches and say nothing here."), ...distances] : []));
  section("numbers", run.results.length ? [everything()] : []);
  section("subjects", all.length ? [el("dl", { class: "subjects" }, ...all.flatMap(subject => [el("dt", {}, name(subject),
    el("small", {}, (subject.peer ? " peer" : " Nestling") + (subject.baseline ? ", baseline" : ""))),
  el("dd", {}, subject.configuration.trim() || "nothing noted")]))] : []);
  section("machine", machine());
}

/* Lets a subject stand out, or none any more. */
function choose(subject) {
  chosen = chosen === subject ? null : subject;
  [...byId("legend").children].forEach((item, i) => {
    item.classList.toggle("faded", chosen !== null && chosen !== all[i]);
    item.firstChild.ariaPressed = String(chosen === all[i]);
  });
  draw();
}

function writeHead() {
  const every = [...settings.values()];
  const what = [...new Set(every.map(setting => datasetLabel(setting.dataset))),
    ...[...new Set(every.map(setting => setting.keys))].sort((a, b) => a - b).map(keys => counted(keys, "key"))]
    .concat(run.baseline === null ? [] : "baseline " + run.baseline);
  const where = [["date", ""], ["processor", ""], ["jdk", "JDK "], ["bridge", "bridge "]].flatMap(([part, before]) =>
    facts.filter(([fact]) => fact.toLowerCase().includes(part)).map(([, value]) => before + value).slice(0, 1));
  document.title = [document.title, ...what].join(", ");
  byId("what").textContent = what.join(" \u00b7 ");
  byId("where").textContent = where.join(" \u00b7 ");
  byId("legend").append(...all.map(subject => el("li", {}, button(() => choose(subject), name(subject)),
    el("small", {}, (subject.peer ? " peer" : "") + (subject.baseline ? " (baseline)" : "")))));
  document.querySelector("nav").append(...[...document.querySelectorAll("section")].flatMap(element =>
    [el("a", { href: "#" + element.id }, element.querySelector("h2").textContent), " "]));
}

if (!run.results.length) {
  document.querySelector("main").prepend(el("p", {}, "This run has no results."));
}
byId("ratios").hidden = !hasRatios;
writeSections();
writeHead();
document.querySelector("main").hidden = false;
draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
