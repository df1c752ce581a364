/*
 * Reading one column chunk: page by page, each as batches of levels and values.
 *
 * A batch takes as many positions as their levels say and the decoder gives values for. Failures
 * are written to the reader's own err, which windows of a page keep a pointer to, and passed on
 * with the place in front. parquet-splice.md sections 1.3, 1.6 and 9.1, 5 to 8.
 */
#include "parquet/chunk_reader.h"

#include "base/checked.h"

#include <inttypes.h>

#include "parquet/chunk_levels.h"
#include "parquet/decoder.h"
#include "parquet/page_body.h"

struct lith_chunk_reader {
    struct lith_chunk_ref ref;
    const struct lith_schema_node *leaf;
    const struct lith_work *work;
    struct lith_codec_context *codecs;
    bool want_ids;
    struct lith_page_source pages;
    struct lith_chunk_levels levels;
    struct lith_dictionary dictionary;
    bool has_dictionary;
    bool ended;
    bool at_page;      /* `page` is a data page that was not passed yet */
    bool page_loaded;  /* its bodies are set */
    bool page_open;    /* its batches are being read */
    bool rows_unknown; /* V1 pages of lists were passed over */
    bool page_started; /* some of the open page was handed out */
    bool page_counted; /* `page_rows` begin in the page at hand */
    uint64_t page_rows;
    struct lith_page page;
    struct lith_decoder *decoder; /* of the open page */
    uint64_t values_begin;        /* in the page's body */
    uint64_t values_left;         /* of the page, not decoded yet */
    uint64_t rows;                /* of the chunk, in pages that ended */
    bool keeps_last;              /* PARQUET-246 */
    struct lith_slice last;       /* the last value of a page, while its decoder is open */
    struct lith_buf previous;     /* the last value of the page before */
    uint64_t data_pages;
    struct lith_err err;
};

/*
 * parquet-mr before 1.8.0, and writers that say nothing of themselves, may continue the prefixes
 * of DELTA_BYTE_ARRAY from one page to the next (PARQUET-246). Others must not: a prefix of
 * theirs at the start of a page is damage.
 */
static bool may_continue_prefixes(struct lith_slice created_by)
{
    return created_by.bytes == 0 || lith_is_old_parquet_mr(created_by, 8);
}

static enum lith_code fail_with_place(struct lith_chunk_reader *reader, enum lith_code code,
                                      struct lith_err *err)
{
    char path[256];

    lith_schema_path(reader->ref.schema, reader->ref.schema->leaves[reader->ref.leaf], path,
                     sizeof(path));
    *err = reader->err;
    err->code = code;
    (void)lith_err_prefix(
        err, "row group %" PRIu32 ", column \"%s\", page %" PRIu32 " at byte %" PRIu64,
        reader->ref.row_group, path, reader->pages.page_index, reader->pages.page_offset);
    return code;
}

/* Forgets the chunk at hand. */
static void chunk_done(struct lith_chunk_reader *reader)
{
    lith_decoder_close(reader->decoder);
    reader->decoder = NULL;
    lith_dictionary_done(&reader->dictionary);
    lith_buf_clear(&reader->previous);
    reader->has_dictionary = false;
    reader->ended = false;
    reader->at_page = false;
    reader->page_loaded = false;
    reader->page_open = false;
    reader->rows_unknown = false;
    reader->rows = 0;
    reader->data_pages = 0;
}

enum lith_code lith_chunk_reader_new(struct lith_codec_context *codecs,
                                     const struct lith_work *work, bool want_ids,
                                     struct lith_chunk_reader **ret_reader, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(work->mem, 1, sizeof(struct lith_chunk_reader), &block, err));
    struct lith_chunk_reader *reader = block;
    reader->work = work;
    reader->codecs = codecs;
    reader->want_ids = want_ids;
    lith_page_source_init(&reader->pages, codecs, work);
    lith_buf_init(&reader->previous, work->mem, lith_work_share(work));
    *ret_reader = reader;
    return LITH_OK;
}

