"""The picture of the README, from records of an H200: our products beside the best peer, and BP3 beside libCEED."""

import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks" / "papers"))

import print_records  # noqa: E402
import svg  # noqa: E402

OURS = svg.COLOURS[0]
BARS = [  # words, record, matrix
    ("2D 5-point stencil", "h200-stencils.json", "poisson2d5:n=2000"),
    ("3D 7-point stencil", "h200-stencils.json", "poisson3d7:n=160"),
    ("3D 27-point stencil", "h200-stencils.json", "poisson3d27:n=110"),
    ("CFD-like, blocks of 5", "h200-blocks.json", "cfd:n=48,block=5"),
    ("HDG-like, blocks of 8", "h200-blocks.json", "hdg:m=8,faces=300000"),
    ("HDG-like, blocks of 24", "h200-blocks.json", "hdg:m=24,faces=60000"),
    ("Holstein-Hubbard", "h200-surrogates.json", "hmep"),
    ("power law", "h200-powerlaw.json", "powerlaw:n=1000000"),
    ("random columns", "h200-random.json", "random:n=1000000"),
    ("one huge row", "h200-huge-row.json", "hugerow:n=2000000"),
]
CURVES = [  # contender, words, colour, pixels of its place in the legend
    ("fused, deterministic", "Millrace", "#2e8b57", 84),
    ("fused, atomic", "Millrace, atomic sums", OURS, 160),
    ("libCEED, cuda-gen", "libCEED", "#888888", 0),
]
LEFT, TOP, STEP, BAR, WIDTH = 176, 84, 25, 15, 236  # of the bars, in pixels; the best peer is as long as WIDTH / 2


def ratios(records):
    """(words, time of the best peer over ours) of every bar."""
    out = []
    for words, name, spec in BARS:
        for key, points in print_records.groups_of(records[name]).items():
            if key[:3] == (spec, "double", 1):
                own, peer = print_records.best(points, "own"), print_records.best(points, "peer")
                out.append((words, peer["median_us"] / own["median_us"]))
                break
    return out


def draw_ratios(records):
    bars = ratios(records)
    out = [svg.text(LEFT + WIDTH / 2 - 60, 52, "y = A x: speed, the best peer being 1", 13, weight="bold")]
    one = LEFT + WIDTH / 2
    for number, (words, ratio) in enumerate(bars):
        y = TOP + number * STEP
        length = min(ratio, 2) * WIDTH / 2
        out += [svg.text(LEFT - 8, y + BAR - 3, words, 12, anchor="end"),
                f"<rect x='{LEFT}' y='{y}' width='{length:.1f}' height='{BAR}' fill='{OURS}'/>",
                svg.text(LEFT + length + 6, y + BAR - 3, f"{ratio:.2f}", 12, anchor="start")]
    bottom = TOP + len(bars) * STEP - 4
    out += [f"<line x1='{one}' y1='{TOP - 6}' x2='{one}' y2='{bottom}' stroke='#222' stroke-dasharray='3 3'/>",
            svg.text(one, TOP - 10, "best peer", 11)]
    return out


def draw_orders(records):
    left, width = 470, 420
    panel = svg.Panel("", svg.Axis("polynomial order", low=0.5, high=8.5), svg.Axis("10^9 unknowns per second"))
    out = [svg.text(left + svg.LEFT + 170, 52, "BP3, matrix-free diffusion on hexahedra", 13, weight="bold")]
    x = left + svg.LEFT
    for contender, words, colour, room in CURVES:
        points = sorted((point for point in records["h200-bp.json"]["points"]
                         if point["problem"] == 3 and point["contender"] == contender),
                        key=lambda point: point["order"])
        panel.line(words, [point["order"] for point in points], [point["operator_gdof_s"] for point in points],
                   colour=colour, marks=True)
        out += [f"<line x1='{x}' y1='70' x2='{x + 20}' y2='70' stroke='{colour}' stroke-width='2.4'/>",
                svg.text(x + 25, 74, words, 11, anchor="start")]
        x += room
    return [*out, *panel.draw(left, 50, width, 292)]


def draw(records):
    device = records["h200-stencils.json"]["device"]["name"]
    title = f"Millrace on an {device}, double precision"
    width, height = 900, 352
    head = f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}'>"
    return "\n".join([head, f"<title>{html.escape(title)}</title>",
                      "<rect width='100%' height='100%' fill='#ffffff'/>",
                      svg.text(width / 2, 24, title, 15, weight="bold"), *draw_ratios(records), *draw_orders(records),
                      "</svg>", ""])
