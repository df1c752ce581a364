/*
 * Verify against files that differ from their witness, their sources or themselves in one thing.
 */
#include "support.h"

#include "parquet/file_writer.h"
#include "parquet/page_index.h"
#include "parquet/page_source.h"
#include "verify/verify.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_control control;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static struct lith_codec_context *codecs;
static struct lith_arena arena; /* of the schema */
static struct lith_schema schema;

#define ROWS 30000u /* of a row group: two pages a chunk */
#define GROUPS 2u
#define LEAVES 4u
#define STEP 1000u /* positions of a batch */

/* id INT64; name STRING optional; tags list of INT32; x DOUBLE optional. */
struct table {
    size_t row_count;
    int64_t id[ROWS];
    const char *name[ROWS]; /* NULL: null */
    uint8_t tag_count[ROWS];
    int32_t tags[ROWS][2];
    double x[ROWS]; /* the value 13.0 stands for null */
};
static struct table tables[GROUPS];

static void schema_make(void)
{
    static struct lith_schema_node nodes[5] = {
        {.is_group = true, .child_count = 4, .converted_type = -1},
        {.type = LITH_TYPE_INT64, .converted_type = -1},
        {.type = LITH_TYPE_BYTE_ARRAY,
         .repetition = LITH_OPTIONAL,
         .converted_type = LITH_CONVERTED_UTF8},
        {.type = LITH_TYPE_INT32, .repetition = LITH_REPEATED, .converted_type = -1},
        {.type = LITH_TYPE_DOUBLE, .repetition = LITH_OPTIONAL, .converted_type = -1},
    };
    static const char *const names[] = {"root", "id", "name", "tags", "x"};

    lith_arena_init(&arena, &mem);
    for (size_t i = 0; i < 5; i++)
        nodes[i].name = lith_slice_text(names[i]);
    schema = (struct lith_schema){.nodes = nodes, .node_count = 5};
    MUST(lith_schema_link(&schema, &arena, &err));
    MUST(lith_schema_normalise(&schema, &arena, &err));
}

static void tables_make(void)
{
    static const char *const names[] = {"login", "logout", "", "a name of many letters, kept"};
    uint64_t seed = 5;

    for (size_t g = 0; g < GROUPS; g++) {
        struct table *t = &tables[g];
        t->row_count = ROWS;
        for (size_t i = 0; i < ROWS; i++) {
            uint64_t random = test_random(&seed);
            t->id[i] = (int64_t)(g * ROWS + i);
            t->name[i] = random % 5 == 4 ? NULL : names[random % 5];
            t->tag_count[i] = (uint8_t)(random >> 8) % 3;
            t->tags[i][0] = (int32_t)(random >> 16 & 0xff);
            t->tags[i][1] = (int32_t)(random >> 24 & 0xff);
            t->x[i] = random >> 32 & 3 ? (double)(random >> 40) : 13.0;
        }
    }
}

/* The levels and values of one leaf for rows [begin, end). */
struct piece {
    uint16_t rep[2 * STEP];
    uint16_t def[2 * STEP];
    struct lith_slice slices[STEP];
    union {
        int64_t i64[STEP];
        int32_t i32[2 * STEP];
        double f64[STEP];
    } fixed;
    struct lith_batch batch;
};

static void piece_tags(struct piece *p, const struct table *t, size_t i, size_t *positions,
                       size_t *values)
{
    for (size_t k = 0; k == 0 || k < t->tag_count[i]; k++) {
        p->rep[*positions] = k > 0;
        p->def[*positions] = t->tag_count[i] > 0;
        ++*positions;
        if (t->tag_count[i] > 0)
            p->fixed.i32[(*values)++] = t->tags[i][k];
    }
}

