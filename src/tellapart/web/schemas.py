"""What the API takes, and how it refuses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from tellapart.core.evidence import Sampling  # noqa: TC001 - pydantic reads the annotations
from tellapart.core.intervals import IntervalKind  # noqa: TC001 - pydantic reads the annotations
from tellapart.core.ladder import Borrow  # noqa: TC001 - pydantic reads the annotations


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


# Described with the bounds of the library, which refuses in its own words; only what is too much work is refused here.
Share = Annotated[float, WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]
Size = Annotated[int, Field(le=10**9), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 10**9})]
Price = Annotated[float, Field(le=1e12), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1e12})]
Seed = Annotated[int, Field(ge=0, le=2**32)]
Logits = Annotated[float, WithJsonSchema({"type": "number", "minimum": 0, "maximum": 5})]


class Guesses(_Strict):
    """The numbers of a design that plan, table and simulation share."""

    rate: Share = Field(description="Expected rate of adequate outputs, α: the mean of the two systems' rates.")
    tpr: Share | None = Field(default=None, description="Expected true positive rate of the metric, ρ.")
    tnr: Share | None = Field(default=None, description="Expected true negative rate of the metric, η.")
    n_human: Size | None = Field(default=None, description="Human ratings of each system.")
    n_metric: Size | None = Field(default=None, description="Further metric ratings of each system.")
    n_calibration: Size | None = Field(default=None, description="Outputs with both ratings.")
    calibration_rate: Share | None = Field(default=None, description="Share of adequate ones among these, ψ.")
    known_rates: bool = Field(default=False, description="Whether tpr and tnr are known exactly.")
    confidence_level: Share = Field(default=0.95, description="1 − γ.")


Span = Share | tuple[Share, Share]


class PlanRequest(Guesses):
    """A plan, without what is to be found: the arguments of `tellapart.plan`."""

    rate: Span | None = Field(default=None, description="Rate, α, or a range of equally likely ones.")  # type: ignore[assignment]
    tpr: Span | None = Field(default=None, description="True positive rate, ρ, or a range.")  # type: ignore[assignment]
    tnr: Span | None = Field(default=None, description="True negative rate, η, or a range.")  # type: ignore[assignment]
    difference: Share | None = Field(default=None, description="The true difference to find.")
    power: Share | None = Field(default=None, description="Probability of finding it.")
    budget: Price | None = Field(default=None, description="Money for all systems together.")
    cost_human: Price | None = Field(default=None, description="Price of a human rating.")
    cost_metric: Price = Field(default=0.0, description="Price of a metric rating.")
    cost_fixed: Price = Field(default=0.0, description="Fixed costs of the campaign.")
    systems: int | None = Field(
        le=1000, default=None, description="Number of systems.", json_schema_extra={"minimum": 1}
    )
    separate_calibration: bool = Field(default=False, description="Whether other outputs calibrate than tell the rate.")
    borrow: Borrow | None = Field(
        default=None, description="What the systems will have in common: plans them together."
    )
    correlation: Share | None = Field(
        default=None, description="Correlation of adequacy between systems on the same items."
    )
    rate_sd: Logits | None = Field(default=None, description="How much the rates differ over systems.")
    leniency_sd: Logits | None = Field(
        default=None, description="How much the metric's leniency differs; 0.4 by default."
    )
    discrimination_sd: Logits | None = Field(
        default=None, description="How much its discrimination differs; 0.1 by default."
    )
    leniency_slope: float | None = Field(default=None, description="How leniency grows with a logit of the rate.")
    runs: int | None = Field(le=1000, default=None, description="Campaigns simulated at each size.")
    seed: Seed = Field(default=0, description="Seed of what is drawn.")

    @property
    def together(self) -> bool:
        """Whether systems are planned together, by simulation."""
        alike = (self.correlation, self.rate_sd, self.leniency_sd, self.discrimination_sd, self.leniency_slope)
        asked = any(value is not None for value in (*alike, self.runs, self.borrow))
        return asked or ((self.systems or 2) > 2 and self.budget is None and self.cost_human is None)  # noqa: PLR2004


class SimulationRequest(Guesses):
    """A campaign to simulate."""

    difference: Share
    runs: int = Field(ge=1, le=10**6, default=500)
    seed: Seed = 0


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

    rate: Share | None = None  # type: ignore[assignment]
    rows: AxisRequest
    columns: AxisRequest
    power: Share | None = None
    budget: float | None = Field(gt=0, le=1e12, default=None)
    cost_human: float = Field(ge=1e-6, le=1e9, default=1.0)
    cost_metric: float = Field(ge=0, le=1e9, default=0.0)


class Problem(BaseModel):
    """Why a request cannot be answered.

    The field, the rule it breaks and a hint, the columns of a misread file, or the reference of an unexpected error;
    `said` is the message in pieces, those that name an option apart.
    """

    message: str
    said: list[dict[str, str | None]] = []
    field: str = ""
    rule: str = ""
    hint: str = ""
    columns: list[str] = []
    reference: str = ""


class Chart(BaseModel):
    """Vega-Lite specifications by name."""

    charts: dict[str, dict[str, Any]]
