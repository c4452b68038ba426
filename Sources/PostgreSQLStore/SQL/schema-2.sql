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
