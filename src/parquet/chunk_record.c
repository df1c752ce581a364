/*
 * Records of finished chunks: the struct, then histograms, encoding statistics and bounds.
 *
 * The numbers come first behind the struct, so that they stay aligned in the buffer they are
 * read into.
 */
#include "parquet/chunk_record.h"

struct parts {
    size_t rep_bytes;
    size_t def_bytes;
    size_t stats_bytes;
    size_t min_bytes;
    size_t max_bytes;
};

static struct parts parts_of(const struct lith_schema_node *leaf,
                             const struct lith_chunk_meta *meta)
{
    const struct lith_size_statistics *sizes = &meta->size_statistics;

    return (struct parts){
        .rep_bytes = sizes->rep_histogram ? (leaf->max_rep + 1u) * sizeof(int64_t) : 0,
        .def_bytes = sizes->def_histogram ? (leaf->max_def + 1u) * sizeof(int64_t) : 0,
        .stats_bytes = meta->encoding_stat_count * sizeof(struct lith_encoding_stat),
        .min_bytes = meta->statistics.min_value.bytes,
        .max_bytes = meta->statistics.max_value.bytes,
    };
}

enum lith_code lith_chunk_record_write(struct lith_spool *spool,
                                       const struct lith_schema_node *leaf,
                                       const struct lith_chunk_meta *meta, struct lith_buf *room,
                                       struct lith_err *err)
{
    const struct lith_size_statistics *sizes = &meta->size_statistics;
    const struct lith_statistics *statistics = &meta->statistics;
    struct parts parts = parts_of(leaf, meta);

    lith_buf_clear(room);
    LITH_TRY(lith_buf_append(room, meta, sizeof(*meta), err));
    LITH_TRY(lith_buf_append(room, sizes->rep_histogram, parts.rep_bytes, err));
    LITH_TRY(lith_buf_append(room, sizes->def_histogram, parts.def_bytes, err));
    LITH_TRY(lith_buf_append(room, meta->encoding_stats, parts.stats_bytes, err));
    LITH_TRY(lith_buf_append(room, statistics->min_value.data, parts.min_bytes, err));
    LITH_TRY(lith_buf_append(room, statistics->max_value.data, parts.max_bytes, err));
    return lith_sink_write(&spool->sink, room->data, room->bytes, err);
}

enum lith_code lith_chunk_record_read(struct lith_spool *spool, uint64_t *offset,
                                      const struct lith_schema_node *leaf, struct lith_buf *room,
                                      struct lith_chunk_meta *ret_meta, struct lith_err *err)
{
    struct lith_chunk_meta meta;

    LITH_TRY(lith_source_read(&spool->source, *offset, &meta, sizeof(meta), err));
    struct parts parts = parts_of(leaf, &meta);
    size_t bytes =
        parts.rep_bytes + parts.def_bytes + parts.stats_bytes + parts.min_bytes + parts.max_bytes;
    lith_buf_clear(room);
    LITH_TRY(lith_buf_reserve(room, bytes, err));
    LITH_TRY(lith_source_read(&spool->source, *offset + sizeof(meta), room->data, bytes, err));

    uint8_t *at = room->data;
    if (parts.rep_bytes)
        meta.size_statistics.rep_histogram = (void *)at;
    at += parts.rep_bytes;
    if (parts.def_bytes)
        meta.size_statistics.def_histogram = (void *)at;
    at += parts.def_bytes;
    meta.encoding_stats = (void *)at;
    at += parts.stats_bytes;
    if (meta.statistics.min_value.data) {
        meta.statistics.min_value.data = at;
        meta.statistics.max_value.data = at + parts.min_bytes;
    }
    *ret_meta = meta;
    *offset += sizeof(meta) + bytes;
    return LITH_OK;
}
