-- Version 3: the orders about which the provider may be asked, by when they changed last.

-- Nearly all orders are settled, and are not in it. `review` stands for every doubt.
CREATE INDEX order_state_open ON order_state (endpoint, updated)
    WHERE status IN ('pending', 'authorized', 'review') AND reference IS NOT NULL;
