/*
 * Making one output chunk. The sources are walked up to four times: to survey them, to find the
 * largest dictionary, to merge all, to move them; the records are small, and pages are looked at in
 * none but the last three.
 */
#include "merge/chunk_move.h"

#include "base/checked.h"
#include "parquet/page_source.h"

enum lith_code lith_chunk_maker_init(struct lith_chunk_maker *maker, struct lith_merge *merge,
                                     struct lith_codec_context *codecs, uint32_t user,
                                     size_t windows_bytes, struct lith_err *err)
{
    *maker = (struct lith_chunk_maker){.merge = merge, .user = user, .bad_input = SIZE_MAX};
    lith_run_cursor_init(&maker->cursor, &merge->runs);
    lith_read_ahead_init(&maker->ahead, merge->work->mem, LITH_READ_AHEAD_BYTES);
    lith_windows_init(&maker->windows, merge->work, windows_bytes);
    lith_kept_init(&maker->kept, merge->work);
    return lith_move_tools_init(&maker->tools, codecs, merge->work, err);
}

void lith_chunk_maker_done(struct lith_chunk_maker *maker)
{
    if (!maker->merge)
        return;
    lith_move_tools_done(&maker->tools);
    lith_run_cursor_done(&maker->cursor);
    lith_read_ahead_done(&maker->ahead);
    lith_windows_done(&maker->windows);
    lith_kept_clear(&maker->kept);
    lith_chunk_route_done(&maker->route);
    *maker = (struct lith_chunk_maker){.merge = NULL};
}

void lith_chunk_maker_row_group(struct lith_chunk_maker *maker, size_t begin, size_t end)
{
    const struct lith_merge *merge = maker->merge;
    uint64_t bytes = 0;

    for (size_t i = begin; i < end; i++)
        bytes += merge->units[i].compressed_bytes / merge->schema.leaf_count;
    maker->window_begin = begin;
    lith_windows_begin(&maker->windows, end - begin, bytes / (end - begin));
}

static struct lith_input *input_of(const struct lith_chunk_maker *maker,
                                   const struct lith_source_chunk *chunk)
{
    return &maker->merge->set.inputs[maker->merge->units[chunk->unit].input];
}

enum lith_code lith_chunk_maker_input(struct lith_chunk_maker *maker, size_t index,
                                      struct lith_source **ret_file, struct lith_err *err)
{
    struct lith_input_set *set = &maker->merge->set;
    struct lith_input *input;

    if (maker->user != LITH_NO_INDEX)
        return lith_input_set_use(set, maker->user, index, ret_file, err);
    LITH_TRY(lith_input_set_get(set, index, &input, err));
    *ret_file = input->source;
    return LITH_OK;
}

/* The pages of a source chunk up to `end`; *ret_file is the input, NULL where it is not needed. */
static enum lith_code pages_open(struct lith_chunk_maker *maker,
                                 const struct lith_source_chunk *chunk, uint64_t end,
                                 struct lith_source **ret_pages, struct lith_source **ret_file,
                                 struct lith_err *err)
{
    const struct lith_unit *unit = &maker->merge->units[chunk->unit];

    if (chunk->is_staged) {
        lith_memory_source_init_at(&maker->staged, chunk->pages_offset, chunk->pages.data,
                                   chunk->pages.bytes);
        *ret_pages = &maker->staged.base;
        *ret_file = NULL;
        return LITH_OK;
    }
    LITH_TRY(lith_chunk_maker_input(maker, unit->input, ret_file, err));
    *ret_pages = lith_windows_open(&maker->windows, chunk->unit - maker->window_begin, *ret_file,
                                   chunk->pages_offset, input_of(maker, chunk)->footer_offset);
    if (*ret_pages)
        return LITH_OK;
    lith_read_ahead_open(&maker->ahead, *ret_file, chunk->pages_offset, end);
    *ret_pages = &maker->ahead.base;
    return LITH_OK;
}

static const struct lith_kind *kind_of(const struct lith_chunk_maker *maker,
                                       const struct lith_source_chunk *chunk)
{
    return &maker->merge->kinds.kinds[input_of(maker, chunk)->kind];
}

