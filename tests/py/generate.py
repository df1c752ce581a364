"""Random schemas, rows and writer options: what pyarrow can put into a Parquet file.

Everything follows from a random.Random. Arrays are built level by level from raw bits, so that NaN
payloads, -0 and the extremes of every type occur; nulls lie at every optional level, lists and maps
may be empty.
"""

import decimal

import numpy
import pyarrow
import pyarrow.parquet as parquet

import columns

DEPTH_MAX = 4
CODECS = ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]
# Encodings pyarrow writes, by physical type, besides PLAIN and dictionaries.
ENCODINGS = {
    "INT32": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    "INT64": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    "FLOAT": ["PLAIN", "BYTE_STREAM_SPLIT"],
    "DOUBLE": ["PLAIN", "BYTE_STREAM_SPLIT"],
    "BYTE_ARRAY": ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
    "FIXED_LEN_BYTE_ARRAY": ["PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"],
    "BOOLEAN": ["PLAIN", "RLE"],
}
FLOAT_BITS = {
    2: [0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x0001, 0x3C00],
    4: [0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC01234, 1, 0x3F800000],
    8: [0, 1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, (0xFFF8 << 48) + 0x1234, 1, 0x3FF << 52],
}


def leaf_types():
    fixed = [pyarrow.int8(), pyarrow.int16(), pyarrow.int32(), pyarrow.int64(),
             pyarrow.uint8(), pyarrow.uint16(), pyarrow.uint32(), pyarrow.uint64(),
             pyarrow.float16(), pyarrow.float32(), pyarrow.float64(), pyarrow.bool_(),
             pyarrow.date32(), pyarrow.time32("s"), pyarrow.time32("ms"), pyarrow.time64("us"), pyarrow.time64("ns"),
             pyarrow.uuid(), pyarrow.binary(1), pyarrow.binary(12), pyarrow.binary(33)]
    spans = [pyarrow.duration(unit) for unit in ("ms", "us", "ns")]
    stamps = [pyarrow.timestamp(unit, zone) for unit in ("ms", "us", "ns") for zone in (None, "UTC")]
    decimals = [pyarrow.decimal128(precision, scale)
                for precision, scale in ((1, 0), (9, 2), (18, 6), (38, 10))]
    decimals.append(pyarrow.decimal256(60, 20))
    variable = [pyarrow.string(), pyarrow.binary(), pyarrow.large_string(), pyarrow.large_binary(),
                pyarrow.string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())]
    return fixed + spans + stamps + decimals + variable


LEAVES = leaf_types()
# Below another type pyarrow does not read these back.
NESTED_LEAVES = [kind for kind in LEAVES
                 if kind != pyarrow.uuid() and not pyarrow.types.is_dictionary(kind)]


