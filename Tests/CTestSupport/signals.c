#include <signal.h>
#include <stddef.h>

static void ignore(int number) { (void)number; }

// Runs before main, so that writing to a closed peer is EPIPE in every test, as in ipnd. It
// installs a handler and not SIG_IGN, because execve(2) resets a handler: programs that a test
// starts get the signal's default action, as from a shell.
__attribute__((constructor)) static void ignoreSIGPIPE(void) {
    struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
}
