#!/bin/sh
# Starts the bundle, beside which this file is, with the Node of the PATH or that of ISTIOD_LITE_NODE. By default Node lets
# young objects take 100 MB before it looks which of them are needed, and the C library keeps what lists of objects took;
# neither makes anything faster. The program may ask for a collection, and does so once, when it has read everything.
MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-131072}"
export MALLOC_TRIM_THRESHOLD_
exec "${ISTIOD_LITE_NODE:-node}" --max-semi-space-size=8 --expose-gc "$(dirname "$0")/main.js" "$@"
