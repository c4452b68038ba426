-- Who may do what. `ipnd database init` runs this every time, after the tables.
--
-- ipnd_writer: what `ipnd serve` needs, and nothing more. GRANT ipnd_writer TO the user that serves.
-- ipnd_reader: the views, for the merchant's own SQL.
GRANT SELECT ON meta TO ipnd_writer;
GRANT SELECT, UPDATE ON head TO ipnd_writer;
GRANT SELECT, INSERT ON endpoint, event, batch TO ipnd_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON identity, order_state, alias TO ipnd_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON lease, destination, delivery, delivery_attempt,
    delivery_command TO ipnd_writer;
GRANT SELECT ON orders, events, destinations, deliveries TO ipnd_writer, ipnd_reader;
REVOKE ALL ON FUNCTION add_event_partitions(bigint), drop_event_partition(integer, integer, text[]),
    forget_events(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_event_partitions(bigint), drop_event_partition(integer, integer, text[]),
    forget_events(integer, integer) TO ipnd_writer;
