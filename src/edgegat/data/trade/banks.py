"""Trade-B and Trade-M: the numbers of the paper, and who does what."""

from __future__ import annotations

from edgegat.data.trade.patterns import Bank, Case, Label

# Higher levels are a little commoner among the abnormal, but at no level are most customers abnormal.
_RISK_OF_INNOCENT = (0.28, 0.27, 0.22, 0.14, 0.09)
_RISK_OF_ABNORMAL = (0.24, 0.25, 0.23, 0.16, 0.12)

# Who launders money moves more of it, over as many relations: totals tell more than averages.
TRADE_B = Bank(
    name="trade-b",
    customers=3_907,
    labelled=97,
    relations=4_394,
    money_is_of="customer",
    money_spread=0.6,
    number_spread=0.5,
    degree=12.0,
    degree_spread=0.75,
    labels=(
        Label(
            "cleared",
            share=0.65,
            risk=_RISK_OF_INNOCENT,
            cases=(
                Case("household", 0.36, money=9.6, number=1.7),
                Case("shop", 0.22, money=10.6, number=2.1),
                Case("payroll", 0.20, money=10.8, number=1.4),
                Case("landlord", 0.19, money=10.0, number=1.4),
                Case("pass-through", 0.03, money=10.8, number=1.5),  # a mule that nobody noticed
            ),
        ),
        Label(
            "reported",
            share=0.35,
            risk=_RISK_OF_ABNORMAL,
            cases=(
                Case("gathering", 0.23, money=11.9, number=1.7),
                Case("scattering", 0.19, money=11.9, number=1.7),
                Case("structuring", 0.20, money=11.9, number=1.5),
                Case("pass-through", 0.20, money=11.5, number=1.5),
                Case("cycles", 0.15, money=11.5, number=1.5),
                Case("household", 0.03, money=10.0, number=1.7),  # reported by mistake
            ),
        ),
    ),
)

# Few and small payments are placed, many and large ones layered, and honest ones lie between, over any number
# of relations: averages tell more than totals.
TRADE_M = Bank(
    name="trade-m",
    customers=4_431,
    labelled=139,
    relations=4_900,
    money_is_of="relation",
    money_spread=0.8,
    number_spread=0.35,
    degree=8.0,
    degree_spread=1.1,
    labels=(
        Label(
            "cleared",
            share=0.46,
            risk=_RISK_OF_INNOCENT,
            cases=(
                Case("household", 0.35, money=7.9, number=1.6),
                Case("shop", 0.25, money=8.1, number=1.8),
                Case("payroll", 0.20, money=7.8, number=1.5),
                Case("landlord", 0.17, money=7.8, number=1.5),
                Case("gathering", 0.03, money=7.6, number=1.3),  # nobody noticed
            ),
        ),
        Label(
            "placement",
            share=0.30,
            risk=_RISK_OF_ABNORMAL,
            cases=(
                Case("gathering", 0.47, money=7.4, number=1.1),
                Case("structuring", 0.50, money=7.8, number=1.1),
                Case("shop", 0.03, money=7.8, number=1.5),  # a mistake
            ),
        ),
        Label(
            "layering",
            share=0.24,
            risk=_RISK_OF_ABNORMAL,
            cases=(
                Case("scattering", 0.30, money=8.4, number=2.1),
                Case("pass-through", 0.37, money=8.4, number=2.1),
                Case("cycles", 0.30, money=8.4, number=2.1),
                Case("household", 0.03, money=8.1, number=1.8),  # a mistake
            ),
        ),
    ),
)

BANKS = {bank.name: bank for bank in (TRADE_B, TRADE_M)}
