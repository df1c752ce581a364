/*
 * Every queue, buffer, retry, depth and count of the library has its maximum here, with its reason.
 */
#ifndef LITH_BASE_LIMITS_H
#define LITH_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define LITH_KIB ((uint64_t)1 << 10)
#define LITH_MIB ((uint64_t)1 << 20)
#define LITH_GIB ((uint64_t)1 << 30)

/* Arena blocks: a page of memory at first, then large enough that their headers do not count. */
#define LITH_ARENA_BLOCK_BYTES_MIN 4096u
#define LITH_ARENA_BLOCK_BYTES_MAX (1u << 20)

/* Budgets: the smallest that the tests hold every merge to, and the default of the program. */
#define LITH_MEMORY_BYTES_MIN (16 * LITH_MIB)
#define LITH_MEMORY_BYTES_DEFAULT (256 * LITH_MIB)
#define LITH_SCRATCH_BYTES_DEFAULT (4 * LITH_GIB)

/*
 * A share of the budget that one page, one value or one window may take. A quarter leaves room
 * for the page read, the page written, its compressed form and the dictionaries.
 */
#define LITH_BUDGET_SHARES 4u

/* Parquet footers: larger ones than this are refused (a lie, or a file no reader opens). */
#define LITH_FOOTER_BYTES_MAX (256 * LITH_MIB)
/* First read from the end of a file; most footers fit, so most files open in one read. */
#define LITH_FOOTER_GUESS_BYTES (64 * LITH_KIB)
/* Bodies of pages that are copied go through a buffer of this size: few system calls, and it stays
 * in the processor's cache between read, checksum and write. */
#define LITH_COPY_BLOCK_BYTES ((size_t)256 << 10)
/* Pages that are both shorter (uncompressed) and of fewer values than this are not copied but
 * joined to larger ones: what their headers and their start cost readers (docs/bench/page-size.md).
 */
#define LITH_COPY_PAGE_BYTES_MIN (64u << 10)
#define LITH_COPY_PAGE_VALUES_MIN 2000u
/* Page headers: Arrow's cap; statistics with large strings make them large. */
#define LITH_PAGE_HEADER_BYTES_MAX (16 * LITH_MIB)
/* First read of a page header; a second one follows where it is longer. */
#define LITH_PAGE_HEADER_GUESS_BYTES 1024u

/* Nesting of the schema: the corpus has 50 lists of structs (150 groups); Arrow and DuckDB stop
 * far below. Levels must fit 16 bits. */
#define LITH_SCHEMA_DEPTH_MAX 256u
/* Sets of schemas of one partition that are tried one after the other: each new kind of schema is
 * joined with as many. Those beyond take files of equal schemas alone. */
#define LITH_UNION_SETS_MAX 256u
/* Nesting of Thrift values that are skipped. */
#define LITH_THRIFT_DEPTH_MAX 64u

/* Values and positions that are decoded at a time. */
#define LITH_BATCH_POSITIONS 4096u

/* Windows over levels: a page's levels are a few KiB, or runs that need few bytes. */
#define LITH_LEVEL_WINDOW_BYTES 8192u

/* Bytes behind the last value of a page that are taken for padding: a word. */
#define LITH_PAGE_SLACK_BYTES 8u

/* Distinct values of a key column that are counted one by one: 1.5 MiB of table. Beyond it their
 * order-free sum proves the same, without naming the value. */
#define LITH_KEY_VALUES_MAX 16384u

/* A witness of fewer segments (about 100 bytes each, one or more a chunk) than this stays in
 * memory. */
#define LITH_WITNESS_MEMORY_BYTES (256 * LITH_KIB)

/* New pages: the field's usual size, and parquet-java's row count. */
#define LITH_PAGE_BYTES_TARGET (1 * LITH_MIB)
#define LITH_PAGE_ROWS_MAX 20000u
/* Positions of one page of long lists: what stays small next to a page's bytes. */
#define LITH_PAGE_POSITIONS_MAX (1u << 20)
/* Lists of a Thrift struct: Arrow C++ refuses longer ones. */
#define LITH_THRIFT_ELEMENTS_MAX 1000000u
/* New dictionaries: what writers default to. */
#define LITH_DICTIONARY_BYTES_MAX (1 * LITH_MIB)
/* Statistics with longer bounds are truncated or left out (Arrow's default for a chunk). */
#define LITH_STATISTICS_BYTES_MAX 4096u
/* Bounds of pages in a column index are truncated to this (parquet-java's default). */
#define LITH_INDEX_BOUND_BYTES_MAX 64u

/* Stream decoders of codecs: windows large enough that calls do not count, small in any budget. */
#define LITH_CODEC_WINDOW_BYTES ((size_t)128 << 10)
/* As far back as the writers of SNAPPY (64 KiB blocks) and LZ4 (16-bit offsets) look. */
#define LITH_CODEC_HISTORY_BYTES ((size_t)64 << 10)
/*
 * What compression libraries take for themselves, charged where they cannot be asked before:
 * measured with Debian 12's (docs/codec-levels.md), rounded up.
 */
