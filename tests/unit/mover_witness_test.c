/*
 * The witness is independent of the movers: when one hands on something else than it read (a value
 * lost, doubled, or exchanged with its neighbour), verify's level content says so.
 *
 * The functions through which movers hand things to the writer are wrapped by the linker
 * (--wrap), so what is changed is changed behind the mover and behind the witness. A new mover is
 * a row of `movers`; a new way to the writer is a wrapper and the faults that it can have.
 */
#include "support.h"

#include "merge/mover.h"
#include "parquet/dictionary_builder.h"
#include "parquet/page_writer.h"
#include "parquet/rle.h"
#include "verify/verify.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_control control;
static const struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static struct lith_codec_context *codecs;
static struct lith_arena arena;   /* of the schema */
static struct lith_schema schema; /* of the source */
static struct lith_schema wide;   /* all OPTIONAL, and a column more */

/* Each row group is a page of each leaf, and all of them one row group of the output. */
#define ROW_GROUPS 3u
#define ROW_GROUP_ROWS 5000u
#define ROWS (ROW_GROUPS * ROW_GROUP_ROWS)
#define LEAVES 4u
#define WIDE_LEAVES 5u
#define ADDED 4u /* the leaf that the source lacks */

/* What befalls one batch, or one page, on its way to the writer. */
enum fault {
    FAULT_NONE,
    FAULT_LOSE,        /* a value becomes null, an element of a list is gone */
    FAULT_DOUBLE,      /* a value stands for its neighbour too */
    FAULT_SWAP,        /* two neighbours change places */
    FAULT_REPLACE,     /* another value of the column stands there */
    FAULT_LOSE_PAGE,   /* the same for pages that are copied */
    FAULT_DOUBLE_PAGE, /* it stands there twice */
    FAULT_SWAP_PAGE,
    FAULT_COUNT
};
static const char *const fault_names[] = {"none",    "lose",      "double",      "swap",
                                          "replace", "lose page", "double page", "swap page"};
/* Of values that stay as many as they were. */
#define EXCHANGES (1u << FAULT_DOUBLE | 1u << FAULT_SWAP | 1u << FAULT_REPLACE)
#define VALUE_FAULTS (1u << FAULT_LOSE | EXCHANGES)
#define PAGE_FAULTS (1u << FAULT_LOSE_PAGE | 1u << FAULT_DOUBLE_PAGE | 1u << FAULT_SWAP_PAGE)

/* A page that is being copied, held until it is whole. */
struct held_page {
    struct lith_copied_page page;
    struct lith_facts facts;
    struct lith_buf body;
};

static struct {
    enum fault fault;
    size_t page; /* that is hit, of those copied or joined */
    size_t calls;
    bool done;
    bool records;  /* pages are kept, for a later run in which they change places */
    size_t copied; /* pages so far */
    struct held_page open;
} hit;
static struct held_page recorded[ROW_GROUPS]; /* as the leaf that is hit has them without fault */

static const struct {
    enum lith_mover mover;
    const char *name;
    enum lith_mover way; /* that bytes are counted under */
    uint32_t leaves;     /* bits: those it can move */
    bool is_wide;        /* under the wide schema */
    size_t page;         /* that is hit */
    uint32_t faults;     /* bits: those that there is something to change for */
} movers[] = {
    {LITH_MOVER_RECODE, "recode", LITH_MOVER_RECODE, 0xe, false, 0, VALUE_FAULTS},
    {LITH_MOVER_RECODE, "regroup", LITH_MOVER_REGROUP, 0x1, false, 1, EXCHANGES | PAGE_FAULTS},
    {LITH_MOVER_SPLICE, "splice", LITH_MOVER_SPLICE, 0xd, false, 0, EXCHANGES | PAGE_FAULTS},
    /* The first row group has the merged dictionary, the second one another. */
    {LITH_MOVER_REMAP, "splice of ids", LITH_MOVER_SPLICE, 0x2, false, 0, EXCHANGES | PAGE_FAULTS},
    {LITH_MOVER_REMAP, "remap", LITH_MOVER_REMAP, 0x2, false, 1, EXCHANGES | PAGE_FAULTS},
    {LITH_MOVER_RECODE, "recode, levels mapped", LITH_MOVER_RECODE, 0xf, true, 0, VALUE_FAULTS},
    {LITH_MOVER_SPLICE, "levels put in front", LITH_MOVER_SPLICE, 0x9, true, 0,
     EXCHANGES | PAGE_FAULTS},
    /* Pages of nulls are all alike. */
    {LITH_MOVER_NULL, "null", LITH_MOVER_NULL, 1u << ADDED, true, 0,
     1u << FAULT_LOSE_PAGE | 1u << FAULT_DOUBLE_PAGE},
};

