#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int ipnd_accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(listener, address, length, flags);
}

int ipnd_setname(pthread_t thread, const char *name) {
    return pthread_setname_np(thread, name);
}

bool ipnd_set_direct(int file, bool direct) {
    int flags = fcntl(file, F_GETFL);
    int wanted = direct ? flags | O_DIRECT : flags & ~O_DIRECT;
    return flags >= 0 && wanted != flags && fcntl(file, F_SETFL, wanted) == 0;
}

void ipnd_forbid_dumps(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int ipnd_pipe_cloexec(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

bool ipnd_thread_access(uid_t user, gid_t group, size_t count, const gid_t *groups) {
    // The way back needs the rights first, the way there needs them until the end.
    if (user == 0) setfsuid(user);
    if (syscall(SYS_setgroups, count, groups) != 0) return false;
    setfsgid(group);
    setfsuid(user);
    return (uid_t)setfsuid((uid_t)-1) == user && (gid_t)setfsgid((gid_t)-1) == group;
}
