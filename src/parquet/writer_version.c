/*
 * Reading created_by, and the tables of writers whose statistics are wrong.
 */
#include "parquet/writer_version.h"

#include "base/err.h"

static uint32_t number_read(struct lith_slice text, size_t *at)
{
    uint32_t number = 0;

    /* Six digits: more than any version has, and no overflow. */
    for (int digits = 0; *at < text.bytes && digits < 6; digits++, (*at)++) {
        uint8_t c = text.data[*at];
        if (c < '0' || c > '9')
            break;
        number = number * 10 + (c - '0');
    }
    return number;
}

/* X.Y.Z or X.Y, then the end or a blank; anything else behind them is no release. */
static void version_read(struct lith_slice text, struct lith_writer_version *writer)
{
    uint32_t *const numbers[] = {&writer->major, &writer->minor, &writer->patch};
    size_t at = text.bytes > 0 && text.data[0] == 'v';

    for (size_t i = 0; i < 3; i++) {
        size_t begin = at;
        uint32_t number = number_read(text, &at);
        if (at == begin)
            return;
        *numbers[i] = number;
        bool more = i < 2 && at < text.bytes && text.data[at] == '.';
        if (!more)
            break;
        at++;
    }
    writer->is_release = at == text.bytes || text.data[at] == ' ';
}

struct lith_writer_version lith_writer_version_of(struct lith_slice created_by)
{
    static const char between[] = " version ";
    size_t bytes = sizeof(between) - 1;
    struct lith_writer_version writer = {.name = created_by};

    for (size_t i = 0; i + bytes <= created_by.bytes; i++) {
        if (memcmp(created_by.data + i, between, bytes) != 0)
            continue;
        writer.name.bytes = i;
        version_read((struct lith_slice){created_by.data + i + bytes, created_by.bytes - i - bytes},
                     &writer);
        break;
    }
    return writer;
}

bool lith_writer_is_before(const struct lith_writer_version *writer, const char *name,
                           uint32_t major, uint32_t minor, uint32_t patch)
{
    if (!lith_slice_equal(writer->name, lith_slice_text(name)))
        return false;
    if (writer->major != major)
        return writer->major < major;
    if (writer->minor != minor)
        return writer->minor < minor;
    return writer->patch < patch || (writer->patch == patch && !writer->is_release);
}

bool lith_is_old_parquet_mr(struct lith_slice created_by, uint8_t minor)
{
    static const char name[] = "parquet-mr";

    /* Asked for every chunk, and true of few: a look at the name spares the rest. */
    if (!lith_slice_begins(created_by, name))
        return false;
    struct lith_writer_version writer = lith_writer_version_of(created_by);
    return lith_writer_is_before(&writer, name, 1, minor, 0);
}

enum values_kind {
    VALUES_BYTES,      /* BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY */
    VALUES_NOT_SIGNED, /* whose order is not that of signed numbers */
    VALUES_FLOATING,
    VALUES_DECIMAL,
};

/*
 * Readers that know of PARQUET-297 believe cdh5.5's parquet-mr 1.5.0, and an unsigned bound where
 * min equals max; here neither is: such files have no column_orders anyway.
 */
static const struct {
    const char *name;
    uint8_t major;
    uint8_t minor;
    enum values_kind kind;
} distrusted[] = {
    {"parquet-mr", 1, 8, VALUES_BYTES},       /* PARQUET-251: bounds from reused buffers */
    {"parquet-mr", 1, 10, VALUES_NOT_SIGNED}, /* compared as signed bytes and numbers */
    {"parquet-cpp", 1, 3, VALUES_NOT_SIGNED},
    {"parquet-cpp", 1, 4, VALUES_FLOATING}, /* PARQUET-1225: NaN took part in the comparison */
    {"hyparquet", 1, 0, VALUES_DECIMAL},    /* hyparquet-writer#38; it states no version */
};

/*
 * Decimals stored as bytes: signed by their first byte alone, which most writers got wrong for
 * years and some still do (PARQUET-1655 and PARQUET-2003 of parquet-cpp, arrow-rs#11073,
 * polars#29347, ClickHouse#83754). Believed of these, from these versions on.
 */
static const struct {
    const char *name;
    uint8_t major;
    uint8_t minor;
} decimal_writers[] = {
    {"lithify", 0, 0},
    {"parquet-mr", 1, 10},
    {"parquet-cpp-arrow", 4, 0},
    {"DuckDB", 1, 0},
};

static bool knows_decimals(const struct lith_writer_version *writer)
{
    for (size_t i = 0; i < sizeof(decimal_writers) / sizeof(decimal_writers[0]); i++)
        if (lith_slice_equal(writer->name, lith_slice_text(decimal_writers[i].name)))
            return !lith_writer_is_before(writer, decimal_writers[i].name, decimal_writers[i].major,
                                          decimal_writers[i].minor, 0);
    return false;
}

static bool is_of_kind(const struct lith_schema_node *leaf, enum values_kind kind)
{
    static const bool is_signed[] = {
        [LITH_ORDER_BOOLEAN] = true,
        [LITH_ORDER_SIGNED_32] = true,
        [LITH_ORDER_SIGNED_64] = true,
        [LITH_ORDER_FLOAT] = true,
        [LITH_ORDER_DOUBLE] = true,
        [LITH_ORDER_DECIMAL_BYTES] = false, /* the last: every order has its place */
    };
    enum lith_order order = lith_order_of(leaf);

    switch (kind) {
    case VALUES_BYTES:
        return leaf->type == LITH_TYPE_BYTE_ARRAY || leaf->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY;
    case VALUES_NOT_SIGNED:
        return !is_signed[order];
    case VALUES_FLOATING:
        return lith_order_is_floating(order);
    case VALUES_DECIMAL:
        return leaf->logical.kind == LITH_LOGICAL_DECIMAL ||
               leaf->converted_type == LITH_CONVERTED_DECIMAL;
    }
    lith_assert_failed("a kind of values", __FILE__, __LINE__);
}

bool lith_writer_knows_bounds(struct lith_slice created_by, const struct lith_schema_node *leaf)
{
    struct lith_writer_version writer = lith_writer_version_of(created_by);

    if (lith_order_of(leaf) == LITH_ORDER_DECIMAL_BYTES && !knows_decimals(&writer))
        return false;
    /* PARQUET-297: who says nothing may be a parquet-mr of that time. */
    if (writer.name.bytes == 0)
        return !is_of_kind(leaf, VALUES_BYTES);
    for (size_t i = 0; i < sizeof(distrusted) / sizeof(distrusted[0]); i++)
        if (lith_writer_is_before(&writer, distrusted[i].name, distrusted[i].major,
                                  distrusted[i].minor, 0) &&
            is_of_kind(leaf, distrusted[i].kind))
            return false;
    return true;
}

bool lith_writer_knows_nulls(struct lith_slice created_by)
{
    static const char name[] = "Polars";

    if (!lith_slice_begins(created_by, name))
        return true;
    struct lith_writer_version writer = lith_writer_version_of(created_by);
    /* "Polars", later "Polars (python) version ...": polars#29321, a null count that is multiplied
     * by the number of pages; 2.1.0 counts right. */
    return writer.major > 2 || (writer.major == 2 && writer.minor > 0);
}