static void piece_make(struct piece *p, const struct table *t, uint32_t leaf, size_t begin,
                       size_t end)
{
    static const size_t widths[] = {8, 0, 4, 8};
    const struct lith_schema_node *node = lith_schema_leaf(&schema, leaf);
    size_t positions = 0;
    size_t values = 0;

    for (size_t i = begin; i < end; i++) {
        bool present = leaf == 1 ? t->name[i] != NULL : leaf == 3 ? t->x[i] != 13.0 : true;
        if (leaf == 2) {
            piece_tags(p, t, i, &positions, &values);
            continue;
        }
        p->def[positions++] = present;
        if (!present)
            continue;
        if (leaf == 0)
            p->fixed.i64[values] = t->id[i];
        else if (leaf == 1)
            p->slices[values] = lith_slice_text(t->name[i]);
        else
            p->fixed.f64[values] = t->x[i];
        values++;
    }
    p->batch = (struct lith_batch){
        .position_count = positions,
        .def_levels = node->max_def ? p->def : NULL,
        .rep_levels = node->max_rep ? p->rep : NULL,
        .values = {.type = node->type, .width = widths[leaf], .count = values},
    };
    if (leaf == 1)
        p->batch.values.slices = p->slices;
    else
        p->batch.values.fixed = (const uint8_t *)&p->fixed;
}

static void write_chunk(struct lith_file_writer *writer, const struct table *t, uint32_t leaf)
{
    static struct piece piece;
    const struct lith_chunk_plan plan = {.codec = LITH_CODEC_SNAPPY,
                                         .fallback = LITH_ENCODING_PLAIN,
                                         .try_dictionary = leaf == 1,
                                         .bloom = leaf == 1};

    MUST(lith_file_writer_chunk(writer, &plan, &err));
    for (size_t i = 0; i < t->row_count; i += STEP) {
        size_t end = i + STEP < t->row_count ? i + STEP : t->row_count;
        piece_make(&piece, t, leaf, i, end);
        MUST(lith_file_writer_add(writer, &piece.batch, &err));
    }
    MUST(lith_file_writer_chunk_end(writer, &err));
}

/* The tables as a file, in memory. */
static void file_write(struct lith_spool *spool, size_t group_count)
{
    struct lith_file_writer *writer;

    lith_spool_init(spool, &mem, &scratch, (size_t)64 << 20);
    MUST(lith_file_writer_new(&spool->sink, &schema, codecs, &work, &writer, &err));
    for (size_t g = 0; g < group_count; g++) {
        MUST(lith_file_writer_row_group(writer, (int64_t)tables[g].row_count, &err));
        for (uint32_t leaf = 0; leaf < LEAVES; leaf++)
            write_chunk(writer, &tables[g], leaf);
        MUST(lith_file_writer_row_group_end(writer, &err));
    }
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
}

/* What a merge would have seen of the tables, leaf by leaf. */
static void witness_make(struct lith_witness *witness, struct lith_key_counts *names)
{
    static struct piece piece;

    lith_witness_init(witness, &work, LEAVES);
    lith_key_counts_init(names, &mem);
    for (size_t g = 0; g < GROUPS; g++) {
        for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
            lith_witness_chunk_begin(witness, lith_schema_leaf(&schema, leaf));
            for (size_t i = 0; i < ROWS; i += STEP) {
                piece_make(&piece, &tables[g], leaf, i, i + STEP);
                MUST(lith_witness_decoded(witness, &piece.batch, &err));
                if (leaf == 1)
                    MUST(lith_key_counts_add(names, &piece.batch, &err));
            }
            MUST(lith_witness_chunk_end(witness, ROWS, &err));
        }
    }
}

/* What befalls the pages of a file on their way into the witness. */
enum pages {
    PAGES_COPIED,
    PAGES_DECODED,
    PAGES_IN_TURN,     /* one copied, the next decoded */
    PAGES_UNTRUE,      /* those above are what a true merge leaves */
    PAGES_LESS,        /* the last one of each chunk is left out */
    PAGES_TWICE,       /* the first one comes twice */
    PAGES_OTHER_START, /* ids mean what one entry fewer would */
};

struct source_file {
    const uint8_t *data;
    size_t bytes;
    struct lith_memory_source source;
    struct lith_arena arena;
    struct lith_footer footer;
    struct lith_chunk_reader *reader;
};

static void page_copy(struct lith_witness *witness, const struct source_file *file,
                      const struct lith_page *page, enum lith_codec codec)
{
    size_t bytes = (size_t)page->header.compressed_bytes;
    const uint8_t *body = file->data + page->offset + page->header_bytes;

    MUST(lith_witness_copied_page(witness, &page->header, lith_page_codec(&page->header, codec),
                                  &err));
    lith_witness_copied_bytes(witness, body, bytes / 3);
    lith_witness_copied_bytes(witness, body + bytes / 3, bytes - bytes / 3);
}

