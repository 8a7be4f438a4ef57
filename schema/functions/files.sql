-- The file sweep's next attachments of all workspaces, in the order of their object keys. Those that were deleted keep their objects while
-- they can be restored.
create or replace function files_after(p_workspace uuid, p_id uuid, p_limit int)
  returns table (workspace_id uuid, id uuid, state text) stable security definer set search_path = public, pg_temp language sql as $$
  (select workspace_id, id, state from attachments where (workspace_id, id) > (p_workspace, p_id) order by workspace_id, id limit p_limit)
  union all (select distinct workspace_id, row_id, 'deleted' from deleted_rows
    where table_name = 'attachments' and (workspace_id, row_id) > (p_workspace, p_id) order by workspace_id, row_id limit p_limit)
  order by 1, 2 limit p_limit
$$;

-- Stores what the file sweep found: objects of attachments and files that are missing, or present again.
create or replace function sync_file_states(p_found jsonb)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update attachments a set state = f.state from jsonb_to_recordset(p_found) f(workspace_id uuid, id uuid, state text)
  where a.workspace_id = f.workspace_id and a.id = f.id and a.state <> f.state;
  update files a set state = f.state from jsonb_to_recordset(p_found) f(workspace_id uuid, id uuid, state text)
  where a.workspace_id = f.workspace_id and a.id = f.id and a.state <> f.state
$$;

-- The file sweep's next imports, as files_after for attachments.
create or replace function imports_after(p_workspace uuid, p_id uuid, p_limit int)
  returns table (workspace_id uuid, id uuid, state text) stable security definer set search_path = public, pg_temp language sql as $$
  select workspace_id, id, 'stored' from imports where (workspace_id, id) > (p_workspace, p_id) order by workspace_id, id limit p_limit
$$;

revoke execute on function files_after, sync_file_states, imports_after from public, app;
grant execute on function files_after, sync_file_states, imports_after to jobs;

-- An attachment of an email has an object of its own if it came with the email. One that was sent is a file of a record.
create or replace function note_stored_attachment()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  new.is_stored := new.source_id is null and exists (
    select from email_messages e where e.workspace_id = new.workspace_id and e.id = new.email_message_id and e.message_id is null);
  return new;
end $$;
create or replace trigger note_stored_attachment before insert on email_attachments for each row when (new.is_stored is null)
  execute function note_stored_attachment();

-- What the file with this id belongs to, if the caller may read that: the table and the id of the record or the message, and what the
-- record is called in scopes.
create or replace function owner_of_file(p_id uuid, out owner text, out owner_id uuid, out scope text) stable language plpgsql as $$
begin
  select case when a.contact_id is not null then 'contacts' when a.customer_id is not null then 'companies' else 'opportunities' end,
      case when a.contact_id is not null then a.contact_id when a.customer_id is not null then a.customer_id else a.opportunity_id end
    into owner, owner_id from attachments a where a.id = p_id;
  scope := owner;
  if owner is null then
    select 'email_messages', a.email_message_id, 'email' into owner, owner_id, scope from email_attachments a
      where a.id = p_id and a.is_stored;
  end if;
  if owner is null then
    select case when m.sms_message_id is not null then 'sms_messages' else 'whatsapp_messages' end,
        case when m.sms_message_id is not null then m.sms_message_id else m.whatsapp_message_id end,
        case when m.sms_message_id is not null then 'sms' else 'whatsapp' end
      into owner, owner_id, scope from message_media m where m.id = p_id and m.status = 'stored';
  end if;
  if owner is not null and not has_scopes(array[scope || ':read']) then owner := null; end if;
end $$;

-- Asserts that a file belongs to nothing but the workspace.
create or replace function assert_unowned_file(p_id uuid) returns void language plpgsql as $$
declare
  o constant record := owner_of_file(p_id);
begin
  if o.owner is not null then
    perform fail('CONFLICT', 'The file belongs to a record or a message, which gives it its name: only files of POST /files can be renamed',
      jsonb_build_object('referenced_by', o.owner, 'ids', array[o.owner_id]));
  end if;
end $$;

-- Asserts that no message was sent with an attachment.
create or replace function assert_unsent_attachment(p_id uuid) returns void language plpgsql as $$
declare
  emails constant uuid[] := array(select a.email_message_id from email_attachments a where a.source_id = p_id limit 10);
  messages constant uuid[] := array(select m.id from message_media m where m.source_id = p_id limit 10);
