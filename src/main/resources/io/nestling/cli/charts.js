"use strict";
/* The charts: rows of bars or percentiles, points, and lines over sizes. The library draws axes, bars, points and hints. */
const COLOURS = 10;
const WIDE = 20; // from this quotient on an axis is logarithmic
const TRIANGLE = "M0-4.9L4.9,3.9H-4.9Z";
const SHAPES = [ // name in the library, radius there, degrees, outline
  ["circle", 4.5, 0, "M4.2,0A4.2,4.2 0 1 1-4.2,0A4.2,4.2 0 1 1 4.2,0Z"], ["rect", 5.6, 0, "M-3.7-3.7H3.7V3.7H-3.7Z"],
  ["triangle", 5.4, 0, TRIANGLE], ["rectRot", 5.4, 0, "M0-5.1L5.1,0L0,5.1L-5.1,0Z"], ["triangle", 5.4, 180, TRIANGLE],
  ["triangle", 5.4, 90, TRIANGLE], ["triangle", 5.4, 270, TRIANGLE]];
const DASHES = [[], [6, 3], [2, 2], [8, 2, 2, 2]];
const charts = [];
let chosen = null; // the subject that stands out

const shape = index => SHAPES[(index + Math.floor(index / COLOURS)) % SHAPES.length];
const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const shade = (colour, part) => colour + Math.round(255 * part).toString(16).padStart(2, "0");
const fade = (subject, colour, part = 1) => shade(css(colour), part * (chosen && chosen !== subject ? 0.18 : 1));
const paint = (subject, part) => fade(subject, subject.colour, part);

/* A name, or as much of its beginning and end as has room. */
const fit = name => name.length <= 20 ? name : name.slice(0, 11) + "\u2026" + name.slice(-8);

/* A chart with a caption. `words` is its content for readers who do not see it, `config` gives what the library takes. */
function figure(caption, hint, label, words, height, config) {
  const canvas = el("canvas", { role: "img", "aria-label": label + ": " + words.join("; ") });
  const box = el("div", { class: "chart" }, canvas);
  box.style.height = height + "px";
  charts.push({ canvas, config });
  return el("figure", {}, el("figcaption", {}, el("b", {}, caption), " ", el("span", { class: "muted" }, hint)), box);
}

/* Draws all charts, again after colours have changed. */
function draw() {
  Object.assign(Chart.defaults, { animation: false, maintainAspectRatio: false, color: css("soft"), borderColor: css("rule") });
  Object.assign(Chart.defaults.font, { family: getComputedStyle(document.body).fontFamily, size: 12 });
  Chart.defaults.plugins.legend.display = false;
  for (const chart of charts) {
    chart.drawn?.destroy();
    chart.drawn = new Chart(chart.canvas, chart.config());
  }
}

const greatest = values => Math.max(0, ...values.filter(present));
const least = values => Math.min(...values.filter(value => present(value) && value > 0), Infinity);

const linear = (end, tick) => ({ type: "linear", min: 0, max: end > 0 ? end : 1, tick });

function logarithmic(from, to, tick) {
  const min = from > 0 && from < Infinity ? from : 1;
  const max = to > min ? to : min * 10;
  const decades = Math.log10(max / min);
  const steps = decades <= 2 ? [1, 2, 5] : decades <= 4 ? [1, 3] : [1];
  const ticks = [];
  for (let exponent = Math.floor(Math.log10(min)); exponent <= Math.log10(max); exponent++) {
    ticks.push(...steps.map(step => step * 10 ** exponent).filter(tick => tick >= min * 0.999 && tick <= max * 1.001));
  }
  return { type: "logarithmic", min, max, tick, ticks };
}

/* From zero, or logarithmic where the values differ much. */
function flexible(values, margin, tick, end = greatest(values) * margin) {
  return greatest(values) > WIDE * least(values) ? logarithmic(least(values) / margin, end, tick) : linear(end, tick);
}

function scale(axis, title = "") {
  const shown = { display: title !== "", align: "end", text: title + (title && axis.type !== "linear" ? ", logarithmic" : "") };
  return {
    type: axis.type, min: axis.min, max: axis.max, border: { display: false }, title: shown,
    ticks: { callback: axis.tick, maxRotation: 0, includeBounds: false, autoSkipPadding: 8, maxTicksLimit: 7 },
    afterBuildTicks: built => {
      built.ticks = axis.ticks ? axis.ticks.map(value => ({ value })) : built.ticks;
    }
  };
}

const tip = (title, lines) => ({ displayColors: false, callbacks: { title: items => title(items[0]), label: lines } });

function lines(ctx, colour, width, segments) {
  Object.assign(ctx, { strokeStyle: colour, lineWidth: width });
  ctx.beginPath();
  for (const [x1, y1, x2, y2] of segments) {
    ctx.moveTo(x1, y1);
    ctx.lineTo(x2, y2);
  }
  ctx.stroke();
}

