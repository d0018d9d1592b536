"""Prints the lowest versions that pyproject.toml allows at run time, as constraints for pip."""

import re
import sys
import tomllib
from pathlib import Path


def main():
    text = Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8")
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    for requirement in (*project["dependencies"], *extras["charts"], *extras["web"]):
        if bound := re.match(r"([\w-]+)>=([\w.]+)", requirement):
            sys.stdout.write("{}=={}\n".format(*bound.groups()))


if __name__ == "__main__":
    main()
