"""How much of the ideas the tests hold: small changes to the code, and whether a test fails for them.

Method. The places of ``FOLDERS`` and ``IN_CRAWLS`` that the operators of cosmic-ray can change (an operator, a comparison, a
number, a keyword, a decorator, a loop that never runs …) are listed, but for what no test could or should
see: annotations, what a decorator's keyword says (``frozen=True``), one more or less of a thousand, ``is``
instead of ``==``, ``~x`` instead of ``-x`` (in the key of an order they are the same), ``strict`` of ``zip`` (a
check of the code by itself, which never fires). A seeded sample of ``--sample`` places is drawn (a smaller one
of the same seed is its beginning), and at each one of its changes: a place where eleven are possible counts
once, and one where none of them would be Python (of ``f(**some)`` it would be ``f(+some)``) not at all. Each is
made in a copy of the checkout, and the tests of its folder run there, those of its file first, and up to five
files of other folders that import it (rows are tested with the results), until one fails; for those of
``IN_CRAWLS`` whole crawls, too. What starts programs or asks a database server is left out. ``killed`` is the
share for which one does, or which does not end in time: four times the CPU time that the folder's tests take,
and a minute, so that a machine with other work kills none. A change that no test could see, since nothing
observable differs, counts as survived: some always are.

Report only: whatever the share, the exit status is 0. ``--folders a,b`` takes other folders, ``--seed`` another
sample, ``--jobs`` how many run beside each other. Needs the extra ``mutants``; ``make mutants`` installs it.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib.util
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from benchmarks.parts.children import finish, table
from tests.measures import FAST

ROOT = Path(__file__).parent.parent
FOLDERS = (
    *("frontier", "features/explore", "features/revisit", "features/stories"),
    *("urls", "template"),
)
IN_CRAWLS = (
    *("kernel", "stores/state", "stores/redis"),
    *("middlewares.py", "pipelines.py", "scheduler.py"),
)
"""Of which whole crawls show more than their own tests: for them the crawls of tests/crawls run, too."""

SAMPLE, QUICK_SAMPLE = 200, 6
COPIED = ("focuscrawl", "tests", "docs", "benchmarks", "pyproject.toml", "README.md")
TIMES, SPARE_SECONDS = 4.0, 60.0
LARGE = 1000
SLOW = ("crawls", "demo", "deploy", "benchmarks")  # minutes for each change
FEW = 5
"""Files of tests beside a folder's own: more import what everybody uses, and would be the whole suite."""

WAIT_SECONDS = 900.0  # for a change that waits without using any CPU time
SAME = ("_Eq_Is", "_NotEq_IsNot", "_Is_Eq", "_IsNot_NotEq", "_USub_Invert")
"""Ends of the names of operators that change nothing that anybody can see."""

KILLED, SURVIVED, TIMED_OUT = "killed", "survived", "timed out"


class Place(NamedTuple):
    """A place of a file (from the package's folder) that can be changed; ``changes`` says how: the name
    of an operator, and which of the places it finds this is."""

    folder: str
    file: str
    line: int
    column: int
    changes: tuple[tuple[str, int], ...]


class Mutant(NamedTuple):
    """A place that was changed, its code, and what became of it."""

    place: Place
    difference: str
    outcome: str


def main() -> None:
    """Draw a sample, run the tests against each of it, print what survived."""
    options = _options()
    if importlib.util.find_spec("cosmic_ray") is None:
        print("cosmic-ray is not installed: make mutants")
        finish({})
        return
    folders = options.folders.split(",") if options.folders else (*FOLDERS, *IN_CRAWLS)
    places = [place for folder in folders for place in places_of(folder)]
    random.Random(options.seed).shuffle(places)
    chances = ((place, random.Random(f"{options.seed} {place}")) for place in places)
    can_change = (
        place
        for place, chance in chances
        if changed((ROOT / place.file).read_text("utf-8"), place, chance)
    )
    drawn = [*islice(can_change, options.sample)]
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as temporary:
        for number in range(options.jobs):
            copies.put(copy_of(Path(temporary) / str(number)))
        seconds = _take_times(copies, {place.folder for place in drawn})

        def run(place: Place) -> Mutant:
            copy = copies.get()
            try:
                return tried(copy, place, random.Random(f"{options.seed} {place}"), seconds)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(options.jobs) as pool:
            mutants = []
            for mutant in pool.map(run, drawn):
                mutants.append(mutant)
                print(f"{mutant.outcome}: {mutant.place.file}:{mutant.place.line}", flush=True)
                if mutant.outcome == SURVIVED:
                    print(mutant.difference, flush=True)
    _report(mutants, len(places))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folders", default="")
    options = parser.parse_args()
    options.sample = options.sample or (QUICK_SAMPLE if options.quick else SAMPLE)
    return options


