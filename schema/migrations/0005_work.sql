-- Tasks, activities and stakeholders.

call tenant_table('tasks');
--> statement-breakpoint
call tenant_table('activities');
--> statement-breakpoint
call tenant_table('stakeholder_types');
--> statement-breakpoint
call tenant_table('stakeholder_members');
--> statement-breakpoint
call tenant_table('deal_stakeholders');
--> statement-breakpoint
call tenant_table('task_stakeholders');
--> statement-breakpoint
call tenant_reference('tasks', 'assigned_to', 'memberships');
--> statement-breakpoint
call tenant_reference('tasks', 'created_by', 'memberships');
--> statement-breakpoint
call tenant_reference('tasks', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('tasks', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('tasks', 'opportunity_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('activities', 'created_by', 'memberships');
--> statement-breakpoint
call tenant_reference('activities', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('activities', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('activities', 'deal_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('stakeholder_members', 'type_id', 'stakeholder_types', 'cascade');
--> statement-breakpoint
call tenant_reference('stakeholder_members', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('deal_stakeholders', 'deal_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('deal_stakeholders', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('deal_stakeholders', 'bucket_id', 'stakeholder_types', 'set null');
--> statement-breakpoint
call tenant_reference('task_stakeholders', 'task_id', 'tasks', 'cascade');
--> statement-breakpoint
call tenant_reference('task_stakeholders', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
alter table tasks alter column created_by set default current_user_id();
--> statement-breakpoint
alter table activities alter column created_by set default current_user_id();
--> statement-breakpoint
alter table activities add constraint contact_id check (num_nonnulls(contact_id, customer_id, deal_id) > 0);
--> statement-breakpoint
alter table activities add constraint direction check (direction is null or activity_type in ('call', 'email'));