class Data:
    """One random schema, and tables of it."""

    def __init__(self, random, nullable_share=0.75, has_maps=True):
        self.random = random
        self.nullable_share, self.has_maps = nullable_share, has_maps
        # Where set, all tables draw from the same values, which come first in every column: in one
        # order in all tables (is_in_order), or in another one in each. Writers that find them so
        # number the entries of their dictionaries so.
        self.entries_seed, self.is_in_order = None, False
        self.schema = pyarrow.schema(
            [self._field(f"c{index}", 1) for index in range(random.randint(1, 8))])
        # Few distinct values or many: what decides over dictionaries.
        self.distinct = random.choice([1, 2, 10, 100, 10000])
        self.null_share = random.choice([0.0, 0.05, 0.3, 0.9])
        self.long = random.random() < 0.15

    def _field(self, name, depth):
        kind = self._type(depth)
        return pyarrow.field(name, kind, nullable=self.random.random() < self.nullable_share)

    def _type(self, depth):
        shape = self.random.random() if depth <= DEPTH_MAX else 1.0
        if shape < 0.12:
            return pyarrow.list_(self._field("element", depth + 1))
        if shape < 0.15:
            return pyarrow.large_list(self._field("element", depth + 1))
        if shape < 0.25:
            return pyarrow.struct([self._field(f"f{i}", depth + 1)
                                   for i in range(self.random.randint(1, 3))])
        if shape < 0.32 and self.has_maps:
            key = self.random.choice([pyarrow.string(), pyarrow.int32(), pyarrow.date32()])
            return pyarrow.map_(key, self._field("value", depth + 1))
        return self.random.choice(LEAVES if depth == 1 else NESTED_LEAVES)

    def table(self, rows):
        numbers = numpy.random.default_rng(self.random.getrandbits(64))
        columns = [self._array(field, rows, numbers) for field in self.schema]
        return pyarrow.Table.from_arrays(columns, schema=self.schema)

    def _array(self, field, count, numbers):
        kind = field.type
        share = self.null_share if field.nullable else 0.0
        null = numbers.random(count) < share
        if share and numbers.random() < 0.05:
            null[:] = True
        if pyarrow.types.is_struct(kind):
            children = [self._array(child, count, numbers) for child in kind]
            mask = pyarrow.array(null) if field.nullable else None
            return pyarrow.StructArray.from_arrays(children, fields=list(kind), mask=mask)
        if pyarrow.types.is_nested(kind):
            return self._list(kind, null, count, numbers)
        array = self._leaf(kind, count, numbers)
        if field.nullable:
            array = _with_nulls(array, null)
        return array

    def _list(self, kind, null, count, numbers):
        lengths = numbers.choice([0, 0, 1, 1, 2, 3, 7], size=count)
        lengths[null] = 0
        width = numpy.int64 if pyarrow.types.is_large_list(kind) else numpy.int32
        offsets = numpy.concatenate([[0], numpy.cumsum(lengths)]).astype(width)
        total = int(offsets[-1])
        mask = pyarrow.array(null) if null.any() else None
        if pyarrow.types.is_map(kind):
            keys = self._leaf(kind.key_type, total, numbers)
            items = self._array(kind.item_field, total, numbers)
            return pyarrow.MapArray.from_arrays(pyarrow.array(offsets), keys, items, type=kind, mask=mask)
        values = self._array(kind.value_field, total, numbers)
        maker = pyarrow.LargeListArray if pyarrow.types.is_large_list(kind) else pyarrow.ListArray
        return maker.from_arrays(pyarrow.array(offsets), values, type=kind, mask=mask)

    def _leaf(self, kind, count, numbers):
        """`count` values, none null, drawn from a pool of distinct ones."""
        if self.entries_seed is None:
            pool = self._pool(kind, max(1, min(self.distinct, count or 1)), numbers)
            return pool.take(pyarrow.array(numbers.integers(0, len(pool), count)))
        pool = self._pool(kind, self.distinct, numpy.random.default_rng(self.entries_seed))
        picks = numbers.integers(0, len(pool), count)
        picks[:len(pool)] = numpy.arange(len(pool))[:count]
        if not self.is_in_order:
            numbers.shuffle(picks[:len(pool)])
        return pool.take(pyarrow.array(picks))

    def _pool(self, kind, count, numbers):
        types = pyarrow.types
        if types.is_dictionary(kind):
            return self._pool(kind.value_type, count, numbers).dictionary_encode()
        if isinstance(kind, pyarrow.BaseExtensionType):
            return pyarrow.ExtensionArray.from_storage(
                kind, self._pool(kind.storage_type, count, numbers))
        if types.is_boolean(kind):
            return pyarrow.array(numbers.random(count) < 0.5)
        if types.is_decimal(kind):
            return pyarrow.array([self._decimal(kind, numbers) for _ in range(count)], kind)
        if types.is_fixed_size_binary(kind):
            return pyarrow.array([numbers.bytes(kind.byte_width) for _ in range(count)], kind)
        if types.is_binary(kind) or types.is_large_binary(kind):
            return pyarrow.array([numbers.bytes(n) for n in self._lengths(count, numbers)], kind)
        if types.is_string(kind) or types.is_large_string(kind):
            return pyarrow.array([self._text(n, numbers) for n in self._lengths(count, numbers)], kind)
        return self._number(kind, count, numbers)

    def _lengths(self, count, numbers):
        if self.long:
            return numbers.choice([0, 10, 3000, 20000], size=count)
        return numbers.choice([0, 1, 5, 12, 40], size=count)

    def _text(self, length, numbers):
        letters = numpy.array(list("abcdefgh /.0123456789äß€𝄞"))
        return "".join(letters[numbers.integers(0, len(letters), length)])

    def _decimal(self, kind, numbers):
        digits = int(numbers.integers(1, kind.precision + 1))
        value = int("".join(map(str, numbers.integers(0, 10, digits))))
        sign = -1 if numbers.random() < 0.5 else 1
        context = decimal.Context(prec=80)
        return context.scaleb(decimal.Decimal(sign * value), -kind.scale)

    def _number(self, kind, count, numbers):
        """Fixed width: raw bits, within the day for times of day."""
        width = kind.bit_width // 8
        types = pyarrow.types
        if types.is_time(kind):
            per_day = 86400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
            raw = numbers.integers(0, per_day, count).astype(f"<i{width}")
        elif types.is_floating(kind):
            raw = numbers.integers(0, 256, (count, width), dtype=numpy.uint8).view(f"<u{width}").ravel()
            special = numpy.array(FLOAT_BITS[width], dtype=f"<u{width}")
            raw = numpy.where(numbers.random(count) < 0.5, numbers.choice(special, count), raw)
        else:
            narrow = numbers.integers(-100, 100, count).astype(f"<i{width}")
            wide = numbers.integers(0, 256, (count, width), dtype=numpy.uint8).view(f"<i{width}").ravel()
            raw = wide if numbers.random() < 0.5 else narrow
            if types.is_date(kind) or (types.is_timestamp(kind) and numbers.random() < 0.7):
                # Years that every reader knows.
                raw = numbers.integers(0, 20000 if types.is_date(kind) else 10**15, count)
                raw = raw.astype(f"<i{width}")
        buffer = pyarrow.py_buffer(numpy.ascontiguousarray(raw).tobytes())
        return pyarrow.Array.from_buffers(kind, count, [None, buffer])


