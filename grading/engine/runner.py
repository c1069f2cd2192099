"""What the two runners share: jobs in parallel, results as they come, nothing left behind."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from grading.engine.jobs import Job, Run
from grading.engine.supervise import Child, Supervisor


class EngineError(RuntimeError):
    """The engine itself does not work here; says nothing about any server or test."""


class Runner(ABC):
    """Runs jobs, `jobs` at a time (default: one a processor).

    A context manager: leaving it, by an interrupt too, ends everything that it started.
    """

    def __init__(self, jobs: int | None = None) -> None:
        if jobs is not None and jobs < 1:
            raise ValueError("jobs must be at least 1")
        self.jobs = jobs or os.cpu_count() or 1
        self._closing = False
        self._numbers = itertools.count()

    def __enter__(self) -> Self:
        self._scratch = Path(tempfile.mkdtemp(prefix="grade-")).resolve()
        self._pool = ThreadPoolExecutor(self.jobs, thread_name_prefix="run")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closing = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._end_all()
        self._pool.shutdown(wait=True)
        self._clean_up()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def submit(self, job: Job) -> Future[Run]:
        """Run one job as soon as there is room for it."""
        return self._pool.submit(self._run, job)

    def stream(self, jobs: Iterable[Job]) -> Iterator[Run]:
        """Run jobs and yield each result when it is there, in the order in which they end."""
        futures = [self.submit(job) for job in jobs]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()

    def run(self, jobs: Sequence[Job], on_done: Callable[[Run], None] | None = None) -> list[Run]:
        """Run jobs and return the results in the jobs' order. `on_done` is called here, after each."""
        numbers = {self.submit(job): number for number, job in enumerate(jobs)}
        results: dict[int, Run] = {}
        try:
            for future in as_completed(numbers):
                results[numbers[future]] = future.result()
                if on_done is not None:
                    on_done(future.result())
        finally:
            for future in numbers:
                future.cancel()
        return [results[number] for number in range(len(jobs))]

    def _run(self, job: Job) -> Run:
        folder = self._scratch / str(next(self._numbers))
        rounds = itertools.count()

        def scratch() -> str:
            path = folder / str(next(rounds))
            path.mkdir(parents=True)
            return str(path)

        def start(order: Mapping[str, Any]) -> Child:
            if self._closing:
                raise EngineError("the runner is closed")
            return self._start(order)

        try:
            return Supervisor(job, start, scratch).run()
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @abstractmethod
    def _start(self, order: Mapping[str, Any]) -> Child: ...

    @abstractmethod
    def _end_all(self) -> None:
        """End what runs now; the threads that wait for it are to see it end."""

    def _clean_up(self) -> None:  # noqa: B027 - there may be nothing to do
        """Let go of what served all runs."""
