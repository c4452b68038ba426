-- ipnd's tables, version 1. `ipnd database init` runs this once, in the schema that the
-- configuration names and with nothing else on the search path.
--
-- The record is `event`: one row for each recorded notification, with the exact bytes of its
-- record. `head` holds the last sequence. Every writer locks the row of `head` first, so sequences
-- have no gaps and follow the order of the commits, and a reader of `sequence > N` never misses
-- one. Everything else is derived from the events, to make decisions fast.
--
-- Text columns are for people and filters: U+0000, which PostgreSQL cannot store in a text, is
-- replaced there by U+FFFD. `record` and `facts` are authoritative.

-- The version and settings of the tables. One row.
CREATE TABLE meta (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- Negative while a journal is being imported: no server writes or reads then.
    version integer NOT NULL,
    -- The identity of the record: a sequence has a meaning only together with it.
    store text NOT NULL CHECK (store ~ '^[0-9a-f]{32}$'),
    -- The secret key of every hash in these tables (SipHash-2-4, 128 bits).
    hash_key bytea NOT NULL CHECK (length(hash_key) = 16),
    -- Number of sequences in a partition of `event` (`ipnd database init --partition-events`).
    partition_events bigint NOT NULL CHECK (partition_events >= 1000),
    created timestamptz NOT NULL DEFAULT now()
);

