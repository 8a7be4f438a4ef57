/*
  The media of received messages. The rows are added with their message, and their files are fetched by the background
  (src/features/message-media/work/fetch-media.ts).
*/

-- Adds the files of a message. p_media: source, name, content_type, size, error (why one cannot be fetched).
create or replace function add_message_media(p_workspace uuid, p_sms uuid, p_whatsapp uuid, p_media jsonb)
  returns void security definer set search_path = public, pg_temp language sql as $$
  insert into message_media (workspace_id, sms_message_id, whatsapp_message_id, rank, source, name, content_type,
    size, error, status, due_at)
    select p_workspace, p_sms, p_whatsapp, e.n - 1, m.source, m.name, m.content_type, m.size, m.error,
        case when m.error is null then 'waiting' else 'failed' end,
        case when m.error is null then now() end
      from jsonb_array_elements(coalesce(p_media, '[]')) with ordinality e(value, n)
      cross join lateral jsonb_to_record(e.value) m(source text, name text, content_type text, size int, error text)
$$;

-- The file sweep's next files of messages, also of deleted ones that can be restored.
create or replace function media_files_after(p_workspace uuid, p_id uuid, p_limit int)
  returns table (workspace_id uuid, id uuid, state text) stable security definer set search_path = public, pg_temp language sql as $$
  (select workspace_id, id, 'stored' from message_media where (workspace_id, id) > (p_workspace, p_id)
    order by workspace_id, id limit p_limit)
  union all (select distinct workspace_id, row_id, 'deleted' from deleted_rows
    where table_name = 'message_media' and (workspace_id, row_id) > (p_workspace, p_id) order by workspace_id, row_id limit p_limit)
  order by 1, 2 limit p_limit
$$;

-- The files of a message of the send ledger, in the form of ClaimedMessage (src/features/messages/plans/outcomes.ts).
create or replace function files_of_message(p_workspace uuid, p_message uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('name', f.name, 'content_type', f.content_type, 'size', f.size, 'source_id', f.source_id)
    order by f.rank, f.id), '[]') from (
    select d.* from sms_messages s join message_media d on d.workspace_id = p_workspace and d.sms_message_id = s.id
      where s.workspace_id = p_workspace and s.message_id = p_message
    union all select d.* from whatsapp_messages w join message_media d on d.workspace_id = p_workspace and d.whatsapp_message_id = w.id
      where w.workspace_id = p_workspace and w.message_id = p_message) f where f.status = 'attached'
$$;

-- Attaches files of records (p_files: id, name, content_type, size) to the message of the send ledger with a key. One of WhatsApp is of the
-- type p_type then.
create or replace function attach_files(p_key text, p_files jsonb, p_type text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  message constant uuid := (select m.id from messages m where m.workspace_id = w and m.dedupe_key = p_key);
  sms constant uuid := (select s.id from sms_messages s where s.workspace_id = w and s.message_id = message);
  chat constant uuid := (select c.id from whatsapp_messages c where c.workspace_id = w and c.message_id = message);
begin
  insert into message_media (workspace_id, sms_message_id, whatsapp_message_id, rank, status, due_at, source_id, name, content_type, size)
    select w, sms, chat, e.n - 1, 'attached', null, f.id, f.name, f.content_type, f.size
      from jsonb_array_elements(p_files) with ordinality e(value, n)
      cross join lateral jsonb_to_record(e.value) f(id uuid, name text, content_type text, size int);
  update sms_messages set media_count = jsonb_array_length(p_files) where workspace_id = w and id = sms;
  update whatsapp_messages set type = p_type, media_type = p_files #>> '{0,content_type}', media_name = p_files #>> '{0,name}',
    media_size = (p_files #>> '{0,size}')::int
    where workspace_id = w and id = chat;
end $$;

create or replace trigger forget_file_name before update of source_id on message_media for each row
  when (old.source_id is not null and new.source_id is null and is_purging()) execute function forget_file_name();

revoke execute on function attach_files from public;
grant execute on function attach_files to app;
revoke execute on function files_of_message, add_message_media, media_files_after from public, app;
grant execute on function media_files_after to jobs;
