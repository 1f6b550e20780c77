"""Asks git, where there is one."""

import shutil
import subprocess


def git_output(root, *arguments):
    """What git prints about a checkout; None on a machine without git, or in a copy without its history."""
    if not shutil.which("git"):
        return None
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None
