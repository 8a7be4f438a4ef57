/*
  The lists with these ids, and those that their filters name, to the given depth and no more than p_most, without those that the caller may
  not see.
*/
create or replace function named_lists(p_ids uuid[], p_depth int, p_most int)
  returns table (id uuid, name text, object text, kind text, filter jsonb, search text) stable language sql as $$
  with recursive named(id, depth) as (
    select distinct i, 1 from unnest(p_ids) i
    union
    select (v #>> '{}')::uuid, n.depth + 1 from named n
      join lists l on l.workspace_id = (select current_workspace()) and l.id = n.id
      cross join lateral jsonb_path_query(l.filter, '$.** ? (@.field == "list").value') v
      where n.depth < p_depth and jsonb_typeof(v) = 'string' and pg_input_is_valid(v #>> '{}', 'uuid')
  )
  select l.id, l.name, l.object, l.kind, l.filter, l.search from lists l
    where l.workspace_id = (select current_workspace()) and l.id = any (array(select n.id from named n))
    order by l.id = any (p_ids) desc, l.id limit p_most
$$;

-- Removes records from a static list, and hands over the ids of those that were in it (removed_members).
create or replace function remove_list_members(p_list uuid, p_ids uuid[]) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
  removed uuid[];
begin
  with gone as (
    delete from list_members m where m.workspace_id = w and m.id = any (array(
      select c.id from list_members c where c.workspace_id = w and c.list_id = p_list and c.contact_id = any (p_ids)
      union all select c.id from list_members c where c.workspace_id = w and c.list_id = p_list and c.customer_id = any (p_ids)
      union all select c.id from list_members c where c.workspace_id = w and c.list_id = p_list and c.opportunity_id = any (p_ids)))
      returning coalesce(m.contact_id, m.customer_id, m.opportunity_id) as record_id
  ) select array_agg(record_id) into removed from gone;
  perform hand('removed_members', to_jsonb(coalesce(removed, '{}')::text));
end $$;
