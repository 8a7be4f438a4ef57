-- Runs that wait for an event in the form of the former release.
alter table automation_runs disable trigger user;
--> statement-breakpoint
update automation_runs r set place = jsonb_set(r.place, '{wait}', jsonb_build_object('until', coalesce(iso(r.due_at), iso(now())),
    'types', jsonb_build_array(split_part(r.awaits, ':', 1)), 'looked', true, 'found', '[]'::jsonb, 'since', coalesce((select s.id from automation_steps s
      where s.workspace_id = r.workspace_id and s.run_id = r.id order by s.sequence desc limit 1), r.id)))
  where r.ended_at is null and r.place -> 'wait' is null and split_part(r.awaits, ':', 1) like '%.%';
--> statement-breakpoint
alter table automation_runs enable trigger user;
