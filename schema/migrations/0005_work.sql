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
create function announce_task() returns trigger language plpgsql as $$
begin
  perform emit(case new.status when 'completed' then 'task.completed' else 'task.reopened' end, 'task', new.id,
    jsonb_build_object('assigned_to', new.assigned_to, 'contact_id', new.contact_id, 'customer_id', new.customer_id, 'opportunity_id', new.opportunity_id));
  return null;
end $$;
--> statement-breakpoint
create trigger announce_insert after insert on tasks for each row when (new.status = 'completed') execute function announce_task();
create trigger announce_update after update of status on tasks for each row when ((new.status = 'completed') <> (old.status = 'completed')) execute function announce_task();
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