/* id INT64; name STRING optional, with a dictionary; tags list of INT32; text STRING, without. */
static void schema_make(void)
{
    static struct lith_schema_node nodes[LEAVES + 1] = {
        {.is_group = true, .child_count = LEAVES, .converted_type = -1},
        {.type = LITH_TYPE_INT64, .converted_type = -1},
        {.type = LITH_TYPE_BYTE_ARRAY,
         .repetition = LITH_OPTIONAL,
         .converted_type = LITH_CONVERTED_UTF8},
        {.type = LITH_TYPE_INT32, .repetition = LITH_REPEATED, .converted_type = -1},
        {.type = LITH_TYPE_BYTE_ARRAY, .converted_type = LITH_CONVERTED_UTF8},
    };
    static const char *const names[] = {"root", "id", "name", "tags", "text"};

    static struct lith_schema_node wide_nodes[WIDE_LEAVES + 1];

    lith_arena_init(&arena, &mem);
    for (size_t i = 0; i < LEAVES + 1; i++)
        nodes[i].name = lith_slice_text(names[i]);
    memcpy(wide_nodes, nodes, sizeof(nodes));
    wide_nodes[0].child_count = WIDE_LEAVES;
    for (size_t i = 1; i < LEAVES + 1; i++)
        if (wide_nodes[i].repetition == LITH_REQUIRED)
            wide_nodes[i].repetition = LITH_OPTIONAL;
    wide_nodes[ADDED + 1] = (struct lith_schema_node){.name = lith_slice_text("added"),
                                                      .type = LITH_TYPE_INT32,
                                                      .repetition = LITH_OPTIONAL,
                                                      .converted_type = -1};
    wide = (struct lith_schema){.nodes = wide_nodes, .node_count = WIDE_LEAVES + 1};
    MUST(lith_schema_link(&wide, &arena, &err));
    MUST(lith_schema_normalise(&wide, &arena, &err));
    schema = (struct lith_schema){.nodes = nodes, .node_count = LEAVES + 1};
    MUST(lith_schema_link(&schema, &arena, &err));
    MUST(lith_schema_normalise(&schema, &arena, &err));
}

/* The values of `name`, as long each as the others: nothing but the witness tells them apart. */
static const char *const words[] = {"login", "leave", "order"};
#define WORDS 3u

/* All positions of a leaf in a row group. */
static struct {
    uint16_t def[2 * ROW_GROUP_ROWS];
    uint16_t rep[2 * ROW_GROUP_ROWS];
    int64_t ids[ROW_GROUP_ROWS];
    int32_t tags[2 * ROW_GROUP_ROWS];
    struct lith_slice slices[ROW_GROUP_ROWS];
    char texts[ROW_GROUP_ROWS][16];
} made;

static struct lith_batch leaf_make(uint32_t leaf, size_t first)
{
    static const size_t widths[] = {8, 0, 4, 0};
    const struct lith_schema_node *node = lith_schema_leaf(&schema, leaf);
    size_t positions = 0;
    size_t values = 0;