def _with_nulls(array, null):
    """The same values with nulls laid over them."""
    indices = pyarrow.array(numpy.arange(len(array)), mask=null)
    return array.take(indices)


def format_version(random, schema):
    """A format version for all files of a schema: versions below 2.6 cut nanoseconds, and 1.0
    widens UINT32, so the version decides over types."""
    text = str(schema)
    if "[ns" in text:
        return "2.6"
    return random.choice(["2.4", "2.6"] if "uint32" in text else ["1.0", "2.4", "2.6"])


def writer_options(random, schema, version, int96=False):
    """Options of pyarrow.parquet.write_table: codecs, encodings, pages, dictionaries, indexes."""
    leaves = _leaves(schema)
    dictionary = random.choice([True, False, False, "some"])
    if dictionary == "some":
        dictionary = [path for path, _ in leaves if random.random() < 0.5]
    options = dict(
        version=version,
        data_page_version=random.choice(["1.0", "2.0"]),
        compression=random.choice(CODECS),
        use_dictionary=dictionary,
        data_page_size=random.choice([64, 200, 4096, 1 << 20]),
        write_batch_size=random.choice([1, 7, 100, 1024]),
        dictionary_pagesize_limit=random.choice([16, 1000, 1 << 20]),
        row_group_size=random.choice([7, 100, 1 << 20]),
        write_statistics=random.choice([True, True, False]),
        write_page_index=random.choice([True, False]),
        write_page_checksum=random.choice([True, False]),
        store_decimal_as_integer=random.choice([True, False]),
        store_schema=random.choice([True, True, False]),
        use_deprecated_int96_timestamps=int96,
    )
    if dictionary is not True and not int96 and random.random() < 0.8:
        # pyarrow writes DELTA encodings of its dictionary type and then cannot read them back.
        plain = {field.name for field in schema if pyarrow.types.is_dictionary(field.type)}
        options["column_encoding"] = {
            path: random.choice(ENCODINGS[physical]) for path, physical in leaves
            if path not in (dictionary or ()) and path not in plain and random.random() < 0.7}
    if random.random() < 0.3:
        options["bloom_filter_options"] = {
            path: {"ndv": 1000, "fpp": 0.01} for path, physical in leaves if physical != "BOOLEAN"}
    return options


def _leaves(schema):
    """(path, physical type) of every leaf column, as pyarrow itself writes them."""
    sink = pyarrow.BufferOutputStream()
    with parquet.ParquetWriter(sink, schema, store_decimal_as_integer=True):
        pass
    found = parquet.ParquetFile(pyarrow.BufferReader(sink.getvalue())).schema
    return [(found.column(i).path, found.column(i).physical_type) for i in range(len(found))]


def write(path, table, options):
    """Writes the table and reads it back: pyarrow loses rows with some tiny pages, and what is
    not in a source is nobody's to keep. Such a file is written again with pages of usual size."""
    parquet.write_table(table, path, **options)
    try:
        same = columns.difference([table], parquet.ParquetFile(path).read()) is None
    except (pyarrow.ArrowException, OSError):
        same = False
    if not same:
        options.update(data_page_size=1 << 20, write_batch_size=1024)
        parquet.write_table(table, path, **options)
