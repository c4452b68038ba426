/* The minimum cost of storing a record: COUNT times pwrite and fdatasync of SIZE consecutive bytes
   in a file that has its size already, as the journal's segments do. Prints the mean
   microseconds of CPU and of the clock. usage: sync FILE COUNT SIZE */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double micros(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

int main(int count, char **words) {
    if (count != 4) return 64;
    long times = atol(words[2]), size = atol(words[3]);
    char *bytes = malloc(size);
    int file = open(words[1], O_CREAT | O_RDWR | O_TRUNC, 0600);
    if (!bytes || file < 0 || fallocate(file, 0, 0, times * size)) return 74;
    memset(bytes, 'x', size);
    double cpu = micros(CLOCK_PROCESS_CPUTIME_ID), clock = micros(CLOCK_MONOTONIC);
    for (long time = 0; time < times; time++)
        if (pwrite(file, bytes, size, time * size) != size || fdatasync(file)) return 74;
    printf("%f %f\n", (micros(CLOCK_PROCESS_CPUTIME_ID) - cpu) / times,
           (micros(CLOCK_MONOTONIC) - clock) / times);
    return unlink(words[1]) ? 74 : 0;
}