    for (size_t i = first; i < first + ROW_GROUP_ROWS; i++) {
        if (leaf == 0) {
            /* Like noise: it does not compress, so that its bytes stand in the pages as they are.
             */
            made.ids[values++] = (int64_t)((i + 1) * 0x9e3779b97f4a7c15u);
        } else if (leaf == 1 && i % 5 != 4) {
            made.slices[values++] = lith_slice_text(words[i % WORDS]);
        } else if (leaf == 2) {
            for (size_t k = 0; k < 2; k++) {
                made.rep[positions + k] = k > 0;
                made.def[positions + k] = 1;
                made.tags[values++] = (int32_t)(2 * i + k);
            }
            positions += 2;
            continue;
        } else if (leaf == 3) {
            char *text = made.texts[i - first];
            (void)snprintf(text, sizeof(made.texts[0]), "text %zu", i);
            made.slices[values++] = lith_slice_text(text);
        }
        made.def[positions++] = leaf != 1 || i % 5 != 4;
    }
    struct lith_batch batch = {
        .position_count = positions,
        .def_levels = node->max_def ? made.def : NULL,
        .rep_levels = node->max_rep ? made.rep : NULL,
        .values = {.type = node->type, .width = widths[leaf], .count = values},
    };
    if (widths[leaf] == 0)
        batch.values.slices = made.slices;
    else
        batch.values.fixed = leaf == 0 ? (const uint8_t *)made.ids : (const uint8_t *)made.tags;
    return batch;
}

static struct lith_chunk_plan plan_of(uint32_t leaf)
{
    return (struct lith_chunk_plan){
        .codec = LITH_CODEC_SNAPPY,
        .fallback = LITH_ENCODING_PLAIN,
        .try_dictionary = leaf == 1,
    };
}

/* Hands the batch on in pieces that a reader could have given. */
static void add_in_pieces(struct lith_file_writer *writer, struct lith_batch all)
{
    size_t value = 0;
    bool nested = all.rep_levels != NULL;
    size_t step = nested ? 2 * 500 : 500;

    for (size_t at = 0; at < all.position_count; at += step) {
        struct lith_batch piece = all;
        size_t values = step;
        piece.position_count = step;
        if (all.def_levels) {
            piece.def_levels += at;
            values = 0;
            for (size_t i = 0; i < step; i++)
                values += piece.def_levels[i];
        }
        if (nested)
            piece.rep_levels += at;
        if (all.values.slices)
            piece.values.slices += value;
        else
            piece.values.fixed += value * all.values.width;
        piece.values.count = values;
        MUST(lith_file_writer_add(writer, &piece, &err));
        value += values;
    }
}

/* The source. */
static void source_write(struct lith_spool *spool)
{
    struct lith_file_writer *writer;

    lith_spool_init(spool, &mem, &scratch, (size_t)16 << 20);
    MUST(lith_file_writer_new(&spool->sink, &schema, codecs, &work, &writer, &err));
    for (size_t group = 0; group < ROW_GROUPS; group++) {
        MUST(lith_file_writer_row_group(writer, ROW_GROUP_ROWS, &err));
        for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
            const struct lith_chunk_plan plan = plan_of(leaf);
            MUST(lith_file_writer_chunk(writer, &plan, &err));
            add_in_pieces(writer, leaf_make(leaf, group * ROW_GROUP_ROWS));
            MUST(lith_file_writer_chunk_end(writer, &err));
        }
        MUST(lith_file_writer_row_group_end(writer, &err));
    }
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
}

/* A batch of the test's own, to be changed. */
struct own {
    struct lith_batch batch;
    uint16_t def[LITH_BATCH_POSITIONS];
    uint16_t rep[LITH_BATCH_POSITIONS];
    uint8_t fixed[LITH_BATCH_POSITIONS * 8];
    struct lith_slice slices[LITH_BATCH_POSITIONS];
    uint32_t ids[LITH_BATCH_POSITIONS];
};

static void own_make(struct own *own, const struct lith_batch *batch)
{
    struct lith_values *values = &own->batch.values;
    size_t count = batch->values.count;

    own->batch = *batch;
    if (batch->def_levels) {
        memcpy(own->def, batch->def_levels, batch->position_count * 2);
        own->batch.def_levels = own->def;
    }
    if (batch->rep_levels) {
        memcpy(own->rep, batch->rep_levels, batch->position_count * 2);
        own->batch.rep_levels = own->rep;
    }
    if (values->ids) {
        memcpy(own->ids, values->ids, count * sizeof(*own->ids));
        values->ids = own->ids;
    } else if (values->slices) {
        memcpy(own->slices, values->slices, count * sizeof(*own->slices));
        values->slices = own->slices;
    } else {
        memcpy(own->fixed, values->fixed, count * values->width);
        values->fixed = own->fixed;
    }
}

