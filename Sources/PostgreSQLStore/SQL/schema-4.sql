-- Version 4: how far time has passed, as retention and forgetting may believe it.

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

-- As before, by the time that was seen.
CREATE OR REPLACE FUNCTION forget_events(days integer, portion integer) RETURNS bigint
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

CREATE OR REPLACE FUNCTION drop_event_partition(
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
