"""Account numbers with check digits, and names that nobody has."""

from __future__ import annotations

import polars as pl

from edgegat.data.trade._draws import Draws, Ints

_BANK = 417
_GIVEN = """
    Ada Aylin Bram Carla Chidi Daria Edda Emre Enya Farid Frida Goran Hana Hugo Ilse Ines Ivo Jana Jonas
    Jurek Kaia Kenji Lale Leo Lotte Luz Maeve Malik Mina Nadia Nils Noor Odile Omar Pia Quentin Rania Ravi
    Rosa Sami Sanna Tariq Thea Tomás Uma Vera Viktor Wanda Xenia Yara Yusuf Zoë Zofia Łukasz
""".split()  # noqa: SIM905
_FRONT = """
    Al Bar Bel Bor Cal Cor Dal Del Dor Eber Fal Fen Gar Gold Hal Hel Ing Kal Kor Lan Lind Lor Mar Mel Nor
    Ost Pal Per Quin Ras Ros Sal Sil Sten Tal Tor Ul Val Ver Wal Wes Zan
""".split()  # noqa: SIM905
_BACK = """
    berg by dal dano den dor eck ell en er felder gard hart holt ic ida in ini kamp ker lau len man mark
    mont nik oglu ori ova quist rand ro ser son stad sund ten tin ton vik wald wen
""".split()  # noqa: SIM905
_TRADE = """
    Bau Cargo Catering Consult Electric Estates Fashion Foods Garage Gastro Glass Haus Import Invest Kiosk
    Logistics Media Metals Optics Pharma Print Services Solar Sport Stone Textiles Timber Tools Trading
    Travel
""".split()  # noqa: SIM905
_FORM = ["Ltd", "GmbH", "BV", "SA", "Oy", "AB", "Srl", "KG"]
_COMPANIES = 0.3


def account_numbers(customer: Ints, seed: int) -> pl.Series:
    """`[n]` customers, numbered through the bank, to their accounts, no two alike.

    Written like an IBAN, check digits and all, of a country that will never exist: `XT` is for private use.

    Example:
        >>> import numpy as np
        >>> account_numbers(np.array([0, 1]), seed=0).to_list()
        ['XT2204176180339887', 'XT7704179321932508']
    """
    # Multiplying by a number without the factors 2 and 5 visits every number of ten digits once.
    account = (customer * 3_141_592_621 + 6_180_339_887 + seed % 997 * 7_919) % 10**10
    national = _BANK * 10**10 + account
    check = 98 - (national % 97 * 10**6 + 332_900) % 97  # X is 33, T is 29; ISO 7064, modulo 97
    digits = pl.Series(check * 10**14 + national).cast(pl.String).str.zfill(16)
    return pl.select("XT" + pl.lit(digits)).to_series()


def names(size: int, draws: Draws) -> pl.Series:
    """`[size]` people and companies. A name says nothing about what its bearer does."""

    def pick(words: list[str]) -> pl.Series:
        return pl.Series(words).gather(draws.below(size, len(words)))

    family = pick(_FRONT) + pick(_BACK)
    person = pick(_GIVEN) + " " + family
    company = family + " " + pick(_TRADE) + " " + pick(_FORM)
    return company.zip_with(pl.Series(draws.uniform(size) < _COMPANIES), person)
