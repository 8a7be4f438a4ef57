-- What primitives-ordered-links.sql describes.
create or replace trigger take_record_created_at before insert or update of contact_id, customer_id, opportunity_id on followers
  for each row execute function take_record_created_at();
create or replace trigger take_record_created_at before insert or update of contact_id, customer_id, opportunity_id on list_members
  for each row execute function take_record_created_at();
create or replace trigger take_opportunity_created_at before insert or update of opportunity_id on opportunity_contacts
  for each row execute function take_opportunity_created_at();

create or replace procedure keep_tagged_records_of(name text) language plpgsql as $$
begin
  call write_trigger(format('create or replace trigger tag_insert after insert on %I for each row when (new.tags <> ''[]'')
    execute function keep_tagged_records()', name));
  call write_trigger(format('create or replace trigger tag_update after update on %I for each row
    when ((old.tags <> ''[]'' or new.tags <> ''[]'')
      and (old.tags, old.archived, old.created_at) is distinct from (new.tags, new.archived, new.created_at))
    execute function keep_tagged_records()', name));
  call write_trigger(format('create or replace trigger tag_delete after delete on %I for each row when (old.tags <> ''[]'')
    execute function keep_tagged_records()', name));
end $$;
call keep_tagged_records_of('contacts');
call keep_tagged_records_of('companies');
call keep_tagged_records_of('opportunities');

-- Repair, for the owner of the database: what the triggers keep, where rows were written without them.
create or replace function order_links(p_workspace uuid) returns void language sql security definer set search_path = public, pg_temp as $$
  delete from tagged_records where workspace_id = p_workspace;
  insert into tagged_records (workspace_id, object, tag, archived, created_at, record_id)
    select workspace_id, object, tag, archived, created_at, id from (
      select 'contacts' as object, workspace_id, id, archived, created_at, tags from contacts where workspace_id = p_workspace
      union all select 'companies', workspace_id, id, archived, created_at, tags from companies where workspace_id = p_workspace
      union all select 'opportunities', workspace_id, id, archived, created_at, tags from opportunities where workspace_id = p_workspace
    ) r, unnest(tag_names(r.tags)) tag order by 1, 2, 3, 4, 5, 6 on conflict do nothing;
  update followers f set record_created_at = c.created_at from contacts c
    where f.workspace_id = p_workspace and c.workspace_id = p_workspace and c.id = f.contact_id and f.record_created_at <> c.created_at;
  update followers f set record_created_at = c.created_at from companies c
    where f.workspace_id = p_workspace and c.workspace_id = p_workspace and c.id = f.customer_id and f.record_created_at <> c.created_at;
  update followers f set record_created_at = o.created_at from opportunities o
    where f.workspace_id = p_workspace and o.workspace_id = p_workspace and o.id = f.opportunity_id and f.record_created_at <> o.created_at;
  update list_members m set record_created_at = c.created_at from contacts c
    where m.workspace_id = p_workspace and c.workspace_id = p_workspace and c.id = m.contact_id and m.record_created_at <> c.created_at;
  update list_members m set record_created_at = c.created_at from companies c
    where m.workspace_id = p_workspace and c.workspace_id = p_workspace and c.id = m.customer_id and m.record_created_at <> c.created_at;
  update list_members m set record_created_at = o.created_at from opportunities o
    where m.workspace_id = p_workspace and o.workspace_id = p_workspace and o.id = m.opportunity_id and m.record_created_at <> o.created_at;
  update opportunity_contacts l set opportunity_created_at = o.created_at from opportunities o
    where l.workspace_id = p_workspace and o.workspace_id = p_workspace and o.id = l.opportunity_id
    and l.opportunity_created_at <> o.created_at;
$$;
revoke execute on function order_links from public, app;
