/*
 * Where the leaves of a union stand in each of its schemas (parquet-splice.md section 6.3): by
 * cases, in the widest and deepest schemas, and against a model of any schemas in any order.
 */
#include "union_support.h"

static const char *path_of(const struct lith_schema *schema, uint32_t node)
{
    static char path[1024];

    lith_schema_path(schema, node, path, sizeof(path));
    return path;
}

static bool is_once_a_row(const struct lith_schema *schema, const struct lith_union_place *place)
{
    return schema->nodes[place->group].max_def == 0 && schema->nodes[place->group].max_rep == 0;
}

/* Where the leaves of the union are: "a=x", or "a-" below the root, or "s.a-s:t:t.x" where s of the
 * union is t of the schema and t.x is there; "a~" where the schema has nothing but nulls there. */
static const char *places_text(const struct lith_union *u, const struct lith_schema *schema)
{
    LITH_AUTO(buf) struct lith_buf text;
    struct lith_union_place *places;
    void *copy;

    lith_buf_init(&text, &mem, 1 << 20);
    MUST(lith_union_places(u, schema, &arena, &places, &err));
    for (uint32_t i = 0; i < u->schema.leaf_count; i++) {
        const struct lith_union_place *place = &places[i];
        text_put(&text, i ? " " : "");
        text_put(&text, path_of(&u->schema, u->schema.leaves[i]));
        text_put(&text, place->leaf != LITH_NO_INDEX ? "=" : place->is_void ? "~" : "-");
        if (place->leaf != LITH_NO_INDEX) {
            text_put(&text, path_of(schema, schema->leaves[place->leaf]));
            continue;
        }
        assert_int_equal(place->group == 0, place->union_group == 0);
        assert_int_equal(is_once_a_row(schema, place) && !place->is_void,
                         place->fellow == LITH_NO_INDEX);
        if (place->group == 0)
            continue;
        text_put(&text, path_of(&u->schema, place->union_group));
        text_put(&text, ":");
        text_put(&text, path_of(schema, place->group));
        text_put(&text, ":");
        text_put(&text, place->fellow == LITH_NO_INDEX
                            ? "once"
                            : path_of(schema, schema->leaves[place->fellow]));
    }
    MUST(lith_arena_copy(&arena, text.data, text.bytes, &copy, &err));
    return copy;
}

#define SCHEMAS_MAX 3

