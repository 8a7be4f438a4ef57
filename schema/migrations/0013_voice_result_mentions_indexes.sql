-- Outside a transaction: each statement can be repeated.
create index concurrently if not exists voice_results_by_mention on voice_results using gin (mention_keys(coalesce("bookings"::text, ''))) with (gin_pending_list_limit = 256);
