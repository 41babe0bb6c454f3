"""The command `ptxgen tune`, and the file of defaults that it writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import ptxgen as px
from ptxgen.cli.app import app
from ptxgen.kernels import tunable, winners
from ptxgen.kernels.arrays import histogram
from ptxgen.kernels.choices import forget
from ptxgen.kernels.winners import DeviceIdentity, Winner, WinnerStore, read_shipped
from ptxgen.tuning import search, write_shipped

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


@pytest.fixture
def tune(device_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = WinnerStore(tmp_path / "tuned")
    for module in (winners, search):
        monkeypatch.setattr(module, "winner_store", lambda: store)
    few = [each._replace(space=px.Space(copies=(1, 2))) for each in histogram.TUNABLES[2:]]
    monkeypatch.setattr(tunable, "tunables", lambda: iter(few))

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["tune", "--device", device_name, *arguments])

    yield run
    forget()


def test_the_command_keeps_and_writes_winners(tune, tmp_path: Path) -> None:
    file = tmp_path / "defaults.json"
    arguments = ("histogram", "--shape", "3000x64", "--rounds", "1", "--write", str(file))
    done = tune(*arguments, "--json")
    assert done.exit_code == 0, done.output
    results = json.loads(done.stdout)
    assert [each["classes"][0]["source"] for each in results] == ["measured"]
    assert [row["reason"] for row in results[0]["classes"][0]["rows"]] == ["", ""]
    (record,) = read_shipped(file)
    assert (record.kernel, record.fixed, record.shape_class) == ("histogram", "element=u32 words=4", "[4096, 64]")
    assert dict(record.config) == results[0]["classes"][0]["winner"]
    written = file.read_text()
    again = tune(*arguments)
    assert "(kept)" in again.stdout
    assert file.read_text() == written


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("nothing",), "no kernel 'nothing' with a space; there are histogram"),
        (("--shape", "4x"), "'4x' is not like 4096"),
    ],
)
def test_wrong_usage(tune, arguments: tuple[str, ...], said: str) -> None:
    done = tune(*arguments)
    assert done.exit_code == 2
    assert said in done.output


def test_records_replace_those_of_their_class_and_are_in_order(tmp_path: Path) -> None:
    device = DeviceIdentity("D", "sm_90a", 13000)

    def winner(shape: str, us: float) -> Winner:
        return Winner("k", "", shape, device, {"t": 1}, {"1": us})

    path = tmp_path / "d.json"
    assert write_shipped(path, [winner("[1024]", 1.0), winner("[64]", 2.0)]) == 2
    assert write_shipped(path, [winner("[1024]", 3.0), winner("[512]", 4.0)]) == 3
    assert [(each.shape_class, each.microseconds["1"]) for each in read_shipped(path)] == [
        ("[64]", 2.0), ("[512]", 4.0), ("[1024]", 3.0)
    ]  # fmt: skip
    assert [each.name for each in tmp_path.iterdir()] == ["d.json"]
    path.write_text("{}")
    with pytest.raises(ValueError, match="is not a list of records"):
        read_shipped(path)
