"""The sparse product of GNU Octave, which stands in for MATLAB: on the host, where Octave is installed."""

import shutil
import subprocess

import common

PROGRAM = "octave-cli"
# Reads a .mrx file (docs/file-formats.md), checks a product against sums over the rows, prints the seconds of one.
TEXT = """
file = fopen('{file}', 'r', 'ieee-le');
fseek(file, 20, 'bof'); width = fread(file, 1, 'uint32');
fseek(file, 24, 'bof'); sizes = fread(file, 3, 'int64');
kinds = {{sprintf('int%d', 8 * width), 'int32', 'double'}}; counts = [sizes(1) + 1, sizes(3), sizes(3)];
for k = 1:3
  fseek(file, 56 + 24 * (k - 1), 'bof'); begin = fread(file, 1, 'int64');
  fseek(file, begin, 'bof'); parts{{k}} = fread(file, counts(k), kinds{{k}});
end
fclose(file);
rows = repelem((1:sizes(1))', diff(parts{{1}}));
A = sparse(rows, parts{{2}} + 1, parts{{3}}, sizes(1), sizes(2));
x = 2 * rand(sizes(2), 1) - 1;
products = parts{{3}} .* x(parts{{2}} + 1);
expected = accumarray(rows, products, [sizes(1), 1]); bound = accumarray(rows, abs(products), [sizes(1), 1]);
if (any(abs(A * x - expected) > 1e-12 * bound)) error('the product is wrong'); end
clear parts rows products expected bound
times = []; total = 0;
while (numel(times) < 5 || total < {seconds})
  tic; y = A * x; times(end + 1) = toc; total += times(end);
end
printf('%.9g\\n', median(times));
"""


def is_here():
    return shutil.which(PROGRAM) is not None


def seconds_of_product(mrx, seconds):
    """Median time of a product with the matrix of the file, in double precision."""
    words = [PROGRAM, "--no-gui", "--norc", "--quiet", "--eval", TEXT.format(file=mrx, seconds=seconds)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise common.Refused(f"{PROGRAM} ended with code {done.returncode}: {done.stderr.strip()[-600:]}")
    return float(done.stdout.split()[-1])
