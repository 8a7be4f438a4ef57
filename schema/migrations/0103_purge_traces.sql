CREATE INDEX "requests_by_mention" ON "requests" USING gin (mention_keys(request_text(path, more_paths, error_message))) WITH (gin_pending_list_limit=256);
--> statement-breakpoint
-- mention_keys knows further spellings of numbers.
do $$
declare
  stale text;
begin
  for stale in select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'i' and not c.relispartition and c.relname like '%\_by\_mention' loop
    execute format('reindex index %I', stale);
  end loop;
end $$;
--> statement-breakpoint
update idempotency set key = digest_idempotency_key(key_id, key);