static void page_decode(struct lith_witness *witness, struct lith_chunk_reader *reader)
{
    struct lith_batch batch;

    do {
        MUST(lith_chunk_reader_page_batch(reader, &batch, &err));
        MUST(lith_witness_decoded(witness, &batch, &err));
    } while (batch.position_count > 0);
}

static void dictionary_take(struct lith_witness *witness, const struct source_file *file,
                            enum pages pages)
{
    struct lith_dictionary *dictionary = lith_chunk_reader_dictionary(file->reader);
    struct lith_hash128 hash;

    if (!dictionary)
        return;
    uint32_t count = dictionary->count - (pages == PAGES_OTHER_START);
    MUST(lith_dictionary_fingerprint(dictionary, count, &hash, &err));
    lith_witness_dictionary(witness, count, hash);
}

static void chunk_witness(struct lith_witness *witness, struct source_file *file,
                          uint32_t row_group, uint32_t leaf, enum pages pages)
{
    const struct lith_chunk_ref ref = lith_chunk_ref_of(&file->footer, row_group, leaf);
    enum lith_codec codec = (enum lith_codec)ref.meta->codec;
    const struct lith_page *page;
    uint64_t left = (uint64_t)ref.meta->num_values;

    lith_witness_chunk_begin(witness, lith_schema_leaf(&schema, leaf));
    MUST(lith_chunk_reader_begin(file->reader, &file->source.base, &ref, &err));
    for (size_t i = 0;; i++) {
        MUST(lith_chunk_reader_page(file->reader, &page, &err));
        if (!page)
            break;
        left -= page->header.num_values;
        if (i == 0)
            dictionary_take(witness, file, pages);
        if (pages == PAGES_LESS && left == 0)
            continue;
        if (pages == PAGES_DECODED || (pages == PAGES_IN_TURN && i % 2 == 1))
            page_decode(witness, file->reader);
        else
            page_copy(witness, file, page, codec);
        if (pages == PAGES_TWICE && i == 0)
            page_copy(witness, file, page, codec);
    }
    MUST(lith_witness_chunk_end(witness, (uint64_t)ref.num_rows, &err));
}

/* What a merge would have seen of a file that is its only source. */
static void witness_of_file(struct lith_witness *witness, const struct lith_spool *spool,
                            enum pages pages)
{
    struct source_file file = {.data = lith_spool_memory(spool),
                               .bytes = (size_t)spool->source.size};

    lith_witness_init(witness, &work, LEAVES);
    lith_memory_source_init(&file.source, file.data, file.bytes);
    lith_arena_init(&file.arena, &mem);
    MUST(lith_footer_read(&file.source.base, &file.arena, &file.footer, &err));
    MUST(lith_schema_normalise(&file.footer.schema, &file.arena, &err));
    MUST(lith_chunk_reader_new(codecs, &work, true, &file.reader, &err));
    for (uint32_t g = 0; g < file.footer.row_group_count; g++) {
        for (uint32_t leaf = 0; leaf < LEAVES; leaf++)
            chunk_witness(witness, &file, g, leaf, pages);
    }
    lith_chunk_reader_close(file.reader);
    lith_arena_done(&file.arena);
}

/* Sets of files in memory, for verify to open. */
struct set {
    struct lith_source *sources[4];
    struct lith_memory_source memory[4];
};

static enum lith_code set_open(void *ctx, size_t index, struct lith_source **ret_source,
                               struct lith_err *e)
{
    struct set *set = ctx;
    const struct lith_spool *spool = (const struct lith_spool *)(void *)set->sources[index];

    (void)e;
    lith_memory_source_init(&set->memory[index], lith_spool_memory(spool),
                            (size_t)spool->source.size);
    *ret_source = &set->memory[index].base;
    return LITH_OK;
}

static const char *set_name(void *ctx, size_t index)
{
    static const char *const names[] = {"one", "two", "three", "four"};

    (void)ctx;
    return names[index];
}

static struct lith_verify_files set_of(struct set *set, struct lith_spool *a, struct lith_spool *b)
{
    set->sources[0] = (struct lith_source *)(void *)a;
    set->sources[1] = (struct lith_source *)(void *)b;
    return (struct lith_verify_files){
        .count = b ? 2 : 1, .open = set_open, .name = set_name, .ctx = set};
}

