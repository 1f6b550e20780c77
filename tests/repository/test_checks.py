"""Tests of the checks of the repository: each finds what it is for, and only that."""

import pathlib
import tempfile
import unittest

import adding_a_format
import check_api
import check_docs
import check_files
import check_layers
import extract_code
import api_reference  # of scripts/, which the checks have put on the path


class Layers(unittest.TestCase):
    def problems(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name, text in files.items():
                room, rest = name.split("__")
                path = root / "src" / "millrace" / room / rest.replace("_DOT_", ".")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_layers.check(root)[0]

    def test_who_may_know_whom(self):
        header = "// A file.\n#pragma once\n"
        base = {"base__a_DOT_hpp": header}
        down = {"sparse__b_DOT_hpp": header + '#include "millrace/base/a.hpp"\n'}
        self.assertEqual(self.problems(**base, **down), [])
        up = {"base__a_DOT_hpp": header + '#include "millrace/sparse/b.hpp"\n', "sparse__b_DOT_hpp": header}
        self.assertTrue(any("base must not know sparse" in text for text in self.problems(**up)))

    def test_rings(self):
        ring = {"base__a_DOT_hpp": '// A.\n#pragma once\n#include "millrace/base/b.hpp"\n',
                "base__b_DOT_hpp": '// B.\n#pragma once\n#include "millrace/base/a.hpp"\n'}
        self.assertTrue(any("ring" in text for text in self.problems(**ring)))

    def test_headers_of_others(self):
        self.assertTrue(self.problems(base__a_DOT_cpp="// A.\n#include <cuda_runtime.h>\n"))
        self.assertEqual(self.problems(base__a_DOT_cu="// A.\n#include <cuda_runtime.h>\n"), [])
        self.assertTrue(self.problems(sparse__a_DOT_cpp="// A.\n#include <mpi.h>\n"))
        self.assertEqual(self.problems(base__a_DOT_cpp="// A.\n#include <mpi.h>\n"), [])
        self.assertTrue(self.problems(base__a_DOT_hpp="// A.\n#pragma once\n#include <fmt/format.h>\n"))

    def test_form(self):
        self.assertTrue(self.problems(base__a_DOT_cpp="int a;\n"))
        self.assertTrue(self.problems(base__a_DOT_cpp="// A.\n" * 401))
        self.assertTrue(self.problems(base__a_DOT_cpp="// A.\n#define OTHER 1\n"))
        self.assertTrue(self.problems(kitchen__a_DOT_cpp="// A.\n"))


class Api(unittest.TestCase):
    def missing(self, text):
        return check_api.missing_comments("// A.\n#pragma once\n\nnamespace millrace {\n\n" + text + "\n}\n")

    def test_what_needs_a_comment(self):
        for text in ["class A {\n};\n", "void f();\n", "template <class T>\nT f(T x) {\n  return x;\n}\n",
                     "enum class E { a };\n", "// Not of the reference.\nstruct A {\n  int x;\n\n  int y;\n};\n"]:
            self.assertEqual(self.missing(text), [6], text)
            self.assertEqual(self.missing("/// What it is.\n" + text), [], text)

    def test_what_needs_none(self):
        for text in ["namespace detail {\n\nvoid f();\n\n}\n", "using A = int;\n", "class A;\n",
                     "extern template class A<int>;\n", "inline constexpr int a = 1;\n",
                     "template <class T>\nint A<T>::f() {\n  return 1;\n}\n", "/// Two.\nvoid f();\nvoid f(int);\n"]:
            self.assertEqual(self.missing(text), [], text)

    def test_the_reference(self):
        pages = api_reference.write(check_api.repo.ROOT, None)
        self.assertIn("SolveReport cg(Queue& queue", pages["solve.md"])
        self.assertIn("Csr<T> make_csr(", pages["sparse.md"])
        self.assertNotIn("private:", "".join(pages.values()))
        self.assertNotIn("return ", pages["solve.md"])


class Files(unittest.TestCase):
    def test_clean(self):
        self.assertEqual(check_files.check_text("a.cpp", "int main() {}  // sub/home, ~/root-like\n"), [])

    def test_each_fault(self):
        unfinished, path = "TO" + "DO", "/ho" + "me/somebody"
        faults = ["a\tb\n", "a \n", "a\r\n", "a", "a\n\n", "x" * 121 + "\n", f"// {unfinished}: b\n", f"cd {path}\n"]
        for text in faults:
            self.assertEqual(len(check_files.check_text("a.cpp", text)), 1, repr(text))


class Docs(unittest.TestCase):
    def test_verbs(self):
        text = ("`millrace bench A.mtx` and `\"millrace csr\"`\n\n"
                "    millrace convert A.mtx\n\n"
                "```sh\n./millrace inspect A.mtx\nmillrace gen x\n```\n```cpp\nusing millrace ::x;\n```\n")
        self.assertEqual(check_docs.verbs_named(text), {"bench", "convert", "inspect", "gen"})

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src" / "millrace" / "base").mkdir(parents=True)
            (root / "src" / "millrace" / "base" / "a.hpp").touch()
            (root / "b.py").touch()
            good = "`base/a.hpp`, `src/millrace/base/a.hpp`, `b.py`, `c.hpp`, `x/y`\n`src/millrace/base/new.hpp`:\n"
            self.assertEqual(check_docs.check_files_named(good, root), [])
            bad = "`base/b.hpp` `fem/a.cuh`\n```cpp\n`x/z.hpp`\n```\n"
            self.assertEqual(len(check_docs.check_files_named(bad, root)), 2)

    def test_anchors(self):
        self.assertEqual(check_docs.anchors("# One file\n## What, else?\n"), {"one-file", "what-else"})

    def test_a_page_becomes_a_program(self):
        page = "text\n```cpp\n#include <vector>\n\nint a = 1;\n```\nmore\n```cpp\nreturn a - 1;\n```\n"
        expected = "#include <vector> int main() { int a = 1; return a - 1; }"
        self.assertEqual(extract_code.program_of(page).split(), expected.split())
        whole = "```cpp\nint main() {}\n```\n"
        self.assertEqual(extract_code.program_of(whole), "int main() {}\n")

    def test_the_change_of_a_page(self):
        text = '#include "millrace/a.hpp"\nlist<A>;\n'
        changed = adding_a_format.apply_change(text, '+#include "millrace/b.hpp"\n-list<A>;\n+list<A, B>;\n')
        self.assertEqual(changed, '#include "millrace/b.hpp"\n#include "millrace/a.hpp"\nlist<A, B>;\n')


if __name__ == "__main__":
    unittest.main()
