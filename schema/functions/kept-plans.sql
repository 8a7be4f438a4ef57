/*
  Runs a select of one value, whose plan the session keeps by the text: planning costs more than reading a few rows. The plan serves all
  values, so this is not for a select whose best plan depends on them. The rows below a record are read in the order of their index, because
  one that the planner has not looked at may have more than all others. A session keeps 60 plans, and drops the oldest first.
*/
create or replace function run_kept(p_select text, p_values jsonb) returns text language plpgsql
  set plan_cache_mode = force_generic_plan set enable_bitmapscan = off as $$
declare
  plan constant text := 'kept_' || md5(p_select);
  call constant text := format('execute %I', plan)
    || (select coalesce('(' || string_agg(quote_nullable(v), ', ' order by n) || ')', '')
      from jsonb_array_elements_text(p_values) with ordinality e(v, n));
  oldest text;
  answer text;
begin
  begin
    execute call into answer;
  exception when invalid_sql_statement_name then
    for oldest in select name from pg_prepared_statements where starts_with(name, 'kept_') order by prepare_time desc offset 59 loop
      execute format('deallocate %I', oldest);
    end loop;
    execute format('prepare %I as %s', plan, p_select);
    execute call into answer;
  end;
  return answer;
end $$;