static enum lith_code verify_bytes(const void *data, size_t bytes, enum lith_verify_level level,
                                   struct lith_witness *witness, struct lith_key_counts *names,
                                   const struct lith_verify_sources *sources)
{
    struct lith_memory_source source;
    const struct lith_verify_key key = {.leaf = 1, .expected = names};
    const struct lith_verify_options options = {.level = level,
                                                .witness = witness,
                                                .keys = &key,
                                                .key_count = names ? 1 : 0,
                                                .sources = sources,
                                                .codecs = codecs,
                                                .work = &work};

    lith_memory_source_init(&source, data, bytes);
    return lith_verify_file(&source.base, &options, &err);
}

static enum lith_code verify_spool(const struct lith_spool *spool, enum lith_verify_level level,
                                   struct lith_witness *witness, struct lith_key_counts *names,
                                   const struct lith_verify_sources *sources)
{
    return verify_bytes(lith_spool_memory(spool), (size_t)spool->source.size, level, witness, names,
                        sources);
}

static void a_true_file_passes(void **state)
{
    struct lith_witness witness;
    struct lith_key_counts names;
    struct lith_spool file;
    struct set set;
    struct lith_verify_sources sources = {.parts = NULL};

    (void)state;
    tables_make();
    file_write(&file, GROUPS);
    witness_make(&witness, &names);
    sources.files = set_of(&set, &file, NULL);
    for (int level = LITH_VERIFY_OFF; level <= LITH_VERIFY_DECODE; level++)
        MUST(verify_spool(&file, (enum lith_verify_level)level, &witness, &names, &sources));
    sources.sorted = true;
    MUST(verify_spool(&file, LITH_VERIFY_DECODE, &witness, &names, &sources));
    assert_int_equal(verify_spool(&file, LITH_VERIFY_DECODE, &witness, &names, NULL),
                     LITH_E_INVALID);
    lith_spool_done(&file);
    lith_witness_done(&witness);
    lith_key_counts_done(&names);
}

static void one_value(void)
{
    tables[1].id[12345]++;
}

static void rows_swapped(void)
{
    int64_t id = tables[0].id[7];

    tables[0].id[7] = tables[0].id[8];
    tables[0].id[8] = id;
}

static void null_for_empty(void)
{
    size_t i = 0;

    while (!tables[0].name[i] || tables[0].name[i][0])
        i++;
    tables[0].name[i] = NULL;
}

static void tag_moved(void)
{
    size_t i = 100; /* [a, b], [] becomes [a], [b] */

    tables[0].tag_count[i] = 1;
    tables[0].tag_count[i + 1] = 1;
    tables[0].tags[i + 1][0] = tables[0].tags[i][1];
}

static void tag_not_moved(void)
{
    tables[0].tag_count[100] = 2;
    tables[0].tag_count[101] = 0;
}

static void sign_of_zero(void)
{
    tables[1].x[0] = -0.0;
}

static void plain_zero(void)
{
    tables[1].x[0] = 0.0;
}

static void last_row(void)
{
    tables[1].row_count--;
}

static void nothing(void)
{
}

static const struct {
    const char *name;
    void (*before)(void); /* the sources as they were */
    void (*change)(void);
    const char *text;
} changes[] = {
    {"one value", nothing, one_value, "column \"id\": 30000 values as in the sources, but"},
    {"rows swapped", nothing, rows_swapped, "row group 0, column \"id\": 30000 values"},
    {"null for empty", nothing, null_for_empty, "column \"name\""},
    {"an element moves to the next row", tag_not_moved, tag_moved, "column \"tags\""},
    {"sign of a zero", plain_zero, sign_of_zero, "row group 1, column \"x\""},
    {"last row", nothing, last_row, "59999 rows, the witness has 60000"},
};

