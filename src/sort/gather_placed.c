/*
 * A leaf of a bucket that does not fit memory: for some rows of the output at a time the places of
 * their levels, values and bytes are found by walking over levels and lengths once; then each row
 * is read where it lies, as much of it as a batch holds.
 */
#include "base/checked.h"
#include "sort/gather_state.h"
#include "sort/number_sort.h"

/* What a row takes while places are found. */
#define ROW_BYTES (sizeof(struct lith_row_place) + 2 * sizeof(uint64_t))

/* A part that is walked over. */
struct walk {
    const struct lith_stored_part *part;
    uint64_t next; /* byte behind the buffer */
    size_t at;
    size_t filled;
    uint8_t buffer[1024];
};

static enum lith_code walk_fill(struct walk *walk, struct lith_err *err)
{
    size_t bytes = (size_t)lith_min_u64(walk->part->bytes - walk->next, sizeof(walk->buffer));

    if (bytes == 0)
        return lith_scratch_damaged(err);
    LITH_TRY(lith_stored_part_read(walk->part, walk->next, walk->buffer, bytes, err));
    walk->next += bytes;
    walk->at = 0;
    walk->filled = bytes;
    return LITH_OK;
}

static bool walk_is_ended(const struct walk *walk)
{
    return walk->at == walk->filled && walk->next == walk->part->bytes;
}

/* The byte that comes next. */
static enum lith_code walk_peek(struct walk *walk, uint8_t *ret_byte, struct lith_err *err)
{
    if (walk->at == walk->filled)
        LITH_TRY(walk_fill(walk, err));
    *ret_byte = walk->buffer[walk->at];
    return LITH_OK;
}

/* A number of four bytes, which the buffer's size is a multiple of. */
static enum lith_code walk_length(struct walk *walk, uint32_t *ret_length, struct lith_err *err)
{
    if (walk->at == walk->filled)
        LITH_TRY(walk_fill(walk, err));
    if (walk->filled - walk->at < sizeof(*ret_length))
        return lith_scratch_damaged(err);
    *ret_length = lith_load_u32(walk->buffer + walk->at);
    walk->at += sizeof(*ret_length);
    return LITH_OK;
}

/* The walk over all parts of the leaf, row by row. */
struct row_walk {
    const struct lith_gather *gather;
    struct walk rep;
    struct walk def;
    struct walk lengths;
    struct lith_row_place place; /* of the next row */
};

static enum lith_code position_pass(struct row_walk *w, struct lith_err *err)
{
    uint8_t level = (uint8_t)w->gather->leaf->max_def;
    uint32_t length = 0;

    w->place.position++;
    if (w->def.part->bytes) {
        LITH_TRY(walk_peek(&w->def, &level, err));
        w->def.at++;
    }
    if (level != w->gather->leaf->max_def)
        return LITH_OK;
    w->place.value++;
    if (w->gather->width)
        return LITH_OK;
    LITH_TRY(walk_length(&w->lengths, &length, err));
    w->place.byte += length;
    return LITH_OK;
}

/* Passes the next row, all of it; where it begins, and its positions. */
static enum lith_code row_pass(struct row_walk *w, struct lith_row_place *ret_place,
                               struct lith_err *err)
{
    bool is_list = w->rep.part->bytes > 0;
    struct lith_row_place place = w->place;
    uint8_t level;

    if (is_list && w->rep.at == w->rep.filled)
        return lith_scratch_damaged(err); /* fewer rows than there were */
    do {
        LITH_TRY(position_pass(w, err));
        level = 0;
        if (is_list)
            w->rep.at++;
        if (is_list && !walk_is_ended(&w->rep))
            LITH_TRY(walk_peek(&w->rep, &level, err));
    } while (level != 0); /* the next one goes on with the row */
    place.position_count = w->place.position - place.position;
    *ret_place = place;
    return LITH_OK;
}

/* Whether rows and positions of the leaf are one and the same, and values too. */
static bool is_plain(const struct lith_gather *gather)
{
    return gather->width && lith_gather_part(gather, LITH_PART_REP)->bytes == 0 &&
           lith_gather_part(gather, LITH_PART_DEF)->bytes == 0;
}

