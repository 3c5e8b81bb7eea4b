/*
 * A sampler chain, for one run: it chooses, and accepts what the caller then says was taken. Grammars are the
 * caller's (`ffi/grammar/`): it asks whether the choice fits, and asks again with a mask where it does not.
 */

#define WT_MINUS_INFINITY 0xff800000u

struct wt_sampler {
    void *chain;
    struct wt_context *context;
    int32_t ignore_ends;
    int32_t greedy;
    int32_t left;    /* candidates of the last choice that the chain kept, */
    int32_t left_at; /* from this one of the context's on: XTC drops the first */
};

static void wt_sampler_drop(struct wt_sampler *s) {
    if (s->chain) llama_sampler_free(s->chain);
    free(s);
}

/* The client's biases, and the tokens that the model itself says are never to be chosen. */
static int32_t wt_sampler_biases(struct wt_sampler *s, int32_t count, const int32_t *tokens, const float *values) {
    struct wt_model *m = s->context->model;
    int32_t suppressed = 0;
    const int32_t *suppress = llama_vocab_get_suppress_tokens(m->vocab, &suppressed);
    if (!suppress) suppressed = 0;
    if (count + suppressed == 0) return 0;
    struct llama_logit_bias *bias = malloc(((size_t) count + (size_t) suppressed) * sizeof(struct llama_logit_bias));
    if (!bias) return WT_OUT_OF_MEMORY;
    uint32_t never = WT_MINUS_INFINITY;
    for (int32_t i = 0; i < count; i++) {
        bias[i].token = tokens[i];
        bias[i].bias = values[i];
    }
    for (int32_t i = 0; i < suppressed; i++) {
        bias[count + i].token = suppress[i];
        memcpy(&bias[count + i].bias, &never, sizeof(never));
    }
    int added = wt_add(s->chain, llama_sampler_init_logit_bias(m->vocab_size, count + suppressed, bias));
    free(bias);
    return added ? 0 : WT_OUT_OF_MEMORY;
}

int32_t wt_sampler_new(int32_t context, const int32_t *integers, const float *floats, const int32_t *bias_tokens, const float *bias_values, const int32_t *links, const char *breakers) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    struct wt_recipe recipe = { integers, floats, links, breakers, 0 };
    int32_t status = wt_recipe_check(c, &recipe, bias_tokens);
    if (status < 0) return status;
    for (int32_t i = 0; i < integers[WT_SAMPLE_BREAKERS]; i++)
        recipe.breaker_bytes += (int32_t) strlen(breakers + recipe.breaker_bytes) + 1;
    struct wt_sampler *s = calloc(1, sizeof(struct wt_sampler));
    if (!s) return WT_OUT_OF_MEMORY;
    s->context = c;
    s->ignore_ends = integers[WT_SAMPLE_IGNORE_EOS] != 0;
    s->greedy = wt_is_greedy(&recipe);
    s->chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
    status = s->chain ? wt_sampler_biases(s, integers[WT_SAMPLE_BIASES], bias_tokens, bias_values) : WT_OUT_OF_MEMORY;
    if (status == 0) status = wt_sampler_chain(s->chain, c, &recipe);
    if (status == 0) status = wt_handle_new(WT_SAMPLER, s);
    if (status < 0) wt_sampler_drop(s);
    else c->children++;
    return status;
}

int32_t wt_sampler_free(int32_t sampler) {
    struct wt_sampler *s = wt_object(WT_SAMPLER, sampler);
    if (!s) return WT_BAD_HANDLE;
    wt_handle_free(sampler);
    s->context->children--;
    wt_sampler_drop(s);
    return 0;
}

static int wt_is_least(float logit) {
    uint32_t bits;
    memcpy(&bits, &logit, sizeof(bits));
    return bits == WT_MINUS_INFINITY || (bits & 0x7fffffffu) > 0x7f800000u;
}

/* All of a row's tokens with their logits; 0 when one is NaN or +infinity, which the chain cannot sort. */
static int wt_fill(struct wt_sampler *s, const float *logits, struct llama_token_data_array *array) {
    struct wt_context *c = s->context;
    const uint32_t *from = (const uint32_t *) logits, *end = from + c->model->vocab_size;
    uint32_t *to = (uint32_t *) c->candidates, token = 0, bad = 0;
    while (from < end) {
        uint32_t bits = *from++;
        to[0] = token++;
        to[1] = bits;
        to[2] = 0;
        to += 3;
        bad |= (bits & 0x7fffffffu) > 0x7f800000u;
        bad |= bits == 0x7f800000u;
    }
    if (s->ignore_ends)
        for (int32_t i = 0; i < c->model->end_count; i++)
            ((uint32_t *) &c->candidates[c->model->ends[i]])[1] = WT_MINUS_INFINITY;
    array->data = c->candidates;
    array->size = (size_t) c->model->vocab_size;
    array->selected = -1;
    array->sorted = 0;
    return !bad;
}

