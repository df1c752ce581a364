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
#include "verify/verify.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_control control;
static const struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static struct lith_codec_context *codecs;
static struct lith_arena arena; /* of the schema */
static struct lith_schema schema;

#define ROWS 3000u
#define LEAVES 4u

/* What befalls one batch, or one page, on its way to the writer. */
enum fault {
    FAULT_NONE,
    FAULT_LOSE,   /* a value becomes null, an element of a list is gone */
    FAULT_DOUBLE, /* a value stands for its neighbour too */
    FAULT_SWAP,   /* two neighbours change places */
    FAULT_COUNT
};
static const char *const fault_names[] = {"none", "lose", "double", "swap"};

static struct {
    enum fault fault;
    size_t call; /* the call that is hit */
    size_t calls;
    bool done;
    struct lith_spool *swapped; /* pages that wait */
} hit;

static const struct {
    enum lith_mover mover;
    const char *name;
    uint32_t leaves; /* bits: those it can move */
} movers[] = {
    {LITH_MOVER_RECODE, "recode", 0xf},
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

    lith_arena_init(&arena, &mem);
    for (size_t i = 0; i < LEAVES + 1; i++)
        nodes[i].name = lith_slice_text(names[i]);
    schema = (struct lith_schema){.nodes = nodes, .node_count = LEAVES + 1};
    MUST(lith_schema_link(&schema, &arena, &err));
    MUST(lith_schema_normalise(&schema, &arena, &err));
}

/* All positions of a leaf. */
static struct {
    uint16_t def[2 * ROWS];
    uint16_t rep[2 * ROWS];
    int64_t ids[ROWS];
    int32_t tags[2 * ROWS];
    struct lith_slice slices[ROWS];
    char texts[ROWS][16];
} made;

static struct lith_batch leaf_make(uint32_t leaf)
{
    static const char *const names[] = {"login", "logout", "purchase"};
    static const size_t widths[] = {8, 0, 4, 0};
    const struct lith_schema_node *node = lith_schema_leaf(&schema, leaf);
    size_t positions = 0;
    size_t values = 0;

    for (size_t i = 0; i < ROWS; i++) {
        if (leaf == 0) {
            made.ids[values++] = (int64_t)(i * i);
        } else if (leaf == 1 && i % 5 != 4) {
            made.slices[values++] = lith_slice_text(names[i % 3]);
        } else if (leaf == 2) {
            for (size_t k = 0; k < 2; k++) {
                made.rep[positions + k] = k > 0;
                made.def[positions + k] = 1;
                made.tags[values++] = (int32_t)(2 * i + k);
            }
            positions += 2;
            continue;
        } else if (leaf == 3) {
            (void)snprintf(made.texts[i], sizeof(made.texts[i]), "text %zu", i);
            made.slices[values++] = lith_slice_text(made.texts[i]);
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
        .codec = LITH_CODEC_SNAPPY, .fallback = LITH_ENCODING_PLAIN, .try_dictionary = leaf == 1};
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

/* The source: a file of one row group. */
static void source_write(struct lith_spool *spool)
{
    struct lith_file_writer *writer;

    lith_spool_init(spool, &mem, &scratch, (size_t)16 << 20);
    MUST(lith_file_writer_new(&spool->sink, &schema, codecs, &work, &writer, &err));
    MUST(lith_file_writer_row_group(writer, ROWS, &err));
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
        const struct lith_chunk_plan plan = plan_of(leaf);
        MUST(lith_file_writer_chunk(writer, &plan, &err));
        add_in_pieces(writer, leaf_make(leaf));
        MUST(lith_file_writer_chunk_end(writer, &err));
    }
    MUST(lith_file_writer_row_group_end(writer, &err));
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
        if (lith_slice_equal(value_at(values, i), value_at(values, i + 1)))
            continue;
        value_set(own, i + 1, i, fault == FAULT_SWAP);
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

    if (hit.fault == FAULT_NONE || hit.calls++ != hit.call)
        return __real_lith_file_writer_add(writer, batch, e);
    own_make(&own, batch);
    hit.done = own_change(&own, hit.fault);
    return __real_lith_file_writer_add(writer, &own.batch, e);
}

/* Moves the source file with one mover for the leaf that is hit, recoding the others. */
static void move_all(struct lith_source *source, const struct lith_footer *footer,
                     enum lith_mover mover, uint32_t hit_leaf, enum fault fault,
                     struct lith_spool *to, struct lith_witness *witness)
{
    LITH_AUTO(arena) struct lith_arena chunk_arena;
    struct lith_source_chunk chunk;
    struct lith_packed packed = {.plain_bytes = 0};
    struct lith_move_tools tools;
    struct lith_file_writer *writer;

    lith_arena_init(&chunk_arena, &mem);
    MUST(lith_move_tools_init(&tools, codecs, &work, &err));
    lith_spool_init(to, &mem, &scratch, (size_t)16 << 20);
    lith_witness_init(witness, &work, LEAVES);
    MUST(lith_file_writer_new(&to->sink, &schema, codecs, &work, &writer, &err));
    MUST(lith_file_writer_row_group(writer, ROWS, &err));
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
        const struct lith_chunk_plan plan = plan_of(leaf);
        MUST(lith_source_chunk_take(footer, 0, leaf, NULL, &chunk_arena, &chunk, &err));
        struct lith_move move = {
            .chunk = &chunk,
            .leaf = lith_schema_leaf(&schema, leaf),
            .pages = source,
            .file = source,
            .ref = lith_chunk_ref_of(footer, 0, leaf),
            .tools = &tools,
            .codec = plan.codec,
            .packed = &packed,
            .writer = writer,
            .witness = witness,
        };
        memset(&hit, 0, sizeof(hit));
        hit.fault = leaf == hit_leaf ? fault : FAULT_NONE;
        lith_witness_chunk_begin(witness, lith_schema_leaf(&schema, leaf));
        MUST(lith_file_writer_chunk(writer, &plan, &err));
        MUST(lith_mover_run(leaf == hit_leaf ? mover : LITH_MOVER_RECODE, &move, &err));
        MUST(lith_file_writer_chunk_end(writer, &err));
        MUST(lith_witness_chunk_end(witness, ROWS, &err));
        if (leaf == hit_leaf && !hit.done)
            hit_leaf = LEAVES; /* nothing was changed: it must pass */
    }
    hit.done = hit_leaf < LEAVES;
    hit.fault = FAULT_NONE;
    MUST(lith_file_writer_row_group_end(writer, &err));
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
    lith_move_tools_done(&tools);
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

    lith_memory_source_init(&source, lith_spool_memory(file), (size_t)file->source.size);
    move_all(&source.base, footer, movers[mover].mover, leaf, fault, &to, &witness);
    bool changed = hit.done;
    MUST(verify(&to, NULL)); /* alone, it is a good file */
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
    for (size_t m = 0; m < sizeof(movers) / sizeof(movers[0]); m++) {
        size_t changed[FAULT_COUNT] = {0};
        for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
            if (!(movers[m].leaves >> leaf & 1))
                continue;
            for (enum fault fault = FAULT_NONE; fault < FAULT_COUNT; fault++)
                changed[fault] += fault_is_found(&file, &footer, m, leaf, fault);
        }
        assert_int_equal(changed[FAULT_NONE], 0);
        for (enum fault fault = FAULT_LOSE; fault < FAULT_COUNT; fault++)
            assert_true(changed[fault] > 0);
    }
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
