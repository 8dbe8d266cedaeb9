#!/bin/sh
# Runs the program of another architecture that lies beside the directory of this file's link, under the same name.
exec qemu-aarch64 "${0%/bin/*}/programs/${0##*/}" "$@"