def places_of(folder: str) -> list[Place]:
    """Return the places of a folder of the package that can be changed, in order."""
    from cosmic_ray import plugins  # noqa: PLC0415 - an extra
    from cosmic_ray.ast import ast_nodes, get_ast  # noqa: PLC0415

    operators = {
        name: kind()
        for name in plugins.operator_names()
        if not (kind := plugins.get_operator(name)).arguments()
    }
    found: list[Place] = []
    place = ROOT / "focuscrawl" / folder
    for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
        code = path.read_text("utf-8")
        told = _annotations(code)
        changes: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
        nodes = list(ast_nodes(get_ast(code)))
        for name, operator in operators.items():
            positions = [
                (start, node) for node in nodes for start, _ in operator.mutation_positions(node)
            ]
            for occurrence, (start, node) in enumerate(positions):
                is_annotation = any(first <= start < last for first, last in told)
                if not (is_annotation or name.endswith(SAME) or _is_large(node)):
                    changes[start].append((name, occurrence))
        file = path.relative_to(ROOT).as_posix()
        found += [Place(folder, file, *at, tuple(how)) for at, how in sorted(changes.items())]
    return found


def _is_large(node: Any) -> bool:
    """Whether a node is a number that bounds memory or the like, not one that decides."""
    return node.type == "number" and float(ast.literal_eval(node.value)) >= LARGE


def _annotations(code: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return from where to where annotations and the question for their imports stand, which nothing
    runs, keywords of decorators, and whether a ``zip`` is strict."""
    nodes: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.AnnAssign | ast.arg):
            nodes.append(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            nodes.append(node.returns)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            calls = [one for one in node.decorator_list if isinstance(one, ast.Call)]
            nodes += [keyword.value for call in calls for keyword in call.keywords]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip":
            nodes += [keyword.value for keyword in node.keywords]
        elif isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            nodes.append(node.test)
    return [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in nodes
        if node is not None
    ]


def copy_of(place: Path) -> Path:
    """Copy what the tests need into a folder."""
    place.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place / name)
    return place


def passes(copy: Path, tests: list[str], seconds: float | None) -> bool | None:
    """Run tests in a copy until one fails; False when one does, None when they do not end in so many
    ``seconds`` of CPU time."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-n0",
        "-p",
        "no:cacheprovider",
        "-m",
        FAST,
    ]
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(
            [*command, "--hypothesis-seed=0", *tests],
            cwd=copy,
            env=environment,
            capture_output=True,
            timeout=WAIT_SECONDS,
            check=False,
            preexec_fn=None if seconds is None else partial(_limit, int(seconds)),
        )
    except subprocess.TimeoutExpired:
        return None
    return None if ended.returncode == -signal.SIGXCPU else ended.returncode == 0


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 60))


def _take_times(copies: SimpleQueue[Path], folders: set[str]) -> dict[str, float]:
    """Return the CPU seconds that the tests of each folder take. Raises SystemExit when some fail as it is."""
    copy, seconds = copies.get(), {}
    for folder in sorted(folders):
        began = _used()
        if not passes(copy, [*_tests_of(copy, folder), *_crawls(folder)], None):
            raise SystemExit(f"the tests of {folder} fail already: nothing can be measured")
        seconds[folder] = _used() - began
        print(f"tests of {folder}: {seconds[folder]:.0f} s", flush=True)
    copies.put(copy)
    return seconds


