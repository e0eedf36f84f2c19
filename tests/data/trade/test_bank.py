"""The invented banks have the paper's numbers, and look like a bank's tables."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from datetime import datetime

import polars as pl
import pytest

from edgegat.data import DataError
from edgegat.data.trade import generate, write
from tests.data.trade.relations import of_labelled, relations

# The banks are frozen: models are compared on them, so not a byte may change. Do not edit these.
FROZEN = {
    ("trade-b", "customers.csv"): "eb29f4cc6259a142d39535fc15183aaac473e16dd7d9a14a94bdd87c341c5255",
    ("trade-b", "transactions.csv"): "edf4a95cb4796d1dcb5cedbf369d927302ed894e4837622cf09f4dfa4eb1d574",
    ("trade-m", "customers.csv"): "61ac91a964fe80abc0159fc39ae6eb11818dbbf27dd55cad9fdcfc8591cfe064",
    ("trade-m", "transactions.csv"): "f9dd47a894d6df6a2abe0ea6598c14383ccf61e232fadd6a255e0a0d191f256c",
}


@pytest.fixture(scope="module", params=["trade-b", "trade-m"])
def bank(request):
    return generate(request.param)


@pytest.fixture(scope="module", params=["trade-b", "trade-m"])
def large(request):
    """Three parts."""
    return generate(request.param, customers=100_001, seed=5)


@pytest.mark.parametrize("name", ["trade-b", "trade-m"])
def test_frozen(tmp_path, name):
    for file in write(tmp_path, name)[:2]:
        assert hashlib.sha256(file.read_bytes()).hexdigest() == FROZEN[name, file.name], file.name


@pytest.mark.parametrize(
    ("name", "customers", "labels", "edges"),
    [
        ("trade-b", 3_907, {"cleared": 63, "reported": 34}, 4_394),
        ("trade-m", 4_431, {"cleared": 64, "placement": 42, "layering": 33}, 4_900),
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2**40])
def test_numbers_of_the_paper(name, customers, labels, edges, seed):
    tables = generate(name, seed=seed)
    assert tables.customers.height == customers
    known = tables.customers["label"].drop_nulls()
    assert dict(known.value_counts().iter_rows()) == labels
    assert len(known) == {"trade-b": 97, "trade-m": 139}[name]
    assert relations(tables.transactions).height == edges


def test_customers(bank):
    customers = bank.customers
    assert customers.columns == ["account", "name", "risk_level", "label"]
    assert customers["account"].n_unique() == customers.height
    assert customers["account"].is_sorted()
    assert customers["account"].str.contains(r"^XT\d{16}$").all()
    assert set(customers["risk_level"]) == {1, 2, 3, 4, 5}
    assert (
        customers["name"]
        .str.contains(r"^\p{Lu}\p{Ll}+( \p{Lu}\p{Ll}+)( (Ltd|GmbH|BV|SA|Oy|AB|Srl|KG))?$")
        .all()
    )
    assert customers["name"].str.contains("GmbH").any()
    assert customers["name"].str.contains("Zoë").any()


def test_account_numbers_have_valid_check_digits(bank):
    for account in bank.customers["account"]:
        moved = account[4:] + account[:4]
        assert int("".join(str(int(sign, 36)) for sign in moved)) % 97 == 1


def test_transactions(bank):
    transactions = bank.transactions
    assert transactions.columns == ["time", "sender", "receiver", "amount"]
    assert transactions["time"].is_sorted()
    assert transactions["time"].min() >= datetime(2025, 1, 1, 6, 30)
    assert transactions["time"].max() < datetime(2025, 4, 1)
    assert transactions["amount"].min() > 0
    cents = transactions["amount"] * 100
    assert (cents - cents.round()).abs().max() < 1e-6
    assert (transactions["sender"] != transactions["receiver"]).all()


def test_everybody_has_a_relation_and_nobody_is_unknown(bank):
    seen = set(bank.transactions["sender"]) | set(bank.transactions["receiver"])
    assert seen == set(bank.customers["account"])


def test_whoever_is_labelled_has_some_relations_and_nobody_has_too_many(bank):
    degree = of_labelled(bank).group_by("account", "label").agg(degree=pl.len())
    assert degree["degree"].min() >= 3
    assert degree["degree"].max() <= 91  # the largest degree, and a chance relation


def test_order_does_not_tell_who_is_labelled(bank):
    place = bank.customers.with_row_index("place").filter(pl.col("label").is_not_null())["place"]
    assert 0.35 < place.mean() / bank.customers.height < 0.65


def test_parts_of_a_large_bank_join_without_a_seam(large):
    customers, transactions = large
    assert customers.height == 100_001
    assert customers["account"].n_unique() == 100_001
    seen = pl.concat([transactions["sender"], transactions["receiver"]]).unique()
    assert set(seen) == set(customers["account"])
    part = customers.select("account", part=pl.int_range(pl.len()) // 33_334)
    pairs = relations(transactions)
    ends = pairs.join(part, left_on="one", right_on="account").join(part, left_on="other", right_on="account")
    across = ends.filter(pl.col("part") != pl.col("part_right"))
    assert 0 < across.height < 0.1 * pairs.height


@pytest.mark.parametrize("name", ["trade-b", "trade-m"])
@pytest.mark.parametrize("customers", [1_000, 1_001, 50_000, 50_001])
def test_any_size_in_the_paper_s_proportions(name, customers):
    tables = generate(name, customers, seed=3)
    of_paper = {"trade-b": (3_907, 97, 4_394), "trade-m": (4_431, 139, 4_900)}[name]
    assert tables.customers.height == customers
    assert tables.customers["label"].count() == round(customers * of_paper[1] / of_paper[0])
    assert relations(tables.transactions).height == round(customers * of_paper[2] / of_paper[0])


def test_another_seed_is_another_bank_and_another_bank_shares_nothing_but_its_accounts():
    first, second, other = generate("trade-b"), generate("trade-b", seed=1), generate("trade-m")
    assert not set(first.customers["account"]) & set(second.customers["account"])
    assert first.transactions.height != second.transactions.height
    both = first.customers.join(other.customers, on="account")
    assert (both["name"] == both["name_right"]).mean() < 0.01


def test_the_same_bytes_from_another_process_with_other_threads(tmp_path):
    program = (
        "import sys; from edgegat.data.trade import write; write(sys.argv[1], 'trade-m', 2000, 9, sys.argv[2])"
    )
    for format in ("csv", "parquet"):
        here = write(tmp_path / format, "trade-m", 2000, 9, format)
        there = tmp_path / f"{format}-there"
        environment = {"POLARS_MAX_THREADS": "1", "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
        subprocess.run([sys.executable, "-c", program, there, format], check=True, env=environment)
        for file in here:
            assert file.read_bytes() == (there / file.name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "trade-x"}, "there is no bank 'trade-x'; there are 'trade-b' and 'trade-m'."),
        ({"customers": 999}, "customers is 999, but a bank has from 1,000 to 10,000,000."),
        ({"customers": 10_000_001}, "customers is 10,000,001, but a bank has from 1,000 to 10,000,000."),
        ({"customers": 0}, "customers is 0, but a bank has from 1,000 to 10,000,000."),
        ({"customers": 2000.5}, "customers is 2000.5, but it must be a whole number."),
        ({"seed": -1}, "seed is -1, but it must be 0 or more."),
        ({"seed": "a"}, "seed is 'a', but it must be a whole number."),
    ],
)
def test_refusals(tmp_path, arguments, message):
    with pytest.raises(DataError) as told:
        generate(**arguments)
    assert str(told.value) == message
    with pytest.raises(DataError) as told:
        write(tmp_path / "new", **arguments)
    assert str(told.value) == message
    assert not (tmp_path / "new").exists()