/* Where the leaf at hand stands in the schema of a source chunk. */
static struct lith_union_place place_of(const struct lith_chunk_maker *maker,
                                        const struct lith_source_chunk *chunk)
{
    const struct lith_kind *kind = kind_of(maker, chunk);
    uint32_t leaf = maker->cursor.leaf;

    if (!kind->places)
        return (struct lith_union_place){.leaf = leaf, .fellow = LITH_NO_INDEX};
    return kind->places[leaf];
}

static struct lith_chunk_ref chunk_ref(const struct lith_chunk_maker *maker,
                                       const struct lith_source_chunk *chunk)
{
    const struct lith_unit *unit = &maker->merge->units[chunk->unit];
    const struct lith_input *input = input_of(maker, chunk);
    struct lith_union_place place = place_of(maker, chunk);

    return (struct lith_chunk_ref){
        .schema = &kind_of(maker, chunk)->schema,
        .row_group = unit->row_group,
        .leaf = place.leaf != LITH_NO_INDEX ? place.leaf : place.fellow,
        .num_rows = unit->rows,
        .footer_offset = input->footer_offset,
        .created_by = *input->created_by,
        .meta = &chunk->meta,
    };
}

/* What turns the source's levels and values into those of the output. */
static void translation_set(struct lith_chunk_maker *maker, const struct lith_source_chunk *chunk,
                            struct lith_move *move)
{
    const struct lith_kind *kind = kind_of(maker, chunk);
    const struct lith_schema *schema = &maker->merge->schema;
    struct lith_union_place place = place_of(maker, chunk);
    bool is_absent = place.leaf == LITH_NO_INDEX;

    if (!kind->places)
        return;
    uint32_t from = is_absent ? place.group : kind->schema.leaves[place.leaf];
    uint32_t to = is_absent ? place.union_group : schema->leaves[maker->cursor.leaf];
    maker->levels = lith_level_map_make(&kind->schema, from, schema, to);
    move->levels = &maker->levels;
    if (is_absent) {
        move->chunk = NULL;
        move->group = &kind->schema.nodes[place.group];
        move->is_void = place.is_void;
    } else if (place.is_narrow) {
        maker->widening = lith_widening_of(&kind->schema.nodes[from], &schema->nodes[to]);
        move->widening = &maker->widening;
    }
}

/* Keeps the dictionary that the reader has until its source is moved, where that is worth it. */
static enum lith_code dictionary_keep(struct lith_chunk_maker *maker, uint32_t unit,
                                      struct lith_err *err)
{
    struct lith_chunk_reader *reader = maker->tools.reader;
    struct lith_read_dictionary dictionary;

    if (!lith_kept_wants(&maker->kept, lith_chunk_reader_dictionary_bytes(reader)))
        return LITH_OK;
    lith_chunk_reader_dictionary_take(reader, &dictionary);
    enum lith_code code = lith_kept_add(&maker->kept, unit, &dictionary, err);
    if (code != LITH_OK)
        lith_buf_done(&dictionary.body);
    return code == LITH_E_LIMIT ? LITH_OK : code; /* then it is read again */
}

/* Gives the dictionary of a source chunk to the route. */
static enum lith_code dictionary_add(struct lith_chunk_maker *maker,
                                     const struct lith_source_chunk *chunk, bool is_seed,
                                     bool *ret_enough, struct lith_err *err)
{
    struct lith_chunk_reader *reader = maker->tools.reader;
    struct lith_chunk_ref ref = chunk_ref(maker, chunk);
    const struct lith_page *page;
    struct lith_source *pages, *file;

    /* Data pages are not looked at, so the window over the dictionary ends with it. */
    uint64_t end = lith_min_u64(lith_chunk_ref_end(&ref), (uint64_t)chunk->meta.data_page_offset +
                                                              LITH_PAGE_HEADER_GUESS_BYTES);
    LITH_TRY(pages_open(maker, chunk, end, &pages, &file, err));
    LITH_TRY(lith_chunk_reader_begin(reader, pages, &ref, err));
    LITH_TRY(lith_chunk_reader_page(reader, &page, err));
    struct lith_dictionary *dictionary = lith_chunk_reader_dictionary(reader);
    if (!dictionary)
        return LITH_OK;
    LITH_TRY(
        lith_chunk_route_dictionary(&maker->route, chunk, dictionary, is_seed, ret_enough, err));
    return is_seed ? LITH_OK : dictionary_keep(maker, chunk->unit, err);
}