static struct lith_slice value_at(const struct lith_values *values, size_t i)
{
    return values->ids ? lith_dictionary_at(values->dictionary, values->ids[i])
                       : lith_values_at(values, i);
}

/* Value `to` becomes `from`, and value `from` what `to` was where they are exchanged. */
static void value_set(struct own *own, size_t to, size_t from, bool exchange)
{
    size_t width = own->batch.values.width;
    uint8_t kept[8];

    if (own->batch.values.ids) {
        uint32_t id = own->ids[to];
        own->ids[to] = own->ids[from];
        own->ids[from] = exchange ? id : own->ids[from];
    } else if (own->batch.values.slices) {
        struct lith_slice slice = own->slices[to];
        own->slices[to] = own->slices[from];
        own->slices[from] = exchange ? slice : own->slices[from];
    } else {
        memcpy(kept, own->fixed + to * width, width);
        memcpy(own->fixed + to * width, own->fixed + from * width, width);
        if (exchange)
            memcpy(own->fixed + from * width, kept, width);
    }
}

/* Takes the last value of a row of several out of it. False where no position may go. */
static bool value_lose(struct own *own)
{
    struct lith_batch *batch = &own->batch;
    struct lith_values *values = &batch->values;
    size_t value = 0;
    size_t at = batch->position_count / 2;

    if (!batch->def_levels)
        return false;
    while (at < batch->position_count &&
           (batch->rep_levels ? own->rep[at] == 0 : own->def[at] == 0))
        at++;
    assert_true(at < batch->position_count);
    for (size_t i = 0; i < at; i++)
        value += own->def[i];
    for (size_t i = value; i + 1 < values->count; i++)
        value_set(own, i, i + 1, false);
    values->count--;
    own->def[at] = 0;
    if (!batch->rep_levels)
        return true;
    for (size_t i = at; i + 1 < batch->position_count; i++) {
        own->rep[i] = own->rep[i + 1];
        own->def[i] = own->def[i + 1];
    }
    batch->position_count--;
    return true;
}

static bool own_change(struct own *own, enum fault fault)
{
    const struct lith_values *values = &own->batch.values;

    if (fault == FAULT_LOSE)
        return value_lose(own);
    for (size_t i = values->count / 2; i + 1 < values->count; i++) {
        size_t from = fault == FAULT_REPLACE ? i / 2 : i;
        if (lith_slice_equal(value_at(values, from), value_at(values, i + 1)))
            continue;
        value_set(own, i + 1, from, fault == FAULT_SWAP);
        return true;
    }
    return false;
}

enum lith_code __real_lith_file_writer_add(struct lith_file_writer *writer,
                                           const struct lith_batch *batch, struct lith_err *e);
enum lith_code __wrap_lith_file_writer_add(struct lith_file_writer *writer,
                                           const struct lith_batch *batch, struct lith_err *e);

enum lith_code __wrap_lith_file_writer_add(struct lith_file_writer *writer,
                                           const struct lith_batch *batch, struct lith_err *e)
{
    static struct own own;

    if (!(VALUE_FAULTS >> hit.fault & 1) || hit.calls++ > 0)
        return __real_lith_file_writer_add(writer, batch, e);
    own_make(&own, batch);
    hit.done = own_change(&own, hit.fault);
    return __real_lith_file_writer_add(writer, &own.batch, e);
}

enum lith_code __real_lith_file_writer_copy(struct lith_file_writer *writer,
                                            const struct lith_copied_page *page,
                                            struct lith_err *e);
enum lith_code __wrap_lith_file_writer_copy(struct lith_file_writer *writer,
                                            const struct lith_copied_page *page,
                                            struct lith_err *e);
enum lith_code __real_lith_file_writer_copy_bytes(struct lith_file_writer *writer, const void *data,
                                                  size_t bytes, struct lith_err *e);
enum lith_code __wrap_lith_file_writer_copy_bytes(struct lith_file_writer *writer, const void *data,
                                                  size_t bytes, struct lith_err *e);
enum lith_code __real_lith_file_writer_copy_end(struct lith_file_writer *writer,
                                                struct lith_err *e);
enum lith_code __wrap_lith_file_writer_copy_end(struct lith_file_writer *writer,
                                                struct lith_err *e);