function text(ctx, words, x, y, colour, style) {
  Object.assign(ctx, { fillStyle: colour, textBaseline: "middle", font: "12px " + Chart.defaults.font.family }, style);
  ctx.fillText(words, x, y);
}

/*
 * A row for each subject: its bar from `from` to `to`, what `marks` draws over it, and its texts at the right.
 * marks(ctx, row, x, y, axis) gets a function from values to places. The axis may have an upright line at a value.
 */
function rowChart(rows, axis, marks, heads = [], thickness = 10) {
  const columns = [0, 1].filter(i => rows.some(row => row.texts[i]));
  const subject = i => rows[i].subject;
  return () => ({
    type: "bar",
    data: {
      labels: rows.map(row => fit(row.subject.name)),
      datasets: [{
        data: rows.map(row => present(row.to) ? [row.from, row.to] : null), barThickness: thickness, borderWidth: 1,
        borderSkipped: false, backgroundColor: rows.map(row => paint(row.subject, row.subject.peer ? 0.25 : 1)),
        borderColor: rows.map(row => paint(row.subject)), minBarLength: 1
      }]
    },
    options: {
      indexAxis: "y", layout: { padding: { right: 56 * columns.length, top: heads.length ? 14 : 0 } },
      interaction: { mode: "index", axis: "y", intersect: false },
      scales: {
        x: scale(axis),
        y: {
          grid: { display: false }, border: { display: false }, ticks: {
            autoSkip: false, color: tick => fade(subject(tick.index), "ink"),
            font: tick => ({ weight: subject(tick.index).baseline ? 600 : 400 })
          }
        }
      },
      plugins: { tooltip: tip(item => subject(item.dataIndex).name, item => rows[item.dataIndex].note) }
    },
    plugins: [{
      id: "marks", afterDatasetsDraw: chart => {
        const x = value => chart.scales.x.getPixelForValue(Math.max(axis.min, Math.min(axis.max, value)));
        const right = column => chart.width - 56 * (columns.length - 1 - columns.indexOf(column));
        heads.forEach((head, i) => text(chart.ctx, head, right(i), 7, css("soft"), { textAlign: "right" }));
        if (axis.line) {
          chart.ctx.setLineDash([3, 2]);
          lines(chart.ctx, css("ink"), 1.2, [[x(axis.line), chart.chartArea.top, x(axis.line), chart.chartArea.bottom]]);
          chart.ctx.setLineDash([]);
        }
        rows.forEach((row, i) => {
          const y = chart.scales.y.getPixelForValue(i);
          marks(chart.ctx, row, x, y, axis);
          columns.forEach(column => text(chart.ctx, row.texts[column], right(column), y, fade(row.subject, "ink"), {
            textAlign: "right", font: (column === 1 && !heads.length ? "600 " : "") + "12px " + Chart.defaults.font.family
          }));
        });
      }
    }]
  });
}

/* A line from the slowest to the fastest round; one that is too long has no end. */
function whisker(ctx, row, x, y, axis) {
  if (present(row.low) && row.high > row.low) {
    const caps = [row.low, row.high].filter(value => value <= axis.max).map(value => [x(value), y - 2.5, x(value), y + 2.5]);
    lines(ctx, fade(row.subject, "ink"), 1, [[x(row.low), y, x(row.high), y], ...caps]);
  }
}

/* Puts labels where they hide least: away from marks, from each other and not far from their points. */
function place(ctx, labels, taken, bounds, spots, far) {
  ctx.font = "12px " + Chart.defaults.font.family;
  for (const label of labels) {
    const width = ctx.measureText(label.text).width;
    let best = { cost: Infinity };
    for (const [x, y, aligned] of spots(label)) {
      const left = x - aligned * width;
      const box = [left - 1, y - 6.5, left + width + 1, y + 6.5];
      const isInside = box[0] >= bounds[0] && box[1] >= bounds[1] && box[2] <= bounds[2] && box[3] <= bounds[3];
      const distance = Math.hypot(x - label.x, y - label.y);
      const cost = taken.reduce((sum, other) => sum + overlap(box, other), distance * 0.8 + (isInside ? 0 : 1e6));
      best = cost < best.cost ? { cost, box, left, y, distance } : best;
    }
    taken.push(best.box);
    if (best.distance > far) {
      const end = Math.max(best.left, Math.min(best.left + width, label.x));
      lines(ctx, paint(label.subject), 0.7, [[label.x, label.y, end, best.y]]);
    }
    Object.assign(ctx, { strokeStyle: css("bg"), lineWidth: 3, lineJoin: "round", textAlign: "left", textBaseline: "middle" });
    ctx.strokeText(label.text, best.left, best.y);
    text(ctx, label.text, best.left, best.y, fade(label.subject, "ink"));
  }
}

