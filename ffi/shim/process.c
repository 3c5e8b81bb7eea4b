/*
 * What there is once per process: the opened library, its backends, its log, and the table of handles.
 *
 * Several threads may each hold a copy of this code (`cc` compiles one per Worker) over one libllama. What
 * they share hangs on the library itself: the log's user data is a block that is never freed, found through
 * llama_log_get, and the lock is the C library's own lock of `stdin`, which nothing else here uses. The log
 * callback stays installed and its code stays mapped for the life of the process: Bun frees compiled code
 * only by `close()`, which `ffi/` never calls, so a Worker that ends leaves the callback intact.
 */
#include "llama.h"
#include "shim.h"

#if defined(__TINYC__)
/*
 * Bun's `cc` knows these names by itself. For any other of the C library's it would need libc.so, a file that comes with a
 * C compiler: those are written here, or looked up in the process.
 */
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *at, int byte, size_t size);

static int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < size; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

static int strncmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] || !a[i]) return (unsigned char) a[i] - (unsigned char) b[i];
    return 0;
}

static int strcmp(const char *a, const char *b) {
    return strncmp(a, b, (size_t) -1);
}
#else
#include <stdlib.h>
#include <string.h>
#endif

extern void *dlopen(const char *path, int flags);
extern void *dlsym(void *library, const char *name);
extern char *dlerror(void);
struct wt_dl_info {
    const char *file;
    void *base;
    const char *symbol;
    void *address;
};

/* RTLD_DEFAULT (dlfcn.h), and the symbol of `stdin`. */
#if defined(__APPLE__)
#define WT_PROCESS ((void *) -2)
#define WT_STDIN "__stdinp"
#else
#define WT_PROCESS ((void *) 0)
#define WT_STDIN "stdin"
#endif

/* Of the process's own C library; each thread's copy of this code looks them up once. */
struct wt_libc {
    int (*address)(const void *address, struct wt_dl_info *info);
    void *(*self)(void);
    void (*lock)(void *file);
    void (*unlock)(void *file);
    void **in;
};

static struct wt_libc *wt_libc(void) {
    static struct wt_libc found;
    if (!found.in) {
        found.address = dlsym(WT_PROCESS, "dladdr");
        found.self = dlsym(WT_PROCESS, "pthread_self");
        found.lock = dlsym(WT_PROCESS, "flockfile");
        found.unlock = dlsym(WT_PROCESS, "funlockfile");
        found.in = dlsym(WT_PROCESS, WT_STDIN);
    }
    return &found;
}

#define WT_LOCK (*wt_libc()->in)
#define flockfile(file) wt_libc()->lock(file)
#define funlockfile(file) wt_libc()->unlock(file)
#define pthread_self() wt_libc()->self()
#define dladdr(at, info) wt_libc()->address(at, info)

#define WT_NOW 2 /* RTLD_NOW, the same number on Linux and macOS */
#define WT_LOG_MAGIC 0x7761726d7475726eull
#define WT_LOG_LINES 64
#define WT_LOG_BYTES 512
#define WT_LEVEL_WARN 3
#define WT_LEVEL_ERROR 4

struct wt_log_line {
    void *thread;
    uint32_t number;
    int32_t level;
    char text[WT_LOG_BYTES];
};

struct wt_log {
    uint64_t magic;
    uint32_t next; /* number of the next line, from 1 */
    struct wt_log_line lines[WT_LOG_LINES];
};

static int wt_is_open = 0;

static int32_t wt_text(const char *from, char *text, int32_t size) {
    int32_t length = from ? (int32_t) strlen(from) : 0;
    if (text && size > 0) {
        int32_t kept = length < size ? length : size - 1;
        if (kept > 0) memcpy(text, from, (size_t) kept);
        text[kept] = 0;
    }
    return length;
}

