/*
  Lists by a tag, by a follower, of a static list, and of a contact's opportunities are read along an index that has their records in the
  order of creation. Records get their time of creation once, so the rows of followers, list_members and opportunity_contacts have a copy of
  it; tags have rows in tagged_records. These functions are defined here because migration 0043 creates the triggers and fills what they
  keep in one transaction.
*/
create or replace function take_record_created_at() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off as $$
begin
  new.record_created_at := coalesce(
    (select c.created_at from contacts c where c.workspace_id = new.workspace_id and c.id = new.contact_id),
    (select c.created_at from companies c where c.workspace_id = new.workspace_id and c.id = new.customer_id),
    (select o.created_at from opportunities o where o.workspace_id = new.workspace_id and o.id = new.opportunity_id),
      new.record_created_at, now());
  return new;
end $$;

create or replace function take_opportunity_created_at() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off as $$
begin
  new.opportunity_created_at := coalesce((select o.created_at from opportunities o
    where o.workspace_id = new.workspace_id and o.id = new.opportunity_id), new.opportunity_created_at, now());
  return new;
end $$;

-- After a change of tags, archived or created_at of a record: its rows in tagged_records.
create or replace function keep_tagged_records() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off as $$
declare
  before constant text[] := coalesce(tag_names(old.tags), '{}');
  after constant text[] := coalesce(tag_names(new.tags), '{}');
  stays constant boolean := coalesce((old.archived, old.created_at) = (new.archived, new.created_at), false);
begin
  if tg_op <> 'INSERT' then
    delete from tagged_records t
      where t.workspace_id = old.workspace_id and t.object = tg_table_name and t.tag = any (before) and not (stays and t.tag = any (after))
      and t.archived = old.archived and t.created_at = old.created_at and t.record_id = old.id;
  end if;
  if tg_op <> 'DELETE' then
    insert into tagged_records (workspace_id, object, tag, archived, created_at, record_id)
      select distinct new.workspace_id, tg_table_name, tag, new.archived, new.created_at, new.id from unnest(after) tag
        where not (stays and tag = any (before))
      on conflict do nothing;
  end if;
  return null;
end $$;

revoke execute on function take_record_created_at, take_opportunity_created_at, keep_tagged_records from public;
