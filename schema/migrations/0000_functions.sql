-- What the tables themselves call: the session's workspace and the normal form of names.
create extension if not exists pg_trgm;
--> statement-breakpoint
create extension if not exists btree_gin;
--> statement-breakpoint
create function current_workspace() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.workspace_id', true), '')::uuid;
--> statement-breakpoint
-- Case, width and spacing do not tell two names apart. Cut where an index entry would grow too long.
create function norm(value text) returns text immutable strict parallel safe language sql
  return left(lower(normalize(btrim(regexp_replace(value, '\s+', ' ', 'g')), NFKC)), 500);
