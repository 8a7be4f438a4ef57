ALTER TABLE "email_attachments" ADD COLUMN "is_stored" boolean;
--> statement-breakpoint
-- The files that came with emails: those of emails that are not in the send ledger.
update email_attachments a set is_stored = a.source_id is null and e.message_id is null
  from email_messages e where e.workspace_id = a.workspace_id and e.id = a.email_message_id;
--> statement-breakpoint
-- Files that were received count as stored bytes, as uploaded ones do.
insert into storage_usage (workspace_id, stored_bytes)
  select workspace_id, sum(size) from (
    select workspace_id, size from email_attachments where is_stored
    union all select workspace_id, size from message_media where status = 'stored' and size is not null) received group by workspace_id
  on conflict (workspace_id) do update set stored_bytes = storage_usage.stored_bytes + excluded.stored_bytes;
