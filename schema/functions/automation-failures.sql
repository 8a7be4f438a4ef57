-- What follows when runs of automations fail: events, messages, and the pause of an automation.

/*
  Writes the events of runs that failed: [{"automation_id", "run_id", "step_id", "code", "message", "mail": {"subject", "body_text",
  "body_html"}, "sms": {"body_text", "segments", "credits"}}]. The first failure of an automation opens an incident and reserves an email to
  each address and an SMS to each number of the settings; it is open until a run succeeds (settle_runs), and after a day the next failure
  opens another one. Returns the number of messages.
*/
create or replace function announce_failures(p_workspace uuid, p_failures jsonb)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  mails jsonb;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform emit('automation.run_failed', 'automation', (f ->> 'automation_id')::uuid, f - 'automation_id' - 'mail' - 'sms')
    from jsonb_array_elements(p_failures) f;
  with opened as (
    insert into automation_incidents as i (workspace_id, automation_id, run_id)
      select distinct on (f.automation_id) p_workspace, f.automation_id, f.run_id
        from jsonb_to_recordset(p_failures) f(automation_id uuid, run_id uuid)
        join automations a on a.workspace_id = p_workspace and a.id = f.automation_id order by f.automation_id, f.run_id
      on conflict (workspace_id, automation_id) do update set run_id = excluded.run_id, opened_at = now()
      where i.opened_at <= now() - interval '24 hours'
      returning automation_id, run_id
  ) select coalesce(jsonb_agg(case channel when 'email' then f.mail else f.sms end || jsonb_build_object('id', uuidv7(), 'channel', channel,
      'purpose', 'automation_error', 'recipient', address,
        'dedupe_key', format('automation_error:%s:%s:%s', o.automation_id, o.run_id, address))
      order by channel, address), '[]') into mails
    from opened o join jsonb_to_recordset(p_failures) f(run_id uuid, mail jsonb, sms jsonb) on f.run_id = o.run_id
      cross join (select distinct 'email' as channel, unnest(automation_error_notify_emails) as address from crm_settings
        where workspace_id = p_workspace
        union select 'sms', unnest(automation_error_notify_phones) from crm_settings where workspace_id = p_workspace
          and 'sms' = any (configured_channels(p_workspace))) recipients;
  -- A workspace without the credits for these SMS gets the emails only.
  if (select coalesce(sum((m ->> 'credits')::int), 0) from jsonb_array_elements(mails) m)
      > coalesce((select balance from credit_accounts where workspace_id = p_workspace for update), 0) then
    mails := (select coalesce(jsonb_agg(m), '[]') from jsonb_array_elements(mails) m where m ->> 'channel' = 'email');
  end if;
  perform reserve_messages(mails);
  return jsonb_array_length(mails);
end $$;

-- Pauses an automation whose publisher may no longer run it, unless it was published again meanwhile.
create or replace function pause_automation(p_workspace uuid, p_version uuid, p_reason text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  paused uuid;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update automations set state = 'paused', paused_reason = p_reason
    where workspace_id = p_workspace and version_id = p_version and state = 'published'
    and id = (select v.automation_id from automation_versions v where v.workspace_id = p_workspace and v.id = p_version)
    returning id into paused;
  if found then perform emit('automation.paused', 'automation', paused, jsonb_build_object('reason', p_reason)); end if;
end $$;

revoke execute on function announce_failures, pause_automation from public, app;
grant execute on function announce_failures, pause_automation to jobs;
