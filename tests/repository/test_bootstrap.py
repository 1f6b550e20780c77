"""Tests of scripts/bootstrap.sh with pretended tools: nothing is installed here."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

BOOTSTRAP = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "bootstrap.sh"
# A package is installed when a file of its name lies in the folder `installed`.
DPKG_QUERY = '#!/bin/sh\nfor last; do :; done\n[ -e "$FAKE/installed/$last" ] && printf installed\n'
APT_GET = """#!/bin/bash
echo "$*" >> "$FAKE/calls"
for word; do
  if [[ -e $FAKE/broken/$word ]]; then echo "E: Unable to locate package $word"; exit 100; fi
done
[[ " $* " == *" install "* ]] || exit 0
for word; do [[ $word == -* || $word == *=* || $word == install ]] || touch "$FAKE/installed/$word"; done
"""
TOOLS = ["g++", "cmake", "python3", "ccache", "ninja"]
BASIC_TOOLS = ["bash", "sh", "env", "cat", "grep", "tail", "mktemp", "rm", "basename", "dirname", "touch"]
LIBRARIES = ["libfmt-dev", "libcli11-dev", "nlohmann-json3-dev", "libgtest-dev", "zlib1g-dev", "liblzma-dev",
             "libpng-dev", "libeigen3-dev", "libmetis-dev", "libsuitesparse-dev",
             "libopenblas0-openmp", "libtomlplusplus-dev", "libopenmpi-dev", "openmpi-bin"]


class Bootstrap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fake = pathlib.Path(folder.name)
        for name in ["bin", "installed", "broken"]:
            (self.fake / name).mkdir()
        for tool in TOOLS:
            self.tool(tool, "#!/bin/sh\n")
        for tool in BASIC_TOOLS:
            os.symlink(shutil.which(tool), self.fake / "bin" / tool)
        self.tool("dpkg-query", DPKG_QUERY)
        self.tool("apt-get", APT_GET)
        for library in LIBRARIES:
            (self.fake / "installed" / library).touch()

    def tool(self, name, text):
        path = self.fake / "bin" / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def remove(self, *packages):
        for package in packages:
            (self.fake / "installed" / package).unlink()

    def break_package(self, *packages):
        for package in packages:
            (self.fake / "broken" / package).touch()

    def ensure(self, root=True):
        """(exit code, output, calls of apt-get) of ensure_packages."""
        is_root = "true" if root else "false"
        script = f'set -euo pipefail; source "{BOOTSTRAP}"; is_root() {{ {is_root}; }}; ensure_packages test; echo END'
        result = subprocess.run([self.fake / "bin" / "bash", "-c", script], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False,
                                env={"PATH": str(self.fake / "bin"), "FAKE": str(self.fake), "LC_ALL": "C"})
        calls = self.fake / "calls"
        return result.returncode, result.stdout, calls.read_text(encoding="utf-8") if calls.exists() else ""

    def test_with_everything_here_nothing_is_called(self):
        self.assertEqual(self.ensure(), (0, "END\n", ""))

    def test_what_is_missing_is_installed(self):
        self.remove("libfmt-dev", "libpng-dev")
        code, output, calls = self.ensure()
        self.assertEqual(code, 0, output)
        self.assertIn("installing libfmt-dev libpng-dev", output)
        self.assertEqual(calls.count("install"), 2)  # once as the verb, once in --no-install-recommends
        self.assertNotIn("libeigen3-dev", calls)

    def test_a_useful_package_may_be_missing(self):
        self.remove("libfmt-dev", "libmetis-dev")
        self.break_package("libmetis-dev")
        code, output, _ = self.ensure()
        self.assertEqual(code, 0, output)
        self.assertIn("going on without: libmetis-dev", output)
        self.assertIn("END", output)

    def test_a_needed_package_may_not(self):
        self.remove("libfmt-dev", "libgtest-dev")
        self.break_package("libgtest-dev")
        code, output, _ = self.ensure()
        self.assertEqual(code, 1, output)
        self.assertTrue(output.endswith("these packages are needed and could not be installed: libgtest-dev\n"), output)

    def test_without_sudo_the_packages_are_named(self):
        self.remove("libfmt-dev", "libmetis-dev")
        code, output, calls = self.ensure(root=False)
        self.assertEqual((code, calls), (1, ""))
        self.assertIn("only root can install them (there is no sudo): libfmt-dev\n", output)

    def test_without_sudo_useful_ones_are_left_out(self):
        self.remove("libmetis-dev")
        code, output, _ = self.ensure(root=False)
        self.assertEqual(code, 0)
        self.assertIn("going on without these packages (there is no sudo to install them): libmetis-dev", output)

    def test_sudo_is_used(self):
        self.tool("sudo", '#!/bin/sh\necho sudo >> "$FAKE/calls"\nexec "$@"\n')
        self.remove("libmetis-dev")
        code, _, calls = self.ensure(root=False)
        self.assertEqual((code, calls.count("sudo")), (0, 2))

    def test_without_apt_get(self):
        (self.fake / "bin" / "apt-get").unlink()
        self.remove("libmetis-dev")
        code, output, _ = self.ensure()
        self.assertEqual(code, 0)
        self.assertIn("no apt-get; not installed here: libmetis-dev", output)


if __name__ == "__main__":
    unittest.main()