-- The end of the record. One row, which every batch locks and updates.
CREATE TABLE head (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- The last sequence; 0 before the first.
    sequence bigint NOT NULL,
    -- The hash of the last batch: see `batch`.
    chain bytea NOT NULL CHECK (length(chain) = 32)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The journal that `ipnd database import` has imported. One row, or none.
CREATE TABLE import (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- The journal's corrections up to this record were applied from the first record on.
    corrections bigint NOT NULL
);

-- The keys of the records' personal parts, wrapped by the merchant's master key. One row; none while
-- records are stored as they are.
CREATE TABLE sealing (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- Increases when keys are destroyed: all instances then read the row again.
    version bigint NOT NULL CHECK (version > 0),
    -- As the file `keys` of a journal.
    keys bytea NOT NULL
);

-- The endpoints of the configuration, with the number by which the other tables refer to each.
CREATE TABLE endpoint (
    number integer PRIMARY KEY CHECK (number BETWEEN 0 AND 65535),
    name text NOT NULL UNIQUE
);

-- The record: one row for each event, kept forever or until its partition is dropped.
CREATE TABLE event (
    sequence bigint NOT NULL,
    received timestamptz NOT NULL,
    endpoint integer NOT NULL,
    -- recorded, conflict, ignored
    outcome text NOT NULL,
    -- One JSON object, UTF-8, byte for byte as it was written (schema of the records: 1).
    record bytea NOT NULL,
    PRIMARY KEY (sequence)
) PARTITION BY RANGE (sequence);
-- Retention asks whether a partition holds any recent event.
CREATE INDEX event_received ON event USING brin (received);

-- A hash chain over the batches: SHA-256 of the previous hash, the first sequence and the count (8
-- bytes each, big-endian), and for each record its length (8 bytes, big-endian) and its bytes. The
-- first batch follows 32 zero bytes. A row is kept longer than its events, because it dates their
-- identities. A row with a count of 0 only dates identities: its events were gone when a journal
-- was imported.
CREATE TABLE batch (
    first bigint PRIMARY KEY,
    count integer NOT NULL,
    chain bytea NOT NULL CHECK (length(chain) = 32),
    committed timestamptz NOT NULL DEFAULT now()
);

-- The events that were seen: the hash of an event's identity. A row is kept longer than its event.
CREATE TABLE identity (
    key uuid PRIMARY KEY,
    sequence bigint NOT NULL,
    -- 24 bits of a hash over the event's content.
    fingerprint integer NOT NULL
);
CREATE INDEX identity_sequence ON identity USING brin (sequence);

-- One row for each order, under the hash of its reference, or of the least of its ids.
CREATE TABLE order_state (
    key uuid PRIMARY KEY,
    endpoint integer NOT NULL,
    -- The input of decisions: the order's facts and the sequences of its records.
    facts bytea NOT NULL,
    -- For an order with very many events: the number of events since it became full, and the last.
    later_count bigint NOT NULL DEFAULT 0,
    later_last bigint NOT NULL DEFAULT 0,
    -- The other columns are for lists. The first record that named the order, and the last.
    first bigint NOT NULL,
    last bigint NOT NULL,
    created timestamptz NOT NULL,
    updated timestamptz NOT NULL,
    reference text,
    transaction text,
    status text NOT NULL,
    currency text,
    amount bigint,
    refunded bigint,
    authorized bigint,
    captured bigint,
    reason_code text,
    reason_message text,
    -- With a comma before and after each; empty when there is none.
    flags text NOT NULL DEFAULT '',
    expected_amount bigint,
    expected_currency text,
    expires timestamptz,
    metadata text,
    -- The payment method, and the agreement of an instalment, in the provider's own words.
    method text,
    agreement text
) WITH (fillfactor = 80);
CREATE INDEX order_state_first ON order_state (first);
CREATE INDEX order_state_not_paid ON order_state (status, first) WHERE status <> 'paid';
CREATE INDEX order_state_flagged ON order_state (first) WHERE flags <> '';
CREATE INDEX order_state_expiring ON order_state (expires)
    WHERE expires IS NOT NULL AND status IN ('pending', 'authorized');
-- The orders about which the provider may be asked, by their last change. Nearly all orders are
-- settled and not in it. `review` covers every doubt but payments that no answer has confirmed and
-- sums that none has named; an order that failed before it expires may be tried again.
CREATE INDEX order_state_open ON order_state (endpoint, updated)
    WHERE (status IN ('pending', 'authorized', 'review')
            OR (status = 'failed' AND expires > updated)
            OR position(',unconfirmed,' IN flags) > 0
            OR position(',amount_unknown,' IN flags) > 0)
        AND reference IS NOT NULL;

-- Other keys of an order: the hashes of its ids and of its further references.
CREATE TABLE alias (
    key uuid NOT NULL,
    order_key uuid NOT NULL,
    PRIMARY KEY (key, order_key)
);

-- Tasks that one process at a time does, such as delivering to a destination. Times are the
-- server's. A process that died keeps its row until `expires`; then any other process may take it.
-- Each taking increments `fence`: a write under a lease checks, in the same transaction, that the
-- row still has its holder and its fence, so a late writer changes nothing.
CREATE TABLE lease (
    name text PRIMARY KEY,
    fence bigint NOT NULL,
    -- A random value that each process draws.
    holder text NOT NULL,
    -- Host and process, for people.
    label text NOT NULL,
    taken timestamptz NOT NULL,
    expires timestamptz NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Small texts of the server's parts, such as the time until which an endpoint's record is complete.
CREATE TABLE mark (
    name text PRIMARY KEY,
    value text NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The position of each destination. If a row is lost, its events are delivered again.
CREATE TABLE destination (
    name text PRIMARY KEY,
    -- The record that `cursor` counts in.
    store text NOT NULL,
    -- Every event up to this sequence is delivered, skipped, or in `delivery`.
    cursor bigint NOT NULL,
    -- command, gone; null while events are delivered
    pause text
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Events that wait for a retry, for an earlier event of their order, or for a person.
CREATE TABLE delivery (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    destination text NOT NULL,
    sequence bigint NOT NULL,
    endpoint text NOT NULL,
    reference text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    received timestamptz NOT NULL,
    -- Attempts that failed and counted.
    attempts bigint NOT NULL,
    -- When the next attempt is due, in microseconds since 1970; 0 for at once.
    due bigint NOT NULL,
    is_dead boolean NOT NULL,
    -- The record without its request: retention may drop the event.
    record bytea NOT NULL,
    UNIQUE (destination, sequence)
);
CREATE INDEX delivery_reference ON delivery (reference);

-- The latest attempts that failed, or that succeeded after failed ones.
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

-- Commands that a person gave to one instance and that another one, which serves the destination,
-- has to run.
CREATE TABLE delivery_command (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    destination text NOT NULL,
    -- pause, resume, retry, resolve
    command text NOT NULL,
    -- The events it applies to.
    sequences bigint[] NOT NULL,
    asked timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Number of events that were changed; null until the command has run.
    changed bigint
);

-- Creates the partitions for events up to `through`. Runs as the owner, so that the serving user
-- need not own the tables.
CREATE FUNCTION add_event_partitions(through bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    size bigint := (SELECT partition_events FROM meta);
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('ipnd.event.' || current_schema(), 0));
    FOR number IN coalesce((
        SELECT max(substring(child.relname FROM '^event_([0-9]+)$')::bigint) + 1
        FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
        WHERE inhparent = 'event'::regclass), 0) .. through / size
    LOOP
        part := format('event_%s', lpad(number::text, greatest(6, length(number::text)), '0'));
        EXECUTE format('CREATE TABLE %I (LIKE event INCLUDING ALL)', part);
        -- Attached, not created as a part: that would lock all of `event` against readers.
        EXECUTE format(
            'ALTER TABLE event ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
            part, number * size, (number + 1) * size);
    END LOOP;
END
$$;

-- The server's clock alone is not trusted: a clock set 500 days ahead would make every event old at
-- once. `seen` never runs ahead of that clock, and advances only with a second witness, the
-- monotonic clock of an instance (`see_time`). When it lags it catches up at twice the speed. A lag
-- only means that events and identities are kept longer. One row.
CREATE TABLE clock (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    seen timestamptz NOT NULL
);
INSERT INTO clock (seen) VALUES (now());

CREATE FUNCTION time_seen() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT least(now(), seen) FROM clock
$$;

-- Advances `clock`: an instance reports that `elapsed` seconds passed by its monotonic clock since
-- this function returned `last_seen` to it. `last_seen` is null in its first call, which counts a
-- pause as a day at most. Returns the `last_seen` of the next call. With any number of instances
-- the clock gains at most twice the time that passes, because each counts from what it saw.
CREATE FUNCTION see_time(last_seen timestamptz, elapsed double precision) RETURNS timestamptz
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE clock SET seen = greatest(seen, least(now(),
        coalesce(last_seen + make_interval(secs => 2 * elapsed), seen + interval '1 day')))
    RETURNING seen
$$;

-- Drops the oldest partition if all its events were received more than `days` ago and the record
-- continues after it. Keeps it up to `undelivered_days` longer while one of the destinations
-- `told_to` has undelivered events in it. Returns its last sequence; 0 when there is none to drop;
-- null to try again later, because another session drops or a reader holds it.
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
    -- A destination without any delivery has no row yet, or a row of another record.
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
    -- A batch locks this row first, so no batch is in the tables now, and the next one waits only
    -- as long as for another batch. Readers may be in the tables: nothing waits for them.
    PERFORM FROM head FOR UPDATE;
    EXECUTE format('LOCK TABLE ONLY event, ONLY %I IN ACCESS EXCLUSIVE MODE NOWAIT', part);
    EXECUTE format('DROP TABLE %I', part);
    RETURN last;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END
$$;

-- Forgets up to `portion` events that were recorded more than `days` ago: first their identities,
-- then the batches whose events are gone, except the last of these. Returns the number of rows that
-- were deleted.
CREATE FUNCTION forget_events(days integer, portion integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    limit_time timestamptz := time_seen() - make_interval(days => days);
    low bigint;
    high bigint;
    middle bigint;
    kept bigint;
    gone bigint;
    more bigint;
BEGIN
    IF days < 30 THEN RAISE EXCEPTION 'days must be at least 30'; END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended('ipnd.retain.' || current_schema(), 0)) THEN
        RETURN 0;
    END IF;
    -- Batches are dated in the order of their sequences: a binary search finds the last old one.
    SELECT min(first), max(first) INTO low, high FROM batch;
    IF coalesce((SELECT committed >= limit_time FROM batch WHERE first = low), true) THEN
        RETURN 0;
    END IF;
    WHILE low < high LOOP
        middle := (low + high + 1) / 2;
        IF (SELECT committed < limit_time FROM batch WHERE first <= middle
            ORDER BY first DESC LIMIT 1)
        THEN
            low := middle;
        ELSE
            high := middle - 1;
        END IF;
    END LOOP;
    kept := coalesce(
        (SELECT min(first) FROM batch WHERE first > low), (SELECT sequence + 1 FROM head));
    DELETE FROM identity
    WHERE key IN (SELECT key FROM identity WHERE sequence < kept LIMIT portion);
    GET DIAGNOSTICS gone = ROW_COUNT;
    DELETE FROM batch WHERE first IN (
        SELECT first FROM batch
        WHERE first < least(kept, (
            SELECT max(first) FROM batch WHERE first <= (SELECT min(sequence) FROM event)))
        ORDER BY first LIMIT portion - gone);
    GET DIAGNOSTICS more = ROW_COUNT;
    RETURN gone + more;
END
$$;

-- The views below are for the merchant's own SQL. Columns may be added, and none is removed.

-- One row for each order, as `GET /orders` shows it.
CREATE VIEW orders AS
SELECT
    endpoint.name AS endpoint, reference, transaction, status, currency,
    -- All sums in minor units of the currency: 4200 is 42.00 EUR, or 4200 JPY.
    amount, refunded, authorized, captured, reason_code, reason_message,
    string_to_array(trim(both ',' FROM flags), ',') AS flags,
    expected_amount, expected_currency, expires, metadata::json AS metadata, created, updated,
    first AS first_sequence, last AS last_sequence, method, agreement
FROM order_state JOIN endpoint ON endpoint.number = order_state.endpoint;

-- One row for each event, in the order of the commits. A reader that keeps the last sequence it has
-- seen misses none.
CREATE VIEW events AS
SELECT
    sequence, received, endpoint, outcome,
    record -> 'event' ->> 'kind' AS kind, record -> 'event' ->> 'status' AS event_status,
    record -> 'order' ->> 'reference' AS reference, record -> 'order' ->> 'status' AS status,
    record
FROM (
    SELECT
        sequence, received, endpoint.name AS endpoint, outcome,
        replace(convert_from(record, 'UTF8'), '\u0000', '\ufffd')::json AS record
    FROM event JOIN endpoint ON endpoint.number = event.endpoint
) AS readable;

-- As `events`, but without personal data: `record` has no request, no inquiry, no client addresses
-- and no metadata of an expectation. ipnd_reader reads this view.
CREATE VIEW event_heads AS
SELECT
    sequence, received, endpoint, outcome, kind, event_status, reference, status,
    (record::jsonb - '{request,inquiry,peer}'::text[]
        #- '{event,expectation,metadata}' #- '{event,action,remote}')::json AS record
FROM events;

-- The position of each destination, and the instance that serves it.
CREATE VIEW destinations AS
SELECT
    destination.name, destination.cursor, destination.pause,
    CASE WHEN lease.expires > clock_timestamp() THEN lease.label END AS served_by
FROM destination LEFT JOIN lease ON lease.name = 'destination ' || destination.name;

-- One row for each event that waits to be delivered, or that failed for good.
CREATE VIEW deliveries AS
SELECT
    destination, sequence, endpoint, reference, kind, status, received, attempts,
    CASE WHEN is_dead OR due = 0 THEN NULL ELSE to_timestamp(due / 1000000.0) END AS due,
    CASE WHEN is_dead THEN 'dead' ELSE 'waiting' END AS state
FROM delivery;