enum lith_code __wrap_lith_file_writer_copy(struct lith_file_writer *writer,
                                            const struct lith_copied_page *page, struct lith_err *e)
{
    (void)writer, (void)e;
    hit.open.page = *page;
    hit.open.facts = *page->facts;
    lith_buf_clear(&hit.open.body);
    return LITH_OK;
}

enum lith_code __wrap_lith_file_writer_copy_bytes(struct lith_file_writer *writer, const void *data,
                                                  size_t bytes, struct lith_err *e)
{
    (void)writer;
    return lith_buf_append(&hit.open.body, data, bytes, e);
}

static enum lith_code page_put(struct lith_file_writer *writer, struct held_page *held,
                               struct lith_err *e)
{
    held->page.facts = &held->facts;
    LITH_TRY(__real_lith_file_writer_copy(writer, &held->page, e));
    LITH_TRY(__real_lith_file_writer_copy_bytes(writer, held->body.data, held->body.bytes, e));
    return __real_lith_file_writer_copy_end(writer, e);
}

/* The last two values of a body of `id`, which does not compress. */
static void body_change(struct lith_buf *body, enum fault fault)
{
    uint8_t *last = body->data + body->bytes - 8;
    uint64_t kept = lith_load_u64(last);

    memcpy(last, last - (fault == FAULT_REPLACE ? 80 : 8), 8);
    if (fault == FAULT_SWAP)
        lith_store_u64(last - 8, kept);
}

/* One of the ids 0, 1 and 2 is exchanged for another one of them. */
static void ids_exchange(uint32_t *ids, size_t count, enum fault fault)
{
    size_t i = count / 2;

    while (ids[i] == ids[i + 1])
        i++;
    uint32_t kept = ids[i + 1];
    ids[i + 1] = fault == FAULT_REPLACE ? 0 + 1 + 2 - ids[i] - kept : ids[i];
    if (fault == FAULT_SWAP)
        ids[i] = kept;
}

/* A V1 page of ids: levels with their length in front, the width, the ids. */
static void ids_change(struct held_page *held, enum fault fault)
{
    static uint32_t ids[ROW_GROUP_ROWS];
    struct lith_page_header *header = &held->page.header;
    size_t plain_bytes = (size_t)header->uncompressed_bytes;
    size_t count = header->num_values - (size_t)held->facts.null_count;
    LITH_AUTO(buf) struct lith_buf plain;
    struct lith_rle_decoder rle;
    struct lith_window window;

    lith_buf_init(&plain, &mem, SIZE_MAX);
    MUST(lith_buf_reserve(&plain, plain_bytes, &err));
    MUST(lith_decompress(codecs, LITH_CODEC_SNAPPY, held->body.data, held->body.bytes, plain.data,
                         plain_bytes, &err));
    plain.bytes = plain_bytes;
    size_t begin = 4 + lith_load_u32(plain.data) + 1;
    unsigned width = plain.data[begin - 1];
    struct lith_body body = {.data = plain.data, .bytes = plain.bytes};
    MUST(lith_window_init(&window, &body, begin, plain.bytes, NULL, 1, 1, &err));
    MUST(lith_rle_init(&rle, &window, width, &err));
    MUST(lith_rle_next(&rle, ids, count, &err));
    lith_window_done(&window);
    ids_exchange(ids, count, fault);
    plain.bytes = begin;
    MUST(lith_rle_encode(ids, count, width, &plain, &err));
    lith_buf_clear(&held->body);
    MUST(lith_buf_reserve(&held->body, lith_compress_bound(LITH_CODEC_SNAPPY, plain.bytes), &err));
    MUST(lith_compress(codecs, LITH_CODEC_SNAPPY, plain.data, plain.bytes, &held->body, &err));
    header->uncompressed_bytes = (int32_t)plain.bytes;
    header->compressed_bytes = (int32_t)held->body.bytes;
}

static bool has_ids(const struct held_page *held)
{
    return held->page.header.encoding == LITH_ENCODING_RLE_DICTIONARY;
}

static void page_change(struct held_page *held, enum fault fault)
{
    if (has_ids(held))
        ids_change(held, fault);
    else
        body_change(&held->body, fault);
    held->page.header.has_crc = false; /* nothing but the witness is to find it */
}