function overlap(a, b) {
  return Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
}

/* Places around a point: distance by distance, in 16 directions. */
function around(label) {
  return [9, 15, 22, 30, 40, 52, 66].flatMap(distance => Array.from({ length: 16 }, (_, i) => {
    const [cosine, sine] = [Math.cos(i * Math.PI / 8), Math.sin(i * Math.PI / 8)];
    return [label.x + distance * cosine, label.y + distance * sine, cosine > 0.3 ? 0 : cosine < -0.3 ? 1 : 0.5];
  }));
}

/* The look of the points of a subject; the second of `fills` is for a hollow one. */
function points(subject, data, fills) {
  return {
    data, clip: false, showLine: true, borderColor: paint(subject), pointBorderColor: paint(subject), pointHoverRadius: 7,
    pointBackgroundColor: fills, pointStyle: subject.shape[0], pointRadius: subject.shape[1], pointRotation: subject.shape[2]
  };
}

/* Points of subjects with `x`, `y` and perhaps `hollow`, the place of a second mark, which is hollow. */
function pointChart(marks, horizontal, vertical, titles) {
  return () => ({
    type: "scatter",
    data: {
      datasets: marks.map(mark => Object.assign(points(mark.subject, [mark.x, mark.hollow].filter(present)
        .map(x => ({ x, y: mark.y })), [paint(mark.subject), css("bg")]), { borderWidth: 1 }))
    },
    options: {
      scales: { x: scale(horizontal, titles[0]), y: scale(vertical, titles[1]) },
      plugins: { tooltip: tip(item => marks[item.datasetIndex].subject.name, item => marks[item.datasetIndex].note) }
    },
    plugins: [{
      id: "labels", afterDatasetsDraw: chart => {
        const { left, top, right, bottom } = chart.chartArea;
        const shown = chart.data.datasets.map((_, i) => chart.getDatasetMeta(i).data);
        const taken = shown.flatMap(([full, hollow = full]) => [[full.x - 6, full.y - 6, full.x + 6, full.y + 6],
          [hollow.x - 6, hollow.y - 6, hollow.x + 6, hollow.y + 6],
          [Math.min(full.x, hollow.x), full.y - 2, Math.max(full.x, hollow.x), full.y + 2]]);
        const labels = marks.map((mark, i) => ({ subject: mark.subject, text: fit(mark.subject.name), x: shown[i][0].x,
          y: shown[i][0].y }));
        place(chart.ctx, labels, taken, [left, top - 6, right + 6, bottom], around, 16);
      }
    }]
  });
}

/* Lines over a logarithmic axis of sizes, each with its name at its right end. */
function lineChart(series, vertical, tick, title) {
  const sizes = [...new Set(series.flatMap(line => line.points.map(point => point.x)))].sort((a, b) => a - b);
  const end = sizes[sizes.length - 1];
  const apart = (end / sizes[0]) ** 0.09;
  const ticks = sizes.reduce((kept, size) => kept.length && size < kept[kept.length - 1] * apart ? kept : [...kept, size], []);
  const horizontal = Object.assign(logarithmic(sizes[0] / 1.1, end * 1.1, tick), { ticks });
  const room = 24 + 7 * Math.max(...series.map(line => fit(line.subject.name).length));
  return () => ({
    type: "scatter",
    data: {
      datasets: series.map(line => Object.assign(points(line.subject, line.points, paint(line.subject)),
        { borderWidth: 1.8, borderDash: line.dash }))
    },
    options: {
      layout: { padding: { right: room } }, scales: { x: scale(horizontal), y: scale(vertical, title) },
      plugins: { tooltip: tip(item => series[item.datasetIndex].subject.name, item => item.raw.note) }
    },
    plugins: [{
      id: "labels", afterDatasetsDraw: chart => {
        const y = value => chart.scales.y.getPixelForValue(Math.min(vertical.max, value));
        const ends = series.map((line, i) => {
          chart.getDatasetMeta(i).data.forEach((mark, j) => {
            const { low, high } = line.points[j];
            if (present(low) && high > low) {
              const caps = [low, high].map(value => [mark.x - 2, y(value), mark.x + 2, y(value)]);
              lines(chart.ctx, paint(line.subject), 1, [[mark.x, y(low), mark.x, y(high)], ...caps]);
            }
          });
          const last = chart.getDatasetMeta(i).data[line.points.length - 1];
          return { subject: line.subject, text: fit(line.subject.name), x: last.x, y: last.y };
        });
        const { right } = chart.chartArea;
        const beside = label => Array.from({ length: 61 }, (_, i) => [right + 14, label.y + (i - 30) * 5, 0]);
        place(chart.ctx, ends, [], [0, 0, chart.width + 6, chart.height], beside, 0);
      }
    }]
  });
}
