// ThreadSanitizer does not see Swift's `Mutex` under contention, and reports races on every state that one guards. The
// fast paths are inlined into our code, whose atomic operations it follows. The slow paths are in
// libswiftSynchronization, which is not instrumented, and there the kernel hands the lock over (futex(2),
// FUTEX_LOCK_PI). This library, preloaded by `scripts/test --sanitize thread`, wraps the slow paths and reports their
// synchronisation to ThreadSanitizer. Races outside a lock are still found, which a suppression would hide.
//
// In a program without ThreadSanitizer its two functions are absent, and nothing is reported.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

// Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> () and _unlockSlow() -> (); `self` is the address of the lock.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef void Lock(uint32_t thread, __attribute__((swift_context)) void *self) __attribute__((swiftcall));
typedef void Unlock(__attribute__((swift_context)) void *self) __attribute__((swiftcall));

Lock lockSlow __asm__(LOCK);
Unlock unlockSlow __asm__(UNLOCK);

static void *genuineLock, *genuineUnlock;

__attribute__((constructor)) static void find(void) {
    genuineLock = dlsym(RTLD_NEXT, LOCK);
    genuineUnlock = dlsym(RTLD_NEXT, UNLOCK);
}

__attribute__((swiftcall)) void lockSlow(uint32_t thread, __attribute__((swift_context)) void *self) {
    ((Lock *)genuineLock)(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

__attribute__((swiftcall)) void unlockSlow(__attribute__((swift_context)) void *self) {
    if (__tsan_release) __tsan_release(self);
    ((Unlock *)genuineUnlock)(self);
}
