"""Log rows as a template miner stores them: 17 columns, 20 with those inside lists.

Two shapes: a fat body that no codec shrinks by much (L1), and a short body of words (L2).
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from random_columns import few_of, fixed_bytes, fixed_text, lists, numbers_as_text

START_NS = 1_781_517_600_000_000_000
SEVERITIES = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]
SEVERITY_ODDS = [0.02, 0.2, 0.6, 0.12, 0.05, 0.01]
PATHS = ["/api/cart", "/api/orders", "/api/users", "/api/search", "/health", "/login"]
WORDS = ("connection request worker timeout accepted closed retry upstream cache miss session "
         "token expired partition leader elected fetch commit offset replica flush segment").split()
TEMPLATES = 40
WORKERS = ["%d" % n for n in range(64)]
SHORT_LOG_EXTRA = (
    ',"telemetry.sdk":{"name":"opentelemetry","language":"java","version":"1.38.0"}'
    ',"process.command_args":["java","-Xmx2g","-XX:+UseG1GC","-XX:MaxGCPauseMillis=100",'
    '"-Dfile.encoding=UTF-8","-Duser.timezone=UTC","-jar","/opt/service/service.jar",'
    '"--server.port=8080","--config=/etc/service/application.yaml","--profile=production",'
    '"--log-format=json","--cluster=shop-eu-1"]')


def fat_body(rng, rows):
    return fixed_text(rng, rows, 4096)


def short_body(rng, rows):
    """About 150 bytes: words with two numbers between them."""
    parts = []
    for place in range(14):
        parts.append(few_of(rng, rows, WORDS))
        if place % 5 == 2:
            parts.append(numbers_as_text(rng.integers(0, 1_000_000_000, rows)))
    return pc.binary_join_element_wise(*parts, " ")


def attributes(rng, rows, more):
    """`more` is a part that is the same in each row: text that costs nothing when compressed."""
    return pc.binary_join_element_wise(
        '{"http.method":"', few_of(rng, rows, ["GET", "POST", "PUT"]),
        '","http.target":"', few_of(rng, rows, PATHS),
        '","http.status_code":', few_of(rng, rows, ["200", "201", "404", "500"]),
        ',"net.peer.port":', numbers_as_text(rng.integers(1024, 65536, rows)),
        ',"thread.name":"worker-', few_of(rng, rows, WORKERS), '"', more, '}', "")


def resources(rng, rows):
    hosts = ['{"service.name":"checkout","service.version":"4.11.2","host.name":"node-%02d",'
             '"cloud.region":"eu-central-1","k8s.namespace.name":"shop"}' % n for n in range(8)]
    return few_of(rng, rows, hosts)


def parameters(rng, rows, per_row):
    """What the template left out of the body: `per_row` on average."""
    counts = rng.integers(0, 2 * per_row + 1, rows)
    items = int(counts.sum())
    value = numbers_as_text(rng.integers(0, 1_000_000, items)).cast(pa.binary())
    tag = pa.array(rng.integers(0, 4, items), pa.int32())
    return lists(pa.StructArray.from_arrays([tag, value], ["type_tag", "value"]), counts)


def separators(rng, rows, per_row):
    counts = rng.integers(0, 2 * per_row + 1, rows)
    return lists(few_of(rng, int(counts.sum()), [b" ", b"=", b": ", b", "]), counts)


def log_table(rng, file_index, rows, body, per_row, more=""):
    """One file's rows; files follow each other in time."""
    step_ns = 1_000_000
    time = START_NS + file_index * rows * step_ns + np.cumsum(rng.integers(1, 2 * step_ns, rows))
    severity = rng.choice(len(SEVERITIES), rows, p=SEVERITY_ODDS)
    nanoseconds = pa.timestamp("ns")
    return pa.table({
        "tenant_id": few_of(rng, rows, ["acme", "globex", "initech"]),
        "template_id": pa.array(rng.integers(0, TEMPLATES, rows), pa.int64()),
        "template_version": pa.array(rng.integers(1, 4, rows), pa.int32()),
        "time_unix_nano": pa.array(time, nanoseconds),
        "observed_time_unix_nano": pa.array(time + rng.integers(0, 1 << 20, rows), nanoseconds),
        "severity_number": pa.array(severity * 4 + 1, pa.int32()),
        "severity_text": pa.array(SEVERITIES).take(pa.array(severity)),
        "scope_name": few_of(rng, rows, ["http.server", "db.client", "queue.consumer"]),
        "attributes": attributes(rng, rows, more),
        "resource_attributes": resources(rng, rows),
        "trace_id": fixed_bytes(rng, rows, 16),
        "span_id": fixed_bytes(rng, rows, 8),
        "flags": pa.array(rng.integers(0, 2, rows), pa.int32()),
        "body_kind": few_of(rng, rows, ["string", "structured"], [0.9, 0.1]),
        "body": body(rng, rows),
        "params": parameters(rng, rows, per_row),
        "separators": separators(rng, rows, per_row),
        "confidence": pa.array(rng.integers(80, 101, rows) / 100, pa.float32()),
        "lossy_flag": pa.array(rng.random(rows) < 0.01),
    })


def fat_logs(rng, file_index, rows):
    return log_table(rng, file_index, rows, fat_body, 1)


def short_logs(rng, file_index, rows):
    return log_table(rng, file_index, rows, short_body, 1, SHORT_LOG_EXTRA)
