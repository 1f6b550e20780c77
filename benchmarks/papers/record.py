"""Tables with the paper's figures beside ours, on the screen and as JSON records (benchmarks/papers-schema.json)."""

import datetime
import json
import pathlib
import sys

from common import ROOT, rounded


class Table:
    """A table of a paper: cells by row and column, each with the paper's figure and one of each device."""

    def __init__(self, paper, subject, title, arguments, columns=()):
        self.paper, self.subject, self.title, self.arguments = paper, subject, title, arguments
        self.columns = list(columns)  # their order, when it is not that of the cells
        self.decimals = {}  # of the figures of a column, where they matter
        self.cells, self.runs, self.notes, self.extra = {}, [], [], {}

    def add(self, row, column, unit, paper=None, exact=False):
        """The paper's figure; `exact` says that ours must be the same to the digit."""
        self.cells[row, column] = {"row": row, "column": column, "unit": unit, "paper": paper, "ours": {},
                                   "exact": exact}

    def put(self, row, column, unit, name, value):
        """A figure of ours: of the device with this column name, or of a formula. A word tells why there is none."""
        if (row, column) not in self.cells:
            self.add(row, column, unit)
        self.cells[row, column]["ours"][name] = rounded(value, 6)

    def measured_by(self, points):
        if points.run not in self.runs:
            self.runs.append(points.run)

    def wrong_cells(self):
        """Cells that had to be the paper's to the digit and are not."""
        return [cell for cell in self.cells.values() if cell["exact"] and set(cell["ours"].values()) != {cell["paper"]}]

    def text(self):
        """Rows and columns of the paper, each column split into the paper's figure and ours."""
        rows = list(dict.fromkeys(row for row, _ in self.cells))
        columns = list(dict.fromkeys([*self.columns, *(column for _, column in self.cells)]))
        split = {}  # column: which figures it has
        for (_, column), cell in self.cells.items():
            names = split.setdefault(column, {})
            names.update({"paper": None} if cell["paper"] is not None else {})
            names.update(dict.fromkeys(cell["ours"]))
        heads = [(column, name) for column in columns for name in sorted(split[column], key=lambda n: n != "paper")]
        lines = []
        for row in rows:
            line = [row]
            for column, name in heads:
                cell = self.cells.get((row, column))
                figure = None if cell is None else cell["paper"] if name == "paper" else cell["ours"].get(name)
                line.append(figure_text(figure, cell and cell["unit"], self.decimals.get(column)))
            lines.append(line)
        widths = [max(len(text) for text in column)
                  for column in zip(["", *(name for _, name in heads)], *lines)]
        first = [" " * widths[0]]
        for column in columns:
            places = [k for k, head in enumerate(heads, 1) if head[0] == column]
            room = sum(widths[k] for k in places) + 2 * (len(places) - 1)
            if len(column) > room:
                widths[places[0]] += len(column) - room
                room = len(column)
            first.append(column.center(room))
        second = ["".ljust(widths[0]), *(name.rjust(width) for (_, name), width in zip(heads, widths[1:]))]
        body = [[line[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(line[1:], widths[1:]))]
                for line in lines]
        text = "\n".join("  ".join(line).rstrip() for line in [first, second, *body])
        return f"{self.title}\n\n{text}\n" + "".join(f"\n- {note}" for note in self.notes) + "\n"

    def file_name(self, ending):
        devices = "-".join(run["column"] for run in self.runs) or "counts"
        return f"papers-{self.paper}-{self.subject.replace(' ', '-')}-{devices}{ending}"

    def finish(self, pictures=()):
        """Prints the table and writes its record and its pictures (pairs of a suffix and the SVG)."""
        if self.cells:
            print(self.text())
        out = self.arguments.out
        out.mkdir(parents=True, exist_ok=True)
        names = []
        for suffix, svg in pictures:
            names.append(self.file_name(f"{suffix}.svg"))
            (out / names[-1]).write_text(svg, encoding="utf-8")
        names.append(self.file_name(".json"))
        (out / names[-1]).write_text(record_text(self.record()), encoding="utf-8")
        print(f"written to {out}: {' '.join(names)}\n")
        for cell in self.wrong_cells():
            print(f"not as in the paper: {cell['row']}, {cell['column']}: {cell['ours']} instead of {cell['paper']}")
        if self.wrong_cells():
            sys.exit(3)

    def record(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        return {"schema": "millrace.papers", "version": 1, "created": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "paper": self.paper, "subject": self.subject, "title": self.title, "command": self.command(),
                "quick": self.arguments.quick, "runs": self.runs, "notes": self.notes,
                "cells": list(self.cells.values()), **self.extra}

    def command(self):
        """How to repeat it, without paths of one machine."""
        script = pathlib.Path(sys.argv[0]).resolve()
        name = script.relative_to(ROOT).as_posix() if script.is_relative_to(ROOT) else script.name
        return f"{name} {options_text(self.arguments)}"


def options_text(arguments):
    """The options that change figures."""
    words = ["--device", arguments.device]
    words += ["--threads", str(arguments.threads)] if arguments.threads else []
    words += ["--min-time", f"{arguments.min_time:g}"] if arguments.min_time is not None else []
    words += ["--cold"] if getattr(arguments, "cold", False) else []
    for name in ("gb", "memory", "degrees", "orders", "dofs"):
        words += [f"--{name}", str(getattr(arguments, name))] if getattr(arguments, name, None) else []
    storage = getattr(arguments, "storage", "full")
    words += ["--storage", storage] if storage != "full" else []
    return " ".join(words + (["--quick"] if arguments.quick else []))


def figure_text(value, unit, decimals=None):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    mark = "%" if unit == "%" else ""
    if decimals is not None:
        return f"{value:.{decimals}f}{mark}"
    if isinstance(value, int) or value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}{mark}"
    if abs(value) < 1e-3:
        return f"{value:.1e}{mark}"
    return f"{value:.{4 if abs(value) < 0.1 else 3 if abs(value) < 1 else 2 if abs(value) < 100 else 1}f}{mark}"


def record_text(record):
    """JSON with one line for each item of a long list, small and still readable by a line-wise diff."""
    parts = []
    for name, value in record.items():
        if isinstance(value, list) and value:
            items = ",\n  ".join(json.dumps(item, separators=(",", ":")) for item in value)
            parts.append(f" {json.dumps(name)}: [\n  {items}\n ]")
        else:
            parts.append(f" {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
