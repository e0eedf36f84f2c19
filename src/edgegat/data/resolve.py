"""Every feature gets a type: the declared one, or a guess that is told."""

from __future__ import annotations

from edgegat.data._words import listing
from edgegat.data.cells import Spelling
from edgegat.data.infer import Guess, infer_types
from edgegat.data.reading import Table
from edgegat.data.roles import DEFAULT_AGGREGATIONS, EdgeRoles, Feature, Features, NodeRoles
from edgegat.data.schema import Schema


def resolve(schema: Schema, nodes: Table | None, edges: Table) -> tuple[Schema, list[str]]:
    """The schema with nothing left to guess, and in words what was guessed and what was left out.

    Example:
        >>> import polars as pl
        >>> from edgegat.data import open_table
        >>> rows = {"payer": ["a", "b"], "payee": ["b", "c"], "amount": [9.5, 20.0]}
        >>> schema = Schema.from_dict({"edges": {"source": "payer", "target": "payee"}})
        >>> schema, notes = resolve(schema, None, open_table(pl.DataFrame(rows), "transfers"))
        >>> schema.edges.features["amount"].type, notes
        ('amount', ["transfers: types were guessed, 'amount' as amount"])
    """
    notes: list[str] = []
    node_roles = schema.nodes if nodes is not None else None
    if node_roles is not None and nodes is not None and node_roles.features is None:
        features = _infer(nodes, node_columns(schema, nodes), schema.spelling, notes)
        node_roles = node_roles.model_copy(update={"features": features})
    edge_roles = schema.edges
    if edge_roles.features is None:
        features = _infer(edges, edge_columns(schema, edges), schema.spelling, notes)
        edge_roles = edge_roles.model_copy(update={"features": features})
    if edge_roles.parallel == "aggregate":
        edge_roles = edge_roles.model_copy(update={"features": _spell_out(edge_roles.features or {})})
    return schema.model_copy(update={"nodes": node_roles, "edges": edge_roles}), notes


def node_columns(schema: Schema, nodes: Table) -> list[str]:
    """The columns of the node table that are features unless the schema lists features."""
    assert schema.nodes is not None
    split = schema.split.columns if schema.labels_on != "edges" else []
    return _without(nodes, schema.nodes, ("id", "label", "labelled", "time"), split)


def edge_columns(schema: Schema, edges: Table) -> list[str]:
    """The columns of the edge table that are features unless the schema lists features."""
    split = schema.split.columns if schema.labels_on == "edges" else []
    return _without(edges, schema.edges, ("source", "target", "label", "labelled", "time", "currency"), split)


def _without(
    table: Table, roles: NodeRoles | EdgeRoles, names: tuple[str, ...], others: list[str]
) -> list[str]:
    taken = {getattr(roles, name) for name in names} | set(others)
    return [column for column in table.columns if column not in taken]


def _infer(table: Table, columns: list[str], spelling: Spelling, notes: list[str]) -> Features:
    guesses = infer_types(table, columns, spelling)
    notes += [
        f"{table.name}: {said}"
        for said in (
            _say("types were guessed, ", {name: g for name, g in guesses.items() if g.type is not None}),
            _say("left out ", {name: g for name, g in guesses.items() if g.type is None}),
        )
        if said
    ]
    return {name: Feature(type=guess.type) for name, guess in guesses.items() if guess.type is not None}


def _say(what: str, guesses: dict[str, Guess], most: int = 20) -> str:
    said = [
        f"{listing([name])} as {guess.type}" if guess.type else f"{listing([name])} ({guess.reason})"
        for name, guess in guesses.items()
    ]
    more = [f"and {len(said) - most:,} more"] if len(said) > most else []
    return what + ", ".join(said[:most] + more) if said else ""


def _spell_out(features: Features) -> Features:
    return {
        name: feature
        if feature.aggregate is not None
        else feature.model_copy(update={"aggregate": DEFAULT_AGGREGATIONS[feature.type]})
        for name, feature in features.items()
    }