/* The file holds something else than the sources had. */
static void other_contents_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct lith_witness witness;
        struct lith_key_counts names;
        struct lith_spool before;
        struct lith_spool file;
        struct set set;
        struct lith_verify_sources sources = {.parts = NULL};
        tables_make();
        changes[i].before();
        witness_make(&witness, &names);
        file_write(&before, GROUPS);
        changes[i].change();
        file_write(&file, GROUPS);
        MUST(verify_spool(&file, LITH_VERIFY_CONTENT, NULL, NULL, NULL));
        enum lith_code code = verify_spool(&file, LITH_VERIFY_CONTENT, &witness, NULL, NULL);
        if (code != LITH_E_CORRUPT || !strstr(err.text, changes[i].text))
            fail_msg("%s: %s", changes[i].name, code == LITH_OK ? "passed" : err.text);
        sources.files = set_of(&set, &before, NULL);
        for (int sorted = 0; sorted < 2; sorted++) {
            sources.sorted = sorted;
            code = verify_spool(&file, LITH_VERIFY_DECODE, NULL, NULL, &sources);
            if (code != LITH_E_CORRUPT)
                fail_msg("%s passed decode", changes[i].name);
        }
        if (changes[i].change == null_for_empty) {
            code = verify_spool(&file, LITH_VERIFY_CONTENT, NULL, &names, NULL);
            assert_int_equal(code, LITH_E_CORRUPT);
            assert_non_null(strstr(err.text, "verify: key column \"name\": value "));
        }
        lith_spool_done(&before);
        lith_spool_done(&file);
        lith_witness_done(&witness);
        lith_key_counts_done(&names);
    }
}

/* The same file, with its pages copied and decoded; and key columns, which are decoded although
 * they were copied. */
static void copied_pages_pass(void **state)
{
    (void)state;
    for (enum pages pages = PAGES_COPIED; pages < PAGES_UNTRUE; pages++) {
        struct lith_witness witness;
        struct lith_witness ignored;
        struct lith_key_counts names;
        struct lith_spool file;
        tables_make();
        file_write(&file, GROUPS);
        witness_of_file(&witness, &file, pages);
        witness_make(&ignored, &names);
        MUST(verify_spool(&file, LITH_VERIFY_CONTENT, &witness, NULL, NULL));
        MUST(verify_spool(&file, LITH_VERIFY_CONTENT, &witness, &names, NULL));
        MUST(verify_spool(&file, LITH_VERIFY_STRUCTURE, &witness, &names, NULL));
        lith_spool_done(&file);
        lith_key_counts_done(&names);
        lith_witness_done(&ignored);
        lith_witness_done(&witness);
    }
}

/* Every change of contents, with pages copied or decoded. */
static void other_pages_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        for (enum pages pages = PAGES_COPIED; pages < PAGES_UNTRUE; pages++) {
            struct lith_witness witness;
            struct lith_spool before;
            struct lith_spool file;
            tables_make();
            changes[i].before();
            file_write(&before, GROUPS);
            witness_of_file(&witness, &before, pages);
            changes[i].change();
            file_write(&file, GROUPS);
            MUST(verify_spool(&before, LITH_VERIFY_CONTENT, &witness, NULL, NULL));
            if (verify_spool(&file, LITH_VERIFY_CONTENT, &witness, NULL, NULL) != LITH_E_CORRUPT)
                fail_msg("%s, pages %d: not noticed", changes[i].name, (int)pages);
            lith_spool_done(&before);
            lith_spool_done(&file);
            lith_witness_done(&witness);
        }
    }
}

