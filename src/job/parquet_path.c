/*
 * Rules become columns of a file, rule by rule; each is judged row group by row group.
 */
#include "job/parquet_path.h"

#include "merge/input_list.h"
#include "parquet/expected_scan.h"
#include "parquet/value_text.h"

/* Bytes of a value that has no text are shown, so many of them. */
#define HEX_BYTES_MAX 16u

/* One rule in one file. Has pointers into itself. */
struct file_rule {
    const struct lith_path_rule *rule;
    const struct lith_schema_node *uncompared; /* a column of its name, of a type that is not */
    struct lith_expected expected[2];          /* of the rule's column, and its fallback */
    uint32_t leaves[2];
    struct lith_expected_columns columns; /* NULL both: the file has nothing to say */
};

/* The column of that name at the top of the schema, also a group; NULL: there is none. */
static const struct lith_schema_node *top_find(const struct lith_schema *schema, const char *name)
{
    struct lith_slice wanted = lith_slice_text(name);

    for (uint32_t i = 1; i < schema->node_count; i++) {
        if (schema->nodes[i].parent == 0 && lith_slice_equal(schema->nodes[i].name, wanted))
            return &schema->nodes[i];
    }
    return NULL;
}

/* The rule's column of the file, or its fallback (`index` 1); NULL: not there, or not compared. */
static const struct lith_expected *
column_make(struct file_rule *r, const struct lith_schema *schema, const char *name, unsigned index)
{
    const struct lith_schema_node *node = name ? top_find(schema, name) : NULL;

    if (!node)
        return NULL;
    if (!lith_expected_make(node, &r->rule->said, &r->expected[index])) {
        r->uncompared = node;
        return NULL;
    }
    r->leaves[index] = node->leaf_index;
    return &r->expected[index];
}

/*
 * A null is taken where it may stand for a column that one of the inputs of an output of ours
 * lacked; where the column itself lacks, the fallback is all that is asked; and where a column is
 * not compared, it may well say what the other one does not.
 */
static void rule_open(struct file_rule *r, const struct lith_path_rule *rule,
                      const struct lith_footer *footer)
{
    *r = (struct file_rule){.rule = rule};
    r->columns.first = column_make(r, &footer->schema, rule->column, 0);
    if (r->uncompared)
        return;
    r->columns.second = column_make(r, &footer->schema, rule->fallback, 1);
    r->columns.none_fits = rule->said.kind == LITH_EXPECT_NULL || !r->columns.first ||
                           r->uncompared || lith_footer_key(footer, LITH_INPUT_LIST_KEY);
}

static enum lith_code group_judge(const struct file_rule *r, const struct lith_footer *footer,
                                  uint32_t row_group, struct lith_arena *arena,
                                  enum lith_proof *ret_proof, bool *ret_has_nulls,
                                  struct lith_err *err)
{
    struct lith_facts facts[2] = {{0}, {0}};

    if (r->columns.first)
        LITH_TRY(lith_facts_of_chunk(footer, row_group, r->leaves[0], arena, &facts[0], err));
    if (r->columns.second)
        LITH_TRY(lith_facts_of_chunk(footer, row_group, r->leaves[1], arena, &facts[1], err));
    *ret_has_nulls = !facts[0].has_null_count || facts[0].null_count > 0;
    *ret_proof = lith_expected_judge(&r->columns, &facts[0], &facts[1]);
    return LITH_OK;
}

static enum lith_code uncompared_text(const struct file_rule *r, struct lith_arena *arena,
                                      const char **ret_text, struct lith_err *err)
{
    const struct lith_schema_node *node = r->uncompared;
    char what[LITH_NODE_TEXT_BYTES];
    char *text;

    lith_schema_node_text(node, what);
    LITH_TRY(lith_arena_format(arena, &text, err, "column %.*s, %s, cannot be compared with %.200s",
                               LITH_SLICE_ARGS(node->name), what, r->rule->text));
    *ret_text = text;
    return LITH_OK;
}

enum lith_code lith_parquet_path_judge(const struct lith_path_rules *rules,
                                       const struct lith_footer *footer, struct lith_arena *arena,
                                       enum lith_proof *ret_proof, const char **ret_uncompared,
                                       struct lith_err *err)
{
    enum lith_proof worst = LITH_PROOF_YES;
    struct file_rule r;
    bool ignored;

