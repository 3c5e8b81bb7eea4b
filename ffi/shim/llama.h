/*
 * What of libllama v0.4.0 the shim uses: its structs, declared again, with their sizes and the place of each
 * used field asserted, and its functions, looked up by name in the opened library. Nothing is linked, so the
 * shim compiles anywhere and says in a sentence what a library lacks.
 */
#ifndef WT_LLAMA_H
#define WT_LLAMA_H

#if defined(__TINYC__)
#define WT_OFFSET(type, field) ((size_t) & (((struct type *) 0)->field))
#else
#define WT_OFFSET(type, field) __builtin_offsetof(struct type, field)
#endif
#define WT_AT(type, field, place) _Static_assert(WT_OFFSET(type, field) == place, #type "." #field)
#define WT_SIZE(type, size) _Static_assert(sizeof(struct type) == size, #type)

struct llama_model_params {
    void *devices;
    const void *tensor_buft_overrides;
    int32_t n_gpu_layers;
    int32_t split_mode;
    int32_t load_mode;
    int32_t lazy_mode;
    int32_t main_gpu;
    const float *tensor_split;
    void *progress_callback;
    void *progress_callback_user_data;
    const void *kv_overrides;
    uint8_t vocab_only;
    uint8_t check_tensors;
    uint8_t use_extra_bufts;
    uint8_t no_host;
    uint8_t no_alloc;
    uint8_t load_mtp;
};
WT_SIZE(llama_model_params, 80);
WT_AT(llama_model_params, tensor_buft_overrides, 8);
WT_AT(llama_model_params, n_gpu_layers, 16);
WT_AT(llama_model_params, split_mode, 20);
WT_AT(llama_model_params, load_mode, 24);
WT_AT(llama_model_params, lazy_mode, 28);
WT_AT(llama_model_params, main_gpu, 32);
WT_AT(llama_model_params, tensor_split, 40);
WT_AT(llama_model_params, progress_callback, 48);
WT_AT(llama_model_params, progress_callback_user_data, 56);
WT_AT(llama_model_params, kv_overrides, 64);
WT_AT(llama_model_params, vocab_only, 72);
WT_AT(llama_model_params, check_tensors, 73);
WT_AT(llama_model_params, use_extra_bufts, 74);
WT_AT(llama_model_params, no_host, 75);
WT_AT(llama_model_params, no_alloc, 76);
WT_AT(llama_model_params, load_mtp, 77);

struct llama_model_tensor_buft_override {
    const char *pattern;
    void *buft;
};
WT_SIZE(llama_model_tensor_buft_override, 16);