static enum lith_code stop_check(const struct lith_chunk_maker *maker, struct lith_err *err)
{
    if (maker->stop && atomic_load(maker->stop))
        return lith_fail(err, LITH_E_CANCELLED, "not needed any more");
    return lith_work_check(maker->merge->work, err);
}

/* Walks the sources, calling `each` until it says that it is enough; failures name the input. */
static enum lith_code walk(struct lith_chunk_maker *maker, uint32_t leaf, size_t begin, size_t end,
                           enum lith_code (*each)(void *ctx, struct lith_chunk_maker *maker,
                                                  const struct lith_source_chunk *chunk,
                                                  bool *ret_enough, struct lith_err *err),
                           void *ctx, struct lith_err *err)
{
    const struct lith_merge *merge = maker->merge;
    struct lith_source_chunk chunk;
    bool enough = false;

    lith_run_cursor_open(&maker->cursor, leaf, begin, end);
    for (;;) {
        bool ended = false;
        LITH_TRY(stop_check(maker, err));
        LITH_TRY(lith_run_cursor_next(&maker->cursor, &chunk, &ended, err));
        if (ended || enough)
            return LITH_OK;
        maker->bad_input = merge->units[chunk.unit].input;
        if (each(ctx, maker, &chunk, &enough, err) != LITH_OK)
            return lith_err_prefix(err, "%s", merge->inputs[maker->bad_input].name);
        maker->bad_input = SIZE_MAX;
    }
}

static enum lith_code survey_each(void *ctx, struct lith_chunk_maker *maker,
                                  const struct lith_source_chunk *chunk, bool *ret_enough,
                                  struct lith_err *err)
{
    (void)ctx, (void)ret_enough, (void)err;
    lith_chunk_route_add(&maker->route, chunk, *input_of(maker, chunk)->created_by);
    return LITH_OK;
}

static enum lith_code seed_each(void *ctx, struct lith_chunk_maker *maker,
                                const struct lith_source_chunk *chunk, bool *ret_enough,
                                struct lith_err *err)
{
    bool ignored;

    (void)ctx;
    *ret_enough = chunk->unit == maker->route.sums.largest_unit;
    return *ret_enough ? dictionary_add(maker, chunk, true, &ignored, err) : LITH_OK;
}

static enum lith_code dictionary_each(void *ctx, struct lith_chunk_maker *maker,
                                      const struct lith_source_chunk *chunk, bool *ret_enough,
                                      struct lith_err *err)
{
    (void)ctx;
    if (chunk->meta.dictionary_page_offset == 0 || chunk->is_absent || chunk->is_narrow)
        return LITH_OK;
    return dictionary_add(maker, chunk, false, ret_enough, err);
}

/* The compressed bytes of the column that a source has. A column that is nothing but nulls by its
 * type has some too. */
static uint64_t own_bytes(const struct lith_source_chunk *chunk)
{
    return chunk->is_absent && !chunk->is_void ? 0 : (uint64_t)chunk->meta.total_compressed_size;
}

/* What is explained of a source chunk, but for its mover. */
static struct lith_explained explained_of(const struct lith_chunk_maker *maker,
                                          const struct lith_source_chunk *chunk)
{
    const struct lith_merge *merge = maker->merge;
    const struct lith_unit *unit = &merge->units[chunk->unit];

    return (struct lith_explained){
        .leaf = maker->cursor.leaf,
        .schema = &merge->schema,
        .input = unit->input,
        .input_name = merge->inputs[unit->input].name,
        .row_group = unit->row_group,
        .bytes = own_bytes(chunk),
    };
}

static enum lith_code explain_each(void *ctx, struct lith_chunk_maker *maker,
                                   const struct lith_source_chunk *chunk, bool *ret_enough,
                                   struct lith_err *err)
{
    const struct lith_merge *merge = maker->merge;
    struct lith_explained explained = explained_of(maker, chunk);

    (void)ctx, (void)ret_enough;
    explained.mover = lith_chunk_route_mover(
        &maker->route, chunk, *input_of(maker, chunk)->created_by, &explained.reason);
    return merge->options.explain(merge->options.explain_ctx, &explained, err);
}

static enum lith_code sorted_each(void *ctx, struct lith_chunk_maker *maker,
                                  const struct lith_source_chunk *chunk, bool *ret_enough,
                                  struct lith_err *err)
{
    const struct lith_merge *merge = maker->merge;
    struct lith_explained explained = explained_of(maker, chunk);