/* Pages missing, doubled, in another place. */
static void pages_elsewhere_are_found(void **state)
{
    static const struct {
        enum pages pages;
        const char *text;
    } cases[] = {
        {PAGES_LESS, "a page of 10000 values, but there are no more from the sources"},
        {PAGES_TWICE, "the pages have ended, 20000 values from the sources are missing"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_witness witness;
        struct lith_spool file;
        tables_make();
        file_write(&file, 1);
        witness_of_file(&witness, &file, cases[i].pages);
        assert_int_equal(verify_spool(&file, LITH_VERIFY_CONTENT, &witness, NULL, NULL),
                         LITH_E_CORRUPT);
        if (!strstr(err.text, cases[i].text))
            fail_msg("%s", err.text);
        lith_witness_done(&witness);
        lith_spool_done(&file);
    }
}

/* The ids stay, what they mean does not. */
static void other_dictionaries_are_found(void **state)
{
    struct lith_witness witness;
    struct lith_witness shorter;
    struct lith_spool before;
    struct lith_spool file;

    (void)state;
    tables_make();
    file_write(&before, 1);
    witness_of_file(&witness, &before, PAGES_COPIED);
    witness_of_file(&shorter, &before, PAGES_OTHER_START);
    MUST(verify_spool(&before, LITH_VERIFY_CONTENT, &shorter, NULL, NULL)); /* a start suffices */
    for (size_t i = 0; i < ROWS; i++) {
        const char *name = tables[0].name[i];
        if (name && strcmp(name, "login") == 0)
            tables[0].name[i] = "logic";
    }
    file_write(&file, 1);
    assert_int_equal(verify_spool(&file, LITH_VERIFY_CONTENT, &witness, NULL, NULL),
                     LITH_E_CORRUPT);
    if (!strstr(err.text, "entries of the dictionary are not those that copied ids had"))
        fail_msg("%s", err.text);
    lith_witness_done(&witness);
    lith_witness_done(&shorter);
    lith_spool_done(&before);
    lith_spool_done(&file);
}

/* A witness that was told of nothing proves nothing. */
static void an_empty_witness_fails(void **state)
{
    struct lith_witness witness;
    struct lith_spool file;

    (void)state;
    tables_make();
    file_write(&file, 1);
    lith_witness_init(&witness, &work, LEAVES);
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
        lith_witness_chunk_begin(&witness, lith_schema_leaf(&schema, leaf));
        MUST(lith_witness_chunk_end(&witness, ROWS, &err));
    }
    MUST(verify_spool(&file, LITH_VERIFY_STRUCTURE, &witness, NULL, NULL));
    assert_int_equal(verify_spool(&file, LITH_VERIFY_CONTENT, &witness, NULL, NULL),
                     LITH_E_CORRUPT);
    lith_witness_done(&witness);
    lith_spool_done(&file);
}

/* The metadata of the file in `data`. */
static void footer_of(const uint8_t *data, size_t bytes, struct lith_arena *of,
                      struct lith_footer *ret_footer)
{
    struct lith_memory_source source;

    lith_memory_source_init(&source, data, bytes);
    lith_arena_init(of, &mem);
    MUST(lith_footer_read(&source.base, of, ret_footer, &err));
}

/* The bits of bytes [begin, end), every `step`-th one, turned in their turn. */
struct sweep {
    uint8_t *data;
    size_t bytes;
    uint64_t begin;
    uint64_t end;
    size_t step;
    enum lith_verify_level level;
};

/* True when two encodings of an offset index mean the same: a type byte may say so in two ways. */
static bool same_offsets(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    struct lith_offset_index x;
    struct lith_offset_index y;
    struct lith_arena of;
    struct lith_err ignored;
    bool same = false;

    lith_arena_init(&of, &mem);
    MUST(lith_offset_index_parse(a, bytes, &of, &x, &err));
    if (lith_offset_index_parse(b, bytes, &of, &y, &ignored) == LITH_OK)
        same = x.page_count == y.page_count;
    for (uint32_t i = 0; same && i < x.page_count; i++)
        same = x.pages[i].offset == y.pages[i].offset && x.pages[i].bytes == y.pages[i].bytes &&
               x.pages[i].first_row == y.pages[i].first_row;
    lith_arena_done(&of);
    return same;
}

static void sweep(const struct sweep *s, const char *what)
{
    size_t bytes = (size_t)(s->end - s->begin);
    uint8_t *before = test_malloc(bytes);

    memcpy(before, s->data + s->begin, bytes);
    for (uint64_t bit = s->begin * 8; bit < s->end * 8; bit += s->step) {
        uint8_t mask = (uint8_t)(1u << (bit % 8));
        s->data[bit / 8] ^= mask;
        if (verify_bytes(s->data, s->bytes, s->level, NULL, NULL, NULL) == LITH_OK &&
            (s->step > 1 || !same_offsets(before, s->data + s->begin, bytes)))
            fail_msg("%s: bit %" PRIu64 " of byte %" PRIu64 " was not noticed", what, bit % 8,
                     bit / 8 - s->begin);
        s->data[bit / 8] ^= mask;
    }
    test_free(before);
}

/* Bits that turn on their way to the store: in pages by their CRC, in offset indexes by what they
 * are about. */
