/*
 * One llama_context: evaluation, sequences and their states. What would abort inside the library (a token,
 * sequence, position or chunk out of range, a full context) is a status here.
 */

/* Each may hold megabytes where its breakers end many tokens. */
#define WT_KNOWN_DRY 8

/* A DRY link, never used itself, and what it was made of. */
struct wt_known_dry {
    void *link;
    char *key;
    int32_t key_size;
};

struct wt_context {
    void *context;
    void *memory; /* NULL of an encoder, which has none */
    struct wt_model *model;
    int32_t children;
    int32_t sequence_tokens;
    int32_t sequences;
    int32_t batch;
    int32_t ubatch;
    int32_t pooling; /* -1: it generates text */
    int32_t embed_tokens;
    /* Logits: row i is that of the batch's token first_row + i. */
    int32_t rows;
    int32_t first_row;
    /* The batch, and the candidates of a sampler, allocated once. */
    int32_t *pos;
    int32_t *counts;
    int32_t *seqs;
    int32_t **seq_lists;
    int32_t *tokens;
    int8_t *wanted;
    struct llama_token_data *candidates;
    /* The DRY links that were asked for last, the latest first. */
    struct wt_known_dry dry[WT_KNOWN_DRY];
    /* The state that `held.c` holds; size 0: none. */
    uint8_t *held;
    int64_t held_size;
    int64_t held_capacity;
};

#define WT_PARTIAL_ONLY 1u
#define WT_STATE_MAGIC 0xaf143cd8u

static void wt_context_drop(struct wt_context *c) {
    if (c->context) llama_free(c->context);
    free(c->pos);
    free(c->counts);
    free(c->seqs);
    free(c->seq_lists);
    free(c->tokens);
    free(c->wanted);
    free(c->candidates);
    for (int32_t i = 0; i < WT_KNOWN_DRY; i++) {
        if (c->dry[i].link) llama_sampler_free(c->dry[i].link);
        free(c->dry[i].key);
    }
    free(c->held);
    free(c);
}

static int32_t wt_context_buffers(struct wt_context *c) {
    size_t rows = (size_t) c->batch;
    c->pos = malloc(rows * sizeof(int32_t));
    c->counts = malloc(rows * sizeof(int32_t));
    c->seqs = malloc(rows * sizeof(int32_t));
    c->seq_lists = malloc((rows + 1) * sizeof(int32_t *));
    c->tokens = malloc(rows * sizeof(int32_t));
    c->wanted = malloc(rows);
    c->candidates = malloc(((size_t) c->model->vocab_size + 1) * sizeof(struct llama_token_data));
    if (!c->pos || !c->counts || !c->seqs || !c->seq_lists || !c->tokens || !c->wanted || !c->candidates)
        return WT_OUT_OF_MEMORY;
    for (size_t i = 0; i < rows; i++) {
        c->counts[i] = 1;
        c->seq_lists[i] = c->seqs + i;
    }
    c->seq_lists[rows] = NULL;
    return 0;
}

static int32_t wt_context_open(struct wt_context *c, const int32_t *integers, const float *floats) {
    struct llama_context_params params = llama_context_default_params();
    params.n_ctx = (uint32_t) integers[WT_CTX_TOKENS] * (uint32_t) integers[WT_CTX_SEQUENCES];
    params.n_seq_max = (uint32_t) integers[WT_CTX_SEQUENCES];
    params.n_batch = (uint32_t) integers[WT_CTX_BATCH];
    params.n_ubatch = (uint32_t) integers[WT_CTX_UBATCH];
    params.n_outputs_max = (uint32_t) integers[WT_CTX_SEQUENCES]; /* a row for each sequence is all we ask for */
    params.n_threads = integers[WT_CTX_THREADS];
    params.n_threads_batch = integers[WT_CTX_THREADS_BATCH];
    params.type_k = integers[WT_CTX_TYPE_K];
    params.type_v = integers[WT_CTX_TYPE_V];
    params.flash_attn_type = integers[WT_CTX_FLASH];
    params.offload_kqv = integers[WT_CTX_OFFLOAD_KQV] != 0;
    params.op_offload = integers[WT_CTX_OP_OFFLOAD] != 0;
    params.rope_scaling_type = integers[WT_CTX_ROPE_SCALING];
    params.yarn_orig_ctx = (uint32_t) integers[WT_CTX_YARN_ORIG];
    params.rope_freq_base = floats[WT_ROPE_FREQ_BASE];
    params.rope_freq_scale = floats[WT_ROPE_FREQ_SCALE];
    params.yarn_ext_factor = floats[WT_YARN_EXT_FACTOR];
    params.yarn_attn_factor = floats[WT_YARN_ATTN_FACTOR];
    params.yarn_beta_fast = floats[WT_YARN_BETA_FAST];
    params.yarn_beta_slow = floats[WT_YARN_BETA_SLOW];
    if (c->pooling >= 0) {
        params.embeddings = 1;
        params.pooling_type = c->pooling;
        params.n_outputs_max = params.n_batch; /* llama.cpp wants every token's before it pools them */
    }
    params.swa_full = 0;
    params.kv_unified = 0; /* cells of one sequence never mix with another's: same bits in any sequence */
    c->context = llama_init_from_model(c->model->model, params);
    if (!c->context) return WT_FAILED;
    c->memory = llama_get_memory(c->context);
    if (!c->memory && c->pooling < 0) return WT_FAILED;
    c->sequence_tokens = (int32_t) llama_n_ctx_seq(c->context);
    c->sequences = (int32_t) llama_n_seq_max(c->context);
    c->batch = (int32_t) llama_n_batch(c->context);
    c->ubatch = (int32_t) llama_n_ubatch(c->context);
    c->embed_tokens = c->ubatch < c->sequence_tokens ? c->ubatch : c->sequence_tokens;
    if (c->model->positions > 0 && c->model->positions < c->embed_tokens) c->embed_tokens = c->model->positions;
    return wt_context_buffers(c);
}

