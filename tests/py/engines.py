"""Four engines that prune: every row of a file, and the rows that a filter keeps, as Python values.

They believe statistics, page indexes and bloom filters in different ways, so that a lie which one
of them overlooks costs another one rows. DataFusion stands for Arrow's Rust reader.
"""

import datetime
import decimal

import datafusion
import duckdb
import polars
import pyarrow
import pyarrow.compute as compute
import pyarrow.dataset
import pyarrow.parquet as parquet

OPERATORS = {"=": lambda a, b: a == b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
             ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


class Where:
    """A filter: column, operator of SQL and value; the null tests have no value."""

    def __init__(self, column, operator, value=None):
        self.column, self.operator, self.value = column, operator, value

    def __str__(self):
        return f"{self.column} {self.operator} {'' if self.value is None else repr(self.value)}"

    def keeps(self, row):
        value = row[self.column]
        if self.operator.startswith("IS"):
            return (value is None) == (self.operator == "IS NULL")
        return value is not None and OPERATORS[self.operator](value, self.value)

    def expression(self, column, literal=lambda value: value):
        """The filter over the column object of an engine."""
        if self.operator == "IS NULL":
            return column.is_null()
        if self.operator == "IS NOT NULL":
            return ~column.is_null()
        return OPERATORS[self.operator](column, literal(self.value))


def _pyarrow(path, where):
    if where is None:
        return parquet.ParquetFile(path, page_checksum_verification=True).read()
    scanned = pyarrow.dataset.dataset(str(path), format="parquet")
    return scanned.to_table(filter=where.expression(compute.field(where.column)))


class _Duck:
    def __init__(self):
        self.connection = None

    def __call__(self, path, where):
        if self.connection is None:
            self.connection = duckdb.connect()
            self.connection.execute("SET threads = 1")
        query, parameters = "SELECT * FROM read_parquet(?, hive_partitioning = false)", [str(path)]
        if where is not None:
            query += f' WHERE "{where.column}" {where.operator}'
            if where.value is not None:
                query += " ?"
                parameters.append(where.value)
        return self.connection.sql(query, params=parameters).to_arrow_table()


def _polars(path, where):
    frame = polars.scan_parquet(path, hive_partitioning=False)
    if where is not None:
        frame = frame.filter(where.expression(polars.col(where.column), polars.lit))
    return frame.collect().to_arrow()


class _DataFusion:
    def __init__(self):
        self.context = None

    def __call__(self, path, where):
        if self.context is None:
            config = datafusion.SessionConfig().with_target_partitions(1)
            for option in ("pushdown_filters", "enable_page_index", "pruning", "bloom_filter_on_read"):
                config = config.set(f"datafusion.execution.parquet.{option}", "true")
            self.context = datafusion.SessionContext(config)
        frame = self.context.read_parquet(str(path))
        if where is not None:
            frame = frame.filter(where.expression(datafusion.col(where.column), datafusion.lit))
        return frame.to_arrow_table()


ENGINES = {"pyarrow": _pyarrow, "duckdb": _Duck(), "polars": _polars, "datafusion": _DataFusion()}


def rows(engine, path, where=None):
    """The rows as dicts, in the order of the file."""
    return ENGINES[engine](path, where).to_pylist()


def _text(found):
    """Rows in a form in which NaN equals itself and -0 is not 0."""
    return [repr(row) for row in found]


def filters(expected, columns):
    """Filters whose answers `expected` knows: values that occur, values that do not, ranges, nulls."""
    for column in columns:
        present = [row[column] for row in expected if row[column] is not None]
        yield Where(column, "IS NULL")
        yield Where(column, "IS NOT NULL")
        if not present or isinstance(present[0], list):
            continue
        # Whether NaN is above all numbers, each engine decides for itself.
        has_nan = any(value != value for value in present)
        present = sorted(value for value in dict.fromkeys(present) if value == value)
        picked = present
        if len(present) > 5:
            picked = present[:2] + present[len(present) // 2:][:1] + present[-2:]
        for value in picked:
            yield Where(column, "=", value)
        if present and not isinstance(present[0], bool):
            for absent in _absent(present):
                yield Where(column, "=", absent)
            middle = present[len(present) // 2]
            yield Where(column, "<", middle)
            if not has_nan:
                yield Where(column, ">=", middle)
                yield Where(column, ">", present[-1])


def _absent(present):
    """Values near those that are there, and not among them."""
    if isinstance(present[0], (str, bytes)):
        more = present[0] + ("!" if isinstance(present[0], str) else b"!")
        return [] if more in present else [more]
    step = datetime.timedelta(days=1) if isinstance(present[0], datetime.date) else 1
    with decimal.localcontext(prec=80):
        return [value for value in (present[-1] + step, present[0] + step) if value not in present]


def wrong(path, expected, columns, only=None):
    """Sentences: which engine gives other rows than `expected`, in full and by every filter."""
    questions = [None] + list(filters(expected, columns))
    for engine in ENGINES if only is None else only:
        for where in questions:
            want = [row for row in expected if where is None or where.keeps(row)]
            try:
                found = rows(engine, path, where)
            except BaseException as problem:
                if isinstance(problem, (KeyboardInterrupt, SystemExit)):
                    raise
                yield f"{engine} {where or 'all rows'}: {str(problem)[:200]}"
                break
            if _text(found) != _text(want):
                yield (f"{engine} {where or 'all rows'}: {len(found)} rows {found[:4]}, "
                       f"not {len(want)} {want[:4]}")