static void test_places(void **state)
{
    static const struct {
        unsigned rules;
        const char *schemas[SCHEMAS_MAX];
        const char *places[SCHEMAS_MAX];
    } cases[] = {
        {0,
         {"!a:INT32 !b:INT32", "!b:INT32 !c:INT32 !a:INT32", "!c:INT32"},
         {"a=a b=b c-", "a=a b=b c=c", "a- b- c=c"}},
        /* In structs: the deepest group, and any leaf below it. */
        {0,
         {"?s{!x:INT32} !a:INT32", "?s{!y:INT32}", "!a:INT32"},
         {"s.x=s.x s.y-s:s:s.x a=a", "s.x-s:s:s.y s.y=s.y a-", "s.x- s.y- a=a"}},
        {0,
         {"?s{?t{!x:INT32}}", "?s{!y:INT32 ?t{!z:INT32}}", "?s{?u{?v{!w:INT32}}}"},
         {"s.t.x=s.t.x s.t.z-s.t:s.t:s.t.x s.y-s:s:s.t.x s.u.v.w-s:s:s.t.x",
          "s.t.x-s.t:s.t:s.t.z s.t.z=s.t.z s.y=s.y s.u.v.w-s:s:s.y",
          "s.t.x-s:s:s.u.v.w s.t.z-s:s:s.u.v.w s.y-s:s:s.u.v.w s.u.v.w=s.u.v.w"}},
        {0,
         {"?s{?a:INT32 ?x:INT32} ?x:INT32", "?s{?a:INT32} ?x:INT32"},
         {"s.a=s.a s.x=s.x x=x", "s.a=s.a s.x-s:s:s.a x=x"}},
        {0, {"?a.b:INT32", "?a{?b:INT32}"}, {"\"a.b\"=\"a.b\" a.b-", "\"a.b\"- a.b=a.b"}},
        /* The leaf of fewest repetitions, the first of those. */
        {0,
         {"?s{*r:INT32 ?l/LIST{*list{?element:INT32}} ?t{!x:INT32} !y:INT32}", "?s{!z:INT32}"},
         {"s.r=s.r s.l.list.element=s.l.list.element s.t.x=s.t.x s.y=s.y s.z-s:s:s.t.x",
          "s.r-s:s:s.z s.l.list.element-s:s:s.z s.t.x-s:s:s.z s.y-s:s:s.z s.z=s.z"}},
        {0,
         {"?s{*r{*q:INT32} *p:INT32}", "?s{!z:INT32}"},
         {"s.r.q=s.r.q s.p=s.p s.z-s:s:s.p", "s.r.q-s:s:s.z s.p-s:s:s.z s.z=s.z"}},
        /* Below repeated groups, lists and maps with other names inside. */
        {0, {"*r{!x:INT32}", "*r{!y:INT32}"}, {"r.x=r.x r.y-r:r:r.x", "r.x-r:r:r.y r.y=r.y"}},
        {0,
         {"?l/LIST{*list{?element{!x:INT32}}}", "?l/LIST{*bag{?e{*y:INT32}}}", "!z:INT32"},
         {"l.list.element.x=l.list.element.x "
          "l.list.element.y-l.list.element:l.list.element:l.list.element.x z-",
          "l.list.element.x-l.list.element:l.bag.e:l.bag.e.y l.list.element.y=l.bag.e.y z-",
          "l.list.element.x- l.list.element.y- z=z"}},
        {0,
         {"?l/LIST{*array{!x:INT32}}", "?l/LIST{*l_tuple{!y:INT32}}"},
         {"l.array.x=l.array.x l.array.y-l.array:l.array:l.array.x",
          "l.array.x-l.array:l.l_tuple:l.l_tuple.y l.array.y=l.l_tuple.y"}},
        {0, {"?l/LIST{*array:INT32}", "?l/LIST{*e:INT64}"}, {"l.array=l.array", "l.array=l.e"}},
        {0,
         {"?m/MAP{*key_value{!key:INT32 ?value{!x:INT32}}}",
          "?m/MAP{*map{!value:INT32 ?key{!y:INT32}}}"},
         {"m.key_value.key=m.key_value.key m.key_value.value.x=m.key_value.value.x "
          "m.key_value.value.y-m.key_value.value:m.key_value.value:m.key_value.value.x",
          "m.key_value.key=m.map.value "
          "m.key_value.value.x-m.key_value.value:m.map.key:m.map.key.y "
          "m.key_value.value.y=m.map.key.y"}},
        {0,
         {"?v/VARIANT{!metadata:BYTES !value:BYTES} !a:INT32", "!a:INT32"},
         {"v.metadata=v.metadata v.value=v.value a=a", "v.metadata- v.value- a=a"}},
        /* A column of nulls is lacking where the union has a type for it. */
        {0,
         {"?a:INT32/UNKNOWN ?b:INT32/UNKNOWN", "?a:BYTES/STRING ?b:INT32/UNKNOWN"},
         {"a~ b=b", "a=a b=b"}},
        {0, {"?b:BYTES/STRING", "?b:INT32/UNKNOWN", "?b:INT64/UNKNOWN"}, {"b=b", "b~", "b~"}},
        {0, {"?b:INT32/UNKNOWN", "?b:INT64/UNKNOWN"}, {"b=b", "b~"}},
        {0,
         {"?l/LIST{*list{?element:INT32/UNKNOWN}}", "?l/LIST{*list{?element:INT32}}"},
         {"l.list.element~l.list:l.list:l.list.element", "l.list.element=l.list.element"}},
        /* A group without leaves has no levels to go by. */
        {0,
         {"?s{?e{} !x:INT32}", "?s{?e{!y:INT32} !x:INT32}"},
         {"s.e.y-s:s:s.x s.x=s.x", "s.e.y=s.e.y s.x=s.x"}},
        /* Nor is a look at levels needed where every row has the group. */
        {0, {"!s{!x:INT32}", "!s{?y:INT32}"}, {"s.x=s.x s.y-s:s:once", "s.x-s:s:once s.y=s.y"}},
        {0, {"?e{} !x:INT32", "?e{!y:INT32}"}, {"e.y- x=x", "e.y=e.y x-"}},
        /* By ids. */
        {BY_ID,
         {"!a#1:INT32 !b#2:INT32", "!b#1:INT32 !a#2:INT32", "!z#3:INT32 !y#1:INT32"},
         {"y=a a=b z-", "y=b a=a z-", "y=y a- z=z"}},
        {BY_ID,
         {"?s#1{!a#2:INT32}", "?t#1{!b#3:INT32}"},
         {"t.a=s.a t.b-t:s:s.a", "t.a-t:t:t.b t.b=t.b"}},
        {BY_ID,
         {"?l#1/LIST{*list{?e#2{!x#3:INT32}}}", "?k#1/LIST{*bag{?f#2{!x#4:INT32 !y#3:INT32}}}"},
         {"k.bag.f.y=l.list.e.x k.bag.f.x-k.bag.f:l.list.e:l.list.e.x",
          "k.bag.f.y=k.bag.f.y k.bag.f.x=k.bag.f.x"}},
        {BY_ID,
         {"?v#1/VARIANT{!metadata:BYTES !value:BYTES}",
          "?w#1/VARIANT{!metadata:BYTES !value:BYTES}"},
         {"w.metadata=v.metadata w.value=v.value", "w.metadata=w.metadata w.value=w.value"}},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lith_schema schemas[SCHEMAS_MAX];
        struct lith_union u;
        for (uint32_t k = 0; k < SCHEMAS_MAX && cases[i].schemas[k]; k++) {
            schemas[k] = schema_read(cases[i].schemas[k]);
            if (k == 0)
                u = union_begin(cases[i].rules, &schemas[0]);
            else
                assert_null(union_add(&u, &schemas[k], k).text);
        }
        for (uint32_t k = 0; k < SCHEMAS_MAX && cases[i].schemas[k]; k++) {
            const char *places = places_text(&u, &schemas[k]);
            if (strcmp(places, cases[i].places[k]) != 0)
                fail_msg("case %zu, %s:\n    %s, not\n    %s", i, cases[i].schemas[k], places,
                         cases[i].places[k]);
        }
    }
}

