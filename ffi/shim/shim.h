/*
 * The border between JavaScript and libllama: every function that `ffi/symbols.ts` binds, and nothing else.
 *
 * It promises: no struct crosses by value, nothing calls back into JavaScript, every buffer belongs to the
 * caller, and every call checks its handles and numbers first, so that a wrong call is a status and never a
 * native abort. Handles are small numbers with a kind and a generation: a closed, foreign or wrong-kind one
 * is WT_BAD_HANDLE. At most eight arguments, so that no platform passes any of them on the stack.
 *
 * A test compares this file with `ffi/symbols.ts`: name, count and type of every argument.
 */
#ifndef WT_SHIM_H
#define WT_SHIM_H

/* The compiler inside Bun may run where no C headers are installed: these are all the types that are used. */
#if defined(__TINYC__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned long size_t;
#ifndef NULL
#define NULL ((void *) 0)
#endif
#define WT_API
#else
#include <stddef.h>
#include <stdint.h>
#define WT_API __attribute__((visibility("default")))
#endif

/* Counts changes of this file's meaning; a prebuilt shim with another number is refused. */
#define WT_SHIM_VERSION 6

/* Statuses; 0 and above is success (a count, a handle, a token). */
enum {
    WT_BAD_HANDLE = -1,    /* closed, never opened, or of another kind */
    WT_BUSY = -2,          /* still has live children */
    WT_RANGE = -3,         /* an argument is out of its range */
    WT_FAILED = -4,        /* llama.cpp failed; wt_log_read has its words */
    WT_OUT_OF_MEMORY = -5, /* memory of the host or of the device */
    WT_NOT_OPEN = -6,      /* wt_open did not succeed */
    WT_DEAD_END = -7,      /* no token is left to choose from */
    WT_BAD_NUMBERS = -8,   /* logits that are NaN or +infinity */
    WT_TOO_SMALL = -9,     /* the caller's buffer; the size needed is returned beside it */
    WT_FULL = -10,         /* too many live handles */
};

/* Index of each number of a model, in wt_model_number. */
enum {
    WT_MODEL_CTX_TRAIN = 0,
    WT_MODEL_EMBD = 1,
    WT_MODEL_LAYERS = 2,
    WT_MODEL_HEADS = 3,
    WT_MODEL_HEADS_KV = 4,
    WT_MODEL_WINDOW = 5,    /* tokens of the sliding window, 0 without one */
    WT_MODEL_BYTES = 6,
    WT_MODEL_PARAMETERS = 7,
    WT_MODEL_RECURRENT = 8,
    WT_MODEL_HYBRID = 9,
    WT_MODEL_ENCODER = 10,
    WT_MODEL_DECODER = 11,
    WT_MODEL_VOCAB = 12,      /* tokens */
    WT_MODEL_VOCAB_TYPE = 13, /* 0: no vocabulary */
    WT_MODEL_BOS = 14,        /* -1 where there is none */
    WT_MODEL_EOS = 15,
    WT_MODEL_EOT = 16,
    WT_MODEL_ADD_BOS = 17,
    WT_MODEL_ADD_EOS = 18,
    WT_MODEL_CHILDREN = 19, /* live contexts */
    WT_MODEL_DIFFUSION = 20,
    WT_MODEL_META_COUNT = 21,
    WT_MODEL_FIM_PRE = 22, /* fill in the middle: -1 where there is none */
    WT_MODEL_FIM_SUF = 23,
    WT_MODEL_FIM_MID = 24,
    WT_MODEL_FIM_REP = 25,
    WT_MODEL_FIM_SEP = 26,
    WT_MODEL_EMBD_OUT = 27, /* numbers of an embedding */
    WT_MODEL_CLS_OUT = 28,  /* numbers of a rank */
    WT_MODEL_SEP = 29,      /* -1 where there is none */
    WT_MODEL_ADD_SEP = 30,
    WT_MODEL_ENDS = 31,       /* tokens that end a generation */
    WT_MODEL_SUPPRESSED = 32, /* tokens that the model itself says are never to be chosen */
};

/* `integers` of wt_model_load. */
enum {
    WT_LOAD_VOCAB_ONLY = 0,
    WT_LOAD_GPU_LAYERS = 1, /* negative: all */
    WT_LOAD_SPLIT_MODE = 2, /* 0 none, 1 layer, 2 row */
    WT_LOAD_MODE = 3,       /* -1 auto, 0 read, 1 mmap, 2 mlock, 3 both */
    WT_LOAD_MAIN_GPU = 4,
    WT_LOAD_SPLITS = 5,    /* count of `split`, at most 16 */
    WT_LOAD_OVERRIDES = 6, /* count of pairs in `overrides` */
    WT_LOAD_COUNT = 7,
};