static enum lith_code take_dictionary(struct lith_chunk_reader *reader, uint32_t count,
                                      const struct lith_body *body)
{
    LITH_TRY(lith_dictionary_init(&reader->dictionary, reader->leaf->type,
                                  reader->leaf->type_length, count, body, reader->work,
                                  &reader->err));
    reader->has_dictionary = true;
    return LITH_OK;
}

enum lith_code lith_chunk_reader_begin(struct lith_chunk_reader *reader, struct lith_source *source,
                                       const struct lith_chunk_ref *ref, struct lith_err *err)
{
    LITH_ASSERT(ref->leaf < ref->schema->leaf_count);
    chunk_done(reader);
    reader->ref = *ref;
    reader->leaf = lith_schema_leaf(ref->schema, ref->leaf);
    reader->keeps_last = may_continue_prefixes(ref->created_by);
    enum lith_code code = lith_page_source_begin(&reader->pages, source, ref, &reader->err);
    if (code == LITH_OK) {
        reader->pages.page_offset = reader->pages.position;
        code = lith_chunk_levels_begin(&reader->levels, reader->leaf, ref->created_by,
                                       reader->work->mem, &reader->err);
    }
    if (code == LITH_OK && ref->dictionary)
        code = take_dictionary(reader, ref->dictionary->count,
                               &(struct lith_body){.data = ref->dictionary->body.data,
                                                   .bytes = ref->dictionary->body.bytes});
    return code == LITH_OK ? code : fail_with_place(reader, code, err);
}

enum lith_code
lith_chunk_reader_open_ref(struct lith_source *source, const struct lith_chunk_ref *ref,
                           struct lith_codec_context *codecs, const struct lith_work *work,
                           struct lith_chunk_reader **ret_reader, struct lith_err *err)
{
    struct lith_chunk_reader *reader;

    LITH_TRY(lith_chunk_reader_new(codecs, work, false, &reader, err));
    enum lith_code code = lith_chunk_reader_begin(reader, source, ref, err);
    if (code != LITH_OK) {
        lith_chunk_reader_close(reader);
        return code;
    }
    *ret_reader = reader;
    return LITH_OK;
}

struct lith_chunk_ref lith_chunk_ref_of(const struct lith_footer *footer, uint32_t row_group,
                                        uint32_t leaf)
{
    LITH_ASSERT(row_group < footer->row_group_count);
    LITH_ASSERT(leaf < footer->schema.leaf_count);
    return (struct lith_chunk_ref){
        .schema = &footer->schema,
        .row_group = row_group,
        .leaf = leaf,
        .num_rows = footer->row_groups[row_group].num_rows,
        .footer_offset = footer->footer_offset,
        .created_by = footer->created_by,
        .meta = &footer->row_groups[row_group].chunks[leaf],
    };
}

uint64_t lith_chunk_ref_end(const struct lith_chunk_ref *ref)
{
    uint64_t end =
        (uint64_t)lith_chunk_start(ref->meta) + (uint64_t)ref->meta->total_compressed_size;

    if (lith_is_old_parquet_mr(ref->created_by, 3))
        end += LITH_PAGE_HEADER_GUESS_BYTES;
    return lith_min_u64(end, ref->footer_offset);
}

enum lith_code lith_chunk_reader_open(struct lith_source *source, const struct lith_footer *footer,
                                      uint32_t row_group, uint32_t leaf,
                                      struct lith_codec_context *codecs,
                                      const struct lith_work *work,
                                      struct lith_chunk_reader **ret_reader, struct lith_err *err)
{
    const struct lith_chunk_ref ref = lith_chunk_ref_of(footer, row_group, leaf);

    return lith_chunk_reader_open_ref(source, &ref, codecs, work, ret_reader, err);
}

void lith_chunk_reader_close(struct lith_chunk_reader *reader)
{
    if (!reader)
        return;
    chunk_done(reader);
    lith_chunk_levels_done(&reader->levels);
    lith_page_source_done(&reader->pages);
    lith_buf_done(&reader->previous);
    lith_free(reader);
}

