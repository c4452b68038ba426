#include <signal.h>
#include <stddef.h>

static void ignore(int number) { (void)number; }

// Runs before main: a write to a peer that is gone is EPIPE in every test, as it is in ipnd, and
// whichever test comes first. A handler, not SIG_IGN, because execve(2) resets a handler: programs
// that a test starts get the signal at its default, as a shell gives it.
__attribute__((constructor)) static void ignoreSIGPIPE(void) {
    struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
}