/* `integers` of wt_context_new. */
enum {
    WT_CTX_TOKENS = 0, /* per sequence */
    WT_CTX_SEQUENCES = 1,
    WT_CTX_BATCH = 2,
    WT_CTX_UBATCH = 3,
    WT_CTX_THREADS = 4,
    WT_CTX_THREADS_BATCH = 5,
    WT_CTX_TYPE_K = 6, /* ggml type */
    WT_CTX_TYPE_V = 7,
    WT_CTX_FLASH = 8, /* -1: where the device can */
    WT_CTX_OFFLOAD_KQV = 9,
    WT_CTX_OP_OFFLOAD = 10,
    WT_CTX_ROPE_SCALING = 11, /* -1: as the model says */
    WT_CTX_YARN_ORIG = 12,
    WT_CTX_POOLING = 13, /* -1: generates text; else it embeds: 0 each token, 1 mean, 2 first, 3 last, 4 ranks */
    WT_CTX_COUNT = 14,
};

/* `floats` of wt_context_new. */
enum {
    WT_ROPE_FREQ_BASE = 0, /* 0: as the model says */
    WT_ROPE_FREQ_SCALE = 1,
    WT_YARN_EXT_FACTOR = 2, /* negative: as the model says */
    WT_YARN_ATTN_FACTOR = 3,
    WT_YARN_BETA_FAST = 4,
    WT_YARN_BETA_SLOW = 5,
    WT_ROPE_COUNT = 6,
};

/* Index of each number of a context, in wt_context_number. */
enum {
    WT_CONTEXT_TOKENS = 0, /* per sequence, as llama.cpp rounded it up */
    WT_CONTEXT_SEQUENCES = 1,
    WT_CONTEXT_BATCH = 2,
    WT_CONTEXT_UBATCH = 3,
    WT_CONTEXT_ROWS = 4, /* rows of logits that the last evaluation left */
    WT_CONTEXT_CHILDREN = 5,
    WT_CONTEXT_EMBED_TOKENS = 6, /* of one input at most */
};

/* `integers` of wt_sampler_new. */
enum {
    WT_SAMPLE_TOP_K = 0,
    WT_SAMPLE_PENALTY_LAST = 1,
    WT_SAMPLE_SEED = 2,
    WT_SAMPLE_BIASES = 3, /* count of `bias_tokens` and `bias_values` */
    WT_SAMPLE_IGNORE_EOS = 4,
    WT_SAMPLE_MIN_KEEP = 5,
    WT_SAMPLE_DRY_ALLOWED = 6,
    WT_SAMPLE_DRY_LAST = 7,
    WT_SAMPLE_BREAKERS = 8, /* count of texts in `breakers` */
    WT_SAMPLE_MIROSTAT = 9, /* 0, 1 or 2 */
    WT_SAMPLE_LINKS = 10,   /* count of `links` */
    WT_SAMPLE_COUNT = 11,
};

/* `floats` of wt_sampler_new. */
enum {
    WT_SAMPLE_TEMPERATURE = 0, /* <= 0: greedy */
    WT_SAMPLE_TOP_P = 1,
    WT_SAMPLE_MIN_P = 2,
    WT_SAMPLE_REPEAT = 3,
    WT_SAMPLE_FREQUENCY = 4,
    WT_SAMPLE_PRESENCE = 5,
    WT_SAMPLE_DYNATEMP_RANGE = 6,
    WT_SAMPLE_DYNATEMP_EXPONENT = 7,
    WT_SAMPLE_TYPICAL_P = 8,
    WT_SAMPLE_TOP_N_SIGMA = 9,
    WT_SAMPLE_XTC_PROBABILITY = 10,
    WT_SAMPLE_XTC_THRESHOLD = 11,
    WT_SAMPLE_DRY_MULTIPLIER = 12,
    WT_SAMPLE_DRY_BASE = 13,
    WT_SAMPLE_MIROSTAT_TAU = 14,
    WT_SAMPLE_MIROSTAT_ETA = 15,
    WT_SAMPLE_ADAPTIVE_TARGET = 16,
    WT_SAMPLE_ADAPTIVE_DECAY = 17,
    WT_SAMPLE_FLOATS = 18,
};

