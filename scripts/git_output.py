"""Asks git, where there is one, and knows the commit of a copied tree."""

import shutil
import subprocess


def git_output(root, *arguments):
    """What git prints about a checkout; None on a machine without git, or in a copy without its history."""
    if not shutil.which("git"):
        return None
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def commit_of(root):
    """The commit of a checkout; of a copy, which may stand on an older one, that which stage_offline.sh has noted."""
    staged = root / ".stage" / "commit"
    commit = staged.read_text(encoding="utf-8").split("\n")[0] if staged.is_file() else ""
    if not commit or ((root / ".git").exists() and git_output(root, "cat-file", "-e", commit) is not None):
        commit = git_output(root, "rev-parse", "HEAD") or ""
    return commit.strip()