static enum lith_code places_walk(struct lith_gather *gather, size_t count, struct lith_err *err)
{
    struct lith_gather_placed *p = &gather->placed;
    struct row_walk walk = {
        .gather = gather,
        .rep.part = lith_gather_part(gather, LITH_PART_REP),
        .def.part = lith_gather_part(gather, LITH_PART_DEF),
        .lengths.part = lith_gather_part(gather, LITH_PART_VALUES),
    };
    struct lith_row_place place;
    uint64_t arrival = 0;
    uint8_t first = 0;

    if (walk.rep.part->bytes)
        LITH_TRY(walk_peek(&walk.rep, &first, err));
    if (first != 0)
        return lith_scratch_damaged(err);
    for (size_t i = 0; i < count; i++) {
        do {
            LITH_TRY(row_pass(&walk, &place, err));
        } while (arrival++ < p->keys[i] >> 32);
        p->places[(uint32_t)p->keys[i]] = place;
    }
    return LITH_OK;
}

/* Finds the places of the next rows. */
static enum lith_code places_find(struct lith_gather *gather, struct lith_err *err)
{
    struct lith_gather_placed *p = &gather->placed;
    const uint32_t *arrivals = gather->order->arrivals + gather->row;
    size_t count = lith_min_size(p->row_count_max, gather->order->row_count - gather->row);

    LITH_TRY(lith_work_check(gather->work, err));
    for (size_t i = 0; i < count; i++) {
        p->keys[i] = (uint64_t)arrivals[i] << 32 | i;
        p->places[i] = (struct lith_row_place){
            .position = arrivals[i], .position_count = 1, .value = arrivals[i]};
    }
    p->begin = gather->row;
    p->end = gather->row + count;
    if (is_plain(gather))
        return LITH_OK;
    lith_numbers_sort_upper(p->keys, p->room, count);
    return places_walk(gather, count, err);
}

enum lith_code lith_gather_place(struct lith_gather *gather, struct lith_err *err)
{
    struct lith_gather_placed *p = &gather->placed;
    struct lith_mem *mem = gather->work->mem;
    size_t count = gather->memory_bytes_max / ROW_BYTES;
    void *block;

    count = lith_min_size(count ? count : 1, gather->order->row_count);
    p->row_count_max = count;
    LITH_TRY(lith_alloc_array(mem, count, sizeof(*p->places), &block, err));
    p->places = block;
    LITH_TRY(lith_alloc_array(mem, count, sizeof(*p->keys), &block, err));
    p->keys = block;
    LITH_TRY(lith_alloc_array(mem, count, sizeof(*p->room), &block, err));
    p->room = block;
    p->begin = p->end = 0;
    for (int i = 0; i < LITH_PART_COUNT; i++)
        LITH_TRY(lith_stored_part_check(lith_gather_part(gather, (enum lith_bucket_part)i),
                                        &gather->values, err));
    return LITH_OK;
}

void lith_gather_placed_done(struct lith_gather_placed *placed)
{
    lith_free(placed->places);
    lith_free(placed->keys);
    lith_free(placed->room);
    *placed = (struct lith_gather_placed){0};
}

/* Reads `count` levels, a byte each. */
static enum lith_code levels_read(const struct lith_stored_part *part, uint64_t at, uint16_t *to,
                                  size_t count, struct lith_err *err)
{
    uint8_t bytes[LITH_BATCH_POSITIONS];

    if (at > part->bytes || count > part->bytes - at)
        return lith_scratch_damaged(err);
    LITH_TRY(lith_stored_part_read(part, at, bytes, count, err));
    for (size_t i = 0; i < count; i++)
        to[i] = bytes[i];
    return LITH_OK;
}

/* Appends bytes of a part to the batch's values. */
static enum lith_code values_read(struct lith_gather *gather, enum lith_bucket_part from,
                                  uint64_t at, size_t bytes, struct lith_err *err)
{
    const struct lith_stored_part *part = lith_gather_part(gather, from);
    struct lith_buf *to = &gather->values;

    if (at > part->bytes || bytes > part->bytes - at)
        return lith_scratch_damaged(err);
    LITH_TRY(lith_buf_reserve(to, bytes, err));
    LITH_TRY(lith_stored_part_read(part, at, to->data + to->bytes, bytes, err));
    to->bytes += bytes;
    return LITH_OK;
}

/* Positions of a row that go into the batch. */
struct piece {
    size_t positions;
    size_t values;
    size_t bytes; /* byte arrays */
};

/* Cuts a piece where its byte arrays are more than a batch should have, behind the first value of
 * the batch at the earliest. */