    (void)ctx, (void)ret_enough;
    explained.mover = chunk->is_absent ? LITH_MOVER_NULL : LITH_MOVER_RECODE;
    explained.reason = chunk->is_absent ? LITH_REASON_ABSENT : LITH_REASON_SORTED;
    return merge->options.explain(merge->options.explain_ctx, &explained, err);
}

enum lith_code lith_chunk_maker_explain_sorted(struct lith_chunk_maker *maker, uint32_t leaf,
                                               size_t begin, size_t end, struct lith_err *err)
{
    return walk(maker, leaf, begin, end, sorted_each, NULL, err);
}

enum lith_code lith_chunk_maker_plan(struct lith_chunk_maker *maker, uint32_t leaf, size_t begin,
                                     size_t end, struct lith_err *err)
{
    struct lith_merge *merge = maker->merge;
    const struct lith_schema_node *node = lith_schema_leaf(&merge->schema, leaf);
    struct lith_chunk_plan plan =
        lith_chunk_votes_plan(&merge->votes[leaf], node, &merge->options.codec);
    struct lith_chunk_route *route = &maker->route;

    lith_kept_clear(&maker->kept);
    lith_chunk_route_done(route);
    lith_chunk_route_begin(route, merge->work, node, &plan, merge->options.force, (uint32_t)begin);
    LITH_TRY(walk(maker, leaf, begin, end, survey_each, NULL, err));
    if (lith_chunk_route_wants_dictionaries(route)) {
        LITH_TRY(walk(maker, leaf, begin, end, seed_each, NULL, err));
        LITH_TRY(walk(maker, leaf, begin, end, dictionary_each, NULL, err));
    }
    lith_chunk_route_settle(route);
    if (!merge->options.explain)
        return LITH_OK;
    return walk(maker, leaf, begin, end, explain_each, NULL, err);
}

/* How well values of the column compress: in this chunk, or while it has no page, in the last. */
static struct lith_packed *packed_look(const struct lith_chunk_maker *maker,
                                       const struct lith_file_writer *writer)
{
    struct lith_packed *packed = &maker->merge->packed[maker->cursor.leaf];
    uint64_t plain, stored;

    lith_file_writer_packed(writer, &plain, &stored);
    if (plain) {
        packed->plain_bytes = plain;
        packed->stored_bytes = stored;
    }
    return packed;
}

static enum lith_code move_each(void *ctx, struct lith_chunk_maker *maker,
                                const struct lith_source_chunk *chunk, bool *ret_enough,
                                struct lith_err *err)
{
    const struct lith_chunk_outlet *outlet = ctx;
    const struct lith_chunk_route *route = &maker->route;
    enum lith_reason reason;
    struct lith_move move = {
        .chunk = chunk,
        .leaf = route->leaf,
        .may_copy = route->copies,
        .ref = chunk_ref(maker, chunk),
        .tools = &maker->tools,
        .writer = outlet->writer,
        .codec = route->plan.codec,
        .dictionary = route->plan.dictionary,
        .wants_bloom = route->plan.bloom,
        .checks_damage = maker->merge->options.check_damage,
        .packed = packed_look(maker, outlet->writer),
        .witness = outlet->witness,
        .counts = outlet->counts,
    };

    (void)ret_enough;
    translation_set(maker, chunk, &move);
    if (move.ref.leaf != LITH_NO_INDEX)
        LITH_TRY(
            pages_open(maker, chunk, lith_chunk_ref_end(&move.ref), &move.pages, &move.file, err));
    move.ref.dictionary = lith_kept_take(&maker->kept, chunk->unit);
    move.map = lith_chunk_route_map(route, chunk->unit, &move.map_count);
    LITH_TRY(lith_mover_run(lith_chunk_route_mover(route, chunk, move.ref.created_by, &reason),
                            &move, err));
    lith_merge_progress(maker->merge, own_bytes(chunk));
    return LITH_OK;
}

struct lith_chunk_outlet lith_chunk_outlet_of(struct lith_merge *merge, uint32_t leaf,
                                              struct lith_file_writer *writer,
                                              struct lith_witness *witness)
{
    struct lith_chunk_outlet outlet = {
        .writer = writer,
        .witness = merge->options.skip_witness ? NULL : witness,
    };

    for (size_t i = 0; i < merge->key_count; i++) {
        if (merge->keys[i].leaf == leaf)
            outlet.counts = &merge->keys[i].counts;
    }
    return outlet;
}

