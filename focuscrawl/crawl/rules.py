"""The rules of links under the name that admission knows them by."""

from __future__ import annotations

from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.topic.link_rules import CONTINUED, Look, refusal

__all__ = ["CONTINUED", "AdmissionRules", "Look", "refusal"]
