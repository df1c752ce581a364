"""Other implementations as judges: pyarrow and DuckDB, each in a process of its own.

A reader that crashes or hangs (DuckDB does on very deep schemas) then costs an answer, not the
test run. Requests and answers are lines of JSON; tables never cross the pipe.

An answer is a dict: `error` if the reader could not read one of the files (naming it), else the
outcome. Ask through Oracle(name).ask(op, ...).
"""

import json
import os
import select
import subprocess
import sys
import traceback

SECONDS_MAX = 60


class Oracle:
    """One reader process, started at the first question and again after a crash or a hang."""

    def __init__(self, name):
        self.name = name
        self.process = None

    def ask(self, op, seconds_max=SECONDS_MAX, **arguments):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, __file__, self.name],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL)
        request = json.dumps(dict(op=op, **arguments), default=str).encode() + b"\n"
        self.process.stdin.write(request)
        self.process.stdin.flush()
        answer = b""
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], seconds_max)
            part = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not part:
                self.close()
                return {"error": f"{self.name} {'died' if ready else 'hung'}"}
            answer += part
        answer = json.loads(answer)
        assert "bug" not in answer, answer["bug"]
        return answer

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


class Unreadable(Exception):
    """The reader refuses a file."""


class PyArrow:
    """INT96 is read twice: as nanoseconds (wrapping) and as microseconds (no wrap), together
    all its bits."""

    def __init__(self):
        import pyarrow.parquet
        self.pyarrow, self.parquet = pyarrow, pyarrow.parquet

    def _open(self, path, **options):
        return self.parquet.ParquetFile(path, thrift_string_size_limit=1 << 30,
                                        thrift_container_size_limit=1 << 24, **options)

    def tables(self, path):
        file = self._open(path)
        tables = [file.read()]
        schema = file.schema
        if any(schema.column(i).physical_type == "INT96" for i in range(len(schema))):
            tables.append(self._open(path, coerce_int96_timestamp_unit="us").read())
        return tables

    def union(self, paths):
        """The rows of files whose schemas differ, joined by name. Strict fields of structs would not
        join, so all may be null."""
        import unions
        tables = [unions.relaxed(table) for path in paths for table in self.tables(path)]
        if len(tables) > len(paths):
            raise ValueError("INT96")
        return self.pyarrow.concat_tables(tables, promote_options="permissive")

    def schema(self, path):
        """The schema as the Parquet footer has it: repetitions, annotations, field ids, types.

        is_from_converted_type tells an old annotation alone from a new one; DuckDB takes the old
        TIMESTAMP for one without a time zone, so even that must stay. A length means something
        for FIXED_LEN_BYTE_ARRAY only.
        """
        file = self._open(path)
        lines = str(file.schema).splitlines()[1:]
        # The root's name means nothing.
        lines[0] = "root {"
        columns = [file.schema.column(i) for i in range(len(file.schema))]
        return lines + [f"{c.path}: {c.physical_type} "
                        f"{c.length if c.physical_type == 'FIXED_LEN_BYTE_ARRAY' else ''} {c.logical_type} "
                        f"{c.converted_type} {c.max_definition_level} {c.max_repetition_level}"
                        for c in columns]


class DuckDB:
    def __init__(self):
        import duckdb
        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 1")
        self.connection.execute("SET memory_limit = '4GB'")

    def _sql(self, what, path):
        quoted = str(path).replace("'", "''")
        return f"SELECT * FROM {what.replace('FILE', quoted)}"

    def tables(self, path):
        query = self._sql("read_parquet('FILE', hive_partitioning = false)", path)
        return [self.connection.sql(query).to_arrow_table()]

    def union(self, paths):
        quoted = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
        return self.connection.sql(f"SELECT * FROM read_parquet([{quoted}], hive_partitioning = false, "
                                   "union_by_name = true)").to_arrow_table()

    def schema(self, path):
        """Less than pyarrow tells: names, physical types, repetitions, children, field ids."""
        query = self._sql("parquet_schema('FILE')", path).replace(
            "*", "name, type, repetition_type, num_children, field_id")
        return [repr(row) for row in self.connection.sql(query).fetchall()]


def read(reader, path):
    """All tables a reader makes of a file; Unreadable names file and reason."""
    try:
        return reader.tables(path)
    except Exception as problem:
        raise Unreadable(f"{path}: {str(problem)[:300] or problem!r}") from problem


