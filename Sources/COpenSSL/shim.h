// OpenSSL 3's headers, and one-line functions for the macros that Swift cannot import.
#ifndef IPND_COPENSSL_SHIM_H
#define IPND_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "crc32c.h"

// OSSL_* parameter names are string macros that Swift imports, but an OSSL_PARAM wants a `const
// char *` that outlives the call: a string literal of C does.
static inline OSSL_PARAM ipnd_mac_digest_param(char *name) {
    return OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0);
}

// Macros over BIO_ctrl, SSL_ctrl and SSL_CTX_ctrl.
static inline long ipnd_BIO_get_mem_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}
static inline long ipnd_SSL_CTX_set_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_mode(context, mode);
}
static inline int ipnd_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int ipnd_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline int ipnd_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}
static inline long ipnd_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}
static inline long ipnd_SSL_CTX_sess_set_cache_size(SSL_CTX *context, long count) {
    return SSL_CTX_sess_set_cache_size(context, count);
}
static inline int ipnd_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline void ipnd_SSL_CTX_set_tlsext_servername_callback(
    SSL_CTX *context, int (*callback)(SSL *, int *, void *), void *argument) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}

// The flags below are casts inside a macro, which the importer leaves out.
static inline uint64_t ipnd_SSL_OP_server(void) {
    return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET
        | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA;
}
static inline uint64_t ipnd_SSL_OP_client(void) {
    return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION;
}
static inline uint64_t ipnd_SSL_OP_ignore_unexpected_eof(void) {
    return SSL_OP_IGNORE_UNEXPECTED_EOF;
}
static inline unsigned long ipnd_XN_FLAG_RFC2253(void) { return XN_FLAG_RFC2253; }

#endif
