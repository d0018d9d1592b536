"""What the API takes, and how it refuses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tellapart.core.evidence import Sampling  # noqa: TC001 - pydantic reads the annotations
from tellapart.core.intervals import IntervalKind  # noqa: TC001 - pydantic reads the annotations


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Guesses(_Strict):
    """The numbers of a design that plan, table and simulation share."""

    rate: float = Field(
        ge=0, le=1, description="Expected rate of adequate outputs, α: the mean of the two systems' rates."
    )
    tpr: float | None = Field(ge=0, le=1, default=None, description="Expected true positive rate of the metric, ρ.")
    tnr: float | None = Field(ge=0, le=1, default=None, description="Expected true negative rate of the metric, η.")
    n_human: int | None = Field(ge=0, le=10**9, default=None, description="Human ratings of each system.")
    n_metric: int | None = Field(ge=0, le=10**9, default=None, description="Further metric ratings of each system.")
    n_calibration: int | None = Field(ge=0, le=10**9, default=None, description="Outputs with both ratings.")
    calibration_rate: float | None = Field(
        ge=0, le=1, default=None, description="Share of adequate ones among these, ψ."
    )
    known_rates: bool = Field(default=False, description="Whether tpr and tnr are known exactly.")
    confidence_level: float = Field(gt=0, lt=1, default=0.95, description="1 − γ.")


class PlanRequest(Guesses):
    """A plan with one number left out."""

    difference: float | None = Field(gt=0, le=1, default=None, description="The true difference to find.")
    power: float | None = Field(gt=0, lt=1, default=None, description="Probability of finding it.")


Share = Annotated[float, Field(ge=0, le=1)]
Span = Share | tuple[Share, Share]


class AssuranceRequest(Guesses):
    """A campaign whose guesses are uncertain: numbers, or ranges of equally likely ones."""

    rate: Span = Field(description="Rate of adequate outputs, α, the mean of two systems; or a range.")  # type: ignore[assignment]
    tpr: Span | None = Field(default=None, description="True positive rate, ρ, or a range.")  # type: ignore[assignment]
    tnr: Span | None = Field(default=None, description="True negative rate, η, or a range.")  # type: ignore[assignment]
    difference: float = Field(gt=0, le=1, description="The true difference to find.")
    seed: int = Field(ge=0, le=2**32, default=0)


class SimulationRequest(Guesses):
    """A campaign to simulate."""

    difference: float = Field(gt=0, le=1)
    runs: int = Field(ge=1, le=10**6, default=500)
    seed: int = Field(ge=0, le=2**32, default=0)


class BudgetRequest(_Strict):
    """A budget to split, or a difference to reach at least cost."""

    rate: float = Field(ge=0, le=1)
    tpr: float = Field(ge=0, le=1)
    tnr: float = Field(ge=0, le=1)
    calibration_rate: float | None = Field(ge=0, le=1, default=None)
    known_rates: bool = False
    budget: float | None = Field(gt=0, le=1e12, default=None)
    difference: float | None = Field(gt=0, le=1, default=None)
    cost_human: float = Field(ge=1e-6, le=1e9)
    cost_metric: float = Field(ge=0, le=1e9, default=0.0)
    cost_fixed: float = Field(ge=0, le=1e12, default=0.0)
    systems: int = Field(ge=1, le=1000, default=2)
    separate: bool = False
    power: float = Field(gt=0, lt=1, default=0.8)
    confidence_level: float = Field(gt=0, lt=1, default=0.95)


Count = Annotated[int, Field(ge=0, le=10**9)]


class ConfusionRequest(_Strict):
    """Outputs with both ratings: passed or failed by the metric, adequate or not."""

    tp: Count
    fn: Count
    tn: Count
    fp: Count


class EstimateRequest(_Strict):
    """The counts of one system: positive and all ratings."""

    human: tuple[Count, Count] = Field(default=(0, 0), description="Human ratings: adequate ones, all.")
    metric: tuple[Count, Count] | None = Field(default=None, description="Metric ratings of other outputs.")
    calibration: ConfusionRequest | None = None
    tpr: Share | None = Field(default=None, description="ρ, if known exactly; with tnr, in place of a calibration.")
    tnr: Share | None = Field(default=None, description="η, if known exactly.")
    sampling: Sampling = "random"
    prior: Literal["uniform", "jeffreys"] = "uniform"
    confidence_level: float = Field(gt=0, lt=1, default=0.95)
    interval: IntervalKind = "highest-density"


class AxisRequest(_Strict):
    """A number of a design and its values."""

    name: str
    values: list[float] = Field(min_length=1, max_length=400)


class TableRequest(Guesses):
    """Measurable differences over two numbers."""

    rate: float | None = Field(ge=0, le=1, default=None)  # type: ignore[assignment]
    rows: AxisRequest
    columns: AxisRequest
    power: float | None = Field(gt=0, lt=1, default=None)
    budget: float | None = Field(gt=0, le=1e12, default=None)
    cost_human: float = Field(ge=1e-6, le=1e9, default=1.0)
    cost_metric: float = Field(ge=0, le=1e9, default=0.0)


class Problem(BaseModel):
    """Why a request cannot be answered.

    The field, the rule it breaks and a hint, the columns of a misread file, or the reference of an unexpected error.
    """

    message: str
    field: str = ""
    rule: str = ""
    hint: str = ""
    columns: list[str] = []
    reference: str = ""


class Chart(BaseModel):
    """Vega-Lite specifications by name."""

    charts: dict[str, dict[str, Any]]
