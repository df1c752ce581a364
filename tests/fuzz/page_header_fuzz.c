/*
 * Page headers from any bytes: each prefix of a good one asks for more, and what is accepted reads
 * back the same after it was written again.
 */
#include <stdint.h>

#include "parquet/metadata_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Longer headers are not cut at each byte. */
#define PREFIX_BYTES_MAX 256u

static void prefixes_check(const uint8_t *data, size_t header_bytes)
{
    struct lith_page_header header;
    struct lith_err err;
    size_t length;

    for (size_t cut = 0; cut < header_bytes && header_bytes <= PREFIX_BYTES_MAX; cut++)
        LITH_ASSERT(lith_page_header_parse(data, cut, &header, &length, &err) == LITH_E_NOT_FOUND);
}

static void round_trip(const struct lith_page_header *header)
{
    struct lith_page_header again;
    struct lith_mem mem;
    struct lith_buf buf;
    struct lith_err err;
    size_t length = 0;

    lith_mem_init(&mem, 1u << 16, NULL);
    lith_buf_init(&buf, &mem, 1u << 12);
    LITH_ASSERT(lith_page_header_write(header, &buf, &err) == LITH_OK);
    LITH_ASSERT(lith_page_header_parse(buf.data, buf.bytes, &again, &length, &err) == LITH_OK);
    LITH_ASSERT(length == buf.bytes);
    LITH_ASSERT(again.type == header->type);
    LITH_ASSERT(again.compressed_bytes == header->compressed_bytes);
    LITH_ASSERT(again.uncompressed_bytes == header->uncompressed_bytes);
    LITH_ASSERT(again.num_values == header->num_values);
    LITH_ASSERT(again.encoding == header->encoding);
    LITH_ASSERT(again.crc == header->crc);
    LITH_ASSERT(again.def_bytes == header->def_bytes);
    LITH_ASSERT(again.is_compressed == header->is_compressed);
    lith_buf_done(&buf);
    lith_mem_done(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lith_page_header header;
    struct lith_err err;
    size_t length = 0;

    if (lith_page_header_parse(data, bytes, &header, &length, &err) != LITH_OK)
        return 0;
    LITH_ASSERT(length <= bytes);
    LITH_ASSERT(header.compressed_bytes >= 0);
    LITH_ASSERT(header.uncompressed_bytes >= 0);
    prefixes_check(data, length);
    round_trip(&header);
    return 0;
}
