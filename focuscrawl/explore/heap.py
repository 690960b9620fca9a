"""A heap of 64-bit numbers in an array: eight bytes for each, where a list takes forty."""

from __future__ import annotations

from array import array


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
