-- What the tables themselves call: the session's workspace and the normal form of names.
create extension if not exists pg_trgm;
--> statement-breakpoint
create extension if not exists btree_gin;
