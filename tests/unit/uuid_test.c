/*
 * UUIDv7: the layout of RFC 9562, and order whatever the clock does.
 */
#include "support.h"

#include "base/uuid.h"

static int64_t clock_now_ns;
static uint8_t random_byte;

static int64_t fake_now(struct lith_env *env)
{
    (void)env;
    return clock_now_ns;
}

static void fake_random(struct lith_env *env, void *to, size_t bytes)
{
    (void)env;
    memset(to, random_byte, bytes);
}

static struct lith_env fake = {.now_ns = fake_now, .random = fake_random};

/* The time of RFC 9562 appendix A.6 (0x017F22E279B0 ms). */
static void layout_of_the_rfc(void **state)
{
    struct lith_uuid_source source = {.env = &fake};
    char text[LITH_UUID_TEXT_BYTES];

    (void)state;
    clock_now_ns = (int64_t)0x017F22E279B0 * 1000000;
    random_byte = 0xff;
    lith_uuid7(&source, text);
    assert_string_equal(text, "017f22e2-79b0-77ff-bfff-ffffffffffff");
    random_byte = 0;
    lith_uuid7(&source, text);
    assert_string_equal(text, "017f22e2-79b0-7800-8000-000000000000");
    clock_now_ns += 1000000;
    lith_uuid7(&source, text);
    assert_string_equal(text, "017f22e2-79b1-7000-8000-000000000000");
    clock_now_ns = -5;
    source = (struct lith_uuid_source){.env = &fake};
    lith_uuid7(&source, text);
    assert_string_equal(text, "00000000-0000-7001-8000-000000000000");
}

/* A clock that stands, jumps and goes back; more in one millisecond than the counter holds. */
static void order_holds(void **state)
{
    struct lith_uuid_source source = {.env = &fake};
    char last[LITH_UUID_TEXT_BYTES] = "";
    char text[LITH_UUID_TEXT_BYTES];
    uint64_t seed = test_seed();

    (void)state;
    clock_now_ns = (int64_t)1781500000 * 1000000000;
    for (int i = 0; i < 50000; i++) {
        uint64_t draw = test_random(&seed);
        random_byte = (uint8_t)draw;
        if (draw % 3000 == 0)
            clock_now_ns += (int64_t)(draw >> 32) - (int64_t)1500000000;
        lith_uuid7(&source, text);
        assert_true(strcmp(last, text) < 0);
        assert_int_equal(strlen(text), 36);
        memcpy(last, text, sizeof(last));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_of_the_rfc),
        cmocka_unit_test(order_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