static enum lith_code piece_cut(struct lith_gather *gather, const struct lith_row_place *place,
                                struct piece *piece, struct lith_err *err)
{
    const struct lith_stored_part *part = lith_gather_part(gather, LITH_PART_VALUES);
    uint64_t at = (place->value + gather->values_done) * sizeof(uint32_t);
    uint32_t *lengths = gather->lengths + gather->value_count;
    const uint16_t *levels = gather->def_levels + gather->position_count;
    size_t bytes_max = LITH_GATHER_BATCH_BYTES, values = 0;

    if (at > part->bytes || piece->values * sizeof(uint32_t) > part->bytes - at)
        return lith_scratch_damaged(err);
    LITH_TRY(lith_stored_part_read(part, at, lengths, piece->values * sizeof(uint32_t), err));
    for (size_t i = 0; i < piece->positions; i++) {
        if (levels[i] != gather->leaf->max_def)
            continue;
        bool is_alone = gather->value_count + values == 0;
        if (!is_alone && gather->values.bytes + piece->bytes + lengths[values] > bytes_max) {
            piece->positions = i;
            break;
        }
        piece->bytes += lengths[values++];
    }
    piece->values = values;
    return LITH_OK;
}

/* Gives what fits of the row at hand; positions 0: nothing did. */
static enum lith_code piece_read(struct lith_gather *gather, const struct lith_row_place *place,
                                 struct piece *ret_piece, struct lith_err *err)
{
    uint64_t at = place->position + gather->positions_done;
    struct piece piece = {.positions =
                              (size_t)lith_min_u64(place->position_count - gather->positions_done,
                                                   gather->positions_max - gather->position_count)};
    uint16_t *levels = gather->def_levels + gather->position_count;

    if (lith_gather_part(gather, LITH_PART_REP)->bytes)
        LITH_TRY(levels_read(lith_gather_part(gather, LITH_PART_REP), at,
                             gather->rep_levels + gather->position_count, piece.positions, err));
    if (lith_gather_part(gather, LITH_PART_DEF)->bytes)
        LITH_TRY(
            levels_read(lith_gather_part(gather, LITH_PART_DEF), at, levels, piece.positions, err));
    for (size_t i = 0; i < piece.positions; i++)
        piece.values += levels[i] == gather->leaf->max_def;
    if (gather->width) {
        LITH_TRY(values_read(gather, LITH_PART_VALUES,
                             (place->value + gather->values_done) * gather->width,
                             piece.values * gather->width, err));
    } else {
        LITH_TRY(piece_cut(gather, place, &piece, err));
        LITH_TRY(values_read(gather, LITH_PART_BYTES, place->byte + gather->bytes_done, piece.bytes,
                             err));
    }
    *ret_piece = piece;
    return LITH_OK;
}

static void piece_pass(struct lith_gather *gather, const struct lith_row_place *place,
                       const struct piece *piece)
{
    gather->position_count += piece->positions;
    gather->value_count += piece->values;
    gather->positions_done += piece->positions;
    gather->values_done += piece->values;
    gather->bytes_done += piece->bytes;
    if (gather->positions_done < place->position_count)
        return;
    gather->row++;
    gather->positions_done = 0;
    gather->values_done = 0;
    gather->bytes_done = 0;
}

/* The byte arrays of the batch, now that its bytes move no more. */
static void slices_set(struct lith_gather *gather)
{
    static const uint8_t nothing;
    const uint8_t *next = gather->values.data ? gather->values.data : &nothing;

    for (size_t i = 0; i < gather->value_count; i++) {
        gather->slices[i] = (struct lith_slice){next, gather->lengths[i]};
        next += gather->lengths[i];
    }
}

enum lith_code lith_gather_placed_next(struct lith_gather *gather, struct lith_err *err)
{
    gather->position_count = 0;
    gather->value_count = 0;
    lith_buf_clear(&gather->values);
    while (gather->row < gather->order->row_count &&
           gather->position_count < gather->positions_max) {
        struct piece piece;
        if (gather->row == gather->placed.end)
            LITH_TRY(places_find(gather, err));
        const struct lith_row_place *place =
            &gather->placed.places[gather->row - gather->placed.begin];
        LITH_TRY(piece_read(gather, place, &piece, err));
        piece_pass(gather, place, &piece);
        if (piece.positions == 0)
            break; /* the batch is full */
    }
    if (!gather->width)
        slices_set(gather);
    return LITH_OK;
}
