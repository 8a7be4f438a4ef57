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
