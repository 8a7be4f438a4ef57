/*
  The contacts, companies and opportunities whose timeline shows a change: the record itself, or those that a part of records belongs to,
  before and after. The timeline shows created attachments, activities and tasks, and stage moves, from their own tables, so their changes
  are left out. What is drawn on a whiteboard or written on a notepad is left out too.
*/
create or replace function timeline_records(p_entity text, p_fields jsonb, p_old jsonb, p_new jsonb)
  returns uuid[] stable language plpgsql as $$
declare
  part constant text[] := timeline_part(p_entity);
begin
  if p_entity in ('contact', 'company', 'opportunity') then
    return case when p_entity = 'opportunity' and p_old is not null and p_new is not null
      and p_fields - array['stage_id', 'pipeline_id', 'stage_entered_at', 'status', 'probability', 'closed_at'] = '{}'
      then null else array[(coalesce(p_new, p_old) ->> 'id')::uuid] end;
  elsif part is null or p_old is null and p_entity in ('attachment', 'activity', 'task')
    or p_new is null and is_purging()
    or p_entity in ('whiteboard', 'notepad') and p_old is not null and p_new is not null
      and p_fields - array['element_count', 'content_length', 'content_sha256'] = '{}' then
    return null;
  end if;
  return array(select distinct (state ->> c)::uuid from unnest(part[2:]) c, unnest(array[p_old, p_new]) state
    where state ->> c is not null);
end $$;
-- A former release linked changes row by row. The table is locked only if it still does.
do $$ begin
  if exists (select from pg_trigger where tgrelid = 'changes'::regclass and tgname = 'index_timeline_change') then
    drop trigger index_timeline_change on changes;
  end if;
end $$;

-- Links a stage move to the company and the contacts that the opportunity has at this time.
create or replace function index_timeline_moves()
  returns trigger language plpgsql
    security definer set search_path = public, pg_temp set enable_nestloop = on set enable_seqscan = off as $$
begin
  insert into timeline_moves (workspace_id, record_id, at, move_id)
    select m.workspace_id, r.id, m.moved_at, m.id from new_rows m, lateral (
      select o.customer_id as id from opportunities o
        where o.workspace_id = m.workspace_id and o.id = m.opportunity_id and o.customer_id is not null
      union all select l.contact_id from opportunity_contacts l
        where l.workspace_id = m.workspace_id and l.opportunity_id = m.opportunity_id) r
    on conflict do nothing;
  return null;
end $$;
create or replace trigger index_timeline_moves after insert on stage_moves referencing new table as new_rows for each statement
  execute function index_timeline_moves();

revoke execute on function index_timeline_moves from public;