/* `links` of wt_sampler_new, in the order that they shall have. */
enum {
    WT_LINK_PENALTIES = 0,
    WT_LINK_DRY = 1,
    WT_LINK_TOP_N_SIGMA = 2,
    WT_LINK_TOP_K = 3,
    WT_LINK_TYPICAL_P = 4,
    WT_LINK_TOP_P = 5,
    WT_LINK_MIN_P = 6,
    WT_LINK_XTC = 7,
    WT_LINK_TEMPERATURE = 8,
    WT_LINK_ADAPTIVE_P = 9,
    WT_LINK_INFILL = 10, /* behind a WT_LINK_TOP_K of 1 to 256, of a vocabulary with an end and no piece above 512 bytes */
    WT_LINK_COUNT = 11,
};

/* Which text, in wt_device_text. */
enum { WT_DEVICE_NAME = 0, WT_DEVICE_DESCRIPTION = 1, WT_DEVICE_BACKEND = 2, WT_DEVICE_LIBRARY = 3, WT_DEVICE_BUFFER = 4 };

/* Process ------------------------------------------------------------------------------------------- */

WT_API int32_t wt_shim_version(void);
/* Opens libllama once and checks its ABI; on a failure `why` holds a sentence. Never closed again. */
WT_API int32_t wt_open(const char *llama_path, char *why, int32_t why_size);
/* Loads a library that a backend needs, before the backend asks for it by name. */
WT_API int32_t wt_preload(const char *path);
/* Loads ggml's backends from a folder, once per process however many threads ask. */
WT_API int32_t wt_backends_load(const char *folder);
WT_API int32_t wt_version_text(char *text, int32_t size);
WT_API int32_t wt_system_text(char *text, int32_t size);
/* A mark in the log, and what this thread's calls logged since then: lines that start with E (error) or W. */
WT_API uint32_t wt_log_mark(void);
WT_API int32_t wt_log_read(uint32_t since, char *text, int32_t size);

/* Texts: bytes needed without the closing NUL; what did not fit is cut. -------------------------------- */

WT_API int32_t wt_device_count(void);
WT_API int32_t wt_device_text(int32_t device, int32_t which, char *text, int32_t size);
/* 0 CPU, 1 GPU, 2 integrated GPU, 3 accelerator, 4 meta. */
WT_API int32_t wt_device_type(int32_t device);
/* bytes[0] free, bytes[1] total. */
WT_API int32_t wt_device_memory(int32_t device, int64_t *bytes);

/* Model and vocabulary -------------------------------------------------------------------------------- */

/*
 * `overrides`: pattern NUL buffer-type NUL, again for each pair. `progress[0]` grows from 0 to 1000 while the
 * call runs: memory that another thread may read meanwhile. Returns a handle.
 */
WT_API int32_t wt_model_load(const char *path, const int32_t *integers, const float *split, const char *overrides, int32_t *progress);
WT_API int32_t wt_model_free(int32_t model);
WT_API int64_t wt_model_number(int32_t model, int32_t which);
WT_API int32_t wt_model_meta(int32_t model, const char *key, char *text, int32_t size);
/* Key (`value` 0) or value (`value` 1) of entry `index`. */
WT_API int32_t wt_model_meta_at(int32_t model, int32_t index, int32_t value, char *text, int32_t size);
WT_API int32_t wt_model_describe(int32_t model, char *text, int32_t size);
/* `name` empty: the default one. 0 where there is none. */
WT_API int32_t wt_model_template(int32_t model, const char *name, char *text, int32_t size);
/* Attribute bits and end-of-generation flag (0 or 1) of every token; `count` is the vocabulary's size. */
WT_API int32_t wt_vocab_attributes(int32_t model, int32_t *attributes, uint8_t *ends, int32_t count);
/* The entry as the vocabulary spells it. */
WT_API int32_t wt_vocab_text(int32_t model, int32_t token, char *text, int32_t size);
/* The bytes that the token stands for, special ones included. */
WT_API int32_t wt_vocab_piece(int32_t model, int32_t token, uint8_t *bytes, int32_t size);
/* Count of tokens; WT_TOO_SMALL with the count needed in tokens[0]. Adds no BOS and no EOS. */
WT_API int32_t wt_tokenise(int32_t model, const uint8_t *text, int32_t bytes, int32_t *tokens, int32_t size, int32_t special);

/* Context --------------------------------------------------------------------------------------------- */

