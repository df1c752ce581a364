"""Values and levels as bytes, encoding by encoding, from the text of Encodings.md.

Plain Python for small files: what is slow here and right is the point. Shares no code with the
program.
"""

import struct

import parquet_thrift as thrift

FORMATS = {"INT32": "<i", "INT64": "<q", "FLOAT": "<f", "DOUBLE": "<d"}


def pack_bits(numbers, width):
    """Least significant bit first, the last byte padded with zeros."""
    total = sum(number << (i * width) for i, number in enumerate(numbers))
    return total.to_bytes((len(numbers) * width + 7) // 8, "little")


def _run_length(numbers, at):
    end = at
    while end < len(numbers) and numbers[end] == numbers[at]:
        end += 1
    return end - at


def hybrid(numbers, width):
    """The RLE and bit-packed hybrid: runs of eight and more as runs, the rest in groups of eight."""
    out, at = bytearray(), 0
    while at < len(numbers):
        run = _run_length(numbers, at)
        if run >= 8 or at + run == len(numbers):
            out += thrift.varint(run << 1) + numbers[at].to_bytes((width + 7) // 8, "little")
            at += run
            continue
        end = at + 8
        while end < len(numbers) and _run_length(numbers, end) < 8:
            end += 8
        packed = numbers[at:end]
        packed += [0] * (-len(packed) % 8)
        out += thrift.varint(len(packed) // 8 << 1 | 1) + pack_bits(packed, width)
        at = end
    return bytes(out)


def plain_one(kind, value):
    """One value as PLAIN has it, which is how statistics and dictionaries have it too, but for the
    length in front of a BYTE_ARRAY."""
    if kind in FORMATS:
        return struct.pack(FORMATS[kind], value)
    if kind == "BOOLEAN":
        return b"\1" if value else b"\0"
    return value.encode() if isinstance(value, str) else value


def plain(kind, values):
    if kind == "BOOLEAN":
        return pack_bits([int(value) for value in values], 1)
    raw = [plain_one(kind, value) for value in values]
    if kind == "BYTE_ARRAY":
        raw = [struct.pack("<I", len(value)) + value for value in raw]
    return b"".join(raw)


def ids(numbers, width=None):
    """Ids into a dictionary: a byte for the width, then the hybrid."""
    if width is None:
        width = max(numbers, default=0).bit_length()
    return bytes([width]) + hybrid(numbers, width)


def rle_booleans(values):
    runs = hybrid([int(value) for value in values], 1)
    return struct.pack("<I", len(runs)) + runs


def _wrapped(number, bits):
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def delta_numbers(numbers, bits=32):
    """DELTA_BINARY_PACKED in blocks of 128 and miniblocks of 32; differences wrap around."""
    out = thrift.varint(128) + thrift.varint(4) + thrift.varint(len(numbers))
    out += thrift.zigzag(numbers[0] if numbers else 0)
    deltas = [_wrapped(b - a, bits) for a, b in zip(numbers, numbers[1:])]
    for at in range(0, len(deltas), 128):
        block = deltas[at:at + 128]
        least = min(block)
        minis = [[d - least for d in block[i:i + 32]] for i in range(0, 128, 32)]
        widths = [max(mini, default=0).bit_length() for mini in minis]
        out += thrift.zigzag(least) + bytes(widths)
        out += b"".join(pack_bits(mini + [0] * (32 - len(mini)), width)
                        for mini, width in zip(minis, widths) if mini)
    return out


def delta_lengths(raw):
    return delta_numbers([len(value) for value in raw]) + b"".join(raw)


def _shared(a, b):
    count = 0
    while count < min(len(a), len(b)) and a[count] == b[count]:
        count += 1
    return count


def delta_prefixes(raw, before=b""):
    """DELTA_BYTE_ARRAY. `before` is the value in front of the page: only parquet-mr before 1.8.0
    had one (PARQUET-246)."""
    prefixes = [_shared(a, b) for a, b in zip([before] + raw, raw)]
    return delta_numbers(prefixes) + delta_lengths([value[n:] for n, value in zip(prefixes, raw)])


def split(kind, values):
    raw = [plain_one(kind, value) for value in values]
    return b"".join(bytes(column) for column in zip(*raw))


def encode(encoding, kind, values):
    """The values of a page in an encoding that needs no dictionary."""
    raw = [plain_one(kind, value) for value in values]
    return {"PLAIN": lambda: plain(kind, values), "RLE": lambda: rle_booleans(values),
            "DELTA_BINARY_PACKED": lambda: delta_numbers(values, 64 if kind == "INT64" else 32),
            "DELTA_LENGTH_BYTE_ARRAY": lambda: delta_lengths(raw),
            "DELTA_BYTE_ARRAY": lambda: delta_prefixes(raw),
            "BYTE_STREAM_SPLIT": lambda: split(kind, values)}[encoding]()