int32_t wt_context_new(int32_t model, const int32_t *integers, const float *floats) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    if (integers[WT_CTX_SEQUENCES] < 1 || integers[WT_CTX_SEQUENCES] > 256) return WT_RANGE;
    if (integers[WT_CTX_TOKENS] < 1 || integers[WT_CTX_TOKENS] > 0x7fffffff / integers[WT_CTX_SEQUENCES]) return WT_RANGE;
    if (integers[WT_CTX_UBATCH] < 1 || integers[WT_CTX_BATCH] < integers[WT_CTX_UBATCH]) return WT_RANGE;
    if (integers[WT_CTX_BATCH] < integers[WT_CTX_SEQUENCES]) return WT_RANGE;
    if (integers[WT_CTX_THREADS] < 1 || integers[WT_CTX_THREADS] > 512) return WT_RANGE;
    if (integers[WT_CTX_THREADS_BATCH] < 1 || integers[WT_CTX_THREADS_BATCH] > 512) return WT_RANGE;
    if (integers[WT_CTX_POOLING] != -1 && (integers[WT_CTX_POOLING] < 0 || integers[WT_CTX_POOLING] > 4)) return WT_RANGE;
    if (integers[WT_CTX_FLASH] < -1 || integers[WT_CTX_FLASH] > 1) return WT_RANGE;
    if (integers[WT_CTX_ROPE_SCALING] < -1 || integers[WT_CTX_ROPE_SCALING] > 3) return WT_RANGE;
    struct wt_context *c = calloc(1, sizeof(struct wt_context));
    if (!c) return WT_OUT_OF_MEMORY;
    c->model = m;
    c->pooling = integers[WT_CTX_POOLING];
    int32_t status = wt_context_open(c, integers, floats);
    if (status == 0) status = wt_handle_new(WT_CONTEXT, c);
    if (status < 0) wt_context_drop(c);
    else m->children++;
    return status;
}

int32_t wt_context_free(int32_t context) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    if (c->children > 0) return WT_BUSY;
    wt_handle_free(context);
    c->model->children--;
    wt_context_drop(c);
    return 0;
}

int64_t wt_context_number(int32_t context, int32_t which) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    switch (which) {
        case WT_CONTEXT_TOKENS: return c->sequence_tokens;
        case WT_CONTEXT_SEQUENCES: return c->sequences;
        case WT_CONTEXT_BATCH: return c->batch;
        case WT_CONTEXT_UBATCH: return c->ubatch;
        case WT_CONTEXT_ROWS: return c->rows;
        case WT_CONTEXT_CHILDREN: return c->children;
        case WT_CONTEXT_EMBED_TOKENS: return c->embed_tokens;
        default: return WT_RANGE;
    }
}

static struct wt_context *wt_context_seq(int32_t context, int32_t seq, int32_t *status) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    *status = !c ? WT_BAD_HANDLE : !c->memory || seq < 0 || seq >= c->sequences ? WT_RANGE : 0;
    return *status < 0 ? NULL : c;
}

/* Evaluation ------------------------------------------------------------------------------------------ */

