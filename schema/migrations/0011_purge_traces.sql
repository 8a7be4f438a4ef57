CREATE INDEX "requests_by_mention" ON "requests" USING gin (mention_keys(request_text(path, more_paths, error_message))) WITH (gin_pending_list_limit=256);
--> statement-breakpoint
update idempotency set key = digest_idempotency_key(key_id, key);
