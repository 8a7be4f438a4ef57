/*
  The sort of contacts, companies and opportunities by their last activity and by their next task. record_times has an entry for each record
  that has such a time. Writers only add entries, and delete those that no longer hold unless another transaction has them, so they never
  wait for each other; an entry that is left over is skipped by readers, who compute the times of a page's records themselves.
*/

-- The time of a record that a sort goes by, in milliseconds since 1970; null without one. For activities the latest that the team sees; for
-- tasks the earliest due date of those that are open. Without a sort only the index in the order asked for is left, whatever the planner
-- believes of the record, so one plan suits all; it would otherwise be planned again for each record, because the other sorts make the
-- general plan look expensive.
create or replace function record_time(p_workspace uuid, p_sort text, p_id uuid) returns float8 stable language sql
  set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  select extract(epoch from case p_sort
    when 'contacts.last_activity_at' then (select greatest(
      (select a.occurred_at from public.activities a where a.workspace_id = p_workspace and a.contact_id = p_id and a.private_to is null
        order by a.occurred_at desc limit 1),
      (select a.occurred_at from public.activity_contacts a where a.workspace_id = p_workspace and a.contact_id = p_id
        order by a.occurred_at desc limit 1)))
    when 'companies.last_activity_at' then
      (select a.occurred_at from public.activities a where a.workspace_id = p_workspace and a.customer_id = p_id and a.private_to is null
        order by a.occurred_at desc limit 1)
    when 'opportunities.last_activity_at' then
      (select a.occurred_at from public.activities a where a.workspace_id = p_workspace and a.deal_id = p_id and a.private_to is null
        order by a.occurred_at desc limit 1)
    when 'contacts.next_task_due_at' then (select t.due_at from public.tasks t
      where t.workspace_id = p_workspace and t.contact_id = p_id and t.status <> 'completed' and not t.archived and t.due_at is not null
      order by t.due_at limit 1)
    when 'companies.next_task_due_at' then (select t.due_at from public.tasks t
      where t.workspace_id = p_workspace and t.customer_id = p_id and t.status <> 'completed' and not t.archived and t.due_at is not null
      order by t.due_at limit 1)
    when 'opportunities.next_task_due_at' then (select t.due_at from public.tasks t
      where t.workspace_id = p_workspace and t.opportunity_id = p_id and t.status <> 'completed' and not t.archived and t.due_at is not null
      order by t.due_at limit 1)
  end) * 1000
$$;

-- Brings the entries of some records up to date. A time that got worse is checked again when all transactions of now have ended, because
-- one of them may have relied on it.
create or replace function settle_record_times(p_workspace uuid, p_sort text, p_ids uuid[])
  returns void language plpgsql security definer set search_path = public, pg_temp
  set enable_nestloop = on set enable_seqscan = off as $$
begin
  if p_ids = '{}' then return; end if;
  with wanted as materialized (
    select i.id, record_time(p_workspace, p_sort, i.id) as number from (select distinct unnest(p_ids) as id) i
  ), present as materialized (
    select t.ctid as place, t.record_id, t.number, w.number as wanted from wanted w
      join record_times t on t.workspace_id = p_workspace and t.sort = p_sort and t.record_id = w.id
  ), added as (
    insert into record_times (workspace_id, sort, number, record_id)
      select p_workspace, p_sort, w.number, w.id from wanted w where w.number is not null
        and not exists (select from present p where p.record_id = w.id and p.number = w.number)
      order by w.id on conflict do nothing
  ), noted as (
    insert into record_time_checks (workspace_id, sort, record_id)
      select distinct p_workspace, p_sort, p.record_id from present p where p.wanted is null
        or case when p_sort like '%.last_activity_at' then p.number > p.wanted else p.number < p.wanted end
  )
  delete from record_times t where t.ctid = any (array(select k.ctid from record_times k
    where k.ctid = any (array(select p.place from present p where p.number is distinct from p.wanted)) for update skip locked));
end $$;

/*
  After each statement on activities, activity_contacts or tasks: brings the times of the records up to date that the changed rows are
  linked to, now and before. tg_argv[0] has the columns on which a time depends; the others are pairs of a sort and the column with its
  records.
*/
create or replace function settle_times()
  returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
declare
  columns_of constant text := 'select (select string_agg(format(''%s.%I'', $1, c), '', '') from unnest($2) c)';
  before text;
  after text;
  changed text := 'select * from new_rows';
  workspace uuid;
  ids uuid[];
begin
  if tg_op = 'DELETE' then
    if not exists (select from old_rows) then return null; end if;
    changed := 'select * from old_rows';
  elsif tg_op = 'UPDATE' then
    if not exists (select from new_rows) then return null; end if;
    execute columns_of into before using 'o', tg_argv[0]::text[];
    execute columns_of into after using 'n', tg_argv[0]::text[];
    changed := format('select side.* from old_rows o join new_rows n on n.workspace_id = o.workspace_id and n.id = o.id
      cross join lateral (select o.* union all select n.*) side where (%s) is distinct from (%s)', before, after);
  end if;
  for i in 1 .. tg_nargs - 1 by 2 loop
    for workspace, ids in execute
      format('select c.workspace_id, array_agg(distinct c.%1$I) from (%2$s) c where c.%1$I is not null group by 1',
      tg_argv[i + 1], changed)
    loop
      perform settle_record_times(workspace, tg_argv[i], ids);
    end loop;
  end loop;
  return null;
end $$;

create or replace procedure settle_times_of(name text, arguments text) language plpgsql as $$
begin
  call write_trigger(format('create or replace trigger settle_times_insert after insert on %I referencing new table as new_rows
    for each statement execute function settle_times(%s)', name, arguments));
  call write_trigger(format('create or replace trigger settle_times_update after update on %I
    referencing old table as old_rows new table as new_rows
    for each statement execute function settle_times(%s)', name, arguments));
  call write_trigger(format('create or replace trigger settle_times_delete after delete on %I referencing old table as old_rows
    for each statement execute function settle_times(%s)', name, arguments));
end $$;
call settle_times_of('activities', $$ '{contact_id,customer_id,deal_id,occurred_at}', 'contacts.last_activity_at', 'contact_id',
  'companies.last_activity_at', 'customer_id', 'opportunities.last_activity_at', 'deal_id' $$);
call settle_times_of('activity_contacts', $$ '{contact_id,occurred_at}', 'contacts.last_activity_at', 'contact_id' $$);
call settle_times_of('tasks', $$ '{contact_id,customer_id,opportunity_id,due_at,status,archived}',
  'contacts.next_task_due_at', 'contact_id',
  'companies.next_task_due_at', 'customer_id', 'opportunities.next_task_due_at', 'opportunity_id' $$);

-- Checks at most p_limit times again, of all workspaces, whose transactions have ended. Returns their number. Of two runs at the same time,
-- each skips what the other has locked.
create or replace function check_record_times(p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  due record;
  checked int := 0;
begin
  for due in
    with taken as (
      delete from record_time_checks c where c.ctid = any (array(select d.ctid from record_time_checks d
        where d.xid < pg_snapshot_xmin(pg_current_snapshot()) order by d.xid limit p_limit for update skip locked))
      returning c.workspace_id, c.sort, c.record_id
    ) select workspace_id, sort, array_agg(distinct record_id) as ids, count(*)::int as n from taken group by 1, 2
  loop
    perform settle_record_times(due.workspace_id, due.sort, due.ids);
    checked := checked + due.n;
  end loop;
  return checked;
end $$;

revoke execute on function settle_record_times, settle_times, check_record_times from public, app;
grant execute on function check_record_times to jobs;
