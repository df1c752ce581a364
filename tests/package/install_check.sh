#!/bin/sh
# What is installed is enough for a program of somebody else: install_check.sh MESON BUILD SOURCE.
# The source is built as C and as C++ with the installed .pc file, with the shared and with the
# static library. Exits 77 where a tool is missing.
set -eu
meson=$1 build=$2 source=$3
for tool in pkg-config c++; do
    command -v "$tool" >/dev/null || { echo "SKIP: no $tool"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$meson" install -C "$build" --no-rebuild --quiet --destdir "$folder"
pc=$(find "$folder" -name lithify.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$folder
export PKG_CONFIG_PATH
libraries=$(dirname "$PKG_CONFIG_PATH")
# The sysroot is for our own paths only, so the flags of other libraries come without it.
ours="$(PKG_CONFIG_SYSROOT_DIR=$folder pkg-config --cflags lithify) -L$libraries"
unset PKG_CONFIG_SYSROOT_DIR
others=$(pkg-config --static --libs lithify | tr ' ' '\n' | grep '^-[lp]' | grep -vx -e -llithify)

# build LANGUAGE COMPILER: the flags are words of their own.
# shellcheck disable=SC2086
build() {
    $2 -Wall -Wextra -Werror -x "$1" "$source" -x none $ours -llithify -o "$folder/shared-$1"
    LD_LIBRARY_PATH=$libraries "$folder/shared-$1"
    $2 -Wall -Wextra -Werror -x "$1" "$source" -x none $ours -l:liblithify.a $others \
        -o "$folder/static-$1"
    "$folder/static-$1"
}
build c "${CC:-cc}"
build c++ "${CXX:-c++}"