static int wt_same_text(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

/* Log ------------------------------------------------------------------------------------------------ */

static void wt_on_log(int32_t level, const char *text, void *user_data) {
    struct wt_log *log = user_data;
    if ((level != WT_LEVEL_WARN && level != WT_LEVEL_ERROR) || !text || !*text) return;
    flockfile(WT_LOCK);
    struct wt_log_line *line = &log->lines[log->next % WT_LOG_LINES];
    line->thread = pthread_self();
    line->number = log->next++;
    line->level = level;
    int32_t length = wt_text(text, line->text, WT_LOG_BYTES);
    if (length >= WT_LOG_BYTES) length = WT_LOG_BYTES - 1;
    for (int32_t i = 0; i < length; i++)
        if (line->text[i] == '\n') line->text[i] = i == length - 1 ? 0 : ' ';
    funlockfile(WT_LOCK);
}

/* Read from the library each time: of two threads that install at once, both then use the one that stayed. */
static struct wt_log *wt_log_find(void) {
    void *callback = NULL, *user_data = NULL;
    llama_log_get(&callback, &user_data);
    struct wt_log *log = user_data;
    return log && log->magic == WT_LOG_MAGIC ? log : NULL;
}

static void wt_log_install(void) {
    flockfile(WT_LOCK);
    if (!wt_log_find()) {
        struct wt_log *log = calloc(1, sizeof(struct wt_log));
        if (log) {
            log->magic = WT_LOG_MAGIC;
            log->next = 1;
            llama_log_set((void *) wt_on_log, log);
        }
    }
    funlockfile(WT_LOCK);
}

uint32_t wt_log_mark(void) {
    struct wt_log *log = wt_is_open ? wt_log_find() : NULL;
    return log ? log->next : 0;
}

int32_t wt_log_read(uint32_t since, char *text, int32_t size) {
    struct wt_log *log = wt_is_open ? wt_log_find() : NULL;
    int32_t length = 0;
    if (text && size > 0) text[0] = 0;
    if (!log) return 0;
    void *self = pthread_self();
    flockfile(WT_LOCK);
    uint32_t first = log->next > WT_LOG_LINES ? log->next - WT_LOG_LINES : 1;
    for (uint32_t number = since > first ? since : first; number < log->next; number++) {
        struct wt_log_line *line = &log->lines[number % WT_LOG_LINES];
        if (line->number != number || line->thread != self) continue;
        if (length > 0 && length + 1 < size) text[length++] = '\n';
        if (length + 1 < size) text[length++] = line->level == WT_LEVEL_ERROR ? 'E' : 'W';
        int32_t rest = size - length;
        int32_t bytes = wt_text(line->text, rest > 0 ? text + length : NULL, rest);
        length += bytes < rest ? bytes : (rest > 0 ? rest - 1 : 0);
    }
    funlockfile(WT_LOCK);
    return length;
}

/* Library --------------------------------------------------------------------------------------------- */

static int32_t wt_lacks(char *why, int32_t size, const char *what, const char *name) {
    int32_t length = wt_text(what, why, size);
    if (length < size) wt_text(name, why + length, size - length);
    return WT_FAILED;
}

/* The defaults that v0.4.0 gives; a struct with another layout or another version shows here. */
static const char *wt_abi_differs(void) {
    struct llama_model_params m = llama_model_default_params();
    if (m.devices || m.tensor_buft_overrides || m.tensor_split) return "model pointers";
    if (m.progress_callback || m.progress_callback_user_data || m.kv_overrides) return "model callbacks";
    if (m.n_gpu_layers != -1 || m.main_gpu != 0) return "n_gpu_layers";
    if (m.split_mode != 1 || m.load_mode != -1 || m.lazy_mode != 1) return "split_mode";
    if (m.vocab_only || m.check_tensors || !m.use_extra_bufts) return "vocab_only";
    if (m.no_host || m.no_alloc || m.load_mtp) return "no_host";
    struct llama_context_params c = llama_context_default_params();
    if (c.n_ctx != 512 || c.n_batch != 2048 || c.n_ubatch != 512 || c.n_seq_max != 1) return "n_ctx";
    if (c.n_rs_seq != 0 || c.n_outputs_max != 0 || c.n_outputs_max_per_seq != 1) return "n_outputs_max";
    if (c.n_threads != 4 || c.n_threads_batch != 4 || c.ctx_type != 0) return "n_threads";
    if (c.rope_scaling_type != -1 || c.pooling_type != -1 || c.attention_type != -1) return "rope_scaling_type";
    if (c.flash_attn_type != -1) return "flash_attn_type";
    if (c.rope_freq_base != 0.0f || c.rope_freq_scale != 0.0f || c.yarn_ext_factor != -1.0f) return "rope_freq_base";
    if (c.yarn_attn_factor != -1.0f || c.yarn_beta_fast != -1.0f || c.yarn_beta_slow != -1.0f) return "yarn_attn_factor";
    if (c.yarn_orig_ctx != 0 || c.defrag_thold != -1.0f) return "yarn_orig_ctx";
    if (c.cb_eval || c.cb_eval_user_data || c.abort_callback || c.abort_callback_data) return "cb_eval";
    if (c.type_k != 1 || c.type_v != 1) return "type_k";
    if (c.embeddings || !c.offload_kqv || !c.no_perf || !c.op_offload || !c.swa_full || c.kv_unified) return "offload_kqv";
    if (c.samplers || c.n_samplers != 0 || c.ctx_other) return "samplers";
    if (!llama_sampler_chain_default_params().no_perf) return "no_perf";
    if (llama_max_devices() != 16) return "llama_max_devices";
    return NULL;
}

int32_t wt_shim_version(void) {
    return WT_SHIM_VERSION;
}

int32_t wt_open(const char *path, char *why, int32_t why_size) {
    if (wt_is_open) return 0;
    void *library = dlopen(path, WT_NOW);
    if (!library) return wt_lacks(why, why_size, "it cannot be opened: ", dlerror());
#define WT_LOOK_UP(type, name, args) \
    name = dlsym(library, #name);    \
    if (!name) return wt_lacks(why, why_size, "it lacks the function ", #name);
    WT_IMPORTS(WT_LOOK_UP)
    const char *version = llama_version();
    if (!version || strncmp(version, "0.4.0", 5) != 0) return wt_lacks(why, why_size, "it calls itself version ", version);
    const char *field = wt_abi_differs();
    if (field) return wt_lacks(why, why_size, "it gives another default for ", field);
    wt_log_install();
    wt_is_open = 1;
    return 0;
}

int32_t wt_preload(const char *path) {
    return dlopen(path, WT_NOW) ? 0 : WT_FAILED;
}

int32_t wt_backends_load(const char *folder) {
    if (!wt_is_open) return WT_NOT_OPEN;
    flockfile(WT_LOCK);
    if (ggml_backend_reg_count() == 0) {
        ggml_backend_load_all_from_path(folder);
        if (ggml_backend_reg_count() > 0) llama_backend_init();
    }
    int32_t status = ggml_backend_reg_count() > 0 ? 0 : WT_FAILED;
    funlockfile(WT_LOCK);
    return status;
}

int32_t wt_version_text(char *text, int32_t size) {
    return wt_is_open ? wt_text(llama_version(), text, size) : WT_NOT_OPEN;
}

int32_t wt_system_text(char *text, int32_t size) {
    if (!wt_is_open) return WT_NOT_OPEN;
    flockfile(WT_LOCK); /* the library builds it in a static string */
    int32_t length = wt_text(llama_print_system_info(), text, size);
    funlockfile(WT_LOCK);
    return length;
}

/* Devices --------------------------------------------------------------------------------------------- */

static void *wt_device(int32_t index) {
    return wt_is_open && index >= 0 && (size_t) index < ggml_backend_dev_count() ? ggml_backend_dev_get((size_t) index) : NULL;
}

int32_t wt_device_count(void) {
    return wt_is_open ? (int32_t) ggml_backend_dev_count() : WT_NOT_OPEN;
}

int32_t wt_device_text(int32_t index, int32_t which, char *text, int32_t size) {
    void *device = wt_device(index);
    if (!device) return WT_RANGE;
    if (which == WT_DEVICE_NAME) return wt_text(ggml_backend_dev_name(device), text, size);
    if (which == WT_DEVICE_DESCRIPTION) return wt_text(ggml_backend_dev_description(device), text, size);
    void *reg = ggml_backend_dev_backend_reg(device);
    if (which == WT_DEVICE_BACKEND) return wt_text(ggml_backend_reg_name(reg), text, size);
    if (which == WT_DEVICE_BUFFER) return wt_text(ggml_backend_buft_name(ggml_backend_dev_buffer_type(device)), text, size);
    if (which != WT_DEVICE_LIBRARY) return WT_RANGE;
    /* Which of the CPU variants was chosen shows in the file that a function of it lies in. */
    struct wt_dl_info info = { NULL, NULL, NULL, NULL };
    if (!dladdr(((struct ggml_backend_reg *) reg)->get_name, &info)) return 0;
    return wt_text(info.file, text, size);
}

int32_t wt_device_type(int32_t index) {
    void *device = wt_device(index);
    return device ? ggml_backend_dev_type(device) : WT_RANGE;
}

int32_t wt_device_memory(int32_t index, int64_t *bytes) {
    void *device = wt_device(index);
    if (!device) return WT_RANGE;
    size_t available = 0, total = 0;
    ggml_backend_dev_memory(device, &available, &total);
    bytes[0] = (int64_t) available;
    bytes[1] = (int64_t) total;
    return 0;
}

/* Handles --------------------------------------------------------------------------------------------- */

#define WT_HANDLES 1024
enum { WT_NONE = 0, WT_MODEL = 1, WT_CONTEXT = 2, WT_SAMPLER = 3 };

/* A handle is kind (3 bits), generation (17) and slot (10). A slot's generation grows with each use. */
static struct {
    void *object;
    int32_t kind;
    uint32_t generation;
} wt_slots[WT_HANDLES];

static int32_t wt_handle_new(int32_t kind, void *object) {
    int32_t handle = WT_FULL;
    flockfile(WT_LOCK);
    for (int32_t slot = 0; slot < WT_HANDLES; slot++) {
        if (wt_slots[slot].kind != WT_NONE) continue;
        uint32_t generation = (wt_slots[slot].generation + 1) & 0x1ffff;
        wt_slots[slot].generation = generation;
        wt_slots[slot].object = object;
        wt_slots[slot].kind = kind;
        handle = kind << 27 | (int32_t) (generation << 10) | slot;
        break;
    }
    funlockfile(WT_LOCK);
    return handle;
}

static void *wt_object(int32_t kind, int32_t handle) {
    if (!wt_is_open || handle < 0 || handle >> 27 != kind) return NULL;
    int32_t slot = handle & (WT_HANDLES - 1);
    if (wt_slots[slot].kind != kind || wt_slots[slot].generation != ((uint32_t) handle >> 10 & 0x1ffff)) return NULL;
    return wt_slots[slot].object;
}

static void wt_handle_free(int32_t handle) {
    flockfile(WT_LOCK);
    wt_slots[handle & (WT_HANDLES - 1)].kind = WT_NONE;
    wt_slots[handle & (WT_HANDLES - 1)].object = NULL;
    funlockfile(WT_LOCK);
}
