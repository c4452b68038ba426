#define _GNU_SOURCE
#include "CLinux.h"

int ipnd_accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(listener, address, length, flags);
}

int ipnd_setname(pthread_t thread, const char *name) {
    return pthread_setname_np(thread, name);
}
