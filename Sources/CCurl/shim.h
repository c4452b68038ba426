// curl_easy_setopt and its like take variable arguments, which Swift cannot pass: each has a form
// here for every type of argument that we use.
#ifndef IPND_CURL_SHIM_H
#define IPND_CURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// CURLOPT_QUICK_EXIT came with 7.87: without it, a transfer that ends while its name is looked up
// holds up all others until the resolver gives up.
#if LIBCURL_VERSION_NUM < 0x075700
#error "libcurl 7.87 or later is needed (Debian 12 or later: libcurl4-openssl-dev)"
#endif

static inline CURLcode ipnd_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ipnd_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ipnd_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/// For data, lists and buffers.
static inline CURLcode ipnd_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// CURLOPT_WRITEFUNCTION or CURLOPT_HEADERFUNCTION.
static inline CURLcode ipnd_curl_set_write(
    CURL *handle, CURLoption option, curl_write_callback function
) {
    return curl_easy_setopt(handle, option, function);
}

static inline CURLcode ipnd_curl_set_open_socket(CURL *handle, curl_opensocket_callback function) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode ipnd_curl_set_before_request(CURL *handle, curl_prereq_callback function) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

static inline long ipnd_curl_get_long(CURL *handle, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/// For the CURLINFO_…_TIME_T (microseconds) and CURLINFO_RETRY_AFTER (seconds).
static inline curl_off_t ipnd_curl_get_size(CURL *handle, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

static inline void ipnd_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    curl_multi_setopt(multi, option, value);
}

static inline void ipnd_curl_multi_set_socket(
    CURLM *multi, curl_socket_callback function, void *data
) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, data);
}

static inline void ipnd_curl_multi_set_timer(
    CURLM *multi, curl_multi_timer_callback function, void *data
) {
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, data);
}

/// The result that a finished transfer's message carries.
static inline CURLcode ipnd_curl_result(const CURLMsg *message) { return message->data.result; }

/// Where the address itself lies: behind the members before it, and longer than its declared type.
static inline const struct sockaddr *ipnd_curl_address(const struct curl_sockaddr *address) {
    return &address->addr;
}

#endif
