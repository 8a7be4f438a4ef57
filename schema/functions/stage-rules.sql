/*
  The fields that a stage requires: an opportunity enters it only with all of them, on every path. While it is in the stage, it cannot lose
  one, except by what happens to another record, such as the deletion of its company. Merges keep the stage, and undos and restores bring
  back what was there: they are not checked. Nor is what follows from something else, such as the opportunity of a booking.
*/

-- Whether a record has no value for a required field. A value of 0 counts as none.
create or replace function lacks_field(p_record jsonb, p_field text) returns boolean immutable parallel safe language sql
  return case when starts_with(p_field, 'metadata.') then is_blank(p_record -> 'metadata' -> substr(p_field, 10))
    when p_field = 'value' then coalesce((p_record ->> 'value')::numeric, 0) = 0 else is_blank(p_record -> p_field) end;

-- The issues of an opportunity that enters a stage or, with p_before, is in it: the required fields that it lacks, or would lose. A custom
-- field without a definition is not required.
create or replace function stage_issues(p_workspace uuid, p_stage uuid, p_record jsonb, p_before jsonb default null)
  returns jsonb stable language sql as $$
  select jsonb_agg(jsonb_build_object('path', f.name, 'message', format(case when p_before is null then 'Required to enter the stage %s'
      else 'Required in the stage %s: it cannot be cleared' end, s.name)) order by f.at)
  from stages s, unnest(s.required_fields) with ordinality f(name, at)
  where s.workspace_id = p_workspace and s.id = p_stage and lacks_field(p_record, f.name)
    and (p_before is null or not lacks_field(p_before, f.name))
    and (not starts_with(f.name, 'metadata.') or exists (select from custom_fields c where c.workspace_id = p_workspace
      and c.object = 'opportunity' and c.field_key = substr(f.name, 10) and not c.archived))
$$;

-- Follows the triggers `place`, which decides the stage, and `refused`, which skips the records that a bulk call has rejected. Nothing is
-- required of opportunities that are united, or written as they were before.
create or replace function require_stage_fields() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  enters constant boolean := tg_op = 'INSERT' or new.stage_id is distinct from old.stage_id;
  issues jsonb;
begin
  if current_cause_type() in ('merge', 'undo', 'restore') or has_flag('nothing_required') or not enters and pg_trigger_depth() > 1
    or not exists (select from stages s where s.workspace_id = new.workspace_id and s.id = new.stage_id and s.required_fields <> '{}')
    then return new; end if;
  -- The value of a new opportunity may follow from line items that are not inserted yet: opportunity_issues has checked it.
  issues := stage_issues(new.workspace_id, new.stage_id, to_jsonb(new)
    || case when tg_op = 'INSERT' and new.value_source <> 'manual' then '{"value": 1}'::jsonb else '{}' end,
    case when not enters then to_jsonb(old) end);
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  return new;
end $$;
create or replace trigger require_stage_fields before insert or update on opportunities for each row
  when (new.stage_id is not null and not merge_in_progress()) execute function require_stage_fields();

create or replace function json_texts(p_list jsonb) returns text[] immutable parallel safe language sql
  return array(select jsonb_array_elements_text(case jsonb_typeof(p_list) when 'array' then p_list else '[]' end));

-- An opportunity as a patch would leave it.
create or replace function patched_opportunity(p_before jsonb, p_patch jsonb) returns jsonb stable language sql
  return coalesce(p_before, '{}') || p_patch || jsonb_build_object('metadata',
      coalesce(p_before -> 'metadata', '{}') || case jsonb_typeof(p_patch -> 'metadata')
        when 'object' then p_patch -> 'metadata' else '{}' end)
    || case
      when p_patch ? 'lost_reasons' then jsonb_build_object('lost_reasons', match_reasons('lost', json_texts(p_patch -> 'lost_reasons')))
      else '{}' end
    || case when p_patch ? 'won_reasons' then jsonb_build_object('won_reasons', match_reasons('won', json_texts(p_patch -> 'won_reasons')))
      else '{}' end;

-- The issues of a patch of an opportunity, or of a new one without p_before, or null.
create or replace function opportunity_issues(p_patch jsonb, p_before jsonb)
  returns jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  was constant uuid := (p_before ->> 'stage_id')::uuid;
  becomes constant uuid := case when p_before is null then coalesce((p_patch ->> 'stage_id')::uuid,
    first_stage((p_patch ->> 'pipeline_id')::uuid)) when p_patch ->> 'stage_id' is not null then (p_patch ->> 'stage_id')::uuid
      else was end;
  -- The value of a new opportunity may be the sum of line items that are inserted after it.
  valued_later constant boolean := p_before is null and p_patch ->> 'value_source' <> 'manual'
    and jsonb_typeof(p_patch -> 'products') = 'array' and p_patch -> 'products' <> '[]';
  issues jsonb;
begin
  if not has_flag('nothing_required')
    and exists (select from stages s where s.workspace_id = w and s.id = becomes and s.required_fields <> '{}') then
    issues := stage_issues(w, becomes, patched_opportunity(p_before, p_patch)
      || case when valued_later then '{"value": 1}'::jsonb else '{}' end, case when becomes = was then p_before end);
  end if;
  return nullif(coalesce(value_issues(p_patch, p_before), '[]') || coalesce(issues, '[]'), '[]');
end $$;

-- Marks the opportunities of a bulk call that would break a rule, so that the write skips them, as check_custom_values does. A patch with
-- the id of no record is a new one.
create or replace function check_opportunities(p_patches jsonb)
  returns void security definer set search_path = public, pg_temp language sql as $$
  select set_config('app.custom_refused', (jsonb_object_agg(id, jsonb_build_object('code', 'VALIDATION_ERROR', 'issues', issues))
      || coalesce(nullif(current_setting('app.custom_refused', true), ''), '{}')::jsonb)::text, true)
  from (
    select p.patch ->> 'id' as id, opportunity_issues(p.patch, (select to_jsonb(o) from opportunities o
      where o.workspace_id = (select current_workspace()) and o.id = (p.patch ->> 'id')::uuid)) as issues
    from jsonb_array_elements(p_patches) p(patch)) found
  where issues is not null
  having count(*) > 0
$$;

-- Raises the issues of one patch.
create or replace function assert_opportunity(p_patch jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  issues constant jsonb := opportunity_issues(p_patch, (select to_jsonb(o) from opportunities o
    where o.workspace_id = (select current_workspace()) and o.id = (p_patch ->> 'id')::uuid));
begin
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
end $$;

revoke execute on function require_stage_fields, opportunity_issues, check_opportunities, assert_opportunity from public;
grant execute on function opportunity_issues, check_opportunities, assert_opportunity to app;
