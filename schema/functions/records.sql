-- The record that one was merged into, by the chain to the present one; null where it was not.
create or replace function merged_into(p_id uuid) returns uuid stable set search_path = public language sql as $$
  with recursive chain(id, level) as (
    select p_id, 0
    union all
    select m.winner_id, chain.level + 1 from chain join merge_entries e on e.workspace_id = current_workspace() and e.row_id = chain.id and e.fate = 'merged'
      join merges m on m.workspace_id = e.workspace_id and m.id = e.merge_id and not m.undone where chain.level < 100
  )
  select id from chain where level > 0 order by level desc limit 1
$$;

-- In place of a record that is not there: raises NOT_FOUND, and tells that it was purged or what it was merged into. Volatile, so that it sees a merge that was waited for.
create or replace function no_record(p_what text, p_id uuid) returns text language plpgsql as $$
declare
  purged constant timestamptz := (select purged_at from purged_records where workspace_id = current_workspace() and id = p_id);
  winner constant uuid := merged_into(p_id);
begin
  if purged is not null then
    perform fail('NOT_FOUND', 'No such ' || p_what || ' in this workspace: it was purged', jsonb_build_object('purged_at', iso(purged)));
  end if;
  perform fail('NOT_FOUND', 'No such ' || p_what || ' in this workspace' || coalesce(': it was merged into ' || winner, ''), case when winner is not null then jsonb_build_object('merged_into', winner) end);
  return null;
end $$;

-- As ensure_version, for a record of which the id is known.
create or replace function ensure_record(p_present int, p_expected int, p_what text, p_id uuid) returns boolean language plpgsql as $$
begin
  if p_present is null then perform no_record(p_what, p_id); end if;
  return ensure_version(p_present, p_expected, p_what);
end $$;

create or replace function ensure_present(p_ok boolean, p_what text, p_id uuid) returns boolean language plpgsql as $$
begin
  if p_ok is not true then perform no_record(p_what, p_id); end if;
  return true;
end $$;