static bool is_plain(const struct held_page *held)
{
    return held->page.header.encoding == LITH_ENCODING_PLAIN &&
           held->page.header.compressed_bytes > held->page.header.uncompressed_bytes &&
           held->body.bytes >= (size_t)ROW_GROUP_ROWS * 8;
}

static enum lith_code page_record(struct lith_err *e)
{
    struct held_page *kept = &recorded[hit.copied];

    kept->page = hit.open.page;
    kept->facts = hit.open.facts;
    kept->facts.rep_histogram = kept->facts.def_histogram = NULL; /* the mover's */
    lith_buf_clear(&kept->body);
    return lith_buf_append(&kept->body, hit.open.body.data, hit.open.body.bytes, e);
}

enum lith_code __wrap_lith_file_writer_copy_end(struct lith_file_writer *writer, struct lith_err *e)
{
    bool is_value = EXCHANGES >> hit.fault & 1;

    if (hit.records)
        LITH_TRY(page_record(e));
    size_t page = hit.copied++;
    if (hit.fault == FAULT_SWAP_PAGE) {
        hit.done = true;
        return page_put(writer, page < 2 ? &recorded[1 - page] : &hit.open, e);
    }
    if (page != hit.page || !(is_value || PAGE_FAULTS >> hit.fault & 1) ||
        (is_value && !is_plain(&hit.open) && !has_ids(&hit.open)))
        return page_put(writer, &hit.open, e);
    hit.done = true;
    if (is_value)
        page_change(&hit.open, hit.fault);
    if (hit.fault == FAULT_LOSE_PAGE)
        return LITH_OK;
    if (hit.fault == FAULT_DOUBLE_PAGE)
        LITH_TRY(page_put(writer, &hit.open, e));
    return page_put(writer, &hit.open, e);
}

enum lith_code __real_lith_file_writer_join(struct lith_file_writer *writer,
                                            const struct lith_facts *facts,
                                            struct lith_slice elements, struct lith_err *e);
enum lith_code __wrap_lith_file_writer_join(struct lith_file_writer *writer,
                                            const struct lith_facts *facts,
                                            struct lith_slice elements, struct lith_err *e);

/* Puts another page of the row groups in place of the one at hand. */
static enum lith_code page_exchange(const struct held_page *other, struct lith_err *e)
{
    hit.done = true;
    hit.open.facts = other->facts;
    lith_buf_clear(&hit.open.body);
    return lith_buf_append(&hit.open.body, other->body.data, other->body.bytes, e);
}

/* Pages that are joined have as many values each as rows: one that is twice there stands for its
 * neighbour; one that is lost is counted all the same, or the writer would stop. */
enum lith_code __wrap_lith_file_writer_join(struct lith_file_writer *writer,
                                            const struct lith_facts *facts,
                                            struct lith_slice elements, struct lith_err *e)
{
    struct lith_buf *body = &hit.open.body;
    size_t page = hit.copied++;

    lith_buf_clear(body);
    LITH_TRY(lith_buf_append(body, elements.data, elements.bytes, e));
    hit.open.facts = *facts;
    if (hit.records) {
        hit.copied--;
        LITH_TRY(page_record(e));
        hit.copied++;
    }
    if (hit.fault == FAULT_SWAP_PAGE && page < 2)
        LITH_TRY(page_exchange(&recorded[1 - page], e));
    if (hit.fault == FAULT_DOUBLE_PAGE && page == hit.page)
        LITH_TRY(page_exchange(&recorded[page - 1], e));
    if (hit.fault == FAULT_LOSE_PAGE && page == hit.page) {
        hit.done = true;
        LITH_TRY(lith_file_writer_source(writer, facts, facts->positions, e));
        return lith_file_writer_source_end(writer, e);
    }
    if (page == hit.page && EXCHANGES >> hit.fault & 1) {
        hit.done = true;
        body_change(body, hit.fault);
    }
    return __real_lith_file_writer_join(writer, &hit.open.facts,
                                        (struct lith_slice){body->data, body->bytes}, e);
}