static bool is_dictionary_encoding(int encoding)
{
    return encoding == LITH_ENCODING_PLAIN_DICTIONARY || encoding == LITH_ENCODING_RLE_DICTIONARY;
}

static enum lith_code open_decoder(struct lith_chunk_reader *reader)
{
    const struct lith_page *page = &reader->page;
    int encoding = page->header.encoding;
    struct lith_err *err = &reader->err;

    /* The body of the dictionary page outlives the page: it has room of its own. */
    const struct lith_decoder_options options = {
        .encoding = (enum lith_encoding)encoding,
        .type = reader->leaf->type,
        .type_length = reader->leaf->type_length,
        .value_count = reader->values_left,
        .body = &page->values,
        .begin = reader->values_begin,
        .end = page->values.bytes,
        .dictionary =
            is_dictionary_encoding(encoding) && reader->has_dictionary ? &reader->dictionary : NULL,
        .want_ids = reader->want_ids,
        .work = reader->work,
    };
    LITH_TRY(lith_decoder_open(&options, &reader->decoder, err));
    if (reader->keeps_last && encoding == LITH_ENCODING_DELTA_BYTE_ARRAY)
        lith_decoder_continue(reader->decoder,
                              (struct lith_slice){reader->previous.data, reader->previous.bytes});
    return LITH_OK;
}

/* Reads the body of the page at hand, once. */
static enum lith_code load_page(struct lith_chunk_reader *reader)
{
    if (reader->page_loaded)
        return LITH_OK;
    LITH_TRY(lith_page_source_load(&reader->pages, &reader->page, &reader->err));
    reader->page_loaded = true;
    return LITH_OK;
}

/* Begins to decode the page at hand. */
static enum lith_code open_page(struct lith_chunk_reader *reader)
{
    struct lith_err *err = &reader->err;

    LITH_TRY(load_page(reader));
    LITH_TRY(lith_chunk_levels_open(&reader->levels, &reader->page, &reader->values_begin,
                                    &reader->values_left, err));
    LITH_TRY(open_decoder(reader));
    reader->page_open = true;
    reader->page_started = false;
    return LITH_OK;
}

/* What the header of a V2 page said of its levels. */
static enum lith_code check_v2(struct lith_chunk_reader *reader)
{
    const struct lith_page_header *header = &reader->page.header;
    uint64_t nulls = header->num_values - reader->levels.values;

    if (nulls != header->num_nulls)
        return lith_fail(&reader->err, LITH_E_CORRUPT,
                         "the header says %" PRIu32 " nulls, the levels %" PRIu64,
                         header->num_nulls, nulls);
    if (reader->levels.rows != header->num_rows)
        return lith_fail(&reader->err, LITH_E_CORRUPT,
                         "the header says %" PRIu32 " rows, the levels %" PRIu64, header->num_rows,
                         reader->levels.rows);
    return LITH_OK;
}

/*
 * Bytes behind the last value. Runs of ids and booleans say themselves where they end, and some
 * writers pad them. Elsewhere up to a word is accepted (Oracle and nanoparquet write one), unless
 * it may be the sign of values read from the wrong place: in a page with nulls, of values that
 * were stored for them; in a REQUIRED column, of levels that stand in front all the same.
 */
static enum lith_code check_leftover(struct lith_chunk_reader *reader)
{
    const struct lith_page *page = &reader->page;
    uint64_t left = lith_decoder_left(reader->decoder);
    uint64_t nulls = page->header.num_values - reader->levels.values;
    uint8_t length[4];

