/*
 * Writes a journal as JSON, a file a line, with memory for one value at a time.
 *
 * The fields of one output and the list of input files are those that other programs with such a
 * folder have; sizes, etags and further outputs stand in fields of their own beside them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "base/utf8.h"
#include "lake/journal.h"

struct writer {
    const struct lith_journal *journal;
    struct lith_buf *to;
    struct lith_buf *path; /* the last one that was made */
    bool first;            /* of the root's members: no comma yet */
    struct lith_err *err;
};

static enum lith_code put(struct writer *w, const char *text)
{
    return lith_buf_append(w->to, text, strlen(text), w->err);
}

/* Takes the value, also on failure. */
static enum lith_code put_value(struct writer *w, struct lith_json *value)
{
    LITH_AUTO(json) struct lith_json *owned = value;

    if (!owned)
        return lith_fail(w->err, LITH_E_NOMEM, "out of memory for the JSON of a journal");
    return lith_json_write(owned, 0, w->to, w->err);
}

static enum lith_code put_key(struct writer *w, const char *key)
{
    LITH_TRY(put(w, w->first ? "\n \"" : ",\n \""));
    w->first = false;
    LITH_TRY(put(w, key));
    return put(w, "\": ");
}

/* JSON holds no other names, and one that changes on its way names nothing. */
static enum lith_code put_text(struct writer *w, const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t left = strlen(text);

    while (left) {
        size_t bytes = lith_utf8_character(at, left);
        if (bytes == 0)
            return lith_fail(w->err, LITH_E_UNSUPPORTED,
                             "the name %s is not UTF-8: a journal cannot hold it; rename it", text);
        at += bytes;
        left -= bytes;
    }
    return put_value(w, lith_json_text(text));
}

/* A path below the root of the lake. */
static enum lith_code put_path(struct writer *w, const char *name)
{
    const char *partition = w->journal->partition;
    size_t bytes = strlen(partition);

    lith_buf_clear(w->path);
    if (bytes) {
        LITH_TRY(lith_buf_append(w->path, partition, bytes, w->err));
        LITH_TRY(lith_buf_append_byte(w->path, '/', w->err));
    }
    LITH_TRY(lith_buf_append(w->path, name, strlen(name) + 1, w->err));
    return put_text(w, (const char *)w->path->data);
}

static enum lith_code put_size(struct writer *w, uint64_t size)
{
    if (size > INT64_MAX)
        return lith_fail(w->err, LITH_E_LIMIT, "a file of %" PRIu64 " bytes", size);
    return put_value(w, lith_json_int((int64_t)size));
}

/* Before an output is sealed nobody knows how large it becomes. */
static enum lith_code put_output_size(struct writer *w, const struct lith_journal_output *output)
{
    return output->is_sealed ? put_size(w, output->size) : put(w, "null");
}

static enum lith_code put_output_crc(struct writer *w, const struct lith_journal_output *output)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "\"%08" PRIx32 "\"", output->crc32);
    return put(w, output->is_sealed ? text : "null");
}

static enum lith_code put_outputs(struct writer *w)
{
    LITH_TRY(put(w, "["));
    for (size_t i = 0; i < w->journal->output_count; i++) {
        const struct lith_journal_output *output = &w->journal->outputs[i];
        LITH_TRY(put(w, i ? ",\n  {\"path\": " : "\n  {\"path\": "));
        LITH_TRY(put_path(w, output->name));
        LITH_TRY(put(w, ", \"size\": "));
        LITH_TRY(put_output_size(w, output));
        LITH_TRY(put(w, ", \"crc32\": "));
        LITH_TRY(put_output_crc(w, output));
        if (output->upload_id) {
            LITH_TRY(put(w, ", \"upload_id\": "));
            LITH_TRY(put_text(w, output->upload_id));
        }
        LITH_TRY(put(w, "}"));
    }
    return put(w, "]");
}

/* One column of the inputs. */
enum column { COLUMN_FILES, COLUMN_SIZES, COLUMN_ETAGS };

static enum lith_code put_input(struct writer *w, const struct lith_journal_input *input,
                                enum column column)
{
    if (column == COLUMN_SIZES)
        return put_size(w, input->size);
    return column == COLUMN_FILES ? put_path(w, input->name) : put_text(w, input->etag);
}

static enum lith_code put_inputs(struct writer *w, const char *key, enum column column)
{
    LITH_TRY(put_key(w, key));
    LITH_TRY(put(w, "["));
    for (size_t i = 0; i < w->journal->input_count; i++) {
        LITH_TRY(put(w, i ? ",\n  " : "\n  "));
        LITH_TRY(put_input(w, &w->journal->inputs[i], column));
    }
    return put(w, "]");
}

static enum lith_code put_head(struct writer *w)
{
    char created[LITH_TIME_TEXT_BYTES];

    lith_time_text(w->journal->created_at_ns, created);
    LITH_TRY(put_key(w, "format"));
    LITH_TRY(put(w, "1"));
    LITH_TRY(put_key(w, "status"));
    LITH_TRY(put(w, "\"pending\""));
    LITH_TRY(put_key(w, "job_id"));
    LITH_TRY(put_text(w, w->journal->job_id));
    LITH_TRY(put_key(w, "created_at"));
    LITH_TRY(put_text(w, created));
    LITH_TRY(put_key(w, "tier"));
    LITH_TRY(put_text(w, LITH_JOURNAL_TIER));
    LITH_TRY(put_key(w, "partition_path"));
    return put_text(w, w->journal->partition);
}

/* What other programs know is the first output alone. */
static enum lith_code put_first(struct writer *w)
{
    const struct lith_journal_output *first = &w->journal->outputs[0];

    LITH_TRY(put_key(w, "output_path"));
    LITH_TRY(put_path(w, first->name));
    LITH_TRY(put_key(w, "output_size"));
    LITH_TRY(put_output_size(w, first));
    LITH_TRY(put_key(w, "output_crc32"));
    return put_output_crc(w, first);
}

enum lith_code lith_journal_write(const struct lith_journal *journal, struct lith_buf *to,
                                  struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf path;
    struct writer w = {.journal = journal, .to = to, .path = &path, .first = true, .err = err};

    LITH_ASSERT(journal->output_count > 0);
    lith_buf_init(&path, to->mem, LITH_JOURNAL_BYTES_MAX);
    LITH_TRY(put(&w, "{"));
    LITH_TRY(put_head(&w));
    LITH_TRY(put_first(&w));
    LITH_TRY(put_key(&w, "outputs"));
    LITH_TRY(put_outputs(&w));
    LITH_TRY(put_inputs(&w, "input_files", COLUMN_FILES));
    LITH_TRY(put_inputs(&w, "input_sizes", COLUMN_SIZES));
    LITH_TRY(put_inputs(&w, "input_etags", COLUMN_ETAGS));
    return put(&w, "\n}\n");
}