#define LITH_ZSTD_COMPRESSOR_BYTES ((size_t)640 << 10)
#define LITH_ZSTD_DECOMPRESSOR_BYTES ((size_t)128 << 10)
#define LITH_DEFLATE_COMPRESSOR_BYTES ((size_t)704 << 10)
#define LITH_DEFLATE_BEST_COMPRESSOR_BYTES ((size_t)9 << 20) /* from level 10 on */
#define LITH_DEFLATE_DECOMPRESSOR_BYTES ((size_t)16 << 10)
/* Brotli's encoder takes so many bytes per byte of a page up to a MiB, and more by its level. */
#define LITH_BROTLI_COMPRESSOR_FACTOR 8u
#define LITH_BROTLI_COMPRESSOR_PAGE_BYTES ((size_t)1 << 20)
/* Snappy's compressor: a block of 64 KiB in, one out, a hash table; taken anew in each call. */
#define LITH_SNAPPY_WORK_BYTES ((size_t)192 << 10)
#define LITH_LZ4_FRAME_STATE_BYTES ((size_t)1 << 10)
#define LITH_LZ4_FRAME_HISTORY_BYTES ((size_t)128 << 10)

/* Bloom filters: readers' bounds (parquet-java, Arrow, arrow-rs). */
#define LITH_BLOOM_BYTES_MIN 32u
#define LITH_BLOOM_BYTES_MAX (128u << 20)
/* New ones are wrong for one value in this many, as writers' defaults are. */
#define LITH_BLOOM_ONE_IN 100u

/* Buffer in front of a file that is written or copied: few system calls, and small against the
 * smallest budget. */
#define LITH_FILE_BUFFER_BYTES ((size_t)128 << 10)

/* The system is asked to write a file to disk whenever so much has come since, so that the fsync at
 * its end has little left to wait for. */
#define LITH_WRITEBACK_BYTES (16 * LITH_MIB)

/* Buffer behind which a chunk's pages are read: docs/reading-inputs.md has the curve. */
#define LITH_READ_AHEAD_BYTES ((size_t)256 << 10)
/* Buffers of all open inputs of a row group together: of 100 files, as many columns as fit 80 KiB.
 */
#define LITH_WINDOWS_BYTES_MAX ((size_t)8 << 20)

/* Workers of one pool: more than the cores of the machines this runs on; each has an input open. */
#define LITH_THREADS_MAX 256u

/* What a thread of a merge must have of the budget to be worth it: what the smallest one gives to a
 * merge, and as much again, since shares are those of the whole budget whatever the threads. */
#define LITH_THREAD_MEMORY_BYTES_MIN (2 * LITH_MEMORY_BYTES_MIN)
/* What a thread may have made of a file before it waits for its turn to write. */
#define LITH_PART_BYTES_MAX ((size_t)8 << 20)

/* Names of writers that an output's original.created.by lists, and their length: enough for a
 * partition, little beside a footer. */
#define LITH_WRITERS_MAX 16u
#define LITH_WRITER_NAME_BYTES_MAX 256u

/* GeoParquet's key as a tree: a column with its reference system takes 20 KiB. A larger one is only
 * compared. */
#define LITH_GEO_TREE_BYTES_MAX (4 * LITH_MIB)
/* Kinds of geometries are 14, with and without heights. */
#define LITH_GEO_TYPES_MAX 32u

/* The list of inputs an output carries: 10,000 names of a few hundred bytes. */
#define LITH_INPUT_LIST_BYTES_MAX (16 * LITH_MIB)

/*
 * Inputs kept open at once by all jobs of the process together: half of the usual limit of 1024.
 * What an output row group reads should fit, or its files are opened again for each column.
 */
#define LITH_OPEN_FILES_MAX 512u

/*
 * Column runs (merge/column_runs.h) while a merge is planned: a batch in memory, the first bytes of
 * both spools in memory, each at most this part of the budget. A batch of 8 MiB holds hundreds of
 * small files, so the runs laid down are long enough to be read in few calls.
 */
#define LITH_RUNS_BUDGET_SHARES 16u
#define LITH_RUNS_BATCH_BYTES_MAX ((size_t)8 << 20)
#define LITH_RUNS_MEMORY_BYTES_MAX ((size_t)4 << 20)

/* Row groups of a sorted rewrite: as many as this of what there is, within these bounds. */
#define LITH_SORTED_ROW_GROUPS 8u
#define LITH_SORTED_ROW_GROUP_BYTES_MIN ((uint64_t)1 << 20)
#define LITH_SORTED_ROW_GROUP_BYTES_MAX ((uint64_t)32 << 20)

/* Keys of --sort-by: what other engines' users ask for is two or three. */
#define LITH_SORT_KEYS_MAX 16u
/* Keys whose rows all take so few bytes are kept side by side, nulls padded. */
#define LITH_SORT_WIDTH_MAX 64u
/* Of the smallest and largest key of a unit so much is kept: cut bounds only let more units overlap
 * than do, and a million units still fit a budget. */