    if (left == 0 || is_dictionary_encoding(page->header.encoding) ||
        page->header.encoding == LITH_ENCODING_RLE)
        return LITH_OK;
    if (left > LITH_PAGE_SLACK_BYTES || nulls > 0)
        return lith_fail(&reader->err, LITH_E_CORRUPT,
                         "%" PRIu64 " bytes are left behind %" PRIu64 " values and %" PRIu64
                         " nulls",
                         left, reader->levels.values, nulls);
    if (reader->leaf->max_def > 0 || left < sizeof(length))
        return LITH_OK;
    LITH_TRY(
        lith_body_read(&page->values, reader->values_begin, length, sizeof(length), &reader->err));
    if (lith_load_u32(length) == left - sizeof(length))
        return lith_fail(&reader->err, LITH_E_CORRUPT,
                         "the column is REQUIRED, but its values begin with %" PRIu64
                         " bytes that look like levels",
                         left);
    return LITH_OK;
}

static enum lith_code close_page(struct lith_chunk_reader *reader)
{
    uint64_t rows = reader->rows + reader->levels.rows;

    if (reader->page.is_v2)
        LITH_TRY(check_v2(reader));
    LITH_TRY(check_leftover(reader));
    if (reader->keeps_last && reader->levels.values > 0) {
        lith_buf_clear(&reader->previous);
        LITH_TRY(lith_buf_append(&reader->previous, reader->last.data, reader->last.bytes,
                                 &reader->err));
    }
    lith_decoder_close(reader->decoder);
    reader->decoder = NULL;
    reader->rows = rows;
    reader->page_open = false;
    reader->at_page = false;
    return LITH_OK;
}

/* Rows so far, against the row group: early, so that callers may rely on it. */
static enum lith_code check_rows(struct lith_chunk_reader *reader)
{
    uint64_t rows = reader->rows + (reader->page_open ? reader->levels.rows : 0);
    uint64_t expected = (uint64_t)reader->ref.num_rows;

    if (rows > expected || (reader->ended && rows != expected && !reader->rows_unknown))
        return lith_fail(&reader->err, LITH_E_CORRUPT,
                         "the chunk has %s%" PRIu64 " rows, its row group %" PRIu64,
                         reader->ended ? "" : "at least ", rows, expected);
    return LITH_OK;
}

/* Leaves a page that nobody decoded, counting it by its header. */
static enum lith_code pass_page(struct lith_chunk_reader *reader)
{
    const struct lith_page_header *header = &reader->page.header;

    if (reader->leaf->max_rep == 0) {
        if (reader->page.is_v2 && header->num_rows != header->num_values)
            return lith_fail(&reader->err, LITH_E_CORRUPT,
                             "the header says %" PRIu32 " rows of %" PRIu32 " values",
                             header->num_rows, header->num_values);
        reader->rows += header->num_values;
    } else if (reader->page.is_v2) {
        reader->rows += header->num_rows;
    } else if (reader->page_counted) {
        reader->rows += reader->page_rows;
    } else {
        reader->rows_unknown = true;
    }
    reader->at_page = false;
    return LITH_OK;
}

/* Moves on to the header of the next data page, past the dictionary page; or to the end. */
static enum lith_code next_page(struct lith_chunk_reader *reader)
{
    if (reader->at_page)
        LITH_TRY(reader->page_open ? close_page(reader) : pass_page(reader));
    while (!reader->at_page && !reader->ended) {
        LITH_TRY(
            lith_page_source_next(&reader->pages, &reader->page, &reader->ended, &reader->err));
        if (reader->ended)
            break;
        if (reader->page.header.type == LITH_PAGE_DICTIONARY) {
            LITH_TRY(take_dictionary(reader, reader->page.header.num_values, &reader->page.values));
            continue;
        }
        int encoding = reader->page.header.encoding;
        if (encoding < 0 || encoding >= LITH_ENCODING_COUNT)
            return lith_fail(&reader->err, LITH_E_UNSUPPORTED, "a page with encoding %d", encoding);
        reader->at_page = true;
        reader->page_loaded = false;
        reader->page_counted = false;
        reader->data_pages++;
    }
    return check_rows(reader);
}

/* The first repetition level of a chunk, and of each V2 page, begins a row. */
static enum lith_code check_start(struct lith_chunk_reader *reader)
{
    bool must = reader->page.is_v2 || reader->data_pages == 1;

