/*
 * Planning an output chunk. What a source chunk may do is decided by a table of reasons against
 * copying, in the order of parquet-splice.md section 11.2; what it will do also by the others.
 */
#include "merge/chunk_route.h"

#include "base/checked.h"
#include "parquet/rle.h"
#include "parquet/writer_version.h"

/* Sources in turn whose dictionaries do not fit, after which no more are looked at. */
#define MISSED_MAX 3u
/* Sources after which it can be told how much their dictionaries have in common. */
#define TELLING_SOURCES 4u
/* Overflowing so many times, it covers too few sources to pay; less may still, if they differ. */
#define OVERFLOW_PART 4u
/* Covered values, of all values of sources with a dictionary, that a merged one must have: half. */
#define COVERED_PART 2u

/* How the entries of a source's dictionary stand in the merged one. */
enum coverage {
    COVERAGE_MISSING, /* not all are there, or nobody looked */
    COVERAGE_SAME,    /* all, under their ids */
    COVERAGE_MAPPED,  /* all, under others */
};

/* What is known of the dictionary of a unit's chunk. */
struct covered {
    uint32_t coverage;
    uint32_t map_count; /* 0: the map was not kept */
    uint64_t map_offset;
};

/* Maps may take this part of a share; the others are made again when the source is moved. */
#define MAP_SHARES 16u

static const char *const texts[LITH_REASON_COUNT] = {
    [LITH_REASON_VALUES] = "pages of values, as they are",
    [LITH_REASON_IDS_SAME] = "pages of ids, as they are: its dictionary begins the merged one",
    [LITH_REASON_IDS] = "pages of ids, rewritten for the merged dictionary",
    [LITH_REASON_SMALL_PAGES] = "small pages, joined to larger ones",
    [LITH_REASON_CODEC] = "compressed with another codec than the output",
    [LITH_REASON_ENCODING] = "an encoding whose pages cannot be copied",
    [LITH_REASON_WRITER] = "written by a program whose pages are not understood without its footer",
    [LITH_REASON_NO_DICTIONARY] = "ids, but a merged dictionary does not pay or is full",
    [LITH_REASON_MIXED] = "pages of values, as they are; those of ids are encoded anew",
    [LITH_REASON_TYPE] = "of a narrower type than the output",
    [LITH_REASON_SORTED] = "its rows are sorted, with those that overlap them",
    [LITH_REASON_FORCED] = "forced",
    [LITH_REASON_ABSENT] = "the column is not there: nulls",
};

const char *lith_reason_text(enum lith_reason reason)
{
    return texts[reason];
}

void lith_chunk_route_begin(struct lith_chunk_route *route, const struct lith_work *work,
                            const struct lith_schema_node *leaf, const struct lith_chunk_plan *plan,
                            enum lith_force force, uint32_t unit_begin)
{
    *route = (struct lith_chunk_route){
        .work = work, .leaf = leaf, .plan = *plan, .force = force, .unit_begin = unit_begin};
    lith_buf_init(&route->units, work->mem, SIZE_MAX);
    lith_buf_init(&route->maps, work->mem, lith_work_share(work) / MAP_SHARES);
    lith_buf_init(&route->map, work->mem, lith_work_share(work) / MAP_SHARES);
    lith_dictionary_builder_init(&route->dictionary, lith_type_width(leaf->type, leaf->type_length),
                                 work);
}

void lith_chunk_route_done(struct lith_chunk_route *route)
{
    if (!route->work)
        return;
    lith_dictionary_builder_done(&route->dictionary);
    lith_buf_done(&route->units);
    lith_buf_done(&route->maps);
    lith_buf_done(&route->map);
}

static bool has_dictionary(const struct lith_source_chunk *chunk)
{
    return chunk->meta.dictionary_page_offset > 0 &&
           chunk->meta.dictionary_page_offset < chunk->meta.data_page_offset;
}

static uint64_t dictionary_bytes(const struct lith_source_chunk *chunk)
{
    return has_dictionary(chunk)
               ? (uint64_t)(chunk->meta.data_page_offset - chunk->meta.dictionary_page_offset)
               : 0;
}

static uint64_t data_bytes(const struct lith_source_chunk *chunk)
{
    uint64_t all = (uint64_t)chunk->meta.total_compressed_size;

    return all - lith_min_u64(all, dictionary_bytes(chunk));
}

static uint64_t value_count(const struct lith_source_chunk *chunk)
{
    uint64_t positions = (uint64_t)chunk->meta.num_values;

    return chunk->facts.has_null_count ? positions - (uint64_t)chunk->facts.null_count : positions;
}

/* What pages of ids have of something that all values of the chunk have together: the footer counts
 * pages, not their values. */
