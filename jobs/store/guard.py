"""What keeps tokens in on PostgreSQL, where a query is not asked about each column it reads.

A query is refused before anything of it runs: by the functions that it calls, and by the tables
that its plan reads. Names of columns say nothing, for a query can give others. Words are looked
for everywhere, in texts and comments too: so nothing depends on reading SQL as the server does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jobs.store.views.catalog import all_views

if TYPE_CHECKING:
    import psycopg

# Nobody is shown these.
TOKENS = frozenset({"access_token", "refresh_token"})
TOKEN_TABLE = "credential"  # noqa: S105 - a table's name
READ_ONLY = "only reading is possible here: SELECT, VALUES or WITH"

_WORD = re.compile(r"[^\W\d][\w$]*")
# They hold samples of every table.
_SAMPLES = frozenset({"pg_statistic", "pg_statistic_ext_data"})
# Called volatile, and yet they read no rows.
_HARMLESS = [
    "random", "clock_timestamp", "timeofday", "gen_random_uuid", "bernoulli", "system",
    "pg_database_size", "pg_indexes_size", "pg_relation_size", "pg_table_size",
    "pg_tablespace_size", "pg_total_relation_size",
]  # fmt: skip
# Whatever runs other queries, reads files or large objects, or changes something is volatile; but
# for the functions that make XML of tables, and what was brought along.
_REFUSED_CALL = """
SELECT p.proname FROM pg_catalog.pg_proc AS p
JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
WHERE p.proname = ANY(%s::pg_catalog.name[]) AND CASE n.nspname WHEN 'pg_catalog'
THEN p.provolatile = 'v' AND p.proname <> ALL(%s::pg_catalog.name[]) OR p.proname ~ '_to_xml'
ELSE p.provolatile <> 'i' END
ORDER BY 1 LIMIT 1
"""
# Views that others have built on the table, and those built on these.
_VIEWS_OF_OTHERS = """
WITH RECURSIVE rule AS (
    SELECT d.refobjid AS source, r.ev_class AS view
    FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_rewrite AS r ON r.oid = d.objid
    WHERE d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
    AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
), found AS (
    SELECT rule.view FROM rule
    JOIN pg_catalog.pg_class AS t ON t.oid = rule.source
    JOIN pg_catalog.pg_class AS v ON v.oid = rule.view
    WHERE t.relname = %s AND v.oid <> t.oid
    AND NOT (v.relname = ANY(%s::pg_catalog.name[]) AND v.relnamespace = t.relnamespace)
    UNION
    SELECT rule.view FROM found JOIN rule ON rule.source = found.view
)
SELECT c.relname FROM found JOIN pg_catalog.pg_class AS c ON c.oid = found.view
"""


def tokens_stay_in() -> str:
    """Return what is said to whoever asks for tokens."""
    return (
        f"{TOKEN_TABLE}.access_token and refresh_token are shown to nobody:"
        " use the view v_credentials"
    )


def why_refused(connection: psycopg.Connection[tuple[Any, ...]], sql: str) -> str | None:
    """Return why a query may not run, None if it may; in a transaction that only reads."""
    if 'u&"' in sql.lower():
        return 'names in U&"..." are not read here: write them as they are'
    words = {word.lower() for word in _WORD.findall(sql)}
    # Every word: a function is called without brackets too, as if it were a column.
    refused = connection.execute(_REFUSED_CALL, (sorted(words), _HARMLESS)).fetchone()
    if refused:
        return f"the function {refused[0]} cannot be used here: it can do more than reckon"
    query: Any = f"EXPLAIN (VERBOSE, FORMAT JSON) {sql}"
    # Prepared: one statement only.
    row = connection.execute(query, prepare=True).fetchone()
    plans: Any = row[0] if row else []
    if not isinstance(plans, list):
        return READ_ONLY
    nodes = list(_nodes(plans))
    if any(node.get("Node Type") == "ModifyTable" for node in nodes):
        return READ_ONLY
    read = {str(node.get("Relation Name")) for node in nodes}
    if read & _SAMPLES or any(node.get("Schema") == "pg_toast" for node in nodes):
        return f"statistics and pg_toast have parts of {TOKEN_TABLE}: they are shown to nobody"
    # Else it is one of our views that reads it, and these leave the tokens out.
    if TOKEN_TABLE in read and TOKEN_TABLE in words:
        return tokens_stay_in()
    others = connection.execute(_VIEWS_OF_OTHERS, (TOKEN_TABLE, list(all_views())))
    if any(_is_named(str(name), sql, words) for (name,) in others):
        return tokens_stay_in()
    return None


def _is_named(name: str, sql: str, words: set[str]) -> bool:
    name = name.lower()
    if _WORD.fullmatch(name) and len(name.encode()) < 63:
        return name in words
    # The server cuts longer ones off.
    return name in sql.lower().replace('""', '"')


def _nodes(plan: Any) -> Iterator[dict[str, Any]]:
    """Yield every node of a plan."""
    if isinstance(plan, list):
        for each in plan:
            yield from _nodes(each)
    elif isinstance(plan, dict):
        if "Node Type" in plan:
            yield plan
        for value in plan.values():
            yield from _nodes(value)
