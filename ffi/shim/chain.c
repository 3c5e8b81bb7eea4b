/*
 * A chain of llama.cpp's samplers, link by link in llama-server's order or the caller's. Every number was checked:
 * a link allocates what it looks back on, and aborts on what it cannot use.
 */

static int wt_add(void *chain, void *sampler) {
    if (sampler) llama_sampler_chain_add(chain, sampler);
    return sampler != NULL;
}

/* What a chain is made of, as the caller gave it. */
struct wt_recipe {
    const int32_t *integers;
    const float *floats;
    const int32_t *links;
    const char *breakers;
    int32_t breaker_bytes;
};

static void *wt_new_dry(struct wt_context *c, const struct wt_recipe *recipe) {
    int32_t count = recipe->integers[WT_SAMPLE_BREAKERS];
    const char **breakers = malloc(((size_t) count + 1) * sizeof(char *));
    if (!breakers) return NULL;
    const char *next = recipe->breakers;
    for (int32_t i = 0; i < count; i++) {
        breakers[i] = next;
        next += strlen(next) + 1;
    }
    void *link = llama_sampler_init_dry(c->model->vocab, recipe->floats[WT_SAMPLE_DRY_MULTIPLIER], recipe->floats[WT_SAMPLE_DRY_BASE],
        recipe->integers[WT_SAMPLE_DRY_ALLOWED], recipe->integers[WT_SAMPLE_DRY_LAST], breakers, (size_t) count);
    free(breakers);
    return link;
}

/*
 * A DRY link looks through the whole vocabulary for each breaker (2.3 s for 32 that end many of 150,000 tokens), and a
 * clone of one does not: the context keeps those that were asked for last, so that clients of several do not take turns
 * in making them.
 */
static void *wt_dry(struct wt_context *c, const struct wt_recipe *recipe) {
    int32_t numbers[5] = { recipe->integers[WT_SAMPLE_DRY_ALLOWED], recipe->integers[WT_SAMPLE_DRY_LAST], recipe->integers[WT_SAMPLE_BREAKERS], 0, 0 };
    memcpy(numbers + 3, recipe->floats + WT_SAMPLE_DRY_MULTIPLIER, 2 * sizeof(float));
    int32_t size = (int32_t) sizeof(numbers) + recipe->breaker_bytes;
    char *key = malloc((size_t) size);
    if (!key) return NULL;
    memcpy(key, numbers, sizeof(numbers));
    memcpy(key + sizeof(numbers), recipe->breakers, (size_t) recipe->breaker_bytes);
    int32_t at = 0;
    while (at < WT_KNOWN_DRY - 1 && c->dry[at].link && !(c->dry[at].key_size == size && memcmp(c->dry[at].key, key, (size_t) size) == 0)) at++;
    struct wt_known_dry known = c->dry[at];
    if (known.link && known.key_size == size && memcmp(known.key, key, (size_t) size) == 0) {
        free(key);
    } else {
        if (known.link) llama_sampler_free(known.link);
        free(known.key);
        known.link = wt_new_dry(c, recipe);
        known.key = key;
        known.key_size = size;
    }
    for (int32_t i = at; i > 0; i--) c->dry[i] = c->dry[i - 1];
    c->dry[0] = known;
    return known.link ? llama_sampler_clone(known.link) : NULL;
}

