"""One merge by another engine, in a process of its own.

    peers.py ENGINE THREADS CODEC OUTPUT OPTIONS RESULT   (in the folder with the inputs)

What the interpreter and the imports cost is no part of the merge: RESULT gets the moment at which
they were done, with the CPU time and the peak memory so far.
"""

import json
import os
import resource
import sys
import time

MEMORY_LIMIT = "10GB"


def duckdb_merge(duckdb, threads, codec, output, options):
    """In the order of the inputs and columns by name, unless the options say otherwise. What does
    not fit the memory goes to files beside the output."""
    memory = options.get("memory", MEMORY_LIMIT)
    connection = duckdb.connect()
    connection.execute(f"SET threads={threads}; SET memory_limit='{memory}'")
    connection.execute(f"SET temp_directory='{output}.spill'")
    connection.execute(f"SET preserve_insertion_order={options.get('ordered', True)}")
    order = f" ORDER BY {options['sort_by']}" if "sort_by" in options else ""
    sizes = "".join(f", {name} {value!r}" for name, value in options.get("sizes", {}).items())
    union = options.get("union", True)
    connection.execute(f"COPY (SELECT * FROM read_parquet('*.parquet', union_by_name={union}, "
                       f"hive_partitioning=false){order}) TO '{output}' "
                       f"(FORMAT parquet, CODEC {codec}{sizes})")
    if "memory" in options:
        connection.close()  # which deletes those files


def polars_merge(polars, _threads, codec, output, options):
    """The number of threads is in the environment, where Polars looks for it."""
    rows = polars.scan_parquet("*.parquet", hive_partitioning=False)
    if "sort_by" in options:
        rows = rows.sort(options["sort_by"])
    rows.sink_parquet(output, compression=codec, maintain_order=True)


def pyarrow_inputs(pyarrow, threads):
    """No read-ahead beyond the next file, so that memory is as low as pyarrow lets it be."""
    pyarrow.set_cpu_count(threads)
    inputs = pyarrow.dataset.dataset(".", format="parquet", exclude_invalid_files=False)
    return inputs.scanner(use_threads=threads > 1, fragment_readahead=1, batch_readahead=4)


def pyarrow_writer(pyarrow, threads, codec, output, _options):
    scanner = pyarrow_inputs(pyarrow, threads)
    rows, size = [], 0
    with pyarrow.parquet.ParquetWriter(output, scanner.dataset_schema, compression=codec) as writer:
        for batch in scanner.to_batches():
            rows.append(batch)
            size += batch.nbytes
            if size >= 128 << 20:
                writer.write_table(pyarrow.Table.from_batches(rows), row_group_size=1 << 20)
                rows, size = [], 0
        if rows:
            writer.write_table(pyarrow.Table.from_batches(rows), row_group_size=1 << 20)


def pyarrow_dataset(pyarrow, threads, codec, output, options):
    """Without a minimum it would keep one row group for each input."""
    form = pyarrow.dataset.ParquetFileFormat()
    pyarrow.dataset.write_dataset(
        pyarrow_inputs(pyarrow, threads), output, format=form, use_threads=threads > 1,
        preserve_order=True, min_rows_per_group=options.get("rows", 122_880),
        file_options=form.make_write_options(compression=codec))


def pyarrow_sort(pyarrow, threads, codec, output, options):
    """All rows in memory: it has no other sort."""
    table = pyarrow_inputs(pyarrow, threads).to_table().sort_by(options["sort_by"])
    pyarrow.parquet.write_table(table, output, compression=codec, row_group_size=1 << 20)


PYARROW = {"pyarrow-writer": pyarrow_writer, "pyarrow-dataset": pyarrow_dataset,
           "pyarrow-sort": pyarrow_sort}


def load(engine):
    if engine == "duckdb":
        import duckdb
        return duckdb, duckdb_merge
    if engine == "polars":
        import polars
        return polars, polars_merge
    import pyarrow.dataset
    import pyarrow.parquet
    return pyarrow, PYARROW[engine]


def main():
    engine, threads, codec, output, options, result = sys.argv[1:]
    module, merge = load(engine)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    ready = dict(ready_ns=time.monotonic_ns(), cpu=usage.ru_utime + usage.ru_stime,
                 peak_bytes=usage.ru_maxrss << 10)
    with open(result, "w", encoding="ascii") as out:
        json.dump(ready, out)
    merge(module, int(threads), codec, output, json.loads(options))
    os._exit(0)  # nor is taking the interpreter down


if __name__ == "__main__":
    main()
