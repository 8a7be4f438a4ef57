-- Queues and cron jobs sign in as a role of their own, with the same settings as requests: a role does not inherit settings.
alter role jobs set timezone = 'UTC';
--> statement-breakpoint
alter role jobs set statement_timeout = '15s';
--> statement-breakpoint
alter role jobs set lock_timeout = '8s';
--> statement-breakpoint
alter role jobs set transaction_timeout = '18s';
--> statement-breakpoint
alter role jobs set idle_in_transaction_session_timeout = '10s';