WT_API int32_t wt_context_new(int32_t model, const int32_t *integers, const float *floats);
WT_API int32_t wt_context_free(int32_t context);
WT_API int64_t wt_context_number(int32_t context, int32_t which);
/*
 * One chunk of one sequence; `logits` asks for those of its last token, as row 0. `padded` rows are evaluated, `count` at
 * least: its last token again behind it, in rows that are removed before the call returns.
 */
WT_API int32_t wt_prefill(int32_t context, int32_t seq, int32_t pos, const int32_t *tokens, int32_t count, int32_t logits, int32_t padded);
/* `rows`: seq, pos, token for each; row i of the logits is that of rows[i]. No sequence twice. */
WT_API int32_t wt_decode(int32_t context, const int32_t *rows, int32_t count);
WT_API int32_t wt_logits(int32_t context, int32_t row, float *logits, int32_t count);
/*
 * Of a context that embeds: one input, evaluated at once in an empty sequence 0, into `size` floats, which is the
 * model's own number for its pooling, of each token where nothing is pooled; in the context's bits, not normalised.
 */
WT_API int32_t wt_embed(int32_t context, const int32_t *tokens, int32_t count, float *vector, int32_t size);
/* First and last position that a sequence holds; -1 when empty. */
WT_API int32_t wt_seq_first(int32_t context, int32_t seq);
WT_API int32_t wt_seq_last(int32_t context, int32_t seq);
/* 1 when `pos` and behind were removed, 0 when this memory cannot. */
WT_API int32_t wt_seq_truncate(int32_t context, int32_t seq, int32_t pos);
WT_API int32_t wt_seq_clear(int32_t context, int32_t seq);
WT_API int32_t wt_memory_wipe(int32_t context);
/* Queued: carried out by the next evaluation of any sequence. */
WT_API int32_t wt_seq_copy(int32_t context, int32_t from, int32_t to);
WT_API int64_t wt_state_size(int32_t context, int32_t seq, int32_t partial);
WT_API int64_t wt_state_save(int32_t context, int32_t seq, int32_t partial, uint8_t *bytes, int64_t size);
/*
 * 1 restored, 0 when the bytes do not fit: then the sequence is empty. The bytes are as they were saved:
 * whoever keeps them where they can be damaged checks them first.
 */
WT_API int32_t wt_state_restore(int32_t context, int32_t seq, int32_t partial, const uint8_t *bytes, int64_t size);

/*
 * A state in the context's own memory: saved from a sequence whole (its size is returned), or made of `size` bytes
 * that are still to be written; read and written in parts, restored into a sequence as by wt_state_restore, and
 * given up. There is one at a time.
 */
WT_API int64_t wt_held_save(int32_t context, int32_t seq);
WT_API int32_t wt_held_make(int32_t context, int64_t size);
WT_API int32_t wt_held_read(int32_t context, int64_t from, uint8_t *bytes, int64_t size);
WT_API int32_t wt_held_write(int32_t context, int64_t from, const uint8_t *bytes, int64_t size);
WT_API int32_t wt_held_restore(int32_t context, int32_t seq);
WT_API int32_t wt_held_done(int32_t context);

/* Sampler --------------------------------------------------------------------------------------------- */

/* `breakers`: texts, each with a NUL behind it. */
WT_API int32_t wt_sampler_new(int32_t context, const int32_t *integers, const float *floats, const int32_t *bias_tokens, const float *bias_values, const int32_t *links, const char *breakers);
WT_API int32_t wt_sampler_free(int32_t sampler);
/*
 * A token of a row, not yet accepted; or WT_DEAD_END. `tokens`: of those alone where `count` is positive, of
 * all but those -`count` where it is negative, of all where it is 0.
 */
WT_API int32_t wt_sampler_choose(int32_t sampler, int32_t row, const int32_t *tokens, int32_t count);
/* Right behind a choice: the tokens that it was made among; 0 when there are more than `size`. */
WT_API int32_t wt_sampler_left(int32_t sampler, int32_t *tokens, int32_t size);
/* As wt_sampler_left, with their probabilities; 0 where the best token was taken, whatever the others'. */
WT_API int32_t wt_sampler_probs(int32_t sampler, int32_t *tokens, float *probs, int32_t size);
/* What was taken; before the first choice, what the penalties shall look back on. */
WT_API int32_t wt_sampler_accept(int32_t sampler, const int32_t *tokens, int32_t count);

#endif