def difference(sources, outputs, added=()):
    """Why the outputs (a list for each file of what `tables` gave) do not hold the rows of the
    sources, in order; None if they do. `added`: see columns.difference."""
    import columns
    import pyarrow
    if len({len(tables) for tables in sources + outputs}) > 1:
        return "INT96 in some of the files, not in others"
    for way in range(len(sources[0])):
        output = pyarrow.concat_tables([tables[way] for tables in outputs])
        why = columns.difference([tables[way] for tables in sources], output, added)
        if why:
            return why
    return None


def compare(reader, request):
    """Are the rows of the outputs those of the sources, in order? The sources must be readable
    for an answer; an output that is not is a difference."""
    sources = [read(reader, path) for path in request["sources"]]
    try:
        outputs = [read(reader, path) for path in request["outputs"]]
    except Unreadable as problem:
        return {"difference": f"unreadable output: {problem}", "rows": 0}
    return {"difference": difference(sources, outputs, request.get("added", ())),
            "rows": sum(tables[0].num_rows for tables in outputs)}


def union(reader, request):
    """Are the rows of the outputs those of the sources, whose schemas the reader joins by name?"""
    import columns
    try:
        sources = reader.union(request["sources"])
    except Exception as problem:
        raise Unreadable(f"the union of {request['sources']}: {str(problem)[:300]}") from problem
    try:
        outputs = reader.union(request["outputs"])
    except Exception as problem:
        return {"difference": f"unreadable output: {str(problem)[:300]}"}
    return {"difference": columns.difference([sources], outputs)}


def agree(reader, request):
    """The same of several outputs, each made of all the sources; and are they equal to each other?"""
    sources = [read(reader, path) for path in request["sources"]]
    outputs = {}
    for path in request["outputs"]:
        try:
            outputs[path] = read(reader, path)
        except Unreadable as problem:
            return {"difference": f"unreadable output: {problem}"}
    for path, tables in outputs.items():
        why = difference(sources, [tables])
        if why:
            return {"difference": f"{path} and its sources: {why}"}
        first = request["outputs"][0]
        why = difference([outputs[first]], [tables])
        if why:
            return {"difference": f"{path} and {first}: {why}"}
    return {"difference": None}


def schema(reader, request):
    try:
        return {"schema": reader.schema(request["path"])}
    except Exception as problem:
        raise Unreadable(f"{request['path']}: {problem}") from problem


def rows(reader, request):
    return {"rows": read(reader, request["path"])[0].num_rows}


def fingerprint(reader, request):
    """The corpus's order-free fingerprint (its README has it) over several files; DuckDB."""
    names = ", ".join("'" + path.replace("'", "''") + "'" for path in request["paths"])
    query = ("SELECT sum(md5_number_lower(t::VARCHAR)::HUGEINT) "
             f"FROM read_parquet([{names}], hive_partitioning = false) t")
    try:
        found = reader.connection.sql(query).fetchall()[0][0]
    except Exception as problem:
        raise Unreadable(f"{names}: {str(problem)[:300]}") from problem
    return {"fingerprint": str(found or 0)}


def union_fingerprint(reader, request):
    """The same of files that are joined by name, with these columns; DuckDB."""
    names = ", ".join("'" + path.replace("'", "''") + "'" for path in request["paths"])
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in request["columns"])
    query = (f"SELECT sum(md5_number_lower(t::VARCHAR)::HUGEINT), count(*) FROM (SELECT {columns} FROM "
             f"read_parquet([{names}], hive_partitioning = false, union_by_name = true)) t")
    try:
        found, rows = reader.connection.sql(query).fetchall()[0]
    except Exception as problem:
        raise Unreadable(f"{names}: {str(problem)[:300]}") from problem
    return {"fingerprint": str(found or 0), "rows": rows}


def claims(reader, request):
    """What the footer's statistics say that the row group's own values deny (pyarrow only)."""
    import statistics_check
    read(reader, request["path"])
    return {"lies": statistics_check.lies(request["path"])}


def main():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    reader = {"pyarrow": PyArrow, "duckdb": DuckDB}[sys.argv[1]]()
    ops = {"compare": compare, "union": union, "agree": agree, "schema": schema, "rows": rows, "claims": claims,
           "fingerprint": fingerprint, "union_fingerprint": union_fingerprint}
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            answer = ops[request["op"]](reader, request)
        except Unreadable as problem:
            answer = {"error": f"{sys.argv[1]} does not read {problem}"}
            if "FATAL" in str(problem):
                reader = type(reader)()  # DuckDB wants a new database after an error of its own
        except Exception:
            # Of this harness, not of a file.
            answer = {"bug": traceback.format_exc()}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
