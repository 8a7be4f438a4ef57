-- What the caller may read of what is kept as JSON, and is not renamed with an option: filters, conditions and steps; of each kind the
-- latest.
create or replace function option_namers(p_most int)
  returns table (type text, id uuid, name text, definition jsonb) stable language sql as $$
  (select 'list', l.id, l.name, l.filter from lists l
    where l.workspace_id = (select current_workspace()) and (select has_scopes('{lists:read}')) order by l.updated_at desc limit p_most)
  union all (select 'export_template', t.id, t.name, t.filters from export_templates t
    where t.workspace_id = (select current_workspace()) and (select has_scopes('{exports:read}')) order by t.updated_at desc limit p_most)
  union all (select 'export_view', v.id, v.name, v.filters from export_views v
    where v.workspace_id = (select current_workspace()) and (select has_scopes('{exports:read}')) order by v.updated_at desc limit p_most)
  union all (select 'email_campaign', c.id, c.name, c.segment_filter from email_campaigns c
    where c.workspace_id = (select current_workspace()) and c.status in ('draft', 'scheduled')
    and (select has_scopes('{email-campaigns:read}'))
    order by c.updated_at desc limit p_most)
  union all (select 'auto_schedule', s.id, s.name, s.audience_filter from auto_schedules s
    where s.workspace_id = (select current_workspace()) and (select has_scopes('{schedules:read}')) order by s.updated_at desc limit p_most)
  union all (select 'webhook', h.id, coalesce(h.description, h.url), h.filter from webhooks h
    where h.workspace_id = (select current_workspace()) and (select has_scopes('{webhooks:read}')) order by h.updated_at desc limit p_most)
  union all (select 'automation', a.id, a.name, jsonb_build_array(a.trigger, a.conditions, a.steps,
      (select v.definition from automation_versions v where v.workspace_id = a.workspace_id and v.id = a.version_id))
    from automations a
    where a.workspace_id = (select current_workspace()) and a.queue_id is null and (select has_scopes('{automations:read}'))
    order by a.updated_at desc limit p_most)
  union all (select 'auto_queue', q.id, q.name, jsonb_build_array(q.exits,
      (select jsonb_agg(s.action) from auto_queue_steps s where s.workspace_id = q.workspace_id and s.auto_queue_id = q.id))
    from auto_queues q
    where q.workspace_id = (select current_workspace()) and (select has_scopes('{auto-queues:read}'))
    order by q.updated_at desc limit p_most)
$$;

-- The first of these that name an option, compared as filters compare it; with p_key, together with this custom field.
create or replace function naming_option(p_option text, p_key text, p_looked_at int, p_most int)
  returns table (type text, id uuid, name text) stable language sql as $$
  select n.type, n.id, n.name from option_namers(p_looked_at) n
    where (p_key is null or n.definition::text ~ ('[".]' || p_key || '"'))
      and exists (select from jsonb_path_query(n.definition, 'strict $.** ? (@.type() == "string")') t
        where norm(t #>> '{}') = norm(p_option))
    order by n.type, n.name, n.id limit p_most
$$;
