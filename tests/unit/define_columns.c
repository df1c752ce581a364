/*
 * A file moved under a wider schema, for other engines to read: define_columns IN OUT [GROUP
 * SIBLING].
 *
 * Not a test by itself: tests/py/test_define.py writes the input and compares. All that is REQUIRED
 * becomes OPTIONAL; a column `added` and a list `added_list` that the file lacks come last in GROUP
 * (a path; without one, the root), with the levels of the leaf SIBLING. The movers make one row
 * group of all, copying what can be; the witness must agree. Prints the compressed bytes that went
 * by each mover.
 */
#include "support.h"

#include "merge/chunk_route.h"
#include "verify/verify.h"

#define ADDED_NODES 4u /* added, added_list.list.element */
#define ADDED_LEAVES 2u

static struct lith_err err;
static struct lith_mem mem;

struct job {
    struct lith_buf in;
    struct lith_spool out;
    struct lith_memory_source source;
    struct lith_work work;
    struct lith_scratch scratch;
    struct lith_codec_context *codecs;
    struct lith_arena arena;
    struct lith_footer footer;
    struct lith_schema schema; /* of the output */
    uint32_t group;            /* node of the input */
    uint32_t sibling;          /* leaf of the input */
    uint32_t end;              /* node of the input: where the new ones come */
    uint32_t added;            /* leaf of the output: the first of ADDED_LEAVES */
    struct lith_move_tools tools;
    struct lith_file_writer *writer;
    struct lith_witness witness;
    struct lith_chunk_route route; /* of the open chunk */
};