struct llama_context_params {
    uint32_t n_ctx;
    uint32_t n_batch;
    uint32_t n_ubatch;
    uint32_t n_seq_max;
    uint32_t n_rs_seq;
    uint32_t n_outputs_max;
    uint32_t n_outputs_max_per_seq;
    int32_t n_threads;
    int32_t n_threads_batch;
    int32_t ctx_type;
    int32_t rope_scaling_type;
    int32_t pooling_type;
    int32_t attention_type;
    int32_t flash_attn_type;
    float rope_freq_base;
    float rope_freq_scale;
    float yarn_ext_factor;
    float yarn_attn_factor;
    float yarn_beta_fast;
    float yarn_beta_slow;
    uint32_t yarn_orig_ctx;
    float defrag_thold;
    void *cb_eval;
    void *cb_eval_user_data;
    int32_t type_k;
    int32_t type_v;
    void *abort_callback;
    void *abort_callback_data;
    uint8_t embeddings;
    uint8_t offload_kqv;
    uint8_t no_perf;
    uint8_t op_offload;
    uint8_t swa_full;
    uint8_t kv_unified;
    void *samplers;
    size_t n_samplers;
    void *ctx_other;
};
WT_SIZE(llama_context_params, 160);
WT_AT(llama_context_params, n_ctx, 0);
WT_AT(llama_context_params, n_batch, 4);
WT_AT(llama_context_params, n_ubatch, 8);
WT_AT(llama_context_params, n_seq_max, 12);
WT_AT(llama_context_params, n_rs_seq, 16);
WT_AT(llama_context_params, n_outputs_max, 20);
WT_AT(llama_context_params, n_outputs_max_per_seq, 24);
WT_AT(llama_context_params, n_threads, 28);
WT_AT(llama_context_params, n_threads_batch, 32);
WT_AT(llama_context_params, rope_scaling_type, 40);
WT_AT(llama_context_params, pooling_type, 44);
WT_AT(llama_context_params, attention_type, 48);
WT_AT(llama_context_params, flash_attn_type, 52);
WT_AT(llama_context_params, rope_freq_base, 56);
WT_AT(llama_context_params, rope_freq_scale, 60);
WT_AT(llama_context_params, yarn_ext_factor, 64);
WT_AT(llama_context_params, yarn_attn_factor, 68);
WT_AT(llama_context_params, yarn_beta_fast, 72);
WT_AT(llama_context_params, yarn_beta_slow, 76);
WT_AT(llama_context_params, yarn_orig_ctx, 80);
WT_AT(llama_context_params, defrag_thold, 84);
WT_AT(llama_context_params, cb_eval, 88);
WT_AT(llama_context_params, type_k, 104);
WT_AT(llama_context_params, type_v, 108);
WT_AT(llama_context_params, abort_callback, 112);
WT_AT(llama_context_params, embeddings, 128);
WT_AT(llama_context_params, offload_kqv, 129);
WT_AT(llama_context_params, no_perf, 130);
WT_AT(llama_context_params, op_offload, 131);
WT_AT(llama_context_params, swa_full, 132);
WT_AT(llama_context_params, kv_unified, 133);
WT_AT(llama_context_params, samplers, 136);
WT_AT(llama_context_params, ctx_other, 152);

struct llama_batch {
    int32_t n_tokens;
    int32_t *token;
    float *embd;
    int32_t *pos;
    int32_t *n_seq_id;
    int32_t **seq_id;
    int8_t *logits;
};
WT_SIZE(llama_batch, 56);
WT_AT(llama_batch, token, 8);
WT_AT(llama_batch, embd, 16);
WT_AT(llama_batch, pos, 24);
WT_AT(llama_batch, n_seq_id, 32);
WT_AT(llama_batch, seq_id, 40);
WT_AT(llama_batch, logits, 48);

struct llama_token_data {
    int32_t id;
    float logit;
    float p;
};
WT_SIZE(llama_token_data, 12);
WT_AT(llama_token_data, logit, 4);
WT_AT(llama_token_data, p, 8);

struct llama_token_data_array {
    struct llama_token_data *data;
    size_t size;
    int64_t selected;
    uint8_t sorted;
};
WT_SIZE(llama_token_data_array, 32);
WT_AT(llama_token_data_array, size, 8);
WT_AT(llama_token_data_array, selected, 16);
WT_AT(llama_token_data_array, sorted, 24);

struct llama_logit_bias {
    int32_t token;
    float bias;
};
WT_SIZE(llama_logit_bias, 8);

struct llama_sampler_chain_params {
    uint8_t no_perf;
};
WT_SIZE(llama_sampler_chain_params, 1);

/* A registered backend: its first function lies in the file it was loaded from. */
struct ggml_backend_reg {
    int32_t api_version;
    const void *get_name;
};
WT_AT(ggml_backend_reg, get_name, 8);

