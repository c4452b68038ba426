// OpenSSL 3's headers, and one-line functions for the macros that Swift cannot import.
#ifndef IPND_COPENSSL_SHIM_H
#define IPND_COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#endif
