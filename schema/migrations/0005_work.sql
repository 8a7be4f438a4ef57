-- Tasks, activities and stakeholders.

call tenant_table('tasks');
call tenant_table('activities');
call tenant_table('stakeholder_types');
call tenant_table('stakeholder_members');
call tenant_table('deal_stakeholders');
call tenant_table('task_stakeholders');
--> statement-breakpoint
call tenant_reference('tasks', 'assigned_to', 'memberships');
call tenant_reference('tasks', 'created_by', 'memberships');
call tenant_reference('tasks', 'contact_id', 'contacts', 'set null');
call tenant_reference('tasks', 'customer_id', 'companies', 'set null');
call tenant_reference('tasks', 'opportunity_id', 'opportunities', 'set null');
call tenant_reference('activities', 'created_by', 'memberships');
call tenant_reference('activities', 'contact_id', 'contacts', 'set null');
call tenant_reference('activities', 'customer_id', 'companies', 'set null');
call tenant_reference('activities', 'deal_id', 'opportunities', 'set null');
call tenant_reference('stakeholder_members', 'type_id', 'stakeholder_types', 'cascade');
call tenant_reference('stakeholder_members', 'contact_id', 'contacts', 'cascade');
call tenant_reference('deal_stakeholders', 'deal_id', 'opportunities', 'cascade');
call tenant_reference('deal_stakeholders', 'contact_id', 'contacts', 'cascade');
call tenant_reference('deal_stakeholders', 'bucket_id', 'stakeholder_types', 'set null');
call tenant_reference('task_stakeholders', 'task_id', 'tasks', 'cascade');
call tenant_reference('task_stakeholders', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tracked_table('tasks', 'task');
call tracked_table('activities', 'activity');
call tracked_table('stakeholder_types', 'stakeholder_type');
call tracked_table('stakeholder_members', 'stakeholder_member');
call tracked_table('deal_stakeholders', 'deal_stakeholder');
call tracked_table('task_stakeholders', 'task_stakeholder');
--> statement-breakpoint
alter table tasks alter column created_by set default current_user_id();
alter table activities alter column created_by set default current_user_id();
alter table activities add constraint contact_id check (num_nonnulls(contact_id, customer_id, deal_id) > 0);
alter table activities add constraint direction check (direction is null or activity_type in ('call', 'email'));
--> statement-breakpoint

-- When a task was completed follows from its status, whatever changed that.
create function complete_task() returns trigger language plpgsql as $$
begin
  new.completed_at := case
    when new.status <> 'completed' then null
    when tg_op = 'UPDATE' and old.status = 'completed' then old.completed_at
    else now() end;
  return new;
end $$;
--> statement-breakpoint
create trigger complete before insert or update of status, completed_at on tasks for each row execute function complete_task();
--> statement-breakpoint
create function announce_task(task tasks) returns void language sql as $$
  select emit(case task.status when 'completed' then 'task.completed' else 'task.reopened' end, 'task', task.id,
    jsonb_build_object('assigned_to', task.assigned_to, 'contact_id', task.contact_id, 'customer_id', task.customer_id, 'opportunity_id', task.opportunity_id))
$$;
--> statement-breakpoint
create function announce_tasks() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform announce_task(n) from new_rows n where n.status = 'completed';
  else
    perform announce_task(n) from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where (n.status = 'completed') <> (o.status = 'completed');
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Named so that they come after the change's own event.
create trigger record_insert_steps after insert on tasks referencing new table as new_rows for each statement execute function announce_tasks();
create trigger record_update_steps after update on tasks referencing old table as old_rows new table as new_rows for each statement execute function announce_tasks();
--> statement-breakpoint

-- An activity is about something: it goes with the last record that it is linked to. `tg_argv[0]` is the column of the link.
create function take_activities_along() returns trigger language plpgsql as $$
begin
  -- Locked before a look at them: the records that share an activity may be deleted at once.
  execute format('select from activities where workspace_id = $1 and %I = $2 order by id for update', tg_argv[0]) using old.workspace_id, old.id;
  execute format('delete from activities where workspace_id = $1 and %I = $2 and num_nonnulls(contact_id, customer_id, deal_id) = 1', tg_argv[0]) using old.workspace_id, old.id;
  return old;
end $$;
--> statement-breakpoint
create trigger take_activities before delete on contacts for each row execute function take_activities_along('contact_id');
create trigger take_activities before delete on companies for each row execute function take_activities_along('customer_id');
create trigger take_activities before delete on opportunities for each row execute function take_activities_along('deal_id');