static uint64_t id_part(const struct lith_source_chunk *chunk, uint64_t whole)
{
    uint64_t pages = chunk->data_page_count;
    uint64_t id_pages = pages - lith_min_u64(pages, chunk->plain_page_count);

    return pages ? lith_product_u64(whole / pages, id_pages) +
                       lith_product_u64(whole % pages, id_pages) / pages
                 : whole;
}

/* Data pages: as the footer counts them; else as many as common writers make of so much. */
static uint64_t page_count(const struct lith_source_chunk *chunk)
{
    if (chunk->data_page_count)
        return chunk->data_page_count;
    return 1 + (uint64_t)chunk->meta.total_uncompressed_size / LITH_PAGE_BYTES_TARGET;
}

static bool is_small(const struct lith_chunk_route *route, const struct lith_source_chunk *chunk)
{
    uint64_t pages = page_count(chunk);
    uint64_t bytes = (uint64_t)chunk->meta.total_uncompressed_size;

    /* A dictionary page is not counted, as its uncompressed size is not known: ids are few bytes,
     * and it is their number that tells. */
    bytes = has_dictionary(chunk) ? 0 : bytes;
    return route->force != LITH_FORCE_COPY && bytes / pages < LITH_COPY_PAGE_BYTES_MIN &&
           (uint64_t)chunk->meta.num_values / pages < LITH_COPY_PAGE_VALUES_MIN;
}

/* What the pages are written with that cannot be copied safely. */
static bool is_odd_encoding(const struct lith_chunk_route *route,
                            const struct lith_source_chunk *chunk, struct lith_slice created_by)
{
    /* A prefix may refer to the page before (PARQUET-246), and only such writers' did. */
    bool continues = created_by.bytes == 0 || lith_is_old_parquet_mr(created_by, 8);

    if (chunk->meta.encodings >> LITH_ENCODING_DELTA_BYTE_ARRAY & 1 && continues)
        return true;
    return route->leaf->type == LITH_TYPE_BOOLEAN && has_dictionary(chunk);
}

/* The first reason against copying, or LITH_REASON_VALUES. */
static enum lith_reason obstacle(const struct lith_chunk_route *route,
                                 const struct lith_source_chunk *chunk,
                                 struct lith_slice created_by)
{
    if (chunk->is_absent)
        return LITH_REASON_ABSENT;
    if (chunk->is_narrow)
        return LITH_REASON_TYPE;
    if (route->force == LITH_FORCE_RECODE)
        return LITH_REASON_FORCED;
    if (is_odd_encoding(route, chunk, created_by))
        return LITH_REASON_ENCODING;
    /* Arrow before 3.0 compressed V2 pages and said that it had not. */
    if (lith_slice_begins(created_by, "parquet-cpp version "))
        return LITH_REASON_WRITER;
    if (chunk->meta.codec != (int)route->plan.codec)
        return LITH_REASON_CODEC;
    return is_small(route, chunk) ? LITH_REASON_SMALL_PAGES : LITH_REASON_VALUES;
}

void lith_chunk_route_add(struct lith_chunk_route *route, const struct lith_source_chunk *chunk,
                          struct lith_slice created_by)
{
    struct lith_route_sums *sums = &route->sums;
    bool copies = obstacle(route, chunk, created_by) == LITH_REASON_VALUES;
    bool mixed = chunk->data_page_count == 0 || chunk->plain_page_count > 0;

    if (!has_dictionary(chunk)) {
        sums->copy_bytes += copies ? data_bytes(chunk) : 0;
        return;
    }
    /* Pages behind a full dictionary hold values; without a count, ids are what is likely. */
    if (copies && mixed && chunk->data_page_count)
        sums->copy_bytes += data_bytes(chunk) / 2;
    sums->id_bytes += copies ? data_bytes(chunk) : 0;
    sums->id_values = lith_sum_u64(sums->id_values, id_part(chunk, value_count(chunk)));
    sums->dictionary_count++;
    if (dictionary_bytes(chunk) > sums->largest_bytes) {
        sums->largest_bytes = dictionary_bytes(chunk);
        sums->largest_unit = chunk->unit;
    }
}

bool lith_chunk_route_wants_dictionaries(const struct lith_chunk_route *route)
{
    const struct lith_route_sums *sums = &route->sums;

    return sums->dictionary_count > 0 && sums->copy_bytes + sums->id_bytes > 0 &&
           route->leaf->type != LITH_TYPE_BOOLEAN;
}

/* Bytes that the values of a chunk's ids take as PLAIN: as its footer says, or by its dictionary.
 */
