// The Linux system calls that Glibc's Swift overlay leaves out, as plain functions.
#ifndef IPND_CLINUX_H
#define IPND_CLINUX_H

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

/// accept4(2), which needs _GNU_SOURCE.
int ipnd_accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);

/// Gives the calling thread, and no other, the file access of a user (setfsuid(2), setfsgid(2),
/// setgroups(2) as a system call: glibc's would change all threads). Returns whether it has it.
bool ipnd_thread_access(uid_t user, gid_t group, size_t count, const gid_t *groups);

/// pipe2(2) with O_CLOEXEC, which needs _GNU_SOURCE. A pipe that another thread's program inherited
/// would never end.
int ipnd_pipe_cloexec(int ends[2]);

/// pthread_setname_np(3), which needs _GNU_SOURCE. The kernel keeps 15 bytes.
int ipnd_setname(pthread_t thread, const char *name);

/// Sets or clears O_DIRECT (open(2)) on an open file; O_DIRECT needs _GNU_SOURCE. Returns whether
/// anything changed.
bool ipnd_set_direct(int file, bool direct);

/// Turns off memory dumps of this process and reading its memory through /proc
/// (PR_SET_DUMPABLE, prctl(2)).
void ipnd_forbid_dumps(void);

#endif
