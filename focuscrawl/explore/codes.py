"""A waiting URL as one number of 64 bits, and a heap of such numbers in an array.

    code = (1023 − score) · 2^53 | place · 2^6 | step          the smaller the better

where place is the sequence number, turned so that links of one score come as ``ties`` has them. A
code takes eight bytes in an array where an object of a list takes forty.
"""

from __future__ import annotations

from array import array

from focuscrawl.values import MOST_STEPS

# 10 bits of score, 47 of place and 6 of step: 63, so that a code in an array "q" is never negative.
SEQUENCE_BITS = 47
_SEQUENCE_MASK = (1 << SEQUENCE_BITS) - 1
STEP_BITS = 6
BEHIND_SCORE = (1 << SEQUENCE_BITS + STEP_BITS) - 1

MOST_SCORE = 1023
"""Scores are whole numbers 0 … 1023."""

LATE_FIRST = (0, 0, *(_SEQUENCE_MASK,) * (MOST_STEPS - 1))
"""How links of one score come, by step: sequence numbers are turned (xor) by these, and the smaller
comes first. Here links of relevant pages and of the pages these link to come in the order they were
found; beyond, the last found is first. What every page of a site links to is found with its first
page; what is found late few pages link to, and the next page of a tunnel is one of those."""

NEAREST_FIRST = tuple(step << SEQUENCE_BITS - STEP_BITS for step in range(MOST_STEPS + 1))
"""The nearer to a relevant page comes first, then first come, first served. It leaves 41 bits for
sequence numbers, seventy years of a thousand links a second."""


def code_of(sequence: int, score: int, step: int, ties: tuple[int, ...] = LATE_FIRST) -> int:
    """Return the code of a URL, the smaller the better.

    The higher score comes first; most links say nothing for themselves, and among equals
    ``ties`` decide, one of ``LATE_FIRST`` and ``NEAREST_FIRST``.
    """
    step = min(step, MOST_STEPS)
    place = (MOST_SCORE - score) << SEQUENCE_BITS | (sequence ^ ties[step])
    return place << STEP_BITS | step


def codes_of(promises: list[int], ties: tuple[int, ...]) -> list[int]:
    """Return the codes of URLs that come as ``values.Lane.promise`` has them, sorted.

    As ``code_of`` makes them, without a call for each: at a start there may be a million.
    """
    score = SEQUENCE_BITS + STEP_BITS
    return sorted(
        [
            (MOST_SCORE - (promise >> score)) << score
            | (promise & _SEQUENCE_MASK ^ ties[step := promise >> SEQUENCE_BITS & MOST_STEPS])
            << STEP_BITS
            | step
            for promise in promises
        ]
    )


def sequence_in(code: int, ties: tuple[int, ...]) -> int:
    """Return the sequence number inside a code that was made with the same ``ties``."""
    return code >> STEP_BITS & _SEQUENCE_MASK ^ ties[code & MOST_STEPS]


def score_in(code: int) -> int:
    """Return the score inside a code."""
    return MOST_SCORE - (code >> SEQUENCE_BITS + STEP_BITS)


def step_in(code: int) -> int:
    """Return the step inside a code."""
    return code & MOST_STEPS


def push(heap: array[int], number: int) -> bool:
    """Add a number; True when it is the smallest now."""
    position = len(heap)
    heap.append(number)
    while position:
        parent = (position - 1) >> 1
        above = heap[parent]
        if above <= number:
            heap[position] = number
            return False
        heap[position] = above
        position = parent
    heap[0] = number
    return True


def pop(heap: array[int]) -> int:
    """Take the smallest number out. Raises IndexError when there is none."""
    last = heap.pop()
    if not heap:
        return last
    smallest = heap[0]
    position, child, length = 0, 1, len(heap)
    while child < length:
        number = heap[child]
        if child + 1 < length and heap[child + 1] < number:
            child += 1
            number = heap[child]
        if last <= number:
            break
        heap[position] = number
        position = child
        child = 2 * position + 1
    heap[position] = last
    return smallest