static void turned_bits_are_found(void **state)
{
    struct lith_spool file;
    struct lith_arena of;
    struct lith_footer footer;

    (void)state;
    tables_make();
    file_write(&file, 1);
    size_t bytes = (size_t)file.source.size;
    uint8_t *data = test_malloc(bytes);
    memcpy(data, lith_spool_memory(&file), bytes);
    footer_of(data, bytes, &of, &footer);
    MUST(verify_bytes(data, bytes, LITH_VERIFY_CONTENT, NULL, NULL, NULL));
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
        const struct lith_chunk_meta *meta = &footer.row_groups[0].chunks[leaf];
        uint64_t pages = (uint64_t)meta->data_page_offset;
        struct sweep s = {.data = data, .bytes = bytes, .step = 7919};
        s.begin = pages + 64;
        s.end = pages + (uint64_t)meta->total_compressed_size / 2;
        s.level = LITH_VERIFY_STRUCTURE;
        sweep(&s, "page");
        assert_true(meta->offset_index_offset > 0);
        s.begin = (uint64_t)meta->offset_index_offset;
        s.end = s.begin + (uint64_t)meta->offset_index_length;
        s.step = 1;
        s.level = LITH_VERIFY_CONTENT;
        sweep(&s, "offset index");
    }
    lith_arena_done(&of);
    test_free(data);
    lith_spool_done(&file);
}

/* Finds the bytes once in [begin, end). */
static uint8_t *find(uint8_t *data, size_t begin, size_t end, const void *what, size_t bytes)
{
    uint8_t *at = memmem(data + begin, end - begin, what, bytes);

    assert_non_null(at);
    return at;
}

/* Statistics and bounds that do not hold. */
static void false_bounds_are_found(void **state)
{
    int64_t max = ROWS - 1;
    int64_t less = ROWS - 2;
    int64_t more = ROWS;
    struct lith_spool file;
    struct lith_arena of;
    struct lith_footer footer;

    (void)state;
    tables_make();
    file_write(&file, 1);
    size_t bytes = (size_t)file.source.size;
    uint8_t *data = test_malloc(bytes);
    memcpy(data, lith_spool_memory(&file), bytes);
    footer_of(data, bytes, &of, &footer);
    size_t footer_at = (size_t)footer.footer_offset;
    uint8_t *at = find(data, footer_at, bytes, &max, sizeof(max));
    memcpy(at, &less, sizeof(less));
    assert_int_equal(verify_bytes(data, bytes, LITH_VERIFY_CONTENT, NULL, NULL, NULL),
                     LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "a value above the maximum of the chunk's statistics"));
    memcpy(at, &more, sizeof(more));
    assert_int_equal(verify_bytes(data, bytes, LITH_VERIFY_CONTENT, NULL, NULL, NULL),
                     LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "a bound that says it is exact, but no value has it"));
    memcpy(at, &max, sizeof(max));
    const struct lith_chunk_meta *meta = &footer.row_groups[0].chunks[0];
    at = find(data, (size_t)meta->column_index_offset, footer_at, &max, sizeof(max));
    memcpy(at, &less, sizeof(less));
    assert_int_equal(verify_bytes(data, bytes, LITH_VERIFY_CONTENT, NULL, NULL, NULL),
                     LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "a value above the maximum of the column index's entry"));
    MUST(verify_bytes(data, bytes, LITH_VERIFY_STRUCTURE, NULL, NULL, NULL));
    memcpy(at, &max, sizeof(max));
    meta = &footer.row_groups[0].chunks[1];
    assert_true(meta->bloom_filter_offset > 0);
    memset(data + meta->bloom_filter_offset + 24, 0, 8);
    assert_int_equal(verify_bytes(data, bytes, LITH_VERIFY_CONTENT, NULL, NULL, NULL),
                     LITH_E_CORRUPT);
    lith_arena_done(&of);
    test_free(data);
    lith_spool_done(&file);
}

static bool same_rows(struct lith_verify_files a, struct lith_verify_files b)
{
    const struct lith_verify_rows_options options = {
        .a = &a, .b = &b, .seed = 99, .codecs = codecs, .work = &work};
    struct lith_rows_sum sum_a;
    struct lith_rows_sum sum_b;
    bool equal;

    MUST(lith_verify_rows(&options, &equal, &sum_a, &sum_b, &err));
    return equal;
}