#define WIDE 5000
#define SECONDS_MAX 5 /* of a processor, under sanitizers */

/* A schema of columns c<first>, c<first + step>, ... */
static struct lith_schema wide_schema(uint32_t first, int step)
{
    LITH_AUTO(buf) struct lith_buf text;
    char column[32];
    void *copy;

    lith_buf_init(&text, &mem, 1 << 20);
    for (int i = 0; i < WIDE; i++) {
        (void)snprintf(column, sizeof(column), " !c%07d:INT32", (int)first + i * step);
        text_put(&text, column);
    }
    MUST(lith_arena_copy(&arena, text.data, text.bytes, &copy, &err));
    return schema_read(copy);
}

static double seconds_now(void)
{
    struct timespec now;

    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Thousands of columns in one group: those of both in any order, and none of both. */
static void test_wide(void **state)
{
    static const struct {
        const char *name;
        uint32_t first;
        int step;
        uint32_t shared;
    } cases[] = {
        {"equal", 0, 1, WIDE},
        {"shifted", WIDE / 2, 1, WIDE / 2},
        {"reversed", WIDE - 1, -1, WIDE},
        {"every second", 0, 2, WIDE / 2},
        {"disjoint", WIDE, 1, 0},
    };
    struct lith_schema left = wide_schema(0, 1);
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lith_schema right = wide_schema(cases[i].first, cases[i].step);
        struct lith_union u = union_begin(0, &left);
        struct lith_union_place *places;
        uint32_t found = 0;
        double begun = seconds_now();
        assert_null(union_add(&u, &right, 1).text);
        double joined = seconds_now();
        MUST(lith_union_places(&u, &right, &arena, &places, &err));
        double placed = seconds_now();
        print_message("%s: joined in %.3f s, placed in %.3f s\n", cases[i].name, joined - begun,
                      placed - joined);
        assert_int_equal(u.schema.leaf_count, 2 * WIDE - cases[i].shared);
        for (uint32_t leaf = 0; leaf < u.schema.leaf_count; leaf++) {
            if (places[leaf].leaf == LITH_NO_INDEX)
                continue;
            assert_true(lith_slice_equal(lith_schema_leaf(&u.schema, leaf)->name,
                                         lith_schema_leaf(&right, places[leaf].leaf)->name));
            found++;
        }
        assert_int_equal(found, WIDE);
        assert_true(placed - begun < SECONDS_MAX);
    }
}

/* The deepest schema there is: groups, or lists of lists, with two leaves in the last group. */
static struct lith_schema deep_schema(const char *last)
{
    LITH_AUTO(buf) struct lith_buf text;
    void *copy;

