-- ipnd's tables, version 1. `ipnd database init` runs this once, in the schema that the
-- configuration names and with nothing else on the search path.
--
-- The truth is `event`: one row for each notification that was recorded, with the exact bytes of
-- its record. `head` says how far it goes. Whoever writes locks the row of `head` first: so
-- sequences have no gaps and are in the order of the commits, and a reader of `sequence > N` never
-- misses one. Everything else follows from the events and makes decisions quick.
--
-- Texts in columns are for people and filters: U+0000, which PostgreSQL cannot keep in a text,
-- stands there as U+FFFD. What counts is in `record` and `facts`.

-- What the tables are. One row.
CREATE TABLE meta (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- Negative while a journal is being imported: nobody else writes or reads then.
    version integer NOT NULL,
    -- Which record it is: sequences mean something only together with it.
    store text NOT NULL CHECK (store ~ '^[0-9a-f]{32}$'),
    -- The secret key of every hash in these tables (SipHash-2-4, 128 bits).
    hash_key bytea NOT NULL CHECK (length(hash_key) = 16),
    -- How many sequences a partition of `event` holds (`ipnd database init --partition-events`).
    partition_events bigint NOT NULL CHECK (partition_events >= 1000),
    created timestamptz NOT NULL DEFAULT now()
);

-- How far the record goes. One row, which every batch locks and updates.
CREATE TABLE head (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- The last sequence; 0 before the first.
    sequence bigint NOT NULL,
    -- The hash of the last batch: see `batch`.
    chain bytea NOT NULL CHECK (length(chain) = 32)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The journal that `ipnd database import` has brought here. One row, or none.
CREATE TABLE import (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- The journal's corrections up to this record were known from the first record on.
    corrections bigint NOT NULL
);

-- The configuration's endpoints, by the number that stands for each in the other tables.
CREATE TABLE endpoint (
    number integer PRIMARY KEY CHECK (number BETWEEN 0 AND 65535),
    name text NOT NULL UNIQUE
);

-- The record: a row for each event, forever or until a partition is dropped.
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
-- Retention asks whether a partition holds anything young.
CREATE INDEX event_received ON event USING brin (received);

-- A hash chain over the batches: SHA-256 of the hash before, the first sequence and the count (as
-- 8 bytes each, highest first), and of each record its length (the same) and its bytes. The first
-- batch follows 32 zero bytes. A row outlives its events, for it tells how old identities are. One
-- with a count of 0 tells only that: the events before it were gone when a journal was imported.
CREATE TABLE batch (
    first bigint PRIMARY KEY,
    count integer NOT NULL,
    chain bytea NOT NULL CHECK (length(chain) = 32),
    committed timestamptz NOT NULL DEFAULT now()
);

-- The events that were seen: the hash of an event's identity. It outlives the event itself.
CREATE TABLE identity (
    key uuid PRIMARY KEY,
    sequence bigint NOT NULL,
    -- 24 bits of a hash over what the event says.
    fingerprint integer NOT NULL
);
CREATE INDEX identity_sequence ON identity USING brin (sequence);

-- An order for each row, under the hash of its reference, or of the least of its ids.
CREATE TABLE order_state (
    key uuid PRIMARY KEY,
    endpoint integer NOT NULL,
    -- What decisions read: the order's facts and the sequences of its records.
    facts bytea NOT NULL,
    -- Of an order with very many events: how many came since it was full, and the last of them.
    later_count bigint NOT NULL DEFAULT 0,
    later_last bigint NOT NULL DEFAULT 0,
    -- The rest is what lists show. The first record that named the order, and the last.
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
    metadata text
) WITH (fillfactor = 80);
CREATE INDEX order_state_first ON order_state (first);
CREATE INDEX order_state_not_paid ON order_state (status, first) WHERE status <> 'paid';
CREATE INDEX order_state_flagged ON order_state (first) WHERE flags <> '';
CREATE INDEX order_state_expiring ON order_state (expires)
    WHERE expires IS NOT NULL AND status IN ('pending', 'authorized');

-- What else leads to an order: the hashes of its ids and of its other references.
CREATE TABLE alias (
    key uuid NOT NULL,
    order_key uuid NOT NULL,
    PRIMARY KEY (key, order_key)
);

-- Makes the partitions for events up to `through`. Those that write need not own the tables for it.
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

-- Drops the oldest partition when all its events were received more than `days` ago and the record
-- goes on behind it. Returns its last sequence, 0 when there is none to drop, and null when it has
-- to be tried again later: another session is at it, or somebody is reading.
CREATE FUNCTION drop_event_partition(days integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
DECLARE
    size bigint := (SELECT partition_events FROM meta);
    number bigint;
    part text;
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
    IF (number + 1) * size > (SELECT sequence FROM head) THEN RETURN 0; END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE received >= $1)', part)
    INTO is_young USING now() - make_interval(days => days);
    IF is_young THEN RETURN 0; END IF;
    -- A batch locks this row first, so no batch is in the tables now, and the next one waits for as
    -- long as for another batch. Readers may be there: for them nobody waits.
    PERFORM FROM head FOR UPDATE;
    EXECUTE format('LOCK TABLE ONLY event, ONLY %I IN ACCESS EXCLUSIVE MODE NOWAIT', part);
    EXECUTE format('DROP TABLE %I', part);
    RETURN (number + 1) * size - 1;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END
$$;

-- The server's clock alone is not a witness: one that is 500 days ahead would make every event old
-- at once. `seen` never runs ahead of the clock, and needs a second witness to go on: the monotonic
-- clock of an instance, see `see_time`. Where it lags it catches up at twice the speed. A lag only
-- means that events and identities stay longer. One row.
CREATE TABLE clock (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    seen timestamptz NOT NULL
);
INSERT INTO clock (seen) VALUES (now());

CREATE FUNCTION time_seen() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT least(now(), seen) FROM clock
$$;

-- An instance says that `elapsed` seconds passed by its monotonic clock since it was told
-- `last_seen`; null at its first look, where a pause counts for a day at the most. Returns what to
-- say the next time. However many instances there are, it gains no more than twice the time that
-- passes, because each counts from what it saw.
CREATE FUNCTION see_time(last_seen timestamptz, elapsed double precision) RETURNS timestamptz
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE clock SET seen = greatest(seen, least(now(),
        coalesce(last_seen + make_interval(secs => 2 * elapsed), seen + interval '1 day')))
    RETURNING seen
$$;

-- Forgets up to `portion` events that were recorded more than `days` ago: their identities, then
-- the batches whose events are gone, but for the last of these. Returns how many rows went.
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
    -- Batches get younger with their sequences: the last old one is found by halving.
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

-- For the merchant's own SQL: one row for each order, as `GET /orders` shows it. Columns may be
-- added, and none is taken away within a version.
CREATE VIEW orders AS
SELECT
    endpoint.name AS endpoint, reference, transaction, status, currency,
    -- All sums in minor units of the currency: 4200 is 42.00 EUR, or 4200 JPY.
    amount, refunded, authorized, captured, reason_code, reason_message,
    string_to_array(trim(both ',' FROM flags), ',') AS flags,
    expected_amount, expected_currency, expires, metadata::json AS metadata, created, updated,
    first AS first_sequence, last AS last_sequence
FROM order_state JOIN endpoint ON endpoint.number = order_state.endpoint;

-- For the merchant's own SQL: one row for each event, in the order of the commits. A reader that
-- keeps the last sequence it has seen misses none.
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