static void *wt_link(struct wt_context *c, const struct wt_recipe *recipe, int32_t link) {
    const int32_t *integers = recipe->integers;
    const float *floats = recipe->floats;
    size_t keep = (size_t) integers[WT_SAMPLE_MIN_KEEP];
    switch (link) {
        case WT_LINK_PENALTIES:
            return llama_sampler_init_penalties(c->model->vocab_size, integers[WT_SAMPLE_PENALTY_LAST],
                floats[WT_SAMPLE_REPEAT], floats[WT_SAMPLE_FREQUENCY], floats[WT_SAMPLE_PRESENCE]);
        case WT_LINK_DRY: return wt_dry(c, recipe);
        case WT_LINK_TOP_N_SIGMA: return llama_sampler_init_top_n_sigma(floats[WT_SAMPLE_TOP_N_SIGMA]);
        case WT_LINK_TOP_K: return llama_sampler_init_top_k(integers[WT_SAMPLE_TOP_K]);
        case WT_LINK_TYPICAL_P: return llama_sampler_init_typical(floats[WT_SAMPLE_TYPICAL_P], keep);
        case WT_LINK_TOP_P: return llama_sampler_init_top_p(floats[WT_SAMPLE_TOP_P], keep);
        case WT_LINK_MIN_P: return llama_sampler_init_min_p(floats[WT_SAMPLE_MIN_P], keep);
        case WT_LINK_XTC:
            return llama_sampler_init_xtc(floats[WT_SAMPLE_XTC_PROBABILITY], floats[WT_SAMPLE_XTC_THRESHOLD], keep, (uint32_t) integers[WT_SAMPLE_SEED]);
        case WT_LINK_INFILL: return llama_sampler_init_infill(c->model->vocab);
        default:
            return llama_sampler_init_temp_ext(floats[WT_SAMPLE_TEMPERATURE], floats[WT_SAMPLE_DYNATEMP_RANGE], floats[WT_SAMPLE_DYNATEMP_EXPONENT]);
    }
}

static int wt_has_link(const struct wt_recipe *recipe, int32_t link) {
    for (int32_t i = 0; i < recipe->integers[WT_SAMPLE_LINKS]; i++)
        if (recipe->links[i] == link) return 1;
    return 0;
}

/* The best token is taken, whatever the seed. */
static int wt_is_greedy(const struct wt_recipe *recipe) {
    if (recipe->floats[WT_SAMPLE_TEMPERATURE] > 0.0f) return 0;
    return recipe->integers[WT_SAMPLE_MIROSTAT] != 0
        || (recipe->floats[WT_SAMPLE_DYNATEMP_RANGE] <= 0.0f && wt_has_link(recipe, WT_LINK_TEMPERATURE));
}

static int32_t wt_mirostat(void *chain, struct wt_context *c, const struct wt_recipe *recipe) {
    const float *floats = recipe->floats;
    uint32_t seed = (uint32_t) recipe->integers[WT_SAMPLE_SEED];
    float tau = floats[WT_SAMPLE_MIROSTAT_TAU], eta = floats[WT_SAMPLE_MIROSTAT_ETA];
    if (wt_is_greedy(recipe)) return wt_add(chain, llama_sampler_init_greedy());
    int added = wt_add(chain, llama_sampler_init_temp_ext(floats[WT_SAMPLE_TEMPERATURE], 0.0f, 1.0f));
    return added & wt_add(chain, recipe->integers[WT_SAMPLE_MIROSTAT] == 1
        ? llama_sampler_init_mirostat(c->model->vocab_size, seed, tau, eta, 100)
        : llama_sampler_init_mirostat_v2(seed, tau, eta));
}

/*
 * The links in the caller's order, then the choice. At temperature 0 the best token is taken where the order has
 * the temperature: what stands behind it has nothing left to do, and what cuts the tail in front of it leaves the
 * best alone, unless something between them looks at what was left.
 */