    lith_buf_init(&text, &mem, 1 << 20);
    for (uint32_t i = 1; i < LITH_SCHEMA_DEPTH_MAX; i++)
        text_put(&text, i % 2 ? "!g{" : "*h{");
    text_put(&text, last);
    for (uint32_t i = 1; i < LITH_SCHEMA_DEPTH_MAX; i++)
        text_put(&text, "}");
    MUST(lith_arena_copy(&arena, text.data, text.bytes, &copy, &err));
    return schema_read(copy);
}

static void test_deep(void **state)
{
    struct lith_schema a = deep_schema("!a:INT32");
    struct lith_schema b = deep_schema("!b:INT32 !a:INT64");
    struct lith_schema c = deep_schema("!a:BYTES");
    struct lith_schema joined = deep_schema("!a:INT64 ?b:INT32");
    struct lith_union u = union_begin(0, &a);
    struct lith_union_place *places;
    (void)state;

    assert_int_equal(a.nodes[LITH_SCHEMA_DEPTH_MAX].depth, LITH_SCHEMA_DEPTH_MAX);
    assert_null(union_add(&u, &b, 1).text);
    assert_string_equal(schema_write(&u.schema), schema_write(&joined));
    MUST(lith_union_places(&u, &a, &arena, &places, &err));
    assert_int_equal(places[0].leaf, 0);
    assert_int_equal(places[1].leaf, LITH_NO_INDEX);
    assert_int_equal(places[1].group, LITH_SCHEMA_DEPTH_MAX - 1);
    assert_int_equal(places[1].union_group, LITH_SCHEMA_DEPTH_MAX - 1);
    assert_int_equal(places[1].fellow, 0);
    struct lith_union_conflict conflict = union_add(&u, &c, 2);
    assert_non_null(conflict.text);
    assert_int_equal(conflict.origin, 1);
    assert_non_null(strstr(conflict.text, ": INT64 against BYTE_ARRAY"));
}

#define FIELDS_MAX 14
#define ROUNDS 300

enum shape { LEAF, STRUCT, LIST_OF_STRUCTS };

/* Fields that schemas have a part of, and what the union of these must be. */
struct model {
    uint64_t seed;
    int field_count;
    int schema_count;
    struct {
        int parent; /* -1: the root */
        enum shape shape;
        bool is_repeated;
    } fields[FIELDS_MAX];
    struct {
        bool has, is_optional, is_wide, has_optional_elements, has_other_names;
    } parts[SCHEMAS_MAX][FIELDS_MAX];
};

static int below(struct model *m, int bound)
{
    return (int)(test_random(&m->seed) % (uint64_t)bound);
}

static bool is_parent(const struct model *m, int field)
{
    for (int i = field + 1; i < m->field_count; i++) {
        if (m->fields[i].parent == field)
            return true;
    }
    return false;
}

static bool has_children(const struct model *m, int schema, int field)
{
    for (int i = 0; i < m->field_count; i++) {
        if (m->fields[i].parent == field && m->parts[schema][i].has)
            return true;
    }
    return false;
}

static void part_make(struct model *m, int schema)
{
    for (int i = 0; i < m->field_count; i++) {
        int parent = m->fields[i].parent;
        m->parts[schema][i].has = (parent < 0 || m->parts[schema][parent].has) && below(m, 10) < 7;
        m->parts[schema][i].is_optional = below(m, 2);
        m->parts[schema][i].is_wide = below(m, 3) == 0;
        m->parts[schema][i].has_optional_elements = below(m, 2);
        m->parts[schema][i].has_other_names = below(m, 2);
    }
    for (int i = m->field_count - 1; i >= 0; i--) {
        if (m->fields[i].shape != LEAF && !has_children(m, schema, i))
            m->parts[schema][i].has = false;
    }
}

static void model_make(struct model *m)
{
    m->field_count = 2 + below(m, FIELDS_MAX - 1);
    m->schema_count = 2 + below(m, SCHEMAS_MAX - 1);
    for (int i = 0; i < m->field_count; i++) {
        int parent = below(m, i + 1) - 1;
        while (parent >= 0 && m->fields[parent].shape == LEAF)
            parent = m->fields[parent].parent;
        m->fields[i].parent = parent;
        m->fields[i].shape = (enum shape)below(m, 3);
        m->fields[i].is_repeated = m->fields[i].shape != LIST_OF_STRUCTS && below(m, 6) == 0;
    }
    for (int i = 0; i < m->field_count; i++) {
        if (!is_parent(m, i))
            m->fields[i].shape = LEAF;
    }
    for (int schema = 0; schema < m->schema_count; schema++)
        part_make(m, schema);
}

