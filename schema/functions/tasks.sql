-- Derives completed_at from the status, on every path.
create or replace function complete_task() returns trigger language plpgsql as $$
begin
  new.completed_at := case
    when new.status <> 'completed' then null
    when tg_op = 'UPDATE' and old.status = 'completed' then old.completed_at
    else now() end;
  return new;
end $$;
create or replace trigger complete before insert or update of status, completed_at on tasks for each row
  when (not merge_in_progress()) execute function complete_task();

-- The first task of a series gives it its id. A task that recurs again begins a new one.
create or replace function number_series() returns trigger language plpgsql as $$
begin
  if new.recurrence is null then return new; end if;
  if new.series_id is null then
    new.series_id := new.id;
    new.occurrence := 1;
  elsif tg_op = 'UPDATE' and old.recurrence is null then
    new.series_id := uuidv7();
    new.occurrence := 1;
  end if;
  return new;
end $$;
create or replace trigger number_series before insert or update of recurrence on tasks for each row
  when (not merge_in_progress()) execute function number_series();

-- A reminder that was moved is due again.
create or replace function reset_reminder() returns trigger language plpgsql as $$
begin
  new.reminded_at := null;
  return new;
end $$;
create or replace trigger reset_reminder before update of reminder_at on tasks for each row
  when (new.reminder_at is distinct from old.reminder_at) execute function reset_reminder();

-- Writes the events of at most p_limit reminders that are due, of all workspaces. Returns their number. Of two runs at the same time, each
-- skips what the other has locked.
create or replace function send_reminders(p_limit int) returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  t tasks;
  n int := 0;
begin
  for t in select * from tasks where reminder_at <= now() and reminder_at is not null and reminded_at is null and status <> 'completed'
    and not archived order by reminder_at, id limit p_limit for update skip locked
  loop
    perform set_config('app.workspace_id', t.workspace_id::text, true);
    update tasks set reminded_at = now() where workspace_id = t.workspace_id and id = t.id;
    perform emit('task.reminder', 'task', t.id, jsonb_build_object('assigned_to', t.assigned_to, 'contact_id', t.contact_id, 'customer_id',
      t.customer_id, 'opportunity_id', t.opportunity_id, 'due_at', iso(t.due_at), 'reminder_at', iso(t.reminder_at)));
    n := n + 1;
  end loop;
  return n;
end $$;

create or replace function announce_task(task tasks) returns void language sql as $$
  select emit(case task.status when 'completed' then 'task.completed' else 'task.reopened' end, 'task', task.id,
    jsonb_build_object('assigned_to', task.assigned_to, 'contact_id', task.contact_id, 'customer_id', task.customer_id, 'opportunity_id',
      task.opportunity_id))
$$;

create or replace function announce_tasks() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform announce_task(n) from new_rows n where n.status = 'completed';
  else
    perform announce_task(n) from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
      where (n.status = 'completed') <> (o.status = 'completed');
  end if;
  return null;
end $$;
-- Triggers run in the order of their names: these follow the trigger that writes the change's own event.
create or replace trigger record_insert_steps after insert on tasks referencing new table as new_rows for each statement
  when (not merge_in_progress()) execute function announce_tasks();
create or replace trigger record_update_steps after update on tasks referencing old table as old_rows new table as new_rows
  for each statement execute function announce_tasks();

revoke execute on function send_reminders from public, app;
grant execute on function send_reminders to jobs;