#define LITH_SORT_BOUND_BYTES_MAX 256u
/* The least memory of a sort, so that its buffers hold a few rows each. */
#define LITH_SORT_MEMORY_BYTES_MIN ((size_t)4 << 10)
/* Buffers of sorted runs that are merged: few system calls, and a processor's cache holds some. */
#define LITH_SORT_BUFFER_BYTES ((size_t)64 << 10)
/* Runs of a recipe that are read at a time; each block says which output row it begins with. */
#define LITH_RECIPE_BLOCK_RUNS 1024u
/* Buckets of a span: a byte says which one a row goes to, and 255 that it goes to none. */
#define LITH_DEAL_BUCKETS_MAX 255u
/* Buffers in front of the parts of a bucket: few system calls, and all of them near a cache. */
#define LITH_DEAL_BUFFER_BYTES_MIN ((size_t)512)
#define LITH_DEAL_BUFFER_BYTES_MAX ((size_t)64 << 10)
/* The least memory for each bucket of a span: four such buffers in half of it. */
#define LITH_DEAL_MEMORY_BYTES_MIN (8 * LITH_DEAL_BUFFER_BYTES_MIN)
/* Values of a gathered batch, where one is not larger: 4096 of usual width. */
#define LITH_GATHER_BATCH_BYTES ((size_t)256 << 10)

/* Manifests: an entry takes 160 bytes and twice its name, so a million files fit. */
#define LITH_MANIFEST_BYTES_MAX (256 * LITH_MIB)
#define LITH_JSON_DEPTH_MAX 64u
/* Commits that a manifest's log keeps at least; an unknown commit is settled by them. */
#define LITH_LOG_COUNT_MIN 64u
/* Log entries whose audit event is missing stay longer, up to this many (150 KiB): then there are
 * no more commits until the events can be written, or nobody wants any. */
#define LITH_LOG_COUNT_MAX 1024u
/* Names of files in one list of an audit event (3 MiB): six times what a job takes. */
#define LITH_EVENT_NAMES_MAX 65536u
/* Files that a manifest notes for rows that do not belong to its path (30 KiB): one is enough to
 * block a partition, the others spare whoever mends it some rounds. */
#define LITH_MISPLACED_MAX 64u
/* Journals of jobs: the names, sizes and etags of 10,000 inputs with paths of a KiB. */
#define LITH_JOURNAL_BYTES_MAX (16 * LITH_MIB)
/* A partition's path in the name of its journals: names have 255 bytes at most, of which the job's
 * id and what is put behind a name while it is written or deleted take 47. */
#define LITH_JOURNAL_PATH_BYTES_MAX 200u
/* Files in one folder: 600,000 are real (a DuckLake report); a listing takes about 200 bytes each.
 */
#define LITH_FOLDER_FILES_MAX (4u << 20)
/* Entries of a directory, with names of any length, that readers get in one piece: C libraries read
 * 32 KiB at a time. A longer list is of several moments: of what is deleted and of what took its
 * place it may have neither, unless the one waits for the other longer than the list takes. */
#define LITH_LISTED_AT_ONCE_MAX 100u
/* So many times as long as our own look took (DuckDB's took four times as long), and at least so
 * long. */
#define LITH_LISTING_SLOWNESS 10
#define LITH_LISTING_WAIT_NS_MIN ((int64_t)1000000000)
/* After a look at so many files (15 MiB) what it took for a while is given back to the system. */
#define LITH_TRIM_FILES_MIN ((size_t)1 << 16)
/* Parts of a path below the root: Hive layouts have ten at most. */
#define LITH_WALK_DEPTH_MAX 64u
/* Locks on a directory that is swapped again and again, and reads of a view likewise. */
#define LITH_LOOK_AGAIN_MAX 8u
/* For a lock that is held during one small write: longer, and its holder hangs. */
#define LITH_LOCK_WAIT_MS 5000u

/* Lists of names for merge: 600,000 of a few hundred bytes. */
#define LITH_NAMES_BYTES_MAX (256 * LITH_MIB)

/* Configuration files: every option with a long comment is a few KiB. */
#define LITH_CONFIG_BYTES_MAX (64 * LITH_KIB)
/* Items of a list in it (key_columns, allow). */
#define LITH_CONFIG_LIST_MAX 256u
/* What inspect writes: page by page, a file of 2 GiB in pages of 8 KiB stays below. */
#define LITH_INSPECT_BYTES_MAX (256 * LITH_MIB)
/* Values of key-value metadata that inspect shows: Spark's and pandas' schemas, whole if small. */
#define LITH_INSPECT_VALUE_BYTES_MAX 4096u
/* Bounds that inspect shows as text: what a line of a terminal holds. */
#define LITH_INSPECT_BOUND_BYTES_MAX 64u

#endif
