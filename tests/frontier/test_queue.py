from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.queue import MOST_PRIORITY, Queue, order_of, sequence_of

SEQUENCES = st.integers(1, 2**47)
PRIORITIES = st.integers(-MOST_PRIORITY * 2, MOST_PRIORITY * 2)


@given(SEQUENCES, PRIORITIES)
def test_the_sequence_number_can_be_read_from_the_order(sequence: int, priority: int) -> None:
    assert sequence_of(order_of(sequence, priority)) == sequence


@given(SEQUENCES, SEQUENCES, st.integers(-100, 100))
def test_equal_priorities_are_first_come_first_served(a: int, b: int, priority: int) -> None:
    assert (a < b) == (order_of(a, priority) < order_of(b, priority))


@given(SEQUENCES, SEQUENCES, st.integers(-100, 100), st.integers(1, 100))
def test_a_higher_priority_comes_first(a: int, b: int, priority: int, more: int) -> None:
    assert order_of(a, priority + more) < order_of(b, priority)


@given(
    st.lists(
        st.tuples(st.sampled_from(["push", "pop", "remove", "extend"]), st.integers(-50, 10**6))
    )
)
def test_a_queue_gives_the_smallest_order_first(steps: list[tuple[str, int]]) -> None:
    queue = Queue()
    model: list[int] = []
    for verb, order in steps:
        if verb == "push" and order not in model:
            queue.push(order)
            model = sorted([*model, order])
        elif verb == "extend" and not {order, order + 3} & {*model}:
            queue.extend([order, order + 3])
            model = sorted([*model, order, order + 3])
        elif verb == "pop" and model:
            assert queue.pop() == model.pop(0)
        elif verb == "remove":
            assert queue.remove(order) == (order in model)
            model = [other for other in model if other != order]
        assert len(queue) == len(model)
        assert queue.head == (model[0] if model else None)
    assert [queue.pop() for _ in model] == model


@given(st.permutations(range(6)), st.permutations(range(6, 9)))
def test_what_comes_between_two_that_wait_is_taken_between_them(
    first: list[int], then: list[int]
) -> None:
    queue = Queue()
    for order in first:
        queue.push(order)
    assert queue.pop() == 0
    for order in then:
        queue.push(order)
    assert [queue.pop() for _ in range(8)] == [*range(1, 9)]


def test_a_long_queue_gives_memory_back_while_it_is_emptied() -> None:
    queue = Queue()
    for order in range(10_000):
        queue.push(order)
    for order in range(9_990):
        assert queue.pop() == order
    assert len(queue._orders) < 200
