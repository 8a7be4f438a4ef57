-- Rows are looked up on solid-state storage. By default the planner takes a random read for four sequential ones, and prefers to read a table
-- from end to end.
alter role app set random_page_cost = 1.1;
--> statement-breakpoint
alter role jobs set random_page_cost = 1.1;
--> statement-breakpoint
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
