-- Version 4: how an order was paid, and of which agreement it is an instalment, in the provider's
-- own words. Rows that are there get both with their next event.

ALTER TABLE order_state ADD COLUMN method text, ADD COLUMN agreement text;

CREATE OR REPLACE VIEW orders AS
SELECT
    endpoint.name AS endpoint, reference, transaction, status, currency,
    -- All sums in minor units of the currency: 4200 is 42.00 EUR, or 4200 JPY.
    amount, refunded, authorized, captured, reason_code, reason_message,
    string_to_array(trim(both ',' FROM flags), ',') AS flags,
    expected_amount, expected_currency, expires, metadata::json AS metadata, created, updated,
    first AS first_sequence, last AS last_sequence, method, agreement
FROM order_state JOIN endpoint ON endpoint.number = order_state.endpoint;
