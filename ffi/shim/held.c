/*
 * The whole state of a sequence in memory of the context's own, however large: a JavaScript buffer ends at 4 GiB.
 * What was saved is read in parts, and what is to be restored is written in parts. One at a time.
 */

/* More than this is given back as soon as it is done with; less is kept for the next one. */
#define WT_HELD_KEPT ((int64_t) 64 << 20)

int32_t wt_held_make(int32_t context, int64_t size) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    if (size < 1) return WT_RANGE;
    c->held_size = 0;
    if (size > c->held_capacity) {
        free(c->held);
        c->held = malloc((size_t) size);
        c->held_capacity = c->held ? size : 0;
        if (!c->held) return WT_OUT_OF_MEMORY;
    }
    c->held_size = size;
    return 0;
}

int64_t wt_held_save(int32_t context, int32_t seq) {
    int64_t size = wt_state_size(context, seq, 0);
    if (size < 0) return size;
    int32_t status = wt_held_make(context, size);
    if (status < 0) return status;
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    int64_t written = wt_state_save(context, seq, 0, c->held, size);
    c->held_size = written > 0 ? written : 0;
    return written;
}

static uint8_t *wt_held_part(int32_t context, int64_t from, int64_t size, int32_t *status) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    *status = !c ? WT_BAD_HANDLE : from < 0 || size < 0 || from > c->held_size || size > c->held_size - from ? WT_RANGE : 0;
    return *status < 0 ? NULL : c->held + from;
}

int32_t wt_held_read(int32_t context, int64_t from, uint8_t *bytes, int64_t size) {
    int32_t status;
    const uint8_t *part = wt_held_part(context, from, size, &status);
    if (part) memcpy(bytes, part, (size_t) size);
    return status;
}

int32_t wt_held_write(int32_t context, int64_t from, const uint8_t *bytes, int64_t size) {
    int32_t status;
    uint8_t *part = wt_held_part(context, from, size, &status);
    if (part) memcpy(part, bytes, (size_t) size);
    return status;
}

int32_t wt_held_restore(int32_t context, int32_t seq) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    if (c->held_size < 1) return WT_RANGE;
    return wt_state_restore(context, seq, 0, c->held, c->held_size);
}

int32_t wt_held_done(int32_t context) {
    struct wt_context *c = wt_object(WT_CONTEXT, context);
    if (!c) return WT_BAD_HANDLE;
    c->held_size = 0;
    if (c->held_capacity > WT_HELD_KEPT) {
        free(c->held);
        c->held = NULL;
        c->held_capacity = 0;
    }
    return 0;
}