/* Order, files and row groups do not matter, rows do. */
static void sets_of_rows(void **state)
{
    struct lith_spool both;
    struct lith_spool a;
    struct lith_spool b;
    struct set set_a;
    struct set set_b;

    (void)state;
    tables_make();
    file_write(&both, GROUPS);
    file_write(&a, 1);
    tables[0] = tables[1];
    for (size_t i = 0; i < ROWS / 2; i++) { /* the rows in reverse */
        struct table *t = &tables[0];
        size_t k = ROWS - 1 - i;
        int64_t id = t->id[i];
        const char *name = t->name[i];
        uint8_t tag_count = t->tag_count[i];
        int32_t tags[2] = {t->tags[i][0], t->tags[i][1]};
        double x = t->x[i];
        t->id[i] = t->id[k];
        t->name[i] = t->name[k];
        t->tag_count[i] = t->tag_count[k];
        memcpy(t->tags[i], t->tags[k], sizeof(tags));
        t->x[i] = t->x[k];
        t->id[k] = id;
        t->name[k] = name;
        t->tag_count[k] = tag_count;
        memcpy(t->tags[k], tags, sizeof(tags));
        t->x[k] = x;
    }
    file_write(&b, 1);
    assert_true(same_rows(set_of(&set_a, &both, NULL), set_of(&set_b, &a, &b)));
    assert_true(same_rows(set_of(&set_a, &b, &a), set_of(&set_b, &both, NULL)));
    assert_false(same_rows(set_of(&set_a, &both, NULL), set_of(&set_b, &a, NULL)));
    assert_false(same_rows(set_of(&set_a, &both, NULL), set_of(&set_b, &a, &a)));
    lith_spool_done(&b);
    tables[0].x[3] = 1e300; /* two columns of two rows exchanged: no column alone shows it */
    tables[0].x[4] = 2e300;
    file_write(&b, 1);
    lith_spool_done(&a);
    tables[0].x[3] = 2e300;
    tables[0].x[4] = 1e300;
    file_write(&a, 1);
    assert_false(same_rows(set_of(&set_a, &a, NULL), set_of(&set_b, &b, NULL)));
    lith_spool_done(&both);
    lith_spool_done(&a);
    lith_spool_done(&b);
}

/* Everything that verify takes may be refused: it says so and gives all back. */
static void allocations_may_fail(void **state)
{
    struct lith_witness witness;
    struct lith_key_counts names;
    struct lith_spool file;
    struct lith_mem small;
    struct set set;
    struct lith_verify_sources sources = {.parts = NULL};
    enum lith_code code = LITH_E_NOMEM;

    (void)state;
    struct lith_witness ignored;

    tables_make();
    witness_make(&ignored, &names);
    lith_witness_done(&ignored);
    file_write(&file, GROUPS);
    witness_of_file(&witness, &file, PAGES_IN_TURN);
    sources.files = set_of(&set, &file, NULL);
    for (int64_t n = 0; code == LITH_E_NOMEM; n += 1 + n / 16) {
        struct lith_memory_source source;
        lith_mem_init(&small, (size_t)4 << 20, NULL);
        const struct lith_work few = {.mem = &small, .scratch = &scratch, .control = &control};
        const struct lith_verify_key key = {.leaf = 1, .expected = &names};
        const struct lith_verify_options options = {.level = LITH_VERIFY_DECODE,
                                                    .witness = &witness,
                                                    .keys = &key,
                                                    .key_count = 1,
                                                    .sources = &sources,
                                                    .codecs = codecs,
                                                    .work = &few};
        lith_memory_source_init(&source, lith_spool_memory(&file), (size_t)file.source.size);
        atomic_store(&small.fail_after, n);
        sources.sorted = n % 2;
        code = lith_verify_file(&source.base, &options, &err);
        lith_mem_done(&small);
    }
    MUST(code);
    lith_spool_done(&file);
    lith_witness_done(&witness);
    lith_key_counts_done(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_file_passes),        cmocka_unit_test(other_contents_are_found),
        cmocka_unit_test(copied_pages_pass),         cmocka_unit_test(other_pages_are_found),
        cmocka_unit_test(pages_elsewhere_are_found), cmocka_unit_test(other_dictionaries_are_found),
        cmocka_unit_test(an_empty_witness_fails),    cmocka_unit_test(turned_bits_are_found),
        cmocka_unit_test(false_bounds_are_found),    cmocka_unit_test(sets_of_rows),
        cmocka_unit_test(allocations_may_fail),
    };

    lith_mem_init(&mem, (size_t)512 << 20, NULL);
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
