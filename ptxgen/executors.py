"""Work in pieces over any executor of `concurrent.futures`: threads, processes, Dask's or Ray's or mpi4py's over many machines.

`in_pieces` hands lists of items to an executor and gives what the function makes of each, as pieces end. A piece whose worker was
lost is handed out again, so that one worker's end costs one piece; the executor decides where it runs. Pieces of some tenths
of a second keep the cost of sending them small. Imports nothing of ptxgen but its exceptions.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from ptxgen.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

__all__ = ["ATTEMPTS", "WorkLostError", "executor_named", "in_pieces", "size_of_pieces"]

T = TypeVar("T")
R = TypeVar("R")

ATTEMPTS = 3
"""How often a piece is handed out before its failure counts."""

FOREIGN_PIECE = 8
"""Programs in a piece that goes to another process or machine: assembling one takes 5 to 300 ms."""


class WorkLostError(Error):
    """Pieces that no worker has finished. The cause is the last failure; what other pieces gave is not lost: it was yielded."""


class _Piece(Generic[T]):
    __slots__ = ("attempts", "items")

    def __init__(self, items: list[T], attempts: int) -> None:
        self.items, self.attempts = items, attempts


def size_of_pieces(executor: Executor) -> int:
    """One item where workers are threads of this process, since nothing is sent; else `FOREIGN_PIECE`."""
    from concurrent.futures import ThreadPoolExecutor

    return 1 if isinstance(executor, ThreadPoolExecutor) else FOREIGN_PIECE


def in_pieces(
    executor: Executor,
    function: Callable[[list[T]], Sequence[R]],
    items: Iterable[T],
    *,
    size: int,
    attempts: int = ATTEMPTS,
) -> Iterator[tuple[T, R]]:
    """Each item with what `function` made of it, piece by piece as they end; the order is the executor's.

    `function` takes a list of at most `size` items and gives a result for each; function and items go to the worker as the
    executor sends them (a process pool pickles them). `items` is read, and its pieces sent, before the first result is waited
    for. A piece that fails is handed out again, `attempts` times in all, by one item from the second time on, so that an item
    that ends its worker costs its neighbours nothing. Raises WorkLostError for what is left then, and where the executor takes
    no more work; when the caller stops early, pieces that have not begun are cancelled.
    """
    from concurrent.futures import FIRST_COMPLETED, wait

    waiting: dict[Future[Sequence[R]], _Piece[T]] = {}
    failed: list[tuple[T, BaseException]] = []

    def send(piece: _Piece[T]) -> None:
        try:
            waiting[executor.submit(function, piece.items)] = piece
        except RuntimeError as closed:  # BrokenExecutor is one
            failed.extend((item, closed) for item in piece.items)

    try:
        piece: list[T] = []
        for item in items:
            piece.append(item)
            if len(piece) >= size:
                send(_Piece(piece, 1))
                piece = []
        if piece:
            send(_Piece(piece, 1))
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                sent = waiting.pop(future)
                error = _failure(future)
                if error is None:
                    yield from zip(sent.items, future.result())
                elif sent.attempts < attempts:
                    for item in sent.items:
                        send(_Piece([item], sent.attempts + 1))
                else:
                    failed.extend((item, error) for item in sent.items)
    finally:
        for future in waiting:
            future.cancel()
    if failed:
        raise _lost(failed, attempts) from failed[-1][1]


def _failure(future: Future[Sequence[R]]) -> BaseException | None:
    """Why a piece has no results: its function raised, its worker ended, or somebody cancelled it."""
    from concurrent.futures import CancelledError

    try:
        return future.exception()
    except CancelledError as cancelled:
        return cancelled


def _lost(failed: list[tuple[T, BaseException]], attempts: int) -> WorkLostError:
    item, error = failed[-1]
    return WorkLostError(
        f"{len(failed)} items were not done in {attempts} attempts; the last, {item!r:.80}, ended with "
        f"{type(error).__name__}: {error}",
        hint="a process pool is broken once a worker was lost; Dask's and Ray's executors replace theirs. Run again: what is "
        "kept is not done twice",
    )


@contextmanager
def executor_named(text: str) -> Iterator[Executor]:
    """The executor that a command line names, closed at the end: "threads:8", "processes:8", "dask:tcp://host:8786" (a Dask
    scheduler; needs distributed, of the extra dask), or "module:function", a function of yours that returns one. ValueError
    for other text, or without the extra; whatever the package says where it cannot connect."""
    kind, _, rest = text.partition(":")
    if not kind or not rest:
        raise ValueError(f"executor {text!r}: expected threads:N, processes:N, dask:ADDRESS or MODULE:FUNCTION")
    with ExitStack() as stack:
        yield _make(kind, rest, stack)


def _make(kind: str, rest: str, stack: ExitStack) -> Executor:
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    from importlib import import_module

    if kind in ("threads", "processes"):
        if not rest.isdecimal() or not int(rest):
            raise ValueError(f"executor {kind}:{rest}: expected a number of workers, 1 or more")
        if kind == "threads":
            return stack.enter_context(ThreadPoolExecutor(int(rest)))
        from multiprocessing import get_context

        return stack.enter_context(ProcessPoolExecutor(int(rest), get_context("spawn")))
    if kind == "dask":
        try:
            client = import_module("distributed").Client(rest)
        except ModuleNotFoundError as missing:
            raise ValueError(f"executor dask:{rest} needs distributed: pip install 'ptxgen[dask]'") from missing
        stack.callback(client.close)
        made: Executor = client.get_executor()
        return made
    made = getattr(import_module(kind), rest)()
    return stack.enter_context(made)