/* As wt_fill, of the tokens in a list alone. */
static int wt_fill_only(struct wt_sampler *s, const float *logits, const int32_t *tokens, int32_t count, struct llama_token_data_array *array) {
    struct wt_context *c = s->context;
    const uint32_t *from = (const uint32_t *) logits;
    struct llama_token_data *to = c->candidates;
    uint32_t bad = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t token = tokens[i];
        uint32_t bits = from[token];
        int32_t e = s->ignore_ends ? c->model->end_count : 0;
        while (e > 0 && c->model->ends[e - 1] != token) e--;
        if (bits == WT_MINUS_INFINITY || e > 0) continue;
        bad |= (bits & 0x7fffffffu) > 0x7f800000u;
        bad |= bits == 0x7f800000u;
        to->id = token;
        memcpy(&to->logit, &bits, sizeof(bits));
        to->p = 0.0f;
        to++;
    }
    array->data = c->candidates;
    array->size = (size_t) (to - c->candidates);
    array->selected = -1;
    array->sorted = 0;
    return !bad;
}

int32_t wt_sampler_choose(int32_t sampler, int32_t row, const int32_t *tokens, int32_t count) {
    struct wt_sampler *s = wt_object(WT_SAMPLER, sampler);
    if (!s) return WT_BAD_HANDLE;
    const float *logits = wt_row(s->context, row);
    int32_t size = s->context->model->vocab_size, listed = count < 0 ? -count : count;
    if (!logits || listed < 0 || listed > size) return WT_RANGE;
    for (int32_t i = 0; i < listed; i++)
        if (tokens[i] < 0 || tokens[i] >= size) return WT_RANGE;
    struct llama_token_data_array array;
    if (!(count > 0 ? wt_fill_only(s, logits, tokens, count, &array) : wt_fill(s, logits, &array))) return WT_BAD_NUMBERS;
    if (count < 0)
        for (int32_t i = 0; i < listed; i++) ((uint32_t *) &s->context->candidates[tokens[i]])[1] = WT_MINUS_INFINITY;
    s->left = 0;
    s->left_at = 0;
    if (array.size == 0) return WT_DEAD_END;
    llama_sampler_apply(s->chain, &array);
    s->left_at = (int32_t) (array.data - s->context->candidates);
    s->left = (int32_t) array.size;
    if (array.selected < 0 || (size_t) array.selected >= array.size) return WT_DEAD_END;
    if (wt_is_least(array.data[array.selected].logit)) return WT_DEAD_END;
    return array.data[array.selected].id;
}

int32_t wt_sampler_left(int32_t sampler, int32_t *tokens, int32_t size) {
    struct wt_sampler *s = wt_object(WT_SAMPLER, sampler);
    if (!s) return WT_BAD_HANDLE;
    if (s->left > size) return 0;
    for (int32_t i = 0; i < s->left; i++) tokens[i] = s->context->candidates[s->left_at + i].id;
    return s->left;
}

int32_t wt_sampler_probs(int32_t sampler, int32_t *tokens, float *probs, int32_t size) {
    struct wt_sampler *s = wt_object(WT_SAMPLER, sampler);
    if (!s) return WT_BAD_HANDLE;
    if (s->greedy) return 0;
    if (s->left > size) return WT_TOO_SMALL;
    for (int32_t i = 0; i < s->left; i++) {
        tokens[i] = s->context->candidates[s->left_at + i].id;
        probs[i] = s->context->candidates[s->left_at + i].p;
    }
    return s->left;
}

int32_t wt_sampler_accept(int32_t sampler, const int32_t *tokens, int32_t count) {
    struct wt_sampler *s = wt_object(WT_SAMPLER, sampler);
    if (!s) return WT_BAD_HANDLE;
    for (int32_t i = 0; i < count; i++)
        if (tokens[i] < 0 || tokens[i] >= s->context->model->vocab_size) return WT_RANGE;
    for (int32_t i = 0; i < count; i++) llama_sampler_accept(s->chain, tokens[i]);
    return 0;
}
