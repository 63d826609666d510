(function () {
  "use strict";

  function act(element, action) {
    element.tabIndex = 0;
    element.addEventListener("click", action);
    element.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        action();
      }
    });
  }

  function value(row, column) {
    var cell = row.cells[column];
    var number = cell.getAttribute("data-v");
    return number === null ? cell.textContent : Number(number);
  }

  function compare(a, b) {
    if (typeof a !== typeof b) {
      return typeof a === "number" ? -1 : 1;
    }
    return typeof a === "number" ? a - b : a.localeCompare(b);
  }

  function sort(table, header) {
    var body = table.tBodies[0];
    var ascending = header.getAttribute("aria-sort") !== "ascending";
    Array.from(table.tHead.rows[0].cells).forEach(function (other) {
      other.removeAttribute("aria-sort");
    });
    header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    Array.from(body.rows).map(function (row) {
      return { row: row, value: value(row, header.cellIndex) };
    }).sort(function (a, b) {
      return (ascending ? 1 : -1) * compare(a.value, b.value);
    }).forEach(function (entry) {
      body.appendChild(entry.row);
    });
  }

  document.querySelectorAll("table.sortable").forEach(function (table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (header) {
      act(header, function () {
        sort(table, header);
      });
    });
  });

  var style = document.head.appendChild(document.createElement("style"));
  var chosen = null;
  document.querySelectorAll(".legend li[data-s]").forEach(function (item) {
    var name = item.querySelector(".name");
    name.title = "Show this subject alone";
    name.setAttribute("role", "button");
    name.setAttribute("aria-pressed", "false");
    act(name, function () {
      var subject = item.getAttribute("data-s");
      chosen = chosen === subject ? null : subject;
      document.querySelectorAll(".legend .name").forEach(function (other) {
        other.setAttribute("aria-pressed", String(other.classList.contains(chosen || "none")));
      });
      style.textContent = chosen === null ? ""
        : "figure svg g[class^=s]:not(." + chosen + "), .legend li:not([data-s=" + chosen + "]) { opacity: 0.18; }";
    });
  });
})();
