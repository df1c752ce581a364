"""Filtered scans of a file by engines that prune with its statistics, page index and bloom filters,
against the same filter over the rows of the sources held in memory, where nothing prunes.

A pruning reader believes the footer, so one wrong bound loses rows without an error.
"""

import duckdb
import polars
import pyarrow
import pyarrow.compute as compute
import pyarrow.dataset
import pyarrow.parquet as parquet
import pyarrow.types as types

import columns

COLUMNS_MAX = 8


def _filterable(kind):
    return (types.is_integer(kind) or types.is_floating(kind) or types.is_string(kind)
            or types.is_binary(kind) or types.is_boolean(kind) or types.is_date(kind)
            or types.is_timestamp(kind) or types.is_decimal128(kind)
            or types.is_fixed_size_binary(kind)) and not types.is_float16(kind)


def _values(column, chance):
    """Values to filter by: some that occur, and one between them that may not."""
    present = column.drop_null()
    if len(present) == 0:
        return []
    picked = [present[chance.randrange(len(present))] for _ in range(2)]
    if types.is_integer(column.type) or types.is_string(column.type):
        ordered = compute.min_max(present)
        picked += [ordered["min"], ordered["max"]]
    if types.is_string(column.type):
        picked.append(pyarrow.scalar(picked[0].as_py() + "!", column.type))
    return [value for value in picked if _usable(value)]


def _usable(value):
    """NaN equals itself for some engines and not for others; dates past year 9999 are none to Python."""
    try:
        return value.as_py() == value.as_py()
    except (OverflowError, ValueError):
        return False


def _columns(table, chance):
    names = [field.name for field in table.schema if _filterable(field.type)]
    names = [name for name in names if table.column_names.count(name) == 1]
    chance.shuffle(names)
    return names[:COLUMNS_MAX]


def _predicates(table, chance):
    """(column, operator, scalar): the operators are those of SQL; None for the null tests."""
    for name in _columns(table, chance):
        yield name, "IS NULL", None
        yield name, "IS NOT NULL", None
        for value in _values(table.column(name), chance):
            yield name, "=", value
            yield name, chance.choice(["<", "<=", ">", ">="]), value


def _expression(field, operator, value):
    return {"IS NULL": lambda: field.is_null(), "IS NOT NULL": lambda: ~field.is_null(),
            "=": lambda: field == value, "<": lambda: field < value, "<=": lambda: field <= value,
            ">": lambda: field > value, ">=": lambda: field >= value}[operator]()


def _told(engine, predicate, why):
    name, operator, value = predicate
    return f"{engine}: WHERE {name} {operator} {value if value is not None else ''}: {why}"


def check_pyarrow(sources, output, chance):
    """Sentences about filters whose rows differ in pyarrow.dataset."""
    table = pyarrow.concat_tables([parquet.ParquetFile(path).read() for path in sources],
                                  promote_options="permissive")
    scanned = pyarrow.dataset.dataset(str(output), format="parquet")
    for predicate in _predicates(table, chance):
        name, operator, value = predicate
        expression = _expression(compute.field(name), operator, value)
        why = columns.difference([table.filter(expression)],
                                 scanned.to_table(filter=expression))
        if why:
            yield _told("pyarrow", predicate, why)


def _difference_but_nan(name, held, scanned):
    """Rows with NaN in the column may be missing, but not be more than are held."""
    (nan_held, others_held), (nan_scanned, others_scanned) = (
        (side.filter(is_nan), side.filter(compute.invert(is_nan))) for side, is_nan in
        ((side, compute.fill_null(compute.is_nan(side[name]), False)) for side in (held, scanned)))
    if nan_scanned.num_rows > nan_held.num_rows:
        return f"{nan_scanned.num_rows} rows with NaN, of {nan_held.num_rows}"
    return columns.difference([others_held], others_scanned)


def check_duckdb(sources, output, chance):
    """The same in DuckDB; raises duckdb.Error where it cannot read the sources. NaN is the greatest
    number to it, and yet it prunes row groups by bounds that have none: which rows of NaN it finds depends
    on what else is in their row group, in any file. So of those none may be there that is not held."""
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.execute("SET TimeZone = 'UTC'")
        quoted = ", ".join("'" + str(path).replace("'", "''") + "'" for path in sources)
        connection.execute("CREATE TABLE held AS SELECT * FROM "
                           f"read_parquet([{quoted}], hive_partitioning = false)")
        table = connection.sql("SELECT * FROM held").to_arrow_table()
        file = f"read_parquet('{str(output).replace(chr(39), chr(39) * 2)}', hive_partitioning = false)"
        for predicate in _predicates(table, chance):
            name, operator, value = predicate
            where = '"' + name.replace('"', '""') + '" ' + operator + (" ?" if value is not None else "")
            parameters = [value.as_py()] if value is not None else []
            held, scanned = (
                connection.sql(f"SELECT * FROM {place} WHERE {where}", params=parameters).to_arrow_table()
                for place in ("held", file))
            why = columns.difference([held], scanned)
            if why and types.is_floating(table.schema.field(name).type):
                why = _difference_but_nan(name, held, scanned)
            if why:
                yield _told("duckdb", predicate, why)


def check_polars(sources, output, chance):
    """The same in Polars, for types that its literals have."""
    held = polars.concat([polars.read_parquet(path, hive_partitioning=False) for path in sources])
    table = held.to_arrow()
    for predicate in _predicates(table, chance):
        name, operator, value = predicate
        kind = table.schema.field(name).type
        if types.is_decimal(kind) or types.is_timestamp(kind):
            continue
        column = polars.col(name)
        literal = polars.lit(value.as_py(), dtype=held.schema[name]) if value is not None else None
        expression = {"IS NULL": column.is_null, "IS NOT NULL": column.is_not_null}.get(operator)
        expression = expression() if expression else _expression(column, operator, literal)
        scanned = polars.scan_parquet(output, hive_partitioning=False).filter(expression).collect()
        why = columns.difference([held.filter(expression).to_arrow()], scanned.to_arrow())
        if why:
            yield _told("polars", predicate, why)


CHECKS = {"pyarrow": check_pyarrow, "duckdb": check_duckdb, "polars": check_polars}
