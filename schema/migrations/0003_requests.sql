alter role app set timezone = 'UTC';
--> statement-breakpoint
alter role app set statement_timeout = '15s';
--> statement-breakpoint
alter role app set lock_timeout = '8s';
