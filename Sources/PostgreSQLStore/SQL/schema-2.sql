-- Version 2: who does what only one instance may do, and how far each destination was told.

-- What one process at a time does, such as delivering to a destination. Time is the server's. A
-- process that died keeps its row until `expires`; then any other one takes it. Each taking raises
-- `fence`: whoever writes under a lease checks in the same transaction that the row still has its
-- holder and its fence, so one that was late for whatever reason changes nothing.
CREATE TABLE lease (
    name text PRIMARY KEY,
    fence bigint NOT NULL,
    -- Drawn by chance by each process.
    holder text NOT NULL,
    -- Host and process, for people.
    label text NOT NULL,
    taken timestamptz NOT NULL,
    expires timestamptz NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- How far each destination was told. Its loss means telling again.
CREATE TABLE destination (
    name text PRIMARY KEY,
    -- Which record `cursor` counts in.
    store text NOT NULL,
    -- Everything up to here is told, passed over, or in `delivery`.
    cursor bigint NOT NULL,
    -- command, gone; null while it is told
    pause text
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Events that wait for a retry, behind another event of their order, or for a person.
CREATE TABLE delivery (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    destination text NOT NULL,
    sequence bigint NOT NULL,
    endpoint text NOT NULL,
    reference text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    received timestamptz NOT NULL,
    -- Those that failed and counted.
    attempts bigint NOT NULL,
    -- Of the next attempt, in microseconds since 1970; 0 for at once.
    due bigint NOT NULL,
    is_dead boolean NOT NULL,
    -- The record without its request: retention may take the event away.
    record bytea NOT NULL,
    UNIQUE (destination, sequence)
);
CREATE INDEX delivery_reference ON delivery (reference);

-- The last attempts that failed, or that succeeded after others had failed.
CREATE TABLE delivery_attempt (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    destination text NOT NULL,
    sequence bigint NOT NULL,
    reference text NOT NULL,
    began timestamptz NOT NULL,
    number bigint NOT NULL,
    -- Null without an answer.
    status bigint,
    reason text NOT NULL,
    latency bigint NOT NULL,
    detail text NOT NULL,
    excerpt text NOT NULL,
    UNIQUE (destination, sequence, began, number)
);
CREATE INDEX delivery_attempt_reference ON delivery_attempt (reference);
CREATE INDEX delivery_attempt_destination ON delivery_attempt (destination, id);

-- What a person asked of one instance, and another one has to do: the one that serves the
-- destination.
CREATE TABLE delivery_command (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    destination text NOT NULL,
    -- pause, resume, retry, resolve
    command text NOT NULL,
    -- The events that are meant.
    sequences bigint[] NOT NULL,
    asked timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- How many events were changed; null until it is done.
    changed bigint
);

-- For the merchant's own SQL: where each destination stands, and what it was not told yet.
CREATE VIEW destinations AS
SELECT
    destination.name, destination.cursor, destination.pause,
    CASE WHEN lease.expires > clock_timestamp() THEN lease.label END AS served_by
FROM destination LEFT JOIN lease ON lease.name = 'destination ' || destination.name;

CREATE VIEW deliveries AS
SELECT
    destination, sequence, endpoint, reference, kind, status, received, attempts,
    CASE WHEN is_dead OR due = 0 THEN NULL ELSE to_timestamp(due / 1000000.0) END AS due,
    CASE WHEN is_dead THEN 'dead' ELSE 'waiting' END AS state
FROM delivery;

-- Drops the oldest partition when all its events were received more than `days` ago and the record
-- goes on behind it. It waits for the destinations `told_to` that were not told of all its events,
-- but not for more than `undelivered_days` longer. Returns its last sequence, 0 when there is none
-- to drop, and null when it has to be tried again later: another session is at it, or somebody is
-- reading.
DROP FUNCTION drop_event_partition(integer);
CREATE FUNCTION drop_event_partition(
    days integer, undelivered_days integer DEFAULT 0, told_to text[] DEFAULT '{}'
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
DECLARE
    size bigint := (SELECT partition_events FROM meta);
    number bigint;
    last bigint;
    part text;
    kept_days integer := days;
    is_young boolean;
BEGIN
    IF days < 1 THEN RAISE EXCEPTION 'days must be at least 1'; END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended('ipnd.retain.' || current_schema(), 0)) THEN
        RETURN NULL;
    END IF;
    SELECT substring(child.relname FROM '^event_([0-9]+)$')::bigint, child.relname
    INTO number, part
    FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = 'event'::regclass ORDER BY 1 LIMIT 1;
    last := (number + 1) * size - 1;
    IF last >= (SELECT sequence FROM head) THEN RETURN 0; END IF;
    -- One that was never told anything has no row yet, or one of another record.
    IF EXISTS (
        SELECT FROM unnest(told_to) AS wanted
        LEFT JOIN destination
            ON destination.name = wanted AND destination.store = (SELECT store FROM meta)
        WHERE coalesce(destination.cursor, 0) < last)
    THEN
        kept_days := days + undelivered_days;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE received >= $1)', part)
    INTO is_young USING time_seen() - make_interval(days => kept_days);
    IF is_young THEN RETURN 0; END IF;
    -- A batch locks this row first, so no batch is in the tables now, and the next one waits for as
    -- long as for another batch. Readers may be there: for them nobody waits.
    PERFORM FROM head FOR UPDATE;
    EXECUTE format('LOCK TABLE ONLY event, ONLY %I IN ACCESS EXCLUSIVE MODE NOWAIT', part);
    EXECUTE format('DROP TABLE %I', part);
    RETURN last;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END
$$;
