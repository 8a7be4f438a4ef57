do $$
declare
  name text;
begin
  for name in select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1
  loop
    call expect_large_workspaces(name);
    -- The setting takes effect with the next statistics.
    execute format('analyze %I', name);
  end loop;
end $$;
