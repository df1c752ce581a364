/*
 * How the chunks of a column are written: counting votes.
 *
 * A chunk's `encodings` list mixes levels, dictionary page and data pages; encoding_stats, where
 * present, tells data pages apart. Without them: a dictionary encoding in the list explains PLAIN
 * (the dictionary page itself) and RLE (levels).
 */
#include "merge/chunk_choice.h"

#include "parquet/encoder.h"

#define BIT(encoding) (1u << (encoding))

static bool is_dictionary(int32_t encoding)
{
    return encoding == LITH_ENCODING_PLAIN_DICTIONARY || encoding == LITH_ENCODING_RLE_DICTIONARY;
}

/* The encodings of a chunk's data pages, as bits. */
static uint32_t data_encodings(const struct lith_chunk_meta *meta, enum lith_type type)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < meta->encoding_stat_count; i++) {
        const struct lith_encoding_stat *stat = &meta->encoding_stats[i];
        if (stat->page_type == LITH_PAGE_DICTIONARY || stat->count <= 0)
            continue;
        if (stat->encoding >= 0 && stat->encoding < LITH_ENCODING_COUNT)
            bits |= BIT(stat->encoding);
    }
    if (bits)
        return bits;
    bits = meta->encodings & ~BIT(LITH_ENCODING_BIT_PACKED);
    uint32_t others = bits & ~(BIT(LITH_ENCODING_RLE) | BIT(LITH_ENCODING_PLAIN));
    if (others)
        return others;
    if (type == LITH_TYPE_BOOLEAN && bits == BIT(LITH_ENCODING_RLE))
        return bits;
    return BIT(LITH_ENCODING_PLAIN);
}

/* Values that an encoding was chosen for: nulls do not count where their number is known, so that
 * chunks of nothing but nulls decide nothing. */
static uint64_t votes_of(const struct lith_chunk_meta *meta)
{
    const struct lith_statistics *statistics = &meta->statistics;

    if (!statistics->has_null_count || statistics->null_count < 0 ||
        statistics->null_count > meta->num_values)
        return (uint64_t)meta->num_values;
    return (uint64_t)(meta->num_values - statistics->null_count);
}

void lith_chunk_votes_add_narrow(struct lith_chunk_votes *votes, const struct lith_chunk_meta *meta)
{
    if (meta->codec >= 0 && meta->codec < LITH_CODEC_COUNT)
        votes->bytes_by_codec[meta->codec] += (uint64_t)meta->total_compressed_size;
    votes->any_bloom = votes->any_bloom || meta->bloom_filter_offset > 0;
}

void lith_chunk_votes_add(struct lith_chunk_votes *votes, const struct lith_chunk_meta *meta,
                          enum lith_type type)
{
    uint32_t bits = data_encodings(meta, type);

    lith_chunk_votes_add_narrow(votes, meta);
    for (int encoding = 0; encoding < LITH_ENCODING_COUNT; encoding++) {
        if (!(bits & BIT(encoding)))
            continue;
        if (is_dictionary(encoding))
            votes->any_dictionary = true;
        else
            votes->values_by_encoding[encoding] += votes_of(meta);
    }
}

static enum lith_codec majority_codec(const struct lith_chunk_votes *votes)
{
    enum lith_codec best = LITH_CODEC_UNCOMPRESSED;
    uint64_t best_bytes = 0;

    for (int codec = 0; codec < LITH_CODEC_COUNT; codec++) {
        /* The deprecated LZ4 votes for the form that replaced it. */
        enum lith_codec target =
            codec == LITH_CODEC_LZ4 ? LITH_CODEC_LZ4_RAW : (enum lith_codec)codec;
        uint64_t bytes = votes->bytes_by_codec[codec];
        if (target == LITH_CODEC_LZ4_RAW)
            bytes =
                votes->bytes_by_codec[LITH_CODEC_LZ4] + votes->bytes_by_codec[LITH_CODEC_LZ4_RAW];
        if (lith_codec_writable(target) && bytes > best_bytes) {
            best = target;
            best_bytes = bytes;
        }
    }
    return best;
}

static enum lith_encoding majority_encoding(const struct lith_chunk_votes *votes,
                                            enum lith_type type)
{
    enum lith_encoding best = LITH_ENCODING_PLAIN;
    uint64_t best_values = 0;

    for (int encoding = 0; encoding < LITH_ENCODING_COUNT; encoding++) {
        if (votes->values_by_encoding[encoding] <= best_values)
            continue;
        if (!lith_encoding_fits((enum lith_encoding)encoding, type))
            continue;
        best = (enum lith_encoding)encoding;
        best_values = votes->values_by_encoding[encoding];
    }
    return best;
}

static bool is_interval(const struct lith_schema_node *leaf)
{
    return leaf->converted_type == LITH_CONVERTED_INTERVAL;
}

struct lith_chunk_plan lith_chunk_votes_plan(const struct lith_chunk_votes *votes,
                                             const struct lith_schema_node *leaf,
                                             const struct lith_codec_choice *codec)
{
    struct lith_chunk_plan plan = {
        .codec = codec->is_given ? codec->codec : majority_codec(votes),
        .fallback = majority_encoding(votes, leaf->type),
    };
    /* A writer that chose a DELTA or BYTE_STREAM_SPLIT encoding, and never a dictionary, knew its
     * data; PLAIN is what small files have because a dictionary did not pay for so few rows. */
    plan.try_dictionary = leaf->type != LITH_TYPE_BOOLEAN &&
                          (votes->any_dictionary || plan.fallback == LITH_ENCODING_PLAIN);
    /* DuckDB hashes INTERVAL in a way of its own: a filter over the plain bytes would lie to it. */
    plan.bloom = votes->any_bloom && leaf->type != LITH_TYPE_BOOLEAN && !is_interval(leaf);
    return plan;
}
