ALTER TABLE "api_keys" ADD COLUMN "created_by" uuid;
--> statement-breakpoint
alter type authority add attribute in_person boolean;
--> statement-breakpoint
grant select (created_by) on api_keys to app;
--> statement-breakpoint
-- Who has made the keys that exist, or has replaced their secrets in place of their owners: the history knows. A key that was made without a caller is that of an owner; one whose history has expired
-- has no maker.
alter table api_keys disable trigger user;
--> statement-breakpoint
update api_keys k set created_by = coalesce((select r.user_id from changes r where r.workspace_id = k.workspace_id and r.entity = 'api_key' and r.entity_id = k.id and r.fields ? 'public_id'
    and r.action = 'updated' and r.user_id <> k.user_id order by r.id desc limit 1), c.user_id, k.user_id)
  from changes c where c.workspace_id = k.workspace_id and c.entity = 'api_key' and c.entity_id = k.id and c.action = 'created';
--> statement-breakpoint
alter table api_keys enable trigger user;
--> statement-breakpoint
alter policy personal on email_threads using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on email_thread_links using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on email_messages using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on email_attachments using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on email_participants using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on email_drafts using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on conversations using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on messages using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on activities using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on changes using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on outbox using (private_to is null or private_to = (select current_person()) or (select sees_personal_email()));