/* Writes the fields of one group in any order. */
static void group_text(struct model *m, int schema, int parent, struct lith_buf *to)
{
    bool is_done[FIELDS_MAX] = {false};
    int begin = below(m, m->field_count);
    char text[64];

    for (int step = 0; step < 2 * m->field_count; step++) {
        int i = (begin + step * (1 + step / m->field_count)) % m->field_count;
        if (is_done[i] || m->fields[i].parent != parent || !m->parts[schema][i].has)
            continue;
        is_done[i] = true;
        char repetition = m->fields[i].is_repeated          ? '*'
                          : m->parts[schema][i].is_optional ? '?'
                                                            : '!';
        (void)snprintf(text, sizeof(text), " %cn%d", repetition, i);
        text_put(to, text);
        if (m->fields[i].shape == LEAF) {
            text_put(to, m->parts[schema][i].is_wide ? ":INT64" : ":INT32");
            continue;
        }
        if (m->fields[i].shape == LIST_OF_STRUCTS) {
            text_put(to, m->parts[schema][i].has_other_names ? "/list{*bag{" : "/LIST{*list{");
            text_put(to, m->parts[schema][i].has_optional_elements ? "?" : "!");
            text_put(to, m->parts[schema][i].has_other_names ? "e" : "element");
        }
        text_put(to, "{");
        group_text(m, schema, i, to);
        text_put(to, m->fields[i].shape == LIST_OF_STRUCTS ? "}}}" : "}");
    }
    for (int i = 0; i < m->field_count; i++)
        assert_true(is_done[i] || m->fields[i].parent != parent || !m->parts[schema][i].has);
}

static struct lith_schema part_schema(struct model *m, int schema)
{
    LITH_AUTO(buf) struct lith_buf text;
    void *copy;

    lith_buf_init(&text, &mem, 1 << 16);
    group_text(m, schema, -1, &text);
    MUST(lith_arena_copy(&arena, text.data, text.bytes, &copy, &err));
    return schema_read(copy);
}

/* What the union must say of a field, from the schemas that could have it. */
static enum lith_repetition model_repetition(const struct model *m, int field)
{
    int parent = m->fields[field].parent;
    bool is_optional = false;

    for (int k = 0; k < m->schema_count; k++) {
        if (parent >= 0 && !m->parts[k][parent].has)
            continue;
        is_optional = is_optional || !m->parts[k][field].has || m->parts[k][field].is_optional;
    }
    if (m->fields[field].is_repeated)
        return LITH_REPEATED;
    return is_optional ? LITH_OPTIONAL : LITH_REQUIRED;
}

static bool any_has(const struct model *m, int field)
{
    for (int k = 0; k < m->schema_count; k++) {
        if (m->parts[k][field].has)
            return true;
    }
    return false;
}

static bool any_is_wide(const struct model *m, int field)
{
    for (int k = 0; k < m->schema_count; k++) {
        if (m->parts[k][field].has && m->parts[k][field].is_wide)
            return true;
    }
    return false;
}

static bool any_has_optional_elements(const struct model *m, int field)
{
    for (int k = 0; k < m->schema_count; k++) {
        if (m->parts[k][field].has && m->parts[k][field].has_optional_elements)
            return true;
    }
    return false;
}

/* The node whose children are those of a field: the element of a list, else its own. */
static uint32_t inner_node(const struct model *m, int field, uint32_t node)
{
    return m->fields[field].shape == LIST_OF_STRUCTS ? node + 2 : node;
}

/* The node of a field, by its name; LITH_NO_INDEX: the schema lacks it. */
static uint32_t field_node(const struct lith_schema *schema, int field)
{
    char name[16];

    (void)snprintf(name, sizeof(name), "n%d", field);
    for (uint32_t i = 1; i < schema->node_count; i++) {
        if (lith_slice_equal(schema->nodes[i].name, lith_slice_text(name)))
            return i;
    }
    return LITH_NO_INDEX;
}

