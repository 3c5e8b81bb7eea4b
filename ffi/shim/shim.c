/* The shim as one translation unit: for a C compiler; `ffi/shimSource.ts` joins the same files for Bun's `cc`. */
#include "shim.h"
#include "llama.h"
#include "process.c"
#include "model.c"
#include "context.c"
#include "held.c"
#include "chain.c"
#include "sampler.c"
