-- Version 3: the orders about which the provider may be asked, by when they changed last.

-- Nearly all orders are settled, and are not in it. `review` stands for every doubt; an order that
-- failed before it expires may be tried again.
CREATE INDEX order_state_open ON order_state (endpoint, updated)
    WHERE (status IN ('pending', 'authorized', 'review')
            OR (status = 'failed' AND expires > updated))
        AND reference IS NOT NULL;
