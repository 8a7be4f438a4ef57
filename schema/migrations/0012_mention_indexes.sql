-- Outside a transaction: each statement can be repeated.
-- mention_keys knows further spellings of numbers.
reindex index concurrently "approvals_by_mention";
--> statement-breakpoint
reindex index concurrently "auto_queue_list_enrolments_by_mention";
--> statement-breakpoint
reindex index concurrently "automation_runs_by_mention";
--> statement-breakpoint
reindex index concurrently "automation_steps_by_mention";
--> statement-breakpoint
reindex index concurrently "automation_versions_by_mention";
--> statement-breakpoint
reindex index concurrently "booking_confirmations_by_mention";
--> statement-breakpoint
reindex index concurrently "booking_proofs_by_mention";
--> statement-breakpoint
reindex index concurrently "booking_transcripts_by_mention";
--> statement-breakpoint
reindex index concurrently "campaign_sends_by_mention";
--> statement-breakpoint
reindex index concurrently "dead_letters_by_mention";
--> statement-breakpoint
reindex index concurrently "deleted_rows_by_mention";
--> statement-breakpoint
reindex index concurrently "idempotency_by_mention";
--> statement-breakpoint
reindex index concurrently "import_files_by_mention";
--> statement-breakpoint
reindex index concurrently "import_rows_by_mention";
--> statement-breakpoint
reindex index concurrently "incoming_requests_by_mention";
--> statement-breakpoint
reindex index concurrently "member_connections_by_mention";
--> statement-breakpoint
reindex index concurrently "merge_entries_by_mention";
--> statement-breakpoint
reindex index concurrently "outgoing_requests_by_mention";
--> statement-breakpoint
reindex index concurrently "schedule_runs_by_mention";
--> statement-breakpoint
reindex index concurrently "webhook_deliveries_by_mention";
--> statement-breakpoint
reindex index concurrently "whatsapp_events_by_mention";
