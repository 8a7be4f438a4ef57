/*
  Skills. An active public skill has a copy in published_skills, which every workspace can list and run; the instructions of the copy are
  read by runnable_skills only, for a run.
*/
create or replace function publish_skill() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if tg_op = 'DELETE' or new.visibility <> 'public' or new.status <> 'active' then
    delete from published_skills where id = old.id and owner_id = old.workspace_id;
    return null;
  end if;
  insert into published_skills (id, owner_id, name, description, model, system_prompt, tools, input_schema, output_schema,
      max_steps, credits_per_run, version, created_at, updated_at)
    values (new.id, new.workspace_id, new.name, new.description, new.model, new.system_prompt, new.tools, new.input_schema,
      new.output_schema, new.max_steps, new.credits_per_run, new.version, new.created_at, new.updated_at)
    on conflict (id) do update set name = excluded.name, description = excluded.description, model = excluded.model,
      system_prompt = excluded.system_prompt,
      tools = excluded.tools, input_schema = excluded.input_schema, output_schema = excluded.output_schema, max_steps = excluded.max_steps,
      credits_per_run = excluded.credits_per_run, version = excluded.version, updated_at = excluded.updated_at
      where published_skills.owner_id = excluded.owner_id;
  if (select count(*) from (select from published_skills where owner_id = new.workspace_id
      limit max_public_skills() + 1) counted) > max_public_skills() then
    perform fail('CONFLICT', format('A workspace has at most %s public skills: make one of the others private first', max_public_skills()));
  end if;
  return null;
end $$;
create or replace trigger publish_skill after insert or update or delete on skills for each row execute function publish_skill();

/*
  The skills that a name or an id may mean, as the run needs them: an own one, or otherwise public ones. Two at most, because a name that
  several public skills have means none.
*/
create or replace function runnable_skills(p_id uuid, p_name text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  with own as (
    select s.id, true as is_own, s.status, s.model, s.system_prompt, s.tools, s.input_schema, s.output_schema, s.max_steps,
      s.credits_per_run, s.credits_per_day
      from skills s where s.workspace_id = (select current_workspace())
      and (s.id = p_id or p_id is null and s.name_norm = norm(p_name)) limit 1
  ), others as (
    select s.id, false, 'active', s.model, s.system_prompt, s.tools, s.input_schema, s.output_schema, s.max_steps,
      s.credits_per_run, null::int
      from published_skills s where (s.id = p_id or p_id is null and s.name_norm = norm(p_name))
      and s.owner_id <> (select current_workspace())
      order by s.id limit 2
  )
  select coalesce(jsonb_agg(to_jsonb(f)), '[]') from (select * from own union all select * from others where not exists (select from own)) f
$$;

-- Asserts that the caller has the scopes of each tool, a list of {name, scopes}, and names the first that it lacks.
create or replace function assert_tools(p_tools jsonb) returns boolean stable language plpgsql as $$
declare
  lacking record;
begin
  select t.name, t.scopes into lacking from jsonb_to_recordset(p_tools) t(name text, scopes text[]) where not has_scopes(t.scopes) limit 1;
  if lacking.name is not null then
    perform fail('INSUFFICIENT_SCOPE',
      format('The tool %s takes %s, which this key or the role of its owner lacks: leave the tool out, or use another key',
      lacking.name, array_to_string(lacking.scopes, ', ')),
      jsonb_build_object('tool', lacking.name, 'required_scopes', lacking.scopes, 'missing_scopes', lacking.scopes));
  end if;
  return true;
end $$;

revoke execute on function publish_skill, runnable_skills from public, app, jobs;
grant execute on function runnable_skills to app, jobs;