    if (must && reader->levels.rep.max > 0 && reader->levels.rep.levels[0] != 0)
        return lith_fail(&reader->err, LITH_E_CORRUPT,
                         "the first repetition level is %u, it must be 0",
                         reader->levels.rep.levels[0]);
    return LITH_OK;
}

static enum lith_code decode_values(struct lith_chunk_reader *reader, size_t wanted,
                                    struct lith_values *ret_values)
{
    *ret_values = (struct lith_values){
        .type = reader->leaf->type,
        .width = lith_type_width(reader->leaf->type, reader->leaf->type_length),
    };
    if (wanted == 0)
        return LITH_OK;
    if (wanted > reader->values_left)
        return lith_fail(&reader->err, LITH_E_CORRUPT,
                         "the levels have more values than the header's %" PRIu32 " less %" PRIu32
                         " nulls",
                         reader->page.header.num_values, reader->page.header.num_nulls);
    LITH_TRY(lith_decoder_next(reader->decoder, wanted, ret_values, &reader->err));
    LITH_ASSERT(ret_values->count >= 1);
    LITH_ASSERT(ret_values->count <= wanted);
    reader->values_left -= ret_values->count;
    if (reader->keeps_last)
        reader->last = ret_values->ids ? lith_dictionary_at(ret_values->dictionary,
                                                            ret_values->ids[ret_values->count - 1])
                                       : lith_values_at(ret_values, ret_values->count - 1);
    return LITH_OK;
}

static enum lith_code next_batch(struct lith_chunk_reader *reader, struct lith_batch *ret_batch)
{
    struct lith_chunk_levels *levels = &reader->levels;
    struct lith_values values;

    LITH_TRY(lith_chunk_levels_fill(levels, &reader->err));
    if (!reader->page_started)
        LITH_TRY(check_start(reader));
    LITH_TRY(check_rows(reader));
    size_t wanted = lith_chunk_levels_values(levels);
    LITH_TRY(decode_values(reader, wanted, &values));
    size_t positions = values.count == wanted ? levels->end - levels->begin
                                              : lith_chunk_levels_cut(levels, values.count);
    *ret_batch = (struct lith_batch){
        .position_count = positions,
        .def_levels = levels->def.max > 0 ? levels->def.levels + levels->begin : NULL,
        .rep_levels = levels->rep.max > 0 ? levels->rep.levels + levels->begin : NULL,
        .values = values,
        .page_start = !reader->page_started,
    };
    reader->page_started = true;
    levels->begin += positions;
    return LITH_OK;
}

static bool page_is_read(const struct lith_chunk_reader *reader)
{
    return reader->page_open && reader->levels.begin == reader->levels.end &&
           reader->levels.undecoded == 0;
}

static enum lith_code next(struct lith_chunk_reader *reader, struct lith_batch *ret_batch)
{
    if (!reader->at_page || page_is_read(reader))
        LITH_TRY(next_page(reader));
    if (reader->ended) {
        *ret_batch = (struct lith_batch){.values = {.type = reader->leaf->type}};
        return LITH_OK;
    }
    if (!reader->page_open)
        LITH_TRY(open_page(reader));
    return next_batch(reader, ret_batch);
}

enum lith_code lith_chunk_reader_next(struct lith_chunk_reader *reader,
                                      struct lith_batch *ret_batch, struct lith_err *err)
{
    enum lith_code code = next(reader, ret_batch);

    return code == LITH_OK ? code : fail_with_place(reader, code, err);
}

enum lith_code lith_chunk_reader_page(struct lith_chunk_reader *reader,
                                      const struct lith_page **ret_page, struct lith_err *err)
{
    LITH_ASSERT(!reader->page_open || page_is_read(reader));
    enum lith_code code = next_page(reader);
    if (code != LITH_OK)
        return fail_with_place(reader, code, err);
    *ret_page = reader->at_page ? &reader->page : NULL;
    return LITH_OK;
}