    *ret_uncompared = NULL;
    for (size_t i = 0; i < rules->count; i++) {
        rule_open(&r, &rules->rules[i], footer);
        if (r.uncompared && !*ret_uncompared)
            LITH_TRY(uncompared_text(&r, arena, ret_uncompared, err));
        for (uint32_t j = 0; (r.columns.first || r.columns.second) && j < footer->row_group_count;
             j++) {
            enum lith_proof proof;
            LITH_TRY(group_judge(&r, footer, j, arena, &proof, &ignored, err));
            worst = proof > worst ? proof : worst;
        }
    }
    *ret_proof = worst;
    return LITH_OK;
}

static enum lith_code value_text(const struct lith_schema_node *leaf, struct lith_slice value,
                                 struct lith_arena *arena, char **ret_text, struct lith_err *err)
{
    static const char digits[] = "0123456789abcdef";
    char hex[2 * HEX_BYTES_MAX + 1];
    size_t count = value.bytes < HEX_BYTES_MAX ? value.bytes : HEX_BYTES_MAX;
    bool is_text = leaf->type == LITH_TYPE_BYTE_ARRAY && leaf->logical.kind != LITH_LOGICAL_DECIMAL;

    LITH_TRY(lith_value_text(leaf, value, arena, ret_text, err));
    if (*ret_text)
        return is_text ? lith_arena_format(arena, ret_text, err, "\"%s\"", *ret_text) : LITH_OK;
    for (size_t i = 0; i < count; i++) {
        hex[2 * i] = digits[value.data[i] >> 4];
        hex[2 * i + 1] = digits[value.data[i] & 15];
    }
    hex[2 * count] = '\0';
    return lith_arena_format(arena, ret_text, err, "0x%s%s", hex, count < value.bytes ? "..." : "");
}

static enum lith_code misfit_text(const struct file_rule *r, const struct lith_footer *footer,
                                  uint32_t row_group, const struct lith_misfit *misfit,
                                  struct lith_arena *arena, const char **ret_text,
                                  struct lith_err *err)
{
    const struct lith_path_rule *rule = r->rule;
    const char *column = misfit->is_of_second ? rule->fallback : rule->column;
    char *value = NULL;
    char *text;

    if (misfit->is_null)
        LITH_TRY(lith_arena_format(arena, &value, err, "null%s%.100s",
                                   r->columns.second ? ", and so does " : "",
                                   r->columns.second ? rule->fallback : ""));
    else
        LITH_TRY(value_text(lith_schema_leaf(&footer->schema, r->leaves[misfit->is_of_second]),
                            misfit->value, arena, &value, err));
    LITH_TRY(lith_arena_format(arena, &text, err,
                               "column %.100s holds %s (row group %u), its path says %.200s",
                               column, value, row_group, rule->text));
    *ret_text = text;
    return LITH_OK;
}

/* One rule in the row groups that statistics do not prove. */
static enum lith_code rule_scan(const struct file_rule *r, struct lith_expected_scan *scan,
                                struct lith_arena *scratch, struct lith_arena *arena,
                                const char **ret_misfit, struct lith_err *err)
{
    const struct lith_footer *footer = scan->footer;
    struct lith_misfit misfit = {0};
    enum lith_proof proof;

    scan->columns = r->columns;
    scan->first = r->leaves[0];
    scan->second = r->leaves[1];
    for (uint32_t i = 0; i < footer->row_group_count && !misfit.found; i++) {
        LITH_TRY(group_judge(r, footer, i, scratch, &proof, &scan->has_nulls, err));
        if (proof == LITH_PROOF_YES)
            continue;
        scan->row_group = i;
        LITH_TRY(lith_expected_scan(scan, scratch, &misfit, err));
        if (misfit.found)
            LITH_TRY(misfit_text(r, footer, i, &misfit, arena, ret_misfit, err));
    }
    return LITH_OK;
}

enum lith_code lith_parquet_path_scan(const struct lith_path_rules *rules,
                                      struct lith_source *source, struct lith_codec_context *codecs,
                                      const struct lith_work *work, struct lith_arena *arena,
                                      const char **ret_misfit, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_footer footer;
    struct file_rule r;

    *ret_misfit = NULL;
    lith_arena_init(&scratch, work->mem);
    LITH_TRY(lith_footer_read(source, &scratch, &footer, err));
    LITH_TRY(lith_schema_normalise(&footer.schema, &scratch, err));
    struct lith_expected_scan scan = {
        .source = source, .footer = &footer, .codecs = codecs, .work = work};
    for (size_t i = 0; i < rules->count && !*ret_misfit; i++) {
        rule_open(&r, &rules->rules[i], &footer);
        if (r.columns.first || r.columns.second)
            LITH_TRY(rule_scan(&r, &scan, &scratch, arena, ret_misfit, err));
    }
    return LITH_OK;
}