static int32_t wt_sampler_chain(void *chain, struct wt_context *c, const struct wt_recipe *recipe) {
    const int32_t *integers = recipe->integers;
    const float *floats = recipe->floats;
    uint32_t seed = (uint32_t) integers[WT_SAMPLE_SEED];
    if (integers[WT_SAMPLE_MIROSTAT] != 0) return wt_mirostat(chain, c, recipe) ? 0 : WT_OUT_OF_MEMORY;
    int greedy = wt_is_greedy(recipe);
    int looks = floats[WT_SAMPLE_TYPICAL_P] < 1.0f || floats[WT_SAMPLE_XTC_PROBABILITY] > 0.0f || wt_has_link(recipe, WT_LINK_INFILL);
    for (int32_t i = 0; i < integers[WT_SAMPLE_LINKS]; i++) {
        int32_t link = recipe->links[i];
        if (greedy && link == WT_LINK_TEMPERATURE)
            return wt_add(chain, llama_sampler_init_greedy()) ? 0 : WT_OUT_OF_MEMORY;
        if (greedy && !looks && link != WT_LINK_PENALTIES && link != WT_LINK_DRY) continue;
        if (link != WT_LINK_ADAPTIVE_P && !wt_add(chain, wt_link(c, recipe, link))) return WT_OUT_OF_MEMORY;
    }
    int added = wt_add(chain, wt_has_link(recipe, WT_LINK_ADAPTIVE_P)
        ? llama_sampler_init_adaptive_p(floats[WT_SAMPLE_ADAPTIVE_TARGET], floats[WT_SAMPLE_ADAPTIVE_DECAY], seed)
        : llama_sampler_init_dist(seed));
    return added ? 0 : WT_OUT_OF_MEMORY;
}

/*
 * The infill link compares each candidate with each other, ends the process where the vocabulary has no token that
 * ends a reply, and where a piece does not fit its buffer of 512 bytes.
 */
static int wt_infill_fits(struct wt_model *m, const struct wt_recipe *recipe) {
    int cut = 0;
    for (int32_t i = 0; i < recipe->integers[WT_SAMPLE_LINKS]; i++) {
        if (recipe->links[i] == WT_LINK_TOP_K) cut = 1;
        if (recipe->links[i] == WT_LINK_INFILL && !cut) return 0;
    }
    if (recipe->integers[WT_SAMPLE_TOP_K] < 1 || recipe->integers[WT_SAMPLE_TOP_K] > 256) return 0;
    if (m->infill == 0) {
        char piece[512];
        m->infill = llama_vocab_eot(m->vocab) >= 0 || llama_vocab_eos(m->vocab) >= 0 ? 1 : -1;
        for (int32_t token = 0; token < m->vocab_size; token++)
            if (llama_token_to_piece(m->vocab, token, piece, (int32_t) sizeof(piece), 0, 0) < 0) m->infill = -1;
    }
    return m->infill > 0;
}

static int32_t wt_recipe_check(const struct wt_context *c, const struct wt_recipe *recipe, const int32_t *bias_tokens) {
    const int32_t *integers = recipe->integers;
    int32_t counts[] = { WT_SAMPLE_BIASES, WT_SAMPLE_PENALTY_LAST, WT_SAMPLE_DRY_LAST, WT_SAMPLE_DRY_ALLOWED, WT_SAMPLE_MIN_KEEP, WT_SAMPLE_BREAKERS, WT_SAMPLE_LINKS };
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (integers[counts[i]] < 0) return WT_RANGE;
    for (int32_t i = 0; i < integers[WT_SAMPLE_BIASES]; i++)
        if (bias_tokens[i] < 0 || bias_tokens[i] >= c->model->vocab_size) return WT_RANGE;
    for (int32_t i = 0; i < integers[WT_SAMPLE_LINKS]; i++)
        if (recipe->links[i] < 0 || recipe->links[i] >= WT_LINK_COUNT) return WT_RANGE;
    if (wt_has_link(recipe, WT_LINK_INFILL) && !wt_infill_fits(c->model, recipe)) return WT_RANGE;
    /* llama.cpp allocates what they look back on at once. */
    if (integers[WT_SAMPLE_PENALTY_LAST] > c->sequence_tokens || integers[WT_SAMPLE_DRY_LAST] > c->sequence_tokens) return WT_RANGE;
    return integers[WT_SAMPLE_MIROSTAT] < 0 || integers[WT_SAMPLE_MIROSTAT] > 2 ? WT_RANGE : 0;
}

