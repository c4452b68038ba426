#ifndef IPND_POSTGRESQL_SHIM_H
#define IPND_POSTGRESQL_SHIM_H

#include <libpq-fe.h>

// Pipeline mode came with libpq 14; the servers it talks to may be older.
#ifndef LIBPQ_HAS_PIPELINING
#error "libpq 14 or later is needed (Debian 12 or later: libpq-dev)"
#endif

#endif
