/* A model and its vocabulary. Contexts are counted on it; it refuses to go while one lives. */

struct wt_model {
    void *model;
    const void *vocab;
    int32_t vocab_size;
    int32_t children;
    int32_t positions; /* rows of a table of positions, which no input may be longer than; 0 without one */
    int32_t infill;    /* whether the infill sampler may use it: 1, -1, or 0 where nobody has asked */
    int32_t *ends; /* end-of-generation tokens */
    int32_t end_count;
    /* llama.cpp keeps pointers to these. */
    struct llama_model_tensor_buft_override *overrides;
    char *override_text;
    float *split;
};

static void *wt_buffer_type(const char *name) {
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        void *type = ggml_backend_dev_buffer_type(ggml_backend_dev_get(i));
        if (type && wt_same_text(ggml_backend_buft_name(type), name)) return type;
    }
    return NULL;
}

static void wt_model_drop(struct wt_model *m) {
    if (m->model) llama_model_free(m->model);
    free(m->ends);
    free(m->overrides);
    free(m->override_text);
    free(m->split);
    free(m);
}

static int32_t wt_model_override(struct wt_model *m, const char *text, int32_t count) {
    size_t bytes = 0;
    for (int32_t i = 0; i < 2 * count; i++) bytes += strlen(text + bytes) + 1;
    m->override_text = malloc(bytes);
    m->overrides = calloc((size_t) count + 1, sizeof(struct llama_model_tensor_buft_override));
    if (!m->override_text || !m->overrides) return WT_OUT_OF_MEMORY;
    memcpy(m->override_text, text, bytes);
    const char *at = m->override_text;
    for (int32_t i = 0; i < count; i++) {
        m->overrides[i].pattern = at;
        at += strlen(at) + 1;
        m->overrides[i].buft = wt_buffer_type(at);
        if (!m->overrides[i].buft) return WT_RANGE;
        at += strlen(at) + 1;
    }
    return 0;
}

/* Called by the loading thread itself, between tensors; true goes on. */
static _Bool wt_on_progress(float done, void *user_data) {
    *(volatile int32_t *) user_data = (int32_t) (done * 1000.0f);
    return 1;
}

static int32_t wt_model_open(struct wt_model *m, const char *path, const int32_t *integers, const float *split, const char *overrides, int32_t *progress) {
    struct llama_model_params params = llama_model_default_params();
    /* With a callback set, llama.cpp prints no dots. */
    params.progress_callback = (void *) wt_on_progress;
    params.progress_callback_user_data = progress;
    params.vocab_only = integers[WT_LOAD_VOCAB_ONLY] != 0;
    params.n_gpu_layers = integers[WT_LOAD_GPU_LAYERS];
    params.split_mode = integers[WT_LOAD_SPLIT_MODE];
    params.load_mode = integers[WT_LOAD_MODE];
    params.main_gpu = integers[WT_LOAD_MAIN_GPU];
    if (integers[WT_LOAD_SPLITS] > 0) {
        m->split = calloc(llama_max_devices(), sizeof(float));
        if (!m->split) return WT_OUT_OF_MEMORY;
        memcpy(m->split, split, (size_t) integers[WT_LOAD_SPLITS] * sizeof(float));
        params.tensor_split = m->split;
    }
    if (integers[WT_LOAD_OVERRIDES] > 0) {
        int32_t status = wt_model_override(m, overrides, integers[WT_LOAD_OVERRIDES]);
        if (status < 0) return status;
        params.tensor_buft_overrides = m->overrides;
    }
    m->model = llama_model_load_from_file(path, params);
    if (!m->model) return WT_FAILED;
    m->vocab = llama_model_get_vocab(m->model);
    m->vocab_size = llama_vocab_n_tokens(m->vocab);
    char architecture[8];
    if (llama_model_meta_val_str(m->model, "general.architecture", architecture, sizeof(architecture)) == 4 && wt_same_text(architecture, "bert"))
        m->positions = llama_model_n_ctx_train(m->model);
    m->ends = malloc(((size_t) m->vocab_size + 1) * sizeof(int32_t));
    if (!m->ends) return WT_OUT_OF_MEMORY;
    for (int32_t token = 0; token < m->vocab_size; token++)
        if (llama_vocab_is_eog(m->vocab, token)) m->ends[m->end_count++] = token;
    return 0;
}