def _used() -> float:
    """Return the CPU seconds of all tests that have run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tried(copy: Path, place: Place, chance: random.Random, seconds: dict[str, float]) -> Mutant:
    """Change a place in a copy, run the tests of its folder, and change it back."""
    path = copy / place.file
    code = path.read_text("utf-8")
    after = changed(code, place, chance)
    difference = "\n".join(
        line
        for line in difflib.unified_diff(code.splitlines(), after.splitlines(), n=0, lineterm="")
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    )
    path.write_text(after, "utf-8")
    try:
        passed = passes(
            copy, _tests_for(copy, place), TIMES * seconds[place.folder] + SPARE_SECONDS
        )
    finally:
        path.write_text(code, "utf-8")
    return Mutant(
        place, difference, TIMED_OUT if passed is None else SURVIVED if passed else KILLED
    )


def changed(code: str, place: Place, chance: random.Random) -> str:
    """Return the code of a file with one change at a place; "" when none of them is Python."""
    from cosmic_ray.mutating import mutate_code  # noqa: PLC0415 - an extra
    from cosmic_ray.plugins import get_operator  # noqa: PLC0415

    for name, occurrence in chance.sample(place.changes, len(place.changes)):
        # AttributeError of an exception with a dotted name: cosmic-ray knows plain ones only.
        with suppress(AttributeError, SyntaxError):
            after = mutate_code(code, get_operator(name)(), occurrence)
            if after and ast.parse(after):
                return after
    return ""


def _tests_for(copy: Path, place: Place) -> list[str]:
    """Return the tests of a place's folder, those that are called like its file before the others, and
    behind them those of other folders that import this very file, where they are few."""
    own = sorted((copy / "tests" / place.folder).rglob(f"test_{Path(place.file).stem}*.py"))
    own += sorted((copy / "tests" / "crawls").glob(f"test_{Path(place.file).stem}*.py"))
    module = place.file.removesuffix(".py").replace("/", ".")
    others = [
        path.relative_to(copy).as_posix()
        for path in sorted((copy / "tests").rglob("test_*.py"))
        if not any(path.is_relative_to(copy / "tests" / one) for one in (place.folder, *SLOW))
        and f"from {module} import" in path.read_text("utf-8")
    ]
    return [
        *(path.relative_to(copy).as_posix() for path in own),
        *_tests_of(copy, place.folder),
        *(others if len(others) <= FEW else ()),
        *_crawls(place.folder),
    ]


def _tests_of(copy: Path, folder: str) -> list[str]:
    """Return the tests of a folder, or of a file beside the folders."""
    if not folder.endswith(".py"):
        return [f"tests/{folder}"]
    return [name] if (copy / (name := f"tests/test_{folder}")).exists() else []


def _crawls(folder: str) -> list[str]:
    return ["tests/crawls"] if folder in IN_CRAWLS else []


def _report(mutants: list[Mutant], places: int) -> None:
    print("\nWhat no test has noticed:\n")
    for mutant in mutants:
        if mutant.outcome == SURVIVED:
            print(f"{mutant.place.file}:{mutant.place.line}\n{mutant.difference}\n")
    by_folder = sorted(mutants, key=lambda mutant: mutant.place.folder)
    rows = []
    for folder, group in groupby(by_folder, key=lambda mutant: mutant.place.folder):
        own = list(group)
        died = sum(mutant.outcome != SURVIVED for mutant in own)
        rows.append((folder, len(own), died, died / len(own)))
    table(("folder", "changed", "killed", "share"), rows)
    died = sum(mutant.outcome != SURVIVED for mutant in mutants)
    late = sum(mutant.outcome == TIMED_OUT for mutant in mutants)
    finish(
        {
            "places": places,
            "sample": len(mutants),
            "timed_out": late,
            "killed": round(died / max(1, len(mutants)), 3),
        }
    )


if __name__ == "__main__":
    main()
