/* The minimum cost of storing the records of SCHEMA in PostgreSQL: the same bytes in the same
   batches, each one transaction, in one append-only table with one unique index. Prints
   `loaded RECORDS BATCHES` when all is in memory, waits for a line of input, writes, and prints
   the microseconds of its own CPU and of the clock for each record. The connection stays open
   until the input ends, so that its server's CPU can be read. usage: batches DSN SCHEMA */
#include <endian.h>
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { UUID = 2950, UUIDS = 2951, BYTES = 17, LISTS_OF_BYTES = 1001, KEY_SIZE = 16 };

static PGconn *connection;

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, PQerrorMessage(connection));
    exit(74);
}

static PGresult *run(const char *sql, ExecStatusType wanted) {
    PGresult *result = PQexecParams(connection, sql, 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(result) != wanted) fail(sql);
    return result;
}

static int64_t number(PGresult *result, int row, int column) {
    int64_t value;
    memcpy(&value, PQgetvalue(result, row, column), 8);
    return be64toh(value);
}

static double micros(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static char *put(char *end, uint32_t value) {
    value = htobe32(value);
    memcpy(end, &value, 4);
    return end + 4;
}

/* A column of `count` values from `first` on, as array_recv reads it. Returns its size. */
static int array(char *start, uint32_t type, PGresult *rows, int64_t first, int64_t count,
                 int column) {
    char *end = put(put(put(put(put(start, 1), 0), type), count), 1);
    for (int64_t row = first; row < first + count; row++) {
        int size = PQgetlength(rows, row, column);
        end = put(end, size);
        memcpy(end, PQgetvalue(rows, row, column), size);
        end += size;
    }
    return end - start;
}

static void insert(char *keys, char *records, PGresult *rows, int64_t first, int64_t count) {
    const char *values[] = {keys, records};
    int sizes[] = {array(keys, UUID, rows, first, count, 0),
                   array(records, BYTES, rows, first, count, 1)};
    int formats[] = {1, 1};
    if (!PQsendQueryPrepared(connection, "begin", 0, NULL, NULL, NULL, 1) ||
        !PQsendQueryPrepared(connection, "insert", 2, values, sizes, formats, 1) ||
        !PQsendQueryPrepared(connection, "commit", 0, NULL, NULL, NULL, 1) ||
        !PQpipelineSync(connection))
        fail("send");
    for (int statement = 0; statement < 3; statement++) {
        PGresult *result = PQgetResult(connection);
        if (PQresultStatus(result) != PGRES_COMMAND_OK) fail("batch");
        PQclear(result);
        if (PQgetResult(connection)) fail("one result each");
    }
    PGresult *sync = PQgetResult(connection);
    if (PQresultStatus(sync) != PGRES_PIPELINE_SYNC) fail("sync");
    PQclear(sync);
}

static void prepare(const char *name, const char *sql, int count, const Oid *types) {
    PGresult *result = PQprepare(connection, name, sql, count, types);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(sql);
    PQclear(result);
}

int main(int count, char **words) {
    if (count != 3) return 64;
    connection = PQconnectdb(words[1]);
    if (PQstatus(connection) != CONNECTION_OK) fail("connect");
    char text[512];
    snprintf(text, sizeof text, "SET search_path = %s", words[2]);
    PQclear(run(text, PGRES_COMMAND_OK));
    PGresult *rows = run("SELECT key, record FROM event JOIN identity USING (sequence) "
                         "ORDER BY sequence", PGRES_TUPLES_OK);
    PGresult *batches = run("SELECT first, count::int8 FROM batch ORDER BY first", PGRES_TUPLES_OK);
    int64_t total = PQntuples(rows), largest = 0, done = 0;
    for (int batch = 0; batch < PQntuples(batches); batch++) {
        int64_t bytes = 0, size = number(batches, batch, 1);
        for (int64_t row = done; row < done + size && row < total; row++)
            bytes += PQgetlength(rows, row, 1) + KEY_SIZE + 8;
        if (bytes > largest) largest = bytes;
        done += size;
    }
    if (done != total) return 65;
    char *keys = malloc(largest + 64), *records = malloc(largest + 64);
    if (!keys || !records) return 71;
    PQclear(run("DROP SCHEMA IF EXISTS bare_log CASCADE", PGRES_COMMAND_OK));
    PQclear(run("CREATE SCHEMA bare_log", PGRES_COMMAND_OK));
    PQclear(run("CREATE TABLE bare_log.record (key uuid UNIQUE, record bytea)", PGRES_COMMAND_OK));
    Oid types[] = {UUIDS, LISTS_OF_BYTES};
    prepare("begin", "BEGIN", 0, NULL);
    prepare("insert", "INSERT INTO bare_log.record SELECT unnest($1), unnest($2)", 2, types);
    prepare("commit", "COMMIT", 0, NULL);
    if (!PQenterPipelineMode(connection)) fail("pipeline");
    printf("loaded %ld %d\n", (long)total, PQntuples(batches));
    fflush(stdout);
    getchar();
    double cpu = micros(CLOCK_PROCESS_CPUTIME_ID), clock = micros(CLOCK_MONOTONIC);
    done = 0;
    for (int batch = 0; batch < PQntuples(batches); batch++) {
        int64_t size = number(batches, batch, 1);
        insert(keys, records, rows, done, size);
        done += size;
    }
    printf("%f %f\n", (micros(CLOCK_PROCESS_CPUTIME_ID) - cpu) / total,
           (micros(CLOCK_MONOTONIC) - clock) / total);
    fflush(stdout);
    while (getchar() != EOF) continue;
    PQfinish(connection);
    return 0;
}
