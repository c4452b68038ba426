-- Privileges. `ipnd database init` runs this every time, after the tables.
--
-- ipnd_writer: exactly what `ipnd serve` needs. GRANT ipnd_writer TO the serving user.
-- ipnd_reader: the views without personal data, for the merchant's own SQL.
GRANT SELECT ON meta TO ipnd_writer;
GRANT SELECT, UPDATE ON head TO ipnd_writer;
GRANT SELECT, INSERT, UPDATE ON sealing TO ipnd_writer;
GRANT SELECT, INSERT ON endpoint, event, batch TO ipnd_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON identity, order_state, alias TO ipnd_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON lease, mark, destination, delivery,
    delivery_attempt, delivery_command TO ipnd_writer;
GRANT SELECT ON orders, event_heads, destinations, deliveries TO ipnd_writer, ipnd_reader;
GRANT SELECT ON events TO ipnd_writer;
REVOKE ALL ON FUNCTION add_event_partitions(bigint), drop_event_partition(integer, integer, text[]),
    forget_events(integer, integer), see_time(timestamptz, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_event_partitions(bigint), drop_event_partition(integer, integer, text[]),
    forget_events(integer, integer), see_time(timestamptz, double precision) TO ipnd_writer;
-- These functions run as the owner. The caller must not be able to change what a name in them
-- means: temporary objects are searched last (PostgreSQL documentation, CREATE FUNCTION, "Writing
-- SECURITY DEFINER Functions Safely"), and only the owner creates objects in the schema.
-- `pg_catalog` is searched before both.
DO $$
DECLARE
    function regprocedure;
    path text := format('%I, pg_temp', current_schema());
BEGIN
    FOR function IN SELECT oid FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND prosecdef
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %s', function, path);
    END LOOP;
    EXECUTE format(
        'REVOKE CREATE ON SCHEMA %I FROM PUBLIC, ipnd_writer, ipnd_reader', current_schema());
    -- Only the owner of a database can revoke temporary objects in it; `ipnd database check` warns
    -- if others may create them.
    IF (SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database())
    THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC, ipnd_writer, ipnd_reader',
            current_database());
    END IF;
END
$$;
