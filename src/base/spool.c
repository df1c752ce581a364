/*
 * Spools: a buffer that turns into a file without a name when it grows too large.
 *
 * The change happens at the append that would pass `memory_bytes_max`, or that the budget cannot
 * hold any more. Bytes in files are counted against the scratch limit before they are written,
 * so that many spools together cannot fill a disk.
 */
#include "base/spool.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/env.h"
#include "base/file.h"
#include "base/limits.h"

void lith_scratch_init(struct lith_scratch *scratch, const char *directory, uint64_t limit)
{
    scratch->directory = directory ? directory : lith_env_scratch_directory();
    scratch->limit = limit ? limit : LITH_SCRATCH_BYTES_DEFAULT;
    atomic_init(&scratch->used, 0);
}

static enum lith_code scratch_charge(struct lith_scratch *scratch, uint64_t bytes,
                                     struct lith_err *err)
{
    uint64_t used = atomic_load(&scratch->used);
    uint64_t sum;

    do {
        if (!lith_add_u64(used, bytes, &sum) || sum > scratch->limit)
            return lith_fail(err, LITH_E_LIMIT,
                             "scratch space of %" PRIu64 " bytes in %s: %" PRIu64
                             " in use, %" PRIu64 " more needed; raise --scratch-max",
                             scratch->limit, scratch->directory, used, bytes);
    } while (!atomic_compare_exchange_weak(&scratch->used, &used, sum));
    return LITH_OK;
}

static void scratch_release(struct lith_scratch *scratch, uint64_t bytes)
{
    uint64_t before = atomic_fetch_sub(&scratch->used, bytes);

    LITH_ASSERT(before >= bytes);
}

/* Appends to the file; on failure the contents are what they were. */
static enum lith_code append_to_file(struct lith_spool *spool, int fd, uint64_t offset,
                                     const void *from, size_t bytes, struct lith_err *err)
{
    struct lith_scratch *scratch = spool->scratch;

    LITH_TRY(scratch_charge(scratch, bytes, err));
    enum lith_code code = lith_fd_write(fd, scratch->directory, offset, from, bytes, err);
    if (code != LITH_OK)
        scratch_release(scratch, bytes);
    return code;
}

/* Moves what is in memory to a new file and frees the memory. */
static enum lith_code move_to_file(struct lith_spool *spool, struct lith_err *err)
{
    int fd;

    LITH_ASSERT(spool->scratch);
    if (lith_file_create_unnamed(spool->scratch->directory, &fd, err) != LITH_OK)
        return lith_err_prefix(err,
                               "scratch space, for which --scratch or $TMPDIR may name another "
                               "directory");
    enum lith_code code =
        append_to_file(spool, fd, 0, spool->memory.data, spool->memory.bytes, err);
    if (code != LITH_OK) {
        lith_fd_close(fd);
        return code;
    }
    lith_buf_done(&spool->memory);
    spool->fd = fd;
    return LITH_OK;
}

static enum lith_code spool_write(struct lith_sink *sink, const void *from, size_t bytes,
                                  struct lith_err *err)
{
    struct lith_spool *spool = (struct lith_spool *)sink;

    if (spool->fd < 0) {
        enum lith_code code = lith_buf_append(&spool->memory, from, bytes, err);
        if (code == LITH_OK)
            spool->source.size += bytes;
        if (code != LITH_E_LIMIT)
            return code;
        LITH_TRY(move_to_file(spool, err));
    }
    LITH_TRY(append_to_file(spool, spool->fd, spool->source.size, from, bytes, err));
    spool->source.size += bytes;
    return LITH_OK;
}

static enum lith_code spool_read(struct lith_source *source, uint64_t offset, void *to,
                                 size_t bytes, struct lith_err *err)
{
    void *start = (uint8_t *)source - offsetof(struct lith_spool, source);
    struct lith_spool *spool = start;

    if (spool->fd >= 0)
        return lith_fd_read(spool->fd, spool->scratch->directory, offset, to, bytes, err);
    memcpy(to, spool->memory.data + offset, bytes);
    return LITH_OK;
}

static void spool_close(struct lith_source *source)
{
    (void)source; /* the spool's owner ends it */
}

void lith_spool_init(struct lith_spool *spool, struct lith_mem *mem, struct lith_scratch *scratch,
                     size_t memory_bytes_max)
{
    static const struct lith_sink_ops sink_ops = {.write = spool_write};
    static const struct lith_source_ops source_ops = {.read = spool_read, .close = spool_close};

    *spool = (struct lith_spool){
        .sink.ops = &sink_ops,
        .source.ops = &source_ops,
        .scratch = scratch,
        .memory_bytes_max = memory_bytes_max,
        .fd = -1,
    };
    lith_buf_init(&spool->memory, mem, memory_bytes_max);
}

void lith_spool_clear(struct lith_spool *spool)
{
    if (spool->fd >= 0) {
        lith_fd_close(spool->fd);
        scratch_release(spool->scratch, spool->source.size);
        spool->fd = -1;
    }
    lith_buf_clear(&spool->memory);
    spool->source.size = 0;
    spool->sink.written = 0;
}

void lith_spool_done(struct lith_spool *spool)
{
    if (!spool->sink.ops)
        return; /* never begun: its fd of 0 is not ours */
    lith_spool_clear(spool);
    lith_buf_done(&spool->memory);
}

void lith_spool_allow(struct lith_spool *spool, size_t memory_bytes_max)
{
    spool->memory_bytes_max = memory_bytes_max;
    spool->memory.limit = lith_max_u64(spool->memory.bytes, memory_bytes_max);
}

const uint8_t *lith_spool_memory(const struct lith_spool *spool)
{
    static const uint8_t nothing;

    if (spool->fd >= 0)
        return NULL;
    return spool->memory.data ? spool->memory.data : &nothing;
}

static enum lith_code copy_file(struct lith_spool *spool, uint8_t *buffer, struct lith_sink *sink,
                                struct lith_err *err)
{
    uint64_t size = spool->source.size;

    for (uint64_t at = 0; at < size;) {
        size_t bytes = (size_t)lith_min_u64(size - at, LITH_FILE_BUFFER_BYTES);
        LITH_TRY(lith_source_read(&spool->source, at, buffer, bytes, err));
        LITH_TRY(lith_sink_write(sink, buffer, bytes, err));
        at += bytes;
    }
    return LITH_OK;
}

enum lith_code lith_spool_copy(struct lith_spool *spool, struct lith_sink *sink,
                               struct lith_err *err)
{
    void *buffer;

    if (spool->fd < 0)
        return lith_sink_write(sink, spool->memory.data, spool->memory.bytes, err);
    LITH_TRY(lith_alloc(spool->memory.mem, LITH_FILE_BUFFER_BYTES, &buffer, err));
    enum lith_code code = copy_file(spool, buffer, sink, err);
    lith_free(buffer);
    return code;
}
