"""The four named matrices of Tables 6 and 7: stand-ins of the gallery, or the real files when the user has them."""

import pathlib

import common

# name in the paper: option, spec of the stand-in
NAMED = {"Hohn/fd18": ("fd18", "like-fd18"), "AMD/G2_circuit": ("g2_circuit", "like-g2"),
         "IBM_EDA/trans4": ("trans4", "like-trans4"), "Rajat/Raj1": ("raj1", "like-raj1")}
GROUP = 128  # rows, as in the paper's tables


def options(description):
    parser = common.options(description)
    for name, (option, _) in NAMED.items():
        parser.add_argument(f"--{option.replace('_', '-')}", type=pathlib.Path, metavar="FILE",
                            help=f"{name} itself instead of its stand-in")
    common.add_storage(parser)
    return parser


def sources(arguments):
    """The file or the spec of each matrix, for the command."""
    found = {}
    for name, (option, spec) in NAMED.items():
        file = getattr(arguments, option)
        if file and not file.is_file():
            raise common.Refused(f"{file}: there is no such file; --{option.replace('_', '-')} takes {name} as .mtx, "
                                 ".mtx.gz, .mtx.xz or .mrx")
        found[name] = file or (f"{spec}:scale=0.05" if arguments.quick else spec)
    return found


def note(arguments):
    standing = [name for name, (option, _) in NAMED.items() if not getattr(arguments, option)]
    if not standing:
        return "All four matrices are the real ones."
    return (f"Stand-ins of the gallery: {', '.join(standing)}. They have the rows and the row lengths of the real ones "
            "in the mean and at the ends; how the lengths follow each other is their own (docs/gallery.md).")


def zeros_percent(lengths, group=GROUP):
    """Artificial zeros of row-grouped CSR in percent of the nonzeros, from the lengths of the rows alone."""
    slots = 0
    for begin in range(0, len(lengths), group):
        rows = lengths[begin:begin + group]
        slots += len(rows) * max(rows)
    entries = sum(lengths)
    return 100 * (slots - entries) / entries