static uint64_t plain_bytes(const struct lith_source_chunk *chunk,
                            const struct lith_dictionary *dictionary)
{
    uint64_t values = id_part(chunk, value_count(chunk));

    if (dictionary->width)
        return lith_product_u64(values, dictionary->width);
    if (chunk->facts.unencoded_bytes >= 0)
        return lith_sum_u64(id_part(chunk, (uint64_t)chunk->facts.unencoded_bytes),
                            lith_product_u64(4, values));
    return dictionary->count ? lith_product_u64(values, dictionary->body.bytes / dictionary->count)
                             : 0;
}

static enum lith_code covered_set(struct lith_chunk_route *route, uint32_t unit,
                                  const struct covered *covered, struct lith_err *err)
{
    struct lith_buf *buf = &route->units;
    size_t index = unit - route->unit_begin;
    size_t bytes = (index + 1) * sizeof(*covered);

    if (bytes > buf->bytes) {
        LITH_TRY(lith_buf_reserve(buf, bytes - buf->bytes, err));
        memset(buf->data + buf->bytes, 0, bytes - buf->bytes); /* COVERAGE_MISSING */
        buf->bytes = bytes;
    }
    memcpy(buf->data + index * sizeof(*covered), covered, sizeof(*covered));
    return LITH_OK;
}

static struct covered covered_of(const struct lith_chunk_route *route, uint32_t unit)
{
    struct covered covered = {.coverage = COVERAGE_MISSING};
    size_t index = unit - route->unit_begin;

    if ((index + 1) * sizeof(covered) <= route->units.bytes)
        memcpy(&covered, route->units.data + index * sizeof(covered), sizeof(covered));
    return covered;
}

const uint32_t *lith_chunk_route_map(const struct lith_chunk_route *route, uint32_t unit,
                                     uint32_t *ret_count)
{
    struct covered covered = covered_of(route, unit);

    *ret_count = covered.map_count;
    if (covered.map_count == 0)
        return NULL;
    return (const uint32_t *)(const void *)(route->maps.data + covered.map_offset);
}

/* The entries of a dictionary that is held, as values. */
static struct lith_values entries_of(const struct lith_dictionary *dictionary)
{
    return (struct lith_values){
        .type = dictionary->type,
        .width = dictionary->width,
        .count = dictionary->count,
        .fixed = dictionary->fixed,
        .slices = dictionary->slices,
    };
}

/* Adds all entries. *ret_fits: there was room; *ret_same: every id is the source's. The map is at
 * the end of route->maps, and is kept (*ret_kept) where that has room for it. */
static enum lith_code entries_add(struct lith_chunk_route *route,
                                  const struct lith_dictionary *dictionary, bool *ret_fits,
                                  bool *ret_same, bool *ret_kept, struct lith_err *err)
{
    struct lith_values entries = entries_of(dictionary);
    struct lith_buf *maps = &route->maps;
    size_t bytes = dictionary->count * sizeof(uint32_t);
    size_t added;

    *ret_fits = lith_dictionary_is_held(dictionary) && bytes <= maps->limit;
    *ret_same = *ret_fits;
    *ret_kept = false;
    if (!*ret_fits)
        return LITH_OK;
    bool keeps = bytes <= maps->limit - maps->bytes;
    struct lith_buf *to = keeps ? maps : &route->map;
    lith_buf_clear(&route->map);
    LITH_TRY(lith_buf_reserve(to, bytes, err));
    uint32_t *ids = (void *)(to->data + to->bytes);
    LITH_TRY(lith_dictionary_builder_add(&route->dictionary, &entries, ids, &added, err));
    *ret_fits = added == dictionary->count;
    for (uint32_t id = 0; *ret_same && id < added; id++)
        *ret_same = ids[id] == id;
    *ret_kept = keeps && *ret_fits;
    return LITH_OK;
}

/*
 * Whether the merged dictionary will overflow by far, as the sources so far tell: of n entries
 * drawn from D that are equally likely, about n * n / (2 * D) repeat an earlier one, and N of them
 * have at least D * N / (D + N) distinct ones.
 */
static bool will_overflow(const struct lith_chunk_route *route)
{
    const struct lith_dictionary_builder *merged = &route->dictionary;
    double n = (double)route->seen_entries;
    double repeated = n - (double)merged->count;

    if (route->seen_sources < TELLING_SOURCES || merged->count == 0)
        return false;
    double domain = n * n / (2 * (repeated > 0 ? repeated : 0.5));
    double all = n * (double)route->sums.dictionary_count / (double)route->seen_sources;
    double entries = domain * all / (domain + all);
    double entry_bytes = (double)merged->plain.bytes / (double)merged->count;
    return entries * entry_bytes > (double)(OVERFLOW_PART * merged->usual_bytes);
}