static void must(enum lith_code code)
{
    if (code == LITH_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", lith_code_name(code), err.text);
    exit(1);
}

static void file_read(const char *path, struct lith_buf *to)
{
    FILE *file = fopen(path, "rb");
    size_t bytes = 1;

    while (file && bytes > 0) {
        must(lith_buf_reserve(to, (size_t)1 << 16, &err));
        bytes = fread(to->data + to->bytes, 1, (size_t)1 << 16, file);
        to->bytes += bytes;
    }
    if (!file || fclose(file) != 0)
        exit(1);
}

static uint32_t node_find(const struct lith_schema *schema, const char *path)
{
    char name[512];

    for (uint32_t i = 1; i < schema->node_count; i++) {
        lith_schema_path(schema, i, name, sizeof(name));
        if (strcmp(name, path) == 0)
            return i;
    }
    (void)fprintf(stderr, "no column %s\n", path);
    exit(1);
}

static struct lith_schema_node node_of(const char *name, enum lith_repetition repetition,
                                       uint32_t child_count)
{
    return (struct lith_schema_node){.name = lith_slice_text(name),
                                     .is_group = child_count > 0,
                                     .child_count = child_count,
                                     .type = LITH_TYPE_INT32,
                                     .repetition = repetition,
                                     .converted_type = LITH_CONVERTED_NONE};
}

static void schema_make(struct job *job)
{
    const struct lith_schema *from = &job->footer.schema;
    uint32_t end = job->group + 1; /* of the group's nodes */
    uint32_t count = 0;
    void *block;

    while (end < from->node_count && from->nodes[end].depth > from->nodes[job->group].depth)
        end++;
    must(lith_arena_array(&job->arena, from->node_count + ADDED_NODES,
                          sizeof(struct lith_schema_node), &block, &err));
    struct lith_schema_node *nodes = block;
    job->end = end;
    for (uint32_t i = 0; i <= from->node_count; i++) {
        if (i == end) {
            job->added = 0;
            for (uint32_t n = 0; n < count; n++)
                job->added += !nodes[n].is_group;
            nodes[count++] = node_of("added", LITH_OPTIONAL, 0);
            nodes[count] = node_of("added_list", LITH_OPTIONAL, 1);
            nodes[count++].converted_type = LITH_CONVERTED_LIST;
            nodes[count++] = node_of("list", LITH_REPEATED, 1);
            nodes[count++] = node_of("element", LITH_OPTIONAL, 0);
        }
        if (i == from->node_count)
            break;
        nodes[count] = from->nodes[i];
        if (i == job->group)
            nodes[count].child_count += 2;
        if (i > 0 && nodes[count].repetition == LITH_REQUIRED)
            nodes[count].repetition = LITH_OPTIONAL;
        count++;
    }
    job->schema = (struct lith_schema){.nodes = nodes, .node_count = count};
    must(lith_schema_link(&job->schema, &job->arena, &err));
}

/* The leaf of the input for one of the output, of a new one the sibling. */
static uint32_t leaf_from(const struct job *job, uint32_t leaf, bool *ret_added)
{
    *ret_added = leaf >= job->added && leaf < job->added + ADDED_LEAVES;
    if (*ret_added)
        return job->sibling;
    return leaf < job->added ? leaf : leaf - ADDED_LEAVES;
}

/* The node of the output for one of the input. */
static uint32_t node_to(const struct job *job, uint32_t node)
{
    return node < job->end ? node : node + ADDED_NODES;
}

static struct lith_source_chunk chunk_take(struct job *job, uint32_t row_group, uint32_t leaf)
{
    struct lith_source_chunk chunk;

    must(lith_source_chunk_take(&job->footer, row_group, leaf, NULL, &job->arena, &chunk, &err));
    chunk.unit = row_group;
    return chunk;
}

/* Plans a chunk of leaf `old` of all row groups, as a merge does that copies what it can; one that
 * is added has no source. */
static void chunk_plan(struct job *job, uint32_t leaf, uint32_t old, bool added)
{
    const struct lith_chunk_meta *first = &job->footer.row_groups[0].chunks[old];
    uint32_t source_count = added ? 0 : job->footer.row_group_count;
    const struct lith_chunk_plan plan = {.codec = (enum lith_codec)first->codec};
    struct lith_chunk_route *route = &job->route;
    bool enough = false;

    lith_chunk_route_begin(route, &job->work, lith_schema_leaf(&job->schema, leaf), &plan,
                           LITH_FORCE_COPY, 0);
    for (uint32_t i = 0; i < source_count; i++) {
        struct lith_source_chunk chunk = chunk_take(job, i, old);
        lith_chunk_route_add(route, &chunk, job->footer.created_by);
    }
    for (uint32_t i = 0; lith_chunk_route_wants_dictionaries(route) && !enough && i < source_count;
         i++) {
        struct lith_source_chunk chunk = chunk_take(job, i, old);
        struct lith_chunk_ref ref = lith_chunk_ref_of(&job->footer, i, old);
        const struct lith_page *page;
        must(lith_chunk_reader_begin(job->tools.reader, &job->source.base, &ref, &err));
        must(lith_chunk_reader_page(job->tools.reader, &page, &err));
        struct lith_dictionary *dictionary = lith_chunk_reader_dictionary(job->tools.reader);
        if (dictionary)
            must(lith_chunk_route_dictionary(route, &chunk, dictionary, false, &enough, &err));
    }
    lith_chunk_route_settle(route);
}

static void chunk_write(struct job *job, uint32_t leaf)
{
    const struct lith_schema *from = &job->footer.schema;
    const struct lith_schema_node *node = lith_schema_leaf(&job->schema, leaf);
    struct lith_chunk_route *route = &job->route;
    bool added;
    uint32_t old = leaf_from(job, leaf, &added);
    uint32_t fellow = added ? job->group : from->leaves[old];
    struct lith_level_map levels =
        lith_level_map_make(from, fellow, &job->schema, node_to(job, fellow));
    struct lith_packed packed = {.plain_bytes = 0};
    enum lith_reason reason;

    chunk_plan(job, leaf, old, added);
    lith_witness_chunk_begin(&job->witness, node);
    must(lith_file_writer_chunk(job->writer, &route->plan, &err));
    for (uint32_t i = 0; i < job->footer.row_group_count; i++) {
        struct lith_source_chunk chunk = chunk_take(job, i, old);
        enum lith_mover mover =
            lith_chunk_route_mover(route, &chunk, job->footer.created_by, &reason);
        struct lith_move move = {
            .chunk = added ? NULL : &chunk,
            .leaf = node,
            .levels = &levels,
            .group = &from->nodes[job->group],
            .may_copy = true,
            .pages = &job->source.base,
            .file = &job->source.base,
            .ref = lith_chunk_ref_of(&job->footer, i, old),
            .tools = &job->tools,
            .writer = job->writer,
            .codec = route->plan.codec,
            .dictionary = route->plan.dictionary,
            .packed = &packed,
            .witness = &job->witness,
        };
        must(lith_mover_run(added ? LITH_MOVER_NULL : mover, &move, &err));
    }
    must(lith_file_writer_chunk_end(job->writer, &err));
    must(lith_witness_chunk_end(&job->witness, (uint64_t)job->footer.num_rows, &err));
    lith_chunk_route_done(route);
}

/* The file in memory, checked against what was witnessed. */
static void file_make(struct job *job)
{
    struct lith_memory_source made;
    const struct lith_verify_options options = {.level = LITH_VERIFY_CONTENT,
                                                .witness = &job->witness,
                                                .codecs = job->codecs,
                                                .work = &job->work};

    lith_spool_init(&job->out, &mem, &job->scratch, (size_t)256 << 20);
    must(lith_move_tools_init(&job->tools, job->codecs, &job->work, &err));
    lith_witness_init(&job->witness, &job->work, job->schema.leaf_count);
    must(lith_file_writer_new(&job->out.sink, &job->schema, job->codecs, &job->work, &job->writer,
                              &err));
    must(lith_file_writer_row_group(job->writer, job->footer.num_rows, &err));
    for (uint32_t leaf = 0; leaf < job->schema.leaf_count; leaf++)
        chunk_write(job, leaf);
    must(lith_file_writer_row_group_end(job->writer, &err));
    must(lith_file_writer_finish(job->writer, NULL, 0, &err));
    lith_file_writer_free(job->writer);
    lith_memory_source_init(&made, lith_spool_memory(&job->out), (size_t)job->out.source.size);
    must(lith_verify_file(&made.base, &options, &err));
    lith_witness_done(&job->witness);
}

static void file_write(const struct job *job, const char *path)
{
    size_t bytes = (size_t)job->out.source.size;
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(lith_spool_memory(&job->out), 1, bytes, file) != bytes || fclose(file) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    static const struct lith_control control;
    struct job job = {.work = {.mem = &mem, .control = &control}};

    if (argc != 3 && argc != 5) {
        (void)fprintf(stderr, "usage: define_columns IN OUT [GROUP SIBLING]\n");
        return 2;
    }
    lith_mem_init(&mem, (size_t)1 << 30, NULL);
    lith_scratch_init(&job.scratch, NULL, 0);
    job.work.scratch = &job.scratch;
    lith_arena_init(&job.arena, &mem);
    lith_buf_init(&job.in, &mem, SIZE_MAX);
    must(lith_codec_context_new(&mem, &job.codecs, &err));
    file_read(argv[1], &job.in);
    lith_memory_source_init(&job.source, job.in.data, job.in.bytes);
    must(lith_footer_read(&job.source.base, &job.arena, &job.footer, &err));
    if (job.footer.schema.leaf_count == 0) {
        (void)fprintf(stderr, "%s has no columns\n", argv[1]);
        return 1;
    }
    if (argc == 5) {
        const struct lith_schema *schema = &job.footer.schema;
        job.group = node_find(schema, argv[3]);
        job.sibling = schema->nodes[node_find(schema, argv[4])].leaf_index;
    }
    schema_make(&job);
    file_make(&job);
    file_write(&job, argv[2]);
    for (int mover = 0; mover < LITH_MOVER_COUNT; mover++)
        (void)printf("%s %llu ", lith_mover_name((enum lith_mover)mover),
                     (unsigned long long)job.tools.bytes[mover]);
    (void)puts("");
    lith_move_tools_done(&job.tools);
    lith_codec_context_free(job.codecs);
    lith_buf_done(&job.in);
    lith_spool_done(&job.out);
    lith_arena_done(&job.arena);
    lith_mem_done(&mem);
    return 0;
}
