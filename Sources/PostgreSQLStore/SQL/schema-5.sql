-- Version 5: events for those who are to see no personal data.

-- As `events`, but `record` is without the request or inquiry, without addresses of clients and
-- without what the merchant noted beside an expectation. ipnd_reader reads this one.
CREATE VIEW event_heads AS
SELECT
    sequence, received, endpoint, outcome, kind, event_status, reference, status,
    (record::jsonb - '{request,inquiry,peer}'::text[]
        #- '{event,expectation,metadata}' #- '{event,action,remote}')::json AS record
FROM events;
