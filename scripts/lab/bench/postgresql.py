"""The benchmark's own PostgreSQL, and its speed without ipnd."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile

from lab.bench.wrk import HERE
from lab.processes import Process

PROGRAMS = "/usr/lib/postgresql/15/bin"
DATABASE_PORT = 18951
# Size of one of Antom's records.
RECORD_BYTES = 1770
SETTINGS = {
    "shared_buffers": "256MB",
    "max_connections": 100,
    "min_wal_size": "2GB",
    "max_wal_size": "4GB",
    "jit": "off",
}
# Log segments of 16 MiB: more than all loads of a turn write.
SEGMENTS = 100
TABLES = f"""DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare;
CREATE TABLE bare.row (id bigserial PRIMARY KEY, record text NOT NULL);
CREATE TABLE bare.head (sequence bigint NOT NULL); INSERT INTO bare.head VALUES (0);
CREATE TABLE bare.event (sequence bigint PRIMARY KEY, record text NOT NULL);
CREATE TABLE bare.identity (key uuid PRIMARY KEY, sequence bigint NOT NULL);
CREATE TABLE bare.state (key uuid PRIMARY KEY, facts text NOT NULL, last bigint NOT NULL);
CREATE FUNCTION bare.keys(size int) RETURNS TABLE (key uuid, sequence bigint)
LANGUAGE sql STABLE AS
$$ SELECT md5((head.sequence + n)::text)::uuid, head.sequence + n
   FROM bare.head, generate_series(1, size) n $$;
CREATE FUNCTION bare.record() RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT repeat('x', {RECORD_BYTES}) $$;"""
# One bare row for each transaction.
INSERT = "INSERT INTO bare.row (record) VALUES (bare.record());\n"
# The minimum of a batch: lock the head row and look up, then write, in two round trips.
BATCH = """\\startpipeline
BEGIN;
SELECT sequence FROM bare.head FOR UPDATE;
SELECT key FROM bare.identity WHERE key = ANY (ARRAY(SELECT key FROM bare.keys(:size)));
SELECT facts FROM bare.state WHERE key = ANY (ARRAY(SELECT key FROM bare.keys(:size)));
\\endpipeline
\\startpipeline
INSERT INTO bare.event SELECT sequence, bare.record() FROM bare.keys(:size);
INSERT INTO bare.identity SELECT key, sequence FROM bare.keys(:size);
INSERT INTO bare.state SELECT key, repeat('y', 150), sequence FROM bare.keys(:size)
    ON CONFLICT (key) DO UPDATE SET facts = excluded.facts, last = excluded.last;
UPDATE bare.head SET sequence = sequence + :size;
COMMIT;
\\endpipeline
"""


class PostgreSQL:
    """A server on the disk with its package's settings except for memory. A context manager."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="ipnd-bench-", dir="/var/tmp")
        # PostgreSQL refuses to run as root.
        self.wrapper = ()
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            ids = (f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups")
            self.wrapper = ("setpriv", *ids)
        data = f"{self.folder}/data"
        initdb = (f"{PROGRAMS}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8")
        subprocess.run(
            [*self.wrapper, *initdb, "--locale=C.UTF-8"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.folder,
        )
        options = [f"-c{name}={value}" for name, value in SETTINGS.items()]
        options += [f"-cport={DATABASE_PORT}", f"-cunix_socket_directories={self.folder}"]
        command = [*self.wrapper, f"{PROGRAMS}/postgres", "-D", data, *options]
        self.process = Process(command, f"{self.folder}/log")
        self.process.await_ports(DATABASE_PORT)
        if not self.process.is_running:
            raise SystemExit(f"another server has port {DATABASE_PORT}; see {self.folder}/log")
        # A server that has run for a day has segments to reuse. A new one fills 16 MiB with zeros
        # several times a second, and every commit waits for that.
        for _ in range(SEGMENTS):
            self.sql("SELECT pg_logical_emit_message(false, '', ''); SELECT pg_switch_wal()")
        self.settle()
        return self

    def settle(self):
        """Waits until earlier writes are on the disk and the log can be reused."""
        self.sql("CHECKPOINT")

    @property
    def dsn(self):
        return f"host=127.0.0.1 port={DATABASE_PORT} user=postgres dbname=postgres"

    def sql(self, text):
        command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.dsn, "-c", text]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def pgbench(self, script, clients, seconds, size=1):
        """Rows per second."""
        self.sql(TABLES)
        self.settle()
        path = f"{self.folder}/script"
        with open(path, "w") as file:
            file.write(script)
        text = subprocess.run(
            [
                *(f"{PROGRAMS}/pgbench", "-n", "-M", "prepared", "-D", f"size={size}"),
                *("-c", str(clients), "-j", "1", "-T", str(seconds), "-f", path, self.dsn),
            ],
            check=True,
            capture_output=True,
            text=True,
            # Plans are made while the tables are empty, and would keep sequential scans.
            env={**os.environ, "PGOPTIONS": "-c enable_seqscan=off"},
        ).stdout
        return float(re.search(r"tps = ([\d.]+)", text)[1]) * size

    def same_batches(self, schema):
        """Writes the records of `schema` again, in the same batches, by the program batches.c.
        Returns its CPU and the server's, in microseconds a record, and the records of a batch."""
        program = f"{self.folder}/batches"
        headers = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "libpq"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        build = ["cc", "-O2", "-o", program, f"{HERE}/batches.c", *headers]
        subprocess.run(build, check=True)
        with subprocess.Popen(
            [program, self.dsn, schema], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as writer:
            records, batches = map(int, writer.stdout.readline().split()[1:])
            self.settle()
            before = self.process.cpu()
            print(file=writer.stdin, flush=True)
            own, _ = map(float, writer.stdout.readline().split())
            server = (self.process.cpu() - before) * 1e6 / records
            writer.stdin.close()
        return {"own": own, "server": server, "size": records / batches}

    def __exit__(self, *_):
        self.process.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
