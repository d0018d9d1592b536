"""Can these systems be told apart?

Exact Bayesian answers for people who evaluate text generation with a few human ratings and many ratings of an automatic
metric or LLM judge that errs.

>>> import tellapart as ta
>>> print(ta.estimate(human=(60, 100)))
The system's rate of adequate outputs is 59.8%, between 50.3% and 69.2% with 95% probability (60/100 by human ratings).
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

# Where each name lives: as the stub has it. A name is imported when it is first used, so that `tellapart --help` does
# not wait for numpy.
_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_HOME = {name: module for module, name in re.findall(r"^from (\S+) import (\w+)", _STUB, re.MULTILINE)}
__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public thing
    if name not in _HOME:
        message = f"module 'tellapart' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