/* Return type, name, arguments: of llama.h and ggml-backend.h, v0.4.0. Opaque pointers are `void *`. */
#define WT_IMPORTS(X) \
    X(const char *, llama_version, (void)) \
    X(struct llama_model_params, llama_model_default_params, (void)) \
    X(struct llama_context_params, llama_context_default_params, (void)) \
    X(struct llama_sampler_chain_params, llama_sampler_chain_default_params, (void)) \
    X(void, llama_backend_init, (void)) \
    X(const char *, llama_print_system_info, (void)) \
    X(void, llama_log_get, (void **callback, void **user_data)) \
    X(void, llama_log_set, (void *callback, void *user_data)) \
    X(size_t, llama_max_devices, (void)) \
    X(void *, llama_model_load_from_file, (const char *path, struct llama_model_params params)) \
    X(void, llama_model_free, (void *model)) \
    X(const void *, llama_model_get_vocab, (const void *model)) \
    X(int32_t, llama_model_n_ctx_train, (const void *model)) \
    X(int32_t, llama_model_n_embd, (const void *model)) \
    X(int32_t, llama_model_n_layer, (const void *model)) \
    X(int32_t, llama_model_n_head, (const void *model)) \
    X(int32_t, llama_model_n_head_kv, (const void *model)) \
    X(int32_t, llama_model_n_swa, (const void *model)) \
    X(uint64_t, llama_model_size, (const void *model)) \
    X(uint64_t, llama_model_n_params, (const void *model)) \
    X(_Bool, llama_model_is_recurrent, (const void *model)) \
    X(_Bool, llama_model_is_hybrid, (const void *model)) \
    X(_Bool, llama_model_is_diffusion, (const void *model)) \
    X(_Bool, llama_model_has_encoder, (const void *model)) \
    X(_Bool, llama_model_has_decoder, (const void *model)) \
    X(int32_t, llama_model_meta_count, (const void *model)) \
    X(int32_t, llama_model_meta_val_str, (const void *model, const char *key, char *buf, size_t size)) \
    X(int32_t, llama_model_meta_key_by_index, (const void *model, int32_t i, char *buf, size_t size)) \
    X(int32_t, llama_model_meta_val_str_by_index, (const void *model, int32_t i, char *buf, size_t size)) \
    X(int32_t, llama_model_desc, (const void *model, char *buf, size_t size)) \
    X(const char *, llama_model_chat_template, (const void *model, const char *name)) \
    X(int32_t, llama_vocab_type, (const void *vocab)) \
    X(int32_t, llama_vocab_n_tokens, (const void *vocab)) \
    X(const char *, llama_vocab_get_text, (const void *vocab, int32_t token)) \
    X(int32_t, llama_vocab_get_attr, (const void *vocab, int32_t token)) \
    X(_Bool, llama_vocab_is_eog, (const void *vocab, int32_t token)) \
    X(int32_t, llama_vocab_bos, (const void *vocab)) \
    X(int32_t, llama_vocab_eos, (const void *vocab)) \
    X(int32_t, llama_vocab_eot, (const void *vocab)) \
    X(int32_t, llama_vocab_sep, (const void *vocab)) \
    X(int32_t, llama_vocab_fim_pre, (const void *vocab)) \
    X(int32_t, llama_vocab_fim_suf, (const void *vocab)) \
    X(int32_t, llama_vocab_fim_mid, (const void *vocab)) \
    X(int32_t, llama_vocab_fim_rep, (const void *vocab)) \
    X(int32_t, llama_vocab_fim_sep, (const void *vocab)) \
    X(_Bool, llama_vocab_get_add_bos, (const void *vocab)) \
    X(_Bool, llama_vocab_get_add_eos, (const void *vocab)) \
    X(_Bool, llama_vocab_get_add_sep, (const void *vocab)) \
    X(const int32_t *, llama_vocab_get_suppress_tokens, (const void *vocab, int32_t *count)) \
    X(int32_t, llama_tokenize, (const void *vocab, const char *text, int32_t bytes, int32_t *tokens, int32_t max, _Bool add, _Bool parse)) \
    X(int32_t, llama_token_to_piece, (const void *vocab, int32_t token, char *buf, int32_t size, int32_t lstrip, _Bool special)) \
    X(void *, llama_init_from_model, (void *model, struct llama_context_params params)) \
    X(void, llama_free, (void *ctx)) \
    X(uint32_t, llama_n_ctx_seq, (const void *ctx)) \
    X(uint32_t, llama_n_batch, (const void *ctx)) \
    X(uint32_t, llama_n_ubatch, (const void *ctx)) \
    X(uint32_t, llama_n_seq_max, (const void *ctx)) \
    X(void *, llama_get_memory, (const void *ctx)) \
    X(_Bool, llama_memory_seq_rm, (void *memory, int32_t seq, int32_t from, int32_t to)) \
    X(void, llama_memory_clear, (void *memory, _Bool data)) \
    X(void, llama_memory_seq_cp, (void *memory, int32_t from, int32_t to, int32_t start, int32_t end)) \
    X(int32_t, llama_memory_seq_pos_min, (void *memory, int32_t seq)) \
    X(int32_t, llama_memory_seq_pos_max, (void *memory, int32_t seq)) \
    X(size_t, llama_state_seq_get_size_ext, (void *ctx, int32_t seq, uint32_t flags)) \
    X(size_t, llama_state_seq_get_data_ext, (void *ctx, uint8_t *dst, size_t size, int32_t seq, uint32_t flags)) \
    X(size_t, llama_state_seq_set_data_ext, (void *ctx, const uint8_t *src, size_t size, int32_t seq, uint32_t flags)) \
    X(int32_t, llama_decode, (void *ctx, struct llama_batch batch)) \
    X(int32_t, llama_encode, (void *ctx, struct llama_batch batch)) \
    X(void, llama_synchronize, (void *ctx)) \
    X(float *, llama_get_logits_ith, (void *ctx, int32_t i)) \
    X(float *, llama_get_embeddings_seq, (void *ctx, int32_t seq)) \
    X(float *, llama_get_embeddings_ith, (void *ctx, int32_t i)) \
    X(int32_t, llama_model_n_embd_out, (const void *model)) \
    X(uint32_t, llama_model_n_cls_out, (const void *model)) \
    X(void *, llama_sampler_chain_init, (struct llama_sampler_chain_params params)) \
    X(void, llama_sampler_chain_add, (void *chain, void *sampler)) \
    X(void, llama_sampler_apply, (void *sampler, struct llama_token_data_array *candidates)) \
    X(void, llama_sampler_accept, (void *sampler, int32_t token)) \
    X(void, llama_sampler_free, (void *sampler)) \
    X(void *, llama_sampler_init_greedy, (void)) \
    X(void *, llama_sampler_init_dist, (uint32_t seed)) \
    X(void *, llama_sampler_init_top_k, (int32_t k)) \
    X(void *, llama_sampler_init_top_p, (float p, size_t keep)) \
    X(void *, llama_sampler_init_min_p, (float p, size_t keep)) \
    X(void *, llama_sampler_init_temp_ext, (float t, float range, float exponent)) \
    X(void *, llama_sampler_init_typical, (float p, size_t keep)) \
    X(void *, llama_sampler_init_top_n_sigma, (float n)) \
    X(void *, llama_sampler_init_xtc, (float p, float threshold, size_t keep, uint32_t seed)) \
    X(void *, llama_sampler_init_mirostat, (int32_t vocab, uint32_t seed, float tau, float eta, int32_t m)) \
    X(void *, llama_sampler_init_mirostat_v2, (uint32_t seed, float tau, float eta)) \
    X(void *, llama_sampler_init_adaptive_p, (float target, float decay, uint32_t seed)) \
    X(void *, llama_sampler_init_dry, (const void *vocab, float multiplier, float base, int32_t allowed, int32_t last, const char **breakers, size_t count)) \
    X(void *, llama_sampler_init_infill, (const void *vocab)) \
    X(void *, llama_sampler_clone, (const void *sampler)) \
    X(void *, llama_sampler_init_penalties, (int32_t vocab, int32_t last, float repeat, float frequency, float presence)) \
    X(void *, llama_sampler_init_logit_bias, (int32_t vocab, int32_t count, const struct llama_logit_bias *bias)) \
    X(void, ggml_backend_load_all_from_path, (const char *folder)) \
    X(size_t, ggml_backend_reg_count, (void)) \
    X(size_t, ggml_backend_dev_count, (void)) \
    X(void *, ggml_backend_dev_get, (size_t index)) \
    X(const char *, ggml_backend_dev_name, (void *device)) \
    X(const char *, ggml_backend_dev_description, (void *device)) \
    X(void, ggml_backend_dev_memory, (void *device, size_t *available, size_t *total)) \
    X(int32_t, ggml_backend_dev_type, (void *device)) \
    X(void *, ggml_backend_dev_backend_reg, (void *device)) \
    X(void *, ggml_backend_dev_buffer_type, (void *device)) \
    X(const char *, ggml_backend_buft_name, (void *type)) \
    X(const char *, ggml_backend_reg_name, (void *reg))

#define WT_DECLARE(type, name, args) static type(*name) args;
WT_IMPORTS(WT_DECLARE)

#endif
