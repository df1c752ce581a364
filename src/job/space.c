/*
 * Is there room for the outputs of a job?
 *
 * Outputs are about as large as their inputs, which stay for their grace. A job that fills the file
 * system stops those who write the lake, too; so it is not begun.
 */
#include "job/space.h"

#include "base/time.h"

/* The part of a whole that a percentage is, rounded down, without an overflow. */
static uint64_t percent_of(uint64_t whole, uint32_t percent)
{
    return whole / 100 * percent + whole % 100 * percent / 100;
}

enum lith_code lith_space_reason(const struct lith_job *job, uint64_t output_bytes,
                                 const char **ret_reason, struct lith_err *err)
{
    uint32_t percent = job->options->min_free_percent;
    char texts[4][LITH_TIME_TEXT_BYTES];
    struct lith_space space;
    bool known;
    char *reason;

    *ret_reason = NULL;
    if (percent == 0)
        return LITH_OK;
    LITH_TRY(lith_folder_free_bytes(job->folder, &known, &space, err));
    uint64_t least = known ? percent_of(space.total_bytes, percent) : 0;
    if (!known || (space.free_bytes >= output_bytes && space.free_bytes - output_bytes >= least))
        return LITH_OK;
    lith_size_text(space.free_bytes, texts[0]);
    lith_size_text(output_bytes, texts[1]);
    lith_size_text(space.total_bytes, texts[2]);
    lith_size_text(least, texts[3]);
    LITH_TRY(lith_arena_format(job->arena, &reason, err,
                               "too little space: %s of %s are free, the job would write about %s, "
                               "and %s (min_free, %u%%) are to stay free",
                               texts[0], texts[2], texts[1], texts[3], percent));
    *ret_reason = reason;
    return LITH_OK;
}