enum lith_code lith_chunk_reader_page_batch(struct lith_chunk_reader *reader,
                                            struct lith_batch *ret_batch, struct lith_err *err)
{
    enum lith_code code = LITH_OK;

    LITH_ASSERT(reader->at_page);
    if (page_is_read(reader)) {
        *ret_batch = (struct lith_batch){.values = {.type = reader->leaf->type}};
        return LITH_OK;
    }
    if (!reader->page_open)
        code = open_page(reader);
    if (code == LITH_OK)
        code = next_batch(reader, ret_batch);
    return code == LITH_OK ? code : fail_with_place(reader, code, err);
}

enum lith_code lith_chunk_reader_page_load(struct lith_chunk_reader *reader, struct lith_err *err)
{
    LITH_ASSERT(reader->at_page);
    enum lith_code code = load_page(reader);
    return code == LITH_OK ? code : fail_with_place(reader, code, err);
}

enum lith_code lith_chunk_reader_page_values(struct lith_chunk_reader *reader, uint64_t *ret_begin,
                                             uint64_t *ret_count, struct lith_err *err)
{
    LITH_ASSERT(reader->at_page && !reader->page_open);
    enum lith_code code = load_page(reader);
    if (code == LITH_OK)
        code = lith_chunk_levels_open(&reader->levels, &reader->page, ret_begin, ret_count,
                                      &reader->err);
    return code == LITH_OK ? code : fail_with_place(reader, code, err);
}

static enum lith_code count_rows(struct lith_chunk_reader *reader)
{
    struct lith_chunk_levels *levels = &reader->levels;
    uint64_t begin, count;

    LITH_TRY(load_page(reader));
    LITH_TRY(lith_chunk_levels_open(levels, &reader->page, &begin, &count, &reader->err));
    for (bool is_first = true; is_first || levels->undecoded > 0; is_first = false) {
        LITH_TRY(lith_chunk_levels_fill(levels, &reader->err));
        if (is_first)
            LITH_TRY(check_start(reader));
        levels->begin = levels->end;
    }
    reader->page_counted = true;
    reader->page_rows = levels->rows;
    return LITH_OK;
}

enum lith_code lith_chunk_reader_page_rows(struct lith_chunk_reader *reader, struct lith_err *err)
{
    LITH_ASSERT(reader->at_page && !reader->page_open);
    enum lith_code code = LITH_OK;
    if (reader->leaf->max_rep > 0 && !reader->page.is_v2)
        code = count_rows(reader);
    return code == LITH_OK ? code : fail_with_place(reader, code, err);
}

struct lith_dictionary *lith_chunk_reader_dictionary(struct lith_chunk_reader *reader)
{
    return reader->has_dictionary ? &reader->dictionary : NULL;
}

size_t lith_chunk_reader_dictionary_bytes(const struct lith_chunk_reader *reader)
{
    const struct lith_buf *plain = &reader->pages.dictionary.plain;
    bool is_there =
        reader->has_dictionary && plain->bytes > 0 && reader->dictionary.body.data == plain->data;

    return is_there ? plain->capacity : 0;
}

void lith_chunk_reader_dictionary_take(struct lith_chunk_reader *reader,
                                       struct lith_read_dictionary *ret_dictionary)
{
    struct lith_buf *plain = &reader->pages.dictionary.plain;

    LITH_ASSERT(lith_chunk_reader_dictionary_bytes(reader) > 0);
    *ret_dictionary = reader->pages.passed;
    ret_dictionary->body = *plain;
    *plain = (struct lith_buf){.mem = plain->mem, .limit = plain->limit};
    lith_dictionary_done(&reader->dictionary);
    reader->has_dictionary = false;
}

enum lith_code lith_chunk_reader_fail(struct lith_chunk_reader *reader, enum lith_code code,
                                      struct lith_err *err)
{
    reader->err = *err;
    return fail_with_place(reader, code, err);
}