begin
  if emails <> '{}' or messages <> '{}' then
    perform fail('CONFLICT', 'The file was sent with a message: delete it where it is attached, if the message may lose it',
      jsonb_build_object('referenced_by', case when emails <> '{}' then 'email_messages' else 'message_media' end, 'field', 'source_id',
        'ids', case when emails <> '{}' then emails else messages end));
  end if;
end $$;

-- Deletes a file of any kind with the right that its record demands. One of a message stays as long as the message does.
create or replace function delete_file(p_id uuid, p_version int) returns void language plpgsql as $$
declare
  o constant record := owner_of_file(p_id);
begin
  if o.owner is null then
    perform assert_record((select version from files where id = p_id for update), p_version, 'file', p_id);
    delete from files where id = p_id;
  elsif o.scope in ('email', 'sms', 'whatsapp') then
    perform fail('CONFLICT', 'The file is part of a message that was received: it goes with the conversation',
      jsonb_build_object('referenced_by', o.owner, 'ids', array[o.owner_id]));
  else
    perform assert_scopes(array[o.scope || ':delete']);
    perform assert_record((select version from attachments where id = p_id for update), p_version, 'file', p_id);
    perform assert_unsent_attachment(p_id);
    delete from attachments where id = p_id;
  end if;
end $$;

-- The files of documents that are about a record, or were before they were unlinked or deleted.
create or replace function files_about(p_entity text, p_id uuid)
  returns uuid[] stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  link constant text := case p_entity when 'contact' then 'contact_id' when 'company' then 'customer_id' else 'opportunity_id' end;
  about uuid[];
begin
  execute format('select array(select id from documents where workspace_id = $1 and %I = $2
      union select entity_id from changes where workspace_id = $1 and fields #>> %L = $3 and entity = ''document'')',
        link, array[link, 'after'])
    into about using w, p_id, p_id::text;
  return array(select d.file_id from documents d where d.workspace_id = w and d.id = any (about) and d.file_id is not null
    union select (c.fields #>> '{file_id,after}')::uuid from changes c
      where c.workspace_id = w and c.entity = 'document' and c.entity_id = any (about) and c.fields #>> '{file_id,after}' is not null);
end $$;

/*
  What a purge does with the files of documents: those that nothing uses any more go, with their objects
  (src/features/events/plans/remove-file.ts); those of documents that stay (p_documents) lose their names. Returns those that are gone.
*/
create or replace function erase_files(p_files uuid[], p_documents uuid[])
  returns uuid[] security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  blank constant text := '(purged)';
  kept uuid[];
begin
  if p_files = '{}' then return p_files; end if;
  -- A document that is being given the file waits for this lock, or is seen by the next statement.
  perform from files where workspace_id = w and id = any (p_files) order by id for update;
  delete from files f where f.workspace_id = w and f.id = any (p_files)
    and not exists (select from documents d where d.workspace_id = w and d.file_id = f.id)
    and not exists (select from document_template_sections s where s.workspace_id = w and s.file_id = f.id);
  with renamed as (
    update files f set name = blank || substring(f.name from '[.][^.]+$') where f.workspace_id = w and f.id = any (p_files)
      and exists (select from documents d where d.workspace_id = w and d.file_id = f.id and d.id = any (p_documents)) returning f.id
  ) select array_agg(id) into kept from renamed;
  update changes c set fields = redact_changes(c.fields, '{name}')
    where c.workspace_id = w and c.entity = 'file' and c.entity_id = any (kept);
  update outbox o set payload = o.payload || jsonb_build_object('name', blank)
    where o.workspace_id = w and o.entity = 'file' and o.entity_id = any (kept) and o.payload <> '{}';
  return array(select id from unnest(p_files) id where not exists (select from files f where f.workspace_id = w and f.id = id));
end $$;

-- Whether a file is there, or can be restored, so that its object is kept. The event of its deletion may come after it was restored.
create or replace function is_restorable(p_workspace uuid, p_id uuid)
  returns boolean stable security definer set search_path = public, pg_temp language sql as $$
  select exists (select from deleted_rows where workspace_id = p_workspace and row_id = p_id and table_name in ('attachments', 'files'))
    or exists (select from attachments where workspace_id = p_workspace and id = p_id)
    or exists (select from files where workspace_id = p_workspace and id = p_id)
$$;

revoke execute on function note_stored_attachment, files_about, erase_files, is_restorable from public, app;
grant execute on function is_restorable to jobs;
