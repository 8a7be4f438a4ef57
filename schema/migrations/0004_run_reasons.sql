ALTER TABLE "automation_runs" ADD COLUMN "reason" text;
--> statement-breakpoint
ALTER TABLE "automation_versions" ADD COLUMN "adopted_key_id" uuid;
--> statement-breakpoint
alter table automation_runs disable trigger user;
--> statement-breakpoint
-- The reference of a run has followed every merge; the record that enrolment counts by follows it from now on.
update automation_runs r set record_id = case e.table_name when 'contacts' then r.contact_id when 'companies' then r.customer_id else r.opportunity_id end
  from merge_entries e join merges m on m.workspace_id = e.workspace_id and m.id = e.merge_id and not m.undone
  where e.workspace_id = r.workspace_id and e.row_id = r.record_id and e.action = 'merged'
    and case e.table_name when 'contacts' then r.contact_id when 'companies' then r.customer_id else r.opportunity_id end is not null;
--> statement-breakpoint
-- Runs about a record that is gone.
update automation_runs set state = 'cancelled', reason = 'record_deleted', ended_at = now(), due_at = null, awaits = null, updated_at = now()
  where ended_at is null and record_id is not null and record_id not in (coalesce(contact_id, workspace_id), coalesce(customer_id, workspace_id), coalesce(opportunity_id, workspace_id))
    and not coalesce(trigger_data ->> 'entity_id' = record_id::text and trigger_data ->> 'entity' not in ('contact', 'company', 'opportunity'), false);
--> statement-breakpoint
-- Runs that were queued behind one that a request has ended.
update automation_runs n set state = 'running', due_at = now(), updated_at = now() from (
    select distinct on (workspace_id, automation_id, record_id) workspace_id, id, state from automation_runs where ended_at is null and record_id is not null
      order by workspace_id, automation_id, record_id, id) first
  where first.state = 'queued' and n.workspace_id = first.workspace_id and n.id = first.id;
--> statement-breakpoint
alter table automation_runs enable trigger user;
--> statement-breakpoint
-- What open runs of earlier versions wait for.
insert into automation_triggers (workspace_id, event_type, automation_id, starts)
  select distinct v.workspace_id, e.type #>> '{}', v.automation_id, false from automation_versions v
    cross join lateral jsonb_path_query(v.definition -> 'steps', 'strict $.**?(@.type == "wait").event.type') e(type)
    where exists (select from automation_runs r where r.workspace_id = v.workspace_id and r.automation_id = v.automation_id and r.version_id = v.id and r.ended_at is null)
  on conflict do nothing;