enum lith_code lith_chunk_route_dictionary(struct lith_chunk_route *route,
                                           const struct lith_source_chunk *chunk,
                                           const struct lith_dictionary *dictionary, bool is_seed,
                                           bool *ret_enough, struct lith_err *err)
{
    struct lith_dictionary_builder *merged = &route->dictionary;
    struct covered covered = {.map_offset = route->maps.bytes};
    bool fits, same, kept;

    if (is_seed && dictionary->body.bytes > merged->usual_bytes)
        merged->usual_bytes = (size_t)lith_min_u64(dictionary->body.bytes, merged->bytes_max);
    LITH_TRY(entries_add(route, dictionary, &fits, &same, &kept, err));
    if (is_seed || chunk->unit != route->sums.largest_unit) {
        route->seen_sources++;
        route->seen_entries += dictionary->count;
    }
    route->is_hopeless = route->force != LITH_FORCE_COPY && will_overflow(route);
    *ret_enough = route->is_hopeless;
    if (is_seed)
        return LITH_OK;
    route->missed = fits ? 0 : route->missed + 1;
    *ret_enough = route->is_hopeless || route->missed >= MISSED_MAX;
    if (!fits)
        return LITH_OK;
    route->covered_values = lith_sum_u64(route->covered_values, id_part(chunk, value_count(chunk)));
    route->plain_bytes = lith_sum_u64(route->plain_bytes, plain_bytes(chunk, dictionary));
    covered.coverage = same ? COVERAGE_SAME : COVERAGE_MAPPED;
    if (kept) {
        covered.map_count = dictionary->count;
        route->maps.bytes += dictionary->count * sizeof(uint32_t);
    }
    return covered_set(route, chunk->unit, &covered, err);
}

/* Whether the merged dictionary and its ids take less than values would, as readers see it. */
static bool dictionary_pays(const struct lith_chunk_route *route)
{
    const struct lith_dictionary_builder *merged = &route->dictionary;

    if (merged->count == 0 || route->covered_values == 0 || route->is_hopeless)
        return false;
    if (route->force == LITH_FORCE_COPY)
        return true;
    uint64_t id_bytes =
        lith_product_u64(route->covered_values, lith_bit_width(merged->count - 1)) / 8;
    return route->covered_values >= route->sums.id_values / COVERED_PART &&
           merged->plain.bytes + id_bytes < route->plain_bytes;
}

void lith_chunk_route_settle(struct lith_chunk_route *route)
{
    const struct lith_route_sums *sums = &route->sums;
    bool tried = lith_chunk_route_wants_dictionaries(route);

    route->has_dictionary = tried && dictionary_pays(route);
    route->copies = sums->copy_bytes > 0 || (route->has_dictionary && sums->id_bytes > 0);
    if (!route->has_dictionary)
        lith_dictionary_builder_done(&route->dictionary);
    if (!route->copies) {
        /* All is encoded anew: a new dictionary, unless the sources' have just been found wanting.
         */
        route->has_dictionary = false;
        route->plan.try_dictionary = route->plan.try_dictionary && !tried;
        return;
    }
    route->plan.try_dictionary = false;
    route->plan.dictionary = route->has_dictionary ? &route->dictionary : NULL;
}

enum lith_mover lith_chunk_route_mover(const struct lith_chunk_route *route,
                                       const struct lith_source_chunk *chunk,
                                       struct lith_slice created_by, enum lith_reason *ret_reason)
{
    enum lith_mover mover = LITH_MOVER_SPLICE;
    enum lith_reason reason = obstacle(route, chunk, created_by);

    if (reason == LITH_REASON_ABSENT) {
        *ret_reason = reason;
        return LITH_MOVER_NULL;
    }
    if (reason != LITH_REASON_VALUES) {
        mover = LITH_MOVER_RECODE;
    } else if (has_dictionary(chunk)) {
        uint32_t coverage = covered_of(route, chunk->unit).coverage;
        if (!route->has_dictionary || coverage == COVERAGE_MISSING) {
            /* Its pages of values, if it has any, can still be copied. */
            bool is_mixed = chunk->plain_page_count > 0;
            reason = is_mixed ? LITH_REASON_MIXED : LITH_REASON_NO_DICTIONARY;
            mover = is_mixed ? LITH_MOVER_SPLICE : LITH_MOVER_RECODE;
        } else if (coverage == COVERAGE_MAPPED) {
            reason = LITH_REASON_IDS;
            mover = LITH_MOVER_REMAP;
        } else {
            reason = LITH_REASON_IDS_SAME;
        }
    }
    *ret_reason = reason;
    return route->copies ? mover : LITH_MOVER_RECODE;
}