int32_t wt_model_load(const char *path, const int32_t *integers, const float *split, const char *overrides, int32_t *progress) {
    if (!wt_is_open) return WT_NOT_OPEN;
    if (integers[WT_LOAD_SPLIT_MODE] < 0 || integers[WT_LOAD_SPLIT_MODE] > 2) return WT_RANGE;
    if (integers[WT_LOAD_MODE] < -1 || integers[WT_LOAD_MODE] > 3) return WT_RANGE;
    if (integers[WT_LOAD_SPLITS] < 0 || (size_t) integers[WT_LOAD_SPLITS] > llama_max_devices()) return WT_RANGE;
    if (integers[WT_LOAD_OVERRIDES] < 0 || integers[WT_LOAD_OVERRIDES] > 4095) return WT_RANGE;
    struct wt_model *m = calloc(1, sizeof(struct wt_model));
    if (!m) return WT_OUT_OF_MEMORY;
    int32_t status = wt_model_open(m, path, integers, split, overrides, progress);
    if (status == 0) status = wt_handle_new(WT_MODEL, m);
    if (status < 0) wt_model_drop(m);
    return status;
}

int32_t wt_model_free(int32_t model) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    if (m->children > 0) return WT_BUSY;
    wt_handle_free(model);
    wt_model_drop(m);
    return 0;
}

int64_t wt_model_number(int32_t model, int32_t which) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    switch (which) {
        case WT_MODEL_CTX_TRAIN: return llama_model_n_ctx_train(m->model);
        case WT_MODEL_EMBD: return llama_model_n_embd(m->model);
        case WT_MODEL_LAYERS: return llama_model_n_layer(m->model);
        case WT_MODEL_HEADS: return llama_model_n_head(m->model);
        case WT_MODEL_HEADS_KV: return llama_model_n_head_kv(m->model);
        case WT_MODEL_WINDOW: return llama_model_n_swa(m->model);
        case WT_MODEL_BYTES: return (int64_t) llama_model_size(m->model);
        case WT_MODEL_PARAMETERS: return (int64_t) llama_model_n_params(m->model);
        case WT_MODEL_RECURRENT: return llama_model_is_recurrent(m->model);
        case WT_MODEL_HYBRID: return llama_model_is_hybrid(m->model);
        case WT_MODEL_ENCODER: return llama_model_has_encoder(m->model);
        case WT_MODEL_DECODER: return llama_model_has_decoder(m->model);
        case WT_MODEL_VOCAB: return m->vocab_size;
        case WT_MODEL_VOCAB_TYPE: return llama_vocab_type(m->vocab);
        case WT_MODEL_BOS: return llama_vocab_bos(m->vocab);
        case WT_MODEL_EOS: return llama_vocab_eos(m->vocab);
        case WT_MODEL_EOT: return llama_vocab_eot(m->vocab);
        case WT_MODEL_ADD_BOS: return llama_vocab_get_add_bos(m->vocab);
        case WT_MODEL_ADD_EOS: return llama_vocab_get_add_eos(m->vocab);
        case WT_MODEL_CHILDREN: return m->children;
        case WT_MODEL_DIFFUSION: return llama_model_is_diffusion(m->model);
        case WT_MODEL_META_COUNT: return llama_model_meta_count(m->model);
        case WT_MODEL_FIM_PRE: return llama_vocab_fim_pre(m->vocab);
        case WT_MODEL_FIM_SUF: return llama_vocab_fim_suf(m->vocab);
        case WT_MODEL_FIM_MID: return llama_vocab_fim_mid(m->vocab);
        case WT_MODEL_FIM_REP: return llama_vocab_fim_rep(m->vocab);
        case WT_MODEL_FIM_SEP: return llama_vocab_fim_sep(m->vocab);
        case WT_MODEL_EMBD_OUT: return llama_model_n_embd_out(m->model);
        case WT_MODEL_CLS_OUT: return llama_model_n_cls_out(m->model);
        case WT_MODEL_SEP: return llama_vocab_sep(m->vocab);
        case WT_MODEL_ADD_SEP: return llama_vocab_get_add_sep(m->vocab);
        case WT_MODEL_ENDS: return m->end_count;
        case WT_MODEL_SUPPRESSED: {
            int32_t suppressed = 0;
            return llama_vocab_get_suppress_tokens(m->vocab, &suppressed) ? suppressed : 0;
        }
        default: return WT_RANGE;
    }
}