/* A merged dictionary of `name`, in the order of the first row group. */
static void dictionary_make(struct lith_dictionary_builder *dictionary)
{
    uint32_t id;

    lith_dictionary_builder_init(dictionary, 0, &work);
    for (size_t i = 0; i < WORDS; i++)
        MUST(lith_dictionary_builder_add_one(dictionary, lith_slice_text(words[i]), &id, &err));
}

struct moving {
    struct lith_source *source;
    const struct lith_footer *footer;
    size_t mover; /* its row */
    uint32_t leaf;
    struct lith_move_tools tools;
    struct lith_file_writer *writer;
    struct lith_witness *witness;
    struct lith_arena arena; /* of facts */
};

/* One leaf of all row groups, by the mover that is tested where the leaf is the one that is hit. */
static void leaf_move(struct moving *moving, const struct lith_schema *to, uint32_t leaf,
                      enum fault fault)
{
    bool is_hit = leaf == moving->leaf;
    uint32_t from = leaf == ADDED ? 0 : leaf;
    enum lith_mover mover = is_hit ? movers[moving->mover].mover : LITH_MOVER_RECODE;
    struct lith_level_map levels = lith_level_map_make(
        &schema, leaf == ADDED ? 0 : schema.leaves[from], to, leaf == ADDED ? 0 : to->leaves[leaf]);
    struct lith_dictionary_builder dictionary = {0};
    struct lith_chunk_plan plan = plan_of(leaf);
    struct lith_source_chunk chunk;
    struct lith_packed packed = {.plain_bytes = 0};

    if (leaf == ADDED)
        mover = LITH_MOVER_NULL;
    if (mover == LITH_MOVER_REMAP) {
        dictionary_make(&dictionary);
        plan.dictionary = &dictionary;
    }
    if (mover != LITH_MOVER_RECODE)
        plan.try_dictionary = false;
    hit.fault = is_hit ? fault : FAULT_NONE;
    hit.records = is_hit && fault == FAULT_NONE;
    hit.page = movers[moving->mover].page;
    hit.copied = 0;
    lith_witness_chunk_begin(moving->witness, lith_schema_leaf(to, leaf));
    MUST(lith_file_writer_chunk(moving->writer, &plan, &err));
    for (uint32_t group = 0; group < ROW_GROUPS; group++) {
        MUST(lith_source_chunk_take(moving->footer, group, from, NULL, &moving->arena, &chunk,
                                    &err));
        const struct lith_move move = {
            .chunk = leaf == ADDED ? NULL : &chunk,
            .leaf = lith_schema_leaf(to, leaf),
            .levels = &levels,
            .group = &schema.nodes[0],
            .may_copy = !plan.try_dictionary,
            .pages = moving->source,
            .file = moving->source,
            .ref = lith_chunk_ref_of(moving->footer, group, from),
            .tools = &moving->tools,
            .codec = plan.codec,
            .packed = &packed,
            .dictionary = plan.dictionary,
            .writer = moving->writer,
            .witness = moving->witness,
        };
        MUST(lith_mover_run(mover, &move, &err));
    }
    hit.fault = FAULT_NONE;
    hit.records = false;
    MUST(lith_file_writer_chunk_end(moving->writer, &err));
    MUST(lith_witness_chunk_end(moving->witness, ROWS, &err));
    lith_dictionary_builder_done(&dictionary);
}

/* Moves the source file with one mover for the leaf that is hit, recoding the others. */
static void move_all(struct moving *moving, enum fault fault, struct lith_spool *to)
{
    const struct lith_schema *target = movers[moving->mover].is_wide ? &wide : &schema;
    enum lith_mover way = movers[moving->mover].way;

    memset(&hit, 0, sizeof(hit));
    lith_buf_init(&hit.open.body, &mem, SIZE_MAX);
    lith_arena_init(&moving->arena, &mem);
    MUST(lith_move_tools_init(&moving->tools, codecs, &work, &err));
    lith_spool_init(to, &mem, &scratch, (size_t)16 << 20);
    lith_witness_init(moving->witness, &work, target->leaf_count);
    MUST(lith_file_writer_new(&to->sink, target, codecs, &work, &moving->writer, &err));
    MUST(lith_file_writer_row_group(moving->writer, ROWS, &err));
    for (uint32_t leaf = 0; leaf < target->leaf_count; leaf++)
        leaf_move(moving, target, leaf, fault);
    MUST(lith_file_writer_row_group_end(moving->writer, &err));
    MUST(lith_file_writer_finish(moving->writer, NULL, 0, &err));
    lith_file_writer_free(moving->writer);
    assert_true(way == LITH_MOVER_NULL || moving->tools.bytes[way] > 0);
    lith_move_tools_done(&moving->tools);
    lith_arena_done(&moving->arena);
    lith_buf_done(&hit.open.body);
}

