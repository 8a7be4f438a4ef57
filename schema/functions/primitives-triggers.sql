/*
  Writes a trigger, unless its table has it as it is: each replacement waits until no transaction writes to the table, and holds up those
  that come later. The comment on a trigger is a hash of the statement and of what PostgreSQL has made of it. The setting
  app.written_triggers has the ids of the triggers that this session has written or found.
*/
create or replace procedure write_trigger(statement text) set search_path = public, pg_temp language plpgsql as $$
declare
  name constant text := (regexp_match(statement, 'trigger\s+(\S+)'))[1];
  of constant text := (regexp_match(statement, '\son\s+(\S+)\s'))[1];
  id oid;
begin
  select t.oid into id from pg_trigger t where t.tgrelid = of::regclass and quote_ident(t.tgname) = name;
  if id is null or obj_description(id, 'pg_trigger') is distinct from md5(statement || pg_get_triggerdef(id)) then
    if id is not null and statement like 'create constraint%' then
      execute format('drop trigger %s on %s', name, of);
    end if;
    execute statement;
    select t.oid into id from pg_trigger t where t.tgrelid = of::regclass and quote_ident(t.tgname) = name;
    execute format('comment on trigger %s on %s is %L', name, of, md5(statement || pg_get_triggerdef(id)));
  end if;
  perform set_config('app.written_triggers', concat_ws(',', nullif(current_setting('app.written_triggers', true), ''), id), false);
end $$;
revoke execute on procedure write_trigger from public;