int32_t wt_model_meta(int32_t model, const char *key, char *text, int32_t size) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    if (size < 1) return WT_RANGE;
    int32_t length = llama_model_meta_val_str(m->model, key, text, (size_t) size);
    return length < 0 ? WT_FAILED : length;
}

int32_t wt_model_meta_at(int32_t model, int32_t index, int32_t value, char *text, int32_t size) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    if (size < 1 || index < 0 || index >= llama_model_meta_count(m->model)) return WT_RANGE;
    int32_t length = value ? llama_model_meta_val_str_by_index(m->model, index, text, (size_t) size)
                           : llama_model_meta_key_by_index(m->model, index, text, (size_t) size);
    return length < 0 ? WT_FAILED : length;
}

int32_t wt_model_describe(int32_t model, char *text, int32_t size) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    return size < 1 ? WT_RANGE : llama_model_desc(m->model, text, (size_t) size);
}

int32_t wt_model_template(int32_t model, const char *name, char *text, int32_t size) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    return wt_text(llama_model_chat_template(m->model, name && *name ? name : NULL), text, size);
}

int32_t wt_vocab_attributes(int32_t model, int32_t *attributes, uint8_t *ends, int32_t count) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    if (count != m->vocab_size) return WT_RANGE;
    for (int32_t token = 0; token < count; token++) {
        attributes[token] = llama_vocab_get_attr(m->vocab, token);
        ends[token] = 0;
    }
    for (int32_t i = 0; i < m->end_count; i++) ends[m->ends[i]] = 1;
    return 0;
}

int32_t wt_vocab_text(int32_t model, int32_t token, char *text, int32_t size) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    if (token < 0 || token >= m->vocab_size) return WT_RANGE;
    return wt_text(llama_vocab_get_text(m->vocab, token), text, size);
}

int32_t wt_vocab_piece(int32_t model, int32_t token, uint8_t *bytes, int32_t size) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    if (token < 0 || token >= m->vocab_size || llama_vocab_type(m->vocab) == 0) return WT_RANGE;
    int32_t length = llama_token_to_piece(m->vocab, token, (char *) bytes, size, 0, 1);
    return length < 0 ? -length : length;
}

int32_t wt_tokenise(int32_t model, const uint8_t *text, int32_t bytes, int32_t *tokens, int32_t size, int32_t special) {
    struct wt_model *m = wt_object(WT_MODEL, model);
    if (!m) return WT_BAD_HANDLE;
    if (bytes < 0 || size < 1 || llama_vocab_type(m->vocab) == 0) return WT_RANGE;
    if (bytes == 0) return 0;
    int32_t count = llama_tokenize(m->vocab, (const char *) text, bytes, tokens, size, 0, special != 0);
    if (count >= 0) return count;
    if (count == -2147483647 - 1) return WT_RANGE;
    tokens[0] = -count;
    return WT_TOO_SMALL;
}