static enum lith_code verify(const struct lith_spool *file, struct lith_witness *witness)
{
    struct lith_memory_source source;
    const struct lith_verify_options options = {
        .level = LITH_VERIFY_CONTENT, .witness = witness, .codecs = codecs, .work = &work};

    lith_memory_source_init(&source, lith_spool_memory(file), (size_t)file->source.size);
    return lith_verify_file(&source.base, &options, &err);
}

/* One fault of one mover in one leaf; true when there was something to change. */
static bool fault_is_found(const struct lith_spool *file, const struct lith_footer *footer,
                           size_t mover, uint32_t leaf, enum fault fault)
{
    struct lith_memory_source source;
    struct lith_witness witness;
    struct lith_spool to;
    struct moving moving = {.source = &source.base,
                            .footer = footer,
                            .mover = mover,
                            .leaf = leaf,
                            .witness = &witness};

    lith_memory_source_init(&source, lith_spool_memory(file), (size_t)file->source.size);
    move_all(&moving, fault, &to);
    bool changed = hit.done;
    /* Alone, it is a good file, but for the rows of pages that are gone or too many. */
    if (fault != FAULT_LOSE_PAGE && fault != FAULT_DOUBLE_PAGE)
        MUST(verify(&to, NULL));
    enum lith_code code = verify(&to, &witness);
    if (code != (changed ? LITH_E_CORRUPT : LITH_OK))
        fail_msg("%s, column %u, %s: %s", movers[mover].name, leaf, fault_names[fault],
                 code == LITH_OK ? "it was not noticed" : err.text);
    lith_spool_done(&to);
    lith_witness_done(&witness);
    return changed;
}

static void mov_2_faults_of_movers_are_found(void **state)
{
    struct lith_memory_source source;
    struct lith_arena of;
    struct lith_footer footer;
    struct lith_spool file;

    (void)state;
    source_write(&file);
    lith_memory_source_init(&source, lith_spool_memory(&file), (size_t)file.source.size);
    lith_arena_init(&of, &mem);
    MUST(lith_footer_read(&source.base, &of, &footer, &err));
    MUST(lith_schema_normalise(&footer.schema, &of, &err));
    for (size_t i = 0; i < ROW_GROUPS; i++)
        lith_buf_init(&recorded[i].body, &mem, SIZE_MAX);
    for (size_t m = 0; m < sizeof(movers) / sizeof(movers[0]); m++) {
        size_t changed[FAULT_COUNT] = {0};
        for (uint32_t leaf = 0; leaf < WIDE_LEAVES; leaf++) {
            if (!(movers[m].leaves >> leaf & 1))
                continue;
            for (enum fault fault = FAULT_NONE; fault < FAULT_COUNT; fault++) {
                if (fault == FAULT_NONE || movers[m].faults >> fault & 1)
                    changed[fault] += fault_is_found(&file, &footer, m, leaf, fault);
            }
        }
        assert_int_equal(changed[FAULT_NONE], 0);
        for (enum fault fault = FAULT_LOSE; fault < FAULT_COUNT; fault++)
            assert_int_equal(changed[fault] > 0, movers[m].faults >> fault & 1);
    }
    for (size_t i = 0; i < ROW_GROUPS; i++)
        lith_buf_done(&recorded[i].body);
    lith_arena_done(&of);
    lith_spool_done(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mov_2_faults_of_movers_are_found),
    };

    lith_mem_init(&mem, (size_t)256 << 20, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    if (lith_codec_context_new(&mem, &codecs, &err) != LITH_OK)
        return 1;
    schema_make();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lith_arena_done(&arena);
    lith_codec_context_free(codecs);
    lith_mem_done(&mem);
    return failed;
}
