-- A session keeps the plan that its first, small statements had. Without nested loops it serves a statement over thousands of rows too: their cost would be the square of their number.

-- After each statement: what it did to every row.
create or replace function record_changes() returns trigger language plpgsql security definer set search_path = public set enable_nestloop = off as $$
declare
  -- Not called as any column may be.
  p_entity text := tg_argv[0];
  p_key text := tg_argv[1];
begin
  if tg_op = 'INSERT' then
    perform log_change(p_entity, p_key, null, to_jsonb(n)) from new_rows n;
  elsif tg_op = 'DELETE' then
    perform log_change(p_entity, p_key, to_jsonb(o), null) from old_rows o;
  else
    perform log_change(p_entity, p_key, o.j, n.j) from (select to_jsonb(r) as j from old_rows r) o join (select to_jsonb(r) as j from new_rows r) n
      on n.j ->> p_key = o.j ->> p_key and n.j ->> 'workspace_id' is not distinct from o.j ->> 'workspace_id';
  end if;
  return null;
end $$;

create or replace function record_moves() returns trigger language plpgsql security definer set search_path = public set enable_nestloop = off as $$
declare
  card opportunities;
  move record;
begin
  for card in select * from new_rows where tg_op = 'INSERT' and stage_id is not null loop
    perform record_move(null, card);
  end loop;
  if tg_op = 'UPDATE' then
    for move in select row(o.*)::opportunities as was, row(n.*)::opportunities as is_now from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.stage_id is distinct from o.stage_id or n.status <> o.status loop
      perform record_move(move.was, move.is_now);
    end loop;
  end if;
  return null;
end $$;