static void model_check(const struct model *m, const struct lith_schema *joined)
{
    uint32_t leaf_count = 0;

    for (int i = 0; i < m->field_count; i++) {
        uint32_t at = field_node(joined, i);
        int parent = m->fields[i].parent;
        assert_int_equal(at != LITH_NO_INDEX, any_has(m, i));
        if (at == LITH_NO_INDEX)
            continue;
        const struct lith_schema_node *node = &joined->nodes[at];
        assert_int_equal(node->repetition, model_repetition(m, i));
        assert_int_equal(node->parent,
                         parent < 0 ? 0 : inner_node(m, parent, field_node(joined, parent)));
        if (m->fields[i].shape == LEAF)
            assert_int_equal(node->type, any_is_wide(m, i) ? LITH_TYPE_INT64 : LITH_TYPE_INT32);
        if (m->fields[i].shape == LIST_OF_STRUCTS)
            assert_int_equal(node[2].repetition == LITH_OPTIONAL, any_has_optional_elements(m, i));
        leaf_count += m->fields[i].shape == LEAF;
    }
    assert_int_equal(joined->leaf_count, leaf_count);
}

static bool is_below(const struct lith_schema *schema, uint32_t node, uint32_t group)
{
    while (node != group && node != 0)
        node = schema->nodes[node].parent;
    return node == group;
}

static void place_check(const struct model *m, int k, const struct lith_union *u,
                        const struct lith_schema *schema, int field,
                        const struct lith_union_place *place)
{
    int group = m->fields[field].parent;

    if (m->parts[k][field].has) {
        assert_int_equal(schema->leaves[place->leaf], field_node(schema, field));
        return;
    }
    assert_int_equal(place->leaf, LITH_NO_INDEX);
    while (group >= 0 && !m->parts[k][group].has)
        group = m->fields[group].parent;
    if (group < 0) {
        assert_int_equal(place->group, 0);
        assert_int_equal(place->union_group, 0);
        assert_int_equal(place->fellow, LITH_NO_INDEX);
        return;
    }
    assert_int_equal(place->group, inner_node(m, group, field_node(schema, group)));
    assert_int_equal(place->union_group, inner_node(m, group, field_node(&u->schema, group)));
    if (is_once_a_row(schema, place)) {
        assert_int_equal(place->fellow, LITH_NO_INDEX);
        return;
    }
    assert_true(is_below(schema, schema->leaves[place->fellow], place->group));
    for (uint32_t leaf = 0; leaf < schema->leaf_count; leaf++) {
        if (is_below(schema, schema->leaves[leaf], place->group))
            assert_true(lith_schema_leaf(schema, place->fellow)->max_rep <=
                        lith_schema_leaf(schema, leaf)->max_rep);
    }
}

static void model_places_check(const struct model *m, const struct lith_union *u,
                               const struct lith_schema *schemas)
{
    for (int k = 0; k < m->schema_count; k++) {
        struct lith_union_place *places;
        MUST(lith_union_places(u, &schemas[k], &arena, &places, &err));
        for (int i = 0; i < m->field_count; i++) {
            uint32_t node = field_node(&u->schema, i);
            if (m->fields[i].shape == LEAF && node != LITH_NO_INDEX)
                place_check(m, k, u, &schemas[k], i, &places[u->schema.nodes[node].leaf_index]);
        }
    }
}

/* Any schemas in any order: the same columns, types and repetitions, and each in its place. */
static void test_any_schemas(void **state)
{
    struct model m = {.seed = test_seed()};
    (void)state;

    for (int round = 0; round < ROUNDS; round++) {
        struct lith_schema schemas[SCHEMAS_MAX];
        model_make(&m);
        for (int k = 0; k < m.schema_count; k++)
            schemas[k] = part_schema(&m, k);
        for (int first = 0; first < m.schema_count; first++) {
            struct lith_union u = union_begin(0, &schemas[first]);
            for (int k = 1; k < m.schema_count; k++)
                assert_null(union_add(&u, &schemas[(first + k) % m.schema_count], 0).text);
            model_check(&m, &u.schema);
            model_places_check(&m, &u, schemas);
            const char *joined = schema_write(&u.schema);
            for (int k = 0; k < m.schema_count; k++)
                assert_null(union_add(&u, &schemas[k], 0).text);
            assert_string_equal(schema_write(&u.schema), joined);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_places),
        TEST(test_wide),
        TEST(test_deep),
        TEST(test_any_schemas),
    };

    return cmocka_run_group_tests_name("schema_union_places", tests, NULL, NULL);
}