static int32_t wt_next_is(struct wt_context *c, int32_t seq, int32_t pos) {
    return pos >= 0 && pos == llama_memory_seq_pos_max(c->memory, seq) + 1;
}

static int32_t wt_evaluate(struct wt_context *c, int32_t count, const int32_t *tokens) {
    struct llama_batch batch;
    batch.n_tokens = count;
    batch.token = (int32_t *) tokens;
    batch.embd = NULL;
    batch.pos = c->pos;
    batch.n_seq_id = c->counts;
    batch.seq_id = c->seq_lists;
    batch.logits = c->wanted;
    c->rows = 0;
    int32_t result = c->memory ? llama_decode(c->context, batch) : llama_encode(c->context, batch);
    if (result == 0) return 0;
    return result == -2 ? WT_OUT_OF_MEMORY : WT_FAILED;
}

int32_t wt_prefill(int32_t context, int32_t seq, int32_t pos, const int32_t *tokens, int32_t count, int32_t logits, int32_t padded) {
    int32_t status;
    struct wt_context *c = wt_context_seq(context, seq, &status);
    if (!c) return status;
    if (c->pooling >= 0 || count < 1 || padded < count || padded > c->ubatch || pos < 0 || padded > c->sequence_tokens - pos) return WT_RANGE;
    if (!wt_next_is(c, seq, pos)) return WT_RANGE;
    for (int32_t i = 0; i < count; i++)
        if (tokens[i] < 0 || tokens[i] >= c->model->vocab_size) return WT_RANGE;
    for (int32_t i = 0; i < padded; i++) {
        c->tokens[i] = tokens[i < count ? i : count - 1];
        c->pos[i] = pos + i;
        c->seqs[i] = seq;
        c->wanted[i] = 0;
    }
    c->wanted[count - 1] = logits != 0;
    status = wt_evaluate(c, padded, c->tokens);
    if (status < 0) return status;
    if (padded > count && !llama_memory_seq_rm(c->memory, seq, pos + count, -1)) return WT_FAILED;
    c->rows = logits != 0;
    c->first_row = count - 1;
    return 0;
}

int32_t wt_decode(int32_t context, const int32_t *rows, int32_t count) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    if (c->pooling >= 0 || count < 1 || count > c->sequences || count > c->ubatch) return WT_RANGE;
    for (int32_t i = 0; i < count; i++) {
        int32_t seq = rows[3 * i], pos = rows[3 * i + 1], token = rows[3 * i + 2];
        if (seq < 0 || seq >= c->sequences || pos < 0 || pos >= c->sequence_tokens) return WT_RANGE;
        if (token < 0 || token >= c->model->vocab_size || !wt_next_is(c, seq, pos)) return WT_RANGE;
        for (int32_t k = 0; k < i; k++)
            if (c->seqs[k] == seq) return WT_RANGE;
        c->seqs[i] = seq;
        c->pos[i] = pos;
        c->tokens[i] = token;
        c->wanted[i] = 1;
    }
    int32_t status = wt_evaluate(c, count, c->tokens);
    if (status < 0) return status;
    c->rows = count;
    c->first_row = 0;
    return 0;
}

static const float *wt_row(struct wt_context *c, int32_t row) {
    return row < 0 || row >= c->rows ? NULL : llama_get_logits_ith(c->context, c->first_row + row);
}

int32_t wt_logits(int32_t context, int32_t row, float *logits, int32_t count) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    if (count != c->model->vocab_size) return WT_RANGE;
    const float *from = wt_row(c, row);
    if (!from) return WT_RANGE;
    memcpy(logits, from, (size_t) count * sizeof(float));
    return 0;
}

int32_t wt_embed(int32_t context, const int32_t *tokens, int32_t count, float *vector, int32_t size) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    if (c->pooling < 0 || count < 1 || count > c->embed_tokens) return WT_RANGE;
    int32_t one = c->pooling == 4 ? (int32_t) llama_model_n_cls_out(c->model->model) : llama_model_n_embd_out(c->model->model);
    if (size != (c->pooling == 0 ? count * one : one)) return WT_RANGE;
    for (int32_t i = 0; i < count; i++) {
        if (tokens[i] < 0 || tokens[i] >= c->model->vocab_size) return WT_RANGE;
        c->pos[i] = i;
        c->seqs[i] = 0;
        c->wanted[i] = 1;
    }
    if (c->memory && !llama_memory_seq_rm(c->memory, 0, -1, -1)) return WT_FAILED;
    int32_t status = wt_evaluate(c, count, tokens);
    if (status < 0) return status;
    for (int32_t i = 0; i < size / one; i++) {
        const float *from = c->pooling == 0 ? llama_get_embeddings_ith(c->context, i) : llama_get_embeddings_seq(c->context, 0);
        if (!from) return WT_FAILED;
        memcpy(vector + i * one, from, (size_t) one * sizeof(float));
    }
    return 0;
}

