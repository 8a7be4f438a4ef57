call tenant_table('memberships');
--> statement-breakpoint
call tenant_table('member_connections');
--> statement-breakpoint
call tenant_table('api_keys', 'insert, update');
--> statement-breakpoint
call tenant_table('crm_settings', 'select, update');
--> statement-breakpoint
call tenant_table('lead_sources');
--> statement-breakpoint
call tenant_table('contacts');
--> statement-breakpoint
call tenant_table('employers');
--> statement-breakpoint
call tenant_table('companies');
--> statement-breakpoint
call tenant_table('pipelines');
--> statement-breakpoint
call tenant_table('stages');
--> statement-breakpoint
call tenant_table('opportunities');
--> statement-breakpoint
call tenant_table('stage_moves', 'select');
--> statement-breakpoint
call tenant_table('opportunity_contacts');
--> statement-breakpoint
call tenant_table('opportunity_users');
--> statement-breakpoint
call tenant_table('products');
--> statement-breakpoint
call tenant_table('opportunity_products');
--> statement-breakpoint
call tenant_table('changes', 'select');
--> statement-breakpoint
call tenant_table('outbox', 'select');
--> statement-breakpoint
call tenant_table('idempotency', 'select');
--> statement-breakpoint
call tenant_table('approvals', 'select');
--> statement-breakpoint
-- A key's hash is for begin_request alone.
grant select (workspace_id, id, user_id, name, public_id, scopes, level, expires_at, revoked_at, version, created_at, updated_at) on api_keys to app;
--> statement-breakpoint
alter table workspaces enable row level security;
--> statement-breakpoint
alter table workspaces force row level security;
--> statement-breakpoint
create policy tenant on workspaces using (id = (select current_workspace())) with check (id = (select current_workspace()));
--> statement-breakpoint
grant select, update on workspaces to app;
--> statement-breakpoint
alter table users enable row level security;
--> statement-breakpoint
alter table users force row level security;
--> statement-breakpoint
create policy colleagues on users for select using (exists (select 1 from memberships m where m.user_id = users.id));
--> statement-breakpoint
grant select on users to app;
--> statement-breakpoint
alter table workspaces add constraint slug_is_clean check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$');
--> statement-breakpoint
alter table memberships add foreign key (workspace_id) references workspaces on delete cascade;
--> statement-breakpoint
alter table crm_settings add foreign key (workspace_id) references workspaces on delete cascade;
--> statement-breakpoint
call tenant_reference('memberships', 'manager_user_id', 'memberships', 'set null');
--> statement-breakpoint
call tenant_reference('memberships', 'default_pipeline_id', 'pipelines', 'set null');
--> statement-breakpoint
call tenant_reference('member_connections', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
call tenant_reference('api_keys', 'user_id', 'memberships');
--> statement-breakpoint
call tenant_reference('contacts', 'source_id', 'lead_sources');
--> statement-breakpoint
call tenant_reference('contacts', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('contacts', 'referrer_opportunity_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('employers', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('employers', 'customer_id', 'companies', 'cascade');
--> statement-breakpoint
call tenant_reference('companies', 'parent_company_id', 'companies');
--> statement-breakpoint
call tenant_reference('companies', 'assigned_to', 'memberships');
--> statement-breakpoint
call tenant_reference('stages', 'pipeline_id', 'pipelines', 'cascade');
--> statement-breakpoint
call tenant_reference('opportunities', 'pipeline_id', 'pipelines');
--> statement-breakpoint
call tenant_reference('opportunities', 'stage_id', 'stages');
--> statement-breakpoint
call tenant_reference('opportunities', 'assigned_to', 'memberships');
--> statement-breakpoint
call tenant_reference('opportunities', 'customer_id', 'companies');
--> statement-breakpoint
call tenant_reference('stage_moves', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('opportunity_contacts', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('opportunity_contacts', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('opportunity_users', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('opportunity_users', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
call tenant_reference('opportunity_products', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('opportunity_products', 'product_id', 'products');
--> statement-breakpoint
grant usage on schema public to app;