enum lith_code lith_chunk_maker_write(struct lith_chunk_maker *maker, uint32_t leaf, size_t begin,
                                      size_t end, struct lith_file_writer *writer,
                                      struct lith_witness *witness, struct lith_err *err)
{
    struct lith_merge *merge = maker->merge;
    struct lith_chunk_outlet outlet = lith_chunk_outlet_of(merge, leaf, writer, witness);
    uint64_t rows = 0;

    LITH_TRY(lith_chunk_maker_plan(maker, leaf, begin, end, err));
    for (size_t i = begin; i < end; i++)
        rows += (uint64_t)merge->units[i].rows;
    lith_witness_chunk_begin(witness, lith_schema_leaf(&merge->schema, leaf));
    LITH_TRY(lith_file_writer_chunk(writer, &maker->route.plan, err));
    LITH_TRY(walk(maker, leaf, begin, end, move_each, &outlet, err));
    LITH_TRY(lith_file_writer_chunk_end(writer, err));
    return lith_witness_chunk_end(witness, rows, err);
}

static enum lith_code deal_each(void *ctx, struct lith_chunk_maker *maker,
                                const struct lith_source_chunk *chunk, bool *ret_enough,
                                struct lith_err *err)
{
    struct lith_deal *deal = ctx;
    struct lith_move move = {
        .chunk = chunk,
        .leaf = lith_schema_leaf(&maker->merge->schema, maker->cursor.leaf),
        .ref = chunk_ref(maker, chunk),
        .tools = &maker->tools,
        .deal = deal,
    };

    uint64_t rows = lith_deal_rows(deal, chunk->unit);
    if (rows == 0)
        return LITH_OK;
    translation_set(maker, chunk, &move);
    if (move.ref.leaf != LITH_NO_INDEX)
        LITH_TRY(
            pages_open(maker, chunk, lith_chunk_ref_end(&move.ref), &move.pages, &move.file, err));
    LITH_TRY(lith_deal_unit(deal, chunk->unit, err));
    LITH_TRY(lith_mover_run(chunk->is_absent ? LITH_MOVER_NULL : LITH_MOVER_RECODE, &move, err));
    LITH_TRY(lith_deal_unit_end(deal, err));
    *ret_enough = lith_deal_is_full(deal);
    if (*ret_enough)
        return LITH_OK;
    /* Its bytes count as moved in so far as its rows are in this span. */
    uint64_t all = (uint64_t)maker->merge->units[chunk->unit].rows;
    uint64_t bytes = (uint64_t)((double)own_bytes(chunk) * (double)rows / (double)all);
    uint64_t told = lith_min_u64(bytes, maker->told_bytes);
    maker->told_bytes -= told;
    maker->dealt_bytes += bytes;
    lith_merge_progress(maker->merge, bytes - told);
    return LITH_OK;
}

/* Dealing ids pays where the output tries a dictionary; counting wants values. */
static bool deals_ids(const struct lith_merge *merge, uint32_t leaf)
{
    struct lith_chunk_plan plan = lith_chunk_votes_plan(
        &merge->votes[leaf], lith_schema_leaf(&merge->schema, leaf), &merge->options.codec);

    for (size_t i = 0; i < merge->key_count; i++) {
        if (merge->keys[i].leaf == leaf)
            return false;
    }
    return plan.try_dictionary;
}

enum lith_code lith_chunk_maker_deal(struct lith_chunk_maker *maker, uint32_t leaf, size_t begin,
                                     size_t end, struct lith_deal *deal, struct lith_err *err)
{
    const struct lith_schema_node *node = lith_schema_leaf(&maker->merge->schema, leaf);

    LITH_TRY(deals_ids(maker->merge, leaf) ? lith_deal_leaf_ids(deal, node, err)
                                           : lith_deal_leaf(deal, node, err));
    maker->dealt_bytes = 0;
    maker->told_bytes = 0;
    LITH_TRY(walk(maker, leaf, begin, end, deal_each, deal, err));
    if (lith_deal_is_full(deal)) {
        maker->told_bytes = maker->dealt_bytes;
        LITH_TRY(lith_deal_leaf_again(deal, err));
        LITH_TRY(walk(maker, leaf, begin, end, deal_each, deal, err));
    }
    return lith_deal_leaf_end(deal, err);
}