/* Sequences ------------------------------------------------------------------------------------------- */

int32_t wt_seq_first(int32_t context, int32_t seq) {
    int32_t status;
    struct wt_context *c = wt_context_seq(context, seq, &status);
    return c ? llama_memory_seq_pos_min(c->memory, seq) : status;
}

int32_t wt_seq_last(int32_t context, int32_t seq) {
    int32_t status;
    struct wt_context *c = wt_context_seq(context, seq, &status);
    return c ? llama_memory_seq_pos_max(c->memory, seq) : status;
}

int32_t wt_seq_truncate(int32_t context, int32_t seq, int32_t pos) {
    int32_t status;
    struct wt_context *c = wt_context_seq(context, seq, &status);
    if (!c) return status;
    if (pos < 0) return WT_RANGE;
    return llama_memory_seq_rm(c->memory, seq, pos, -1);
}

int32_t wt_seq_clear(int32_t context, int32_t seq) {
    int32_t status;
    struct wt_context *c = wt_context_seq(context, seq, &status);
    if (!c) return status;
    return llama_memory_seq_rm(c->memory, seq, -1, -1) ? 0 : WT_FAILED;
}

/* Every sequence, and the numbers in the cells: a cell that is merely free is still read, times 0, and NaN times 0 is NaN. */
int32_t wt_memory_wipe(int32_t context) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    if (!c->memory) return WT_RANGE;
    llama_memory_clear(c->memory, 1);
    return 0;
}

int32_t wt_seq_copy(int32_t context, int32_t from, int32_t to) {
    int32_t status;
    struct wt_context *c = wt_context_seq(context, from, &status);
    if (!c) return status;
    if (to < 0 || to >= c->sequences) return WT_RANGE;
    if (from == to) return 0;
    llama_memory_seq_cp(c->memory, from, to, -1, -1);
    return 0;
}

/* States ---------------------------------------------------------------------------------------------- */

int64_t wt_state_size(int32_t context, int32_t seq, int32_t partial) {
    int32_t status;
    struct wt_context *c = wt_context_seq(context, seq, &status);
    if (!c) return status;
    size_t size = llama_state_seq_get_size_ext(c->context, seq, partial ? WT_PARTIAL_ONLY : 0);
    return size ? (int64_t) size : WT_FAILED;
}

int64_t wt_state_save(int32_t context, int32_t seq, int32_t partial, uint8_t *bytes, int64_t size) {
    int32_t status;
    struct wt_context *c = wt_context_seq(context, seq, &status);
    if (!c) return status;
    if (size < 1) return WT_RANGE;
    size_t written = llama_state_seq_get_data_ext(c->context, bytes, (size_t) size, seq, partial ? WT_PARTIAL_ONLY : 0);
    return written ? (int64_t) written : WT_FAILED;
}

/*
 * A recurrent memory's state starts with its count of cells, one for a sequence; the library makes room for
 * whatever number stands there.
 */
static int wt_cells_fit(struct wt_context *c, int32_t partial, const uint8_t *bytes) {
    void *model = c->model->model;
    if (llama_model_n_swa(model) > 0) return 1; /* the window's rows stand first */
    if (!llama_model_is_recurrent(model) && !(partial && llama_model_is_hybrid(model))) return 1;
    uint32_t cells;
    memcpy(&cells, bytes + 8, sizeof(cells));
    return cells <= 1;
}

int32_t wt_state_restore(int32_t context, int32_t seq, int32_t partial, const uint8_t *bytes, int64_t size) {
    int32_t status;
    struct wt_context *c = wt_context_seq(context, seq, &status);
    if (!c) return status;
    uint32_t magic = 0;
    if (size >= 12) memcpy(&magic, bytes, sizeof(magic));
    size_t used = 0;
    if (magic == WT_STATE_MAGIC && wt_cells_fit(c, partial, bytes))
        used = llama_state_seq_set_data_ext(c->context, bytes, (size_t) size, seq, partial ? WT_PARTIAL_ONLY : 0);
    if (used == (size_t) size) return 1;
    llama_memory_seq_rm(c->memory, seq, -1, -1);
    return 0;
}
