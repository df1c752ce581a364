#!/bin/sh
# The example, built from the .pc file of an uninstalled build, and run on a file of our own:
# check.sh BUILD SOURCE WRITE_SAMPLE. Exits 77 without pkg-config.
set -eu
build=$1 source=$2 write_sample=$3
command -v pkg-config >/dev/null || { echo "SKIP: no pkg-config"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
PKG_CONFIG_PATH=$build/meson-uninstalled
export PKG_CONFIG_PATH
"$write_sample" "$folder/a.parquet" 1000 67108864
# The flags are words of their own.
# shellcheck disable=SC2046
${CC:-cc} -O2 -Wall -Wextra -Werror -std=c11 "$source" $(pkg-config --cflags --libs lithify) \
    -o "$folder/merge_two"
LD_LIBRARY_PATH=$build
export LD_LIBRARY_PATH
"$folder/merge_two" "$folder/out.parquet" "$folder/a.parquet" "$folder/a.parquet"
if "$folder/merge_two" "$folder/out.parquet" "$folder/a.parquet" "$folder/a.parquet"; then
    echo "an output that was there was replaced without being asked to" >&2
    exit 1
fi
"$build/lithify" verify "$folder/a.parquet" "$folder/a.parquet" -- "$folder/out.parquet"
