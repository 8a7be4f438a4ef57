-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "product_costs_by_catalog_entry" ON "product_costs" USING btree ("workspace_id","catalog_entry_id","id");
--> statement-breakpoint
-- What the history says of entries of the catalogue is erased with their supplier. Only the open partition is written to while its index is built.
CREATE INDEX IF NOT EXISTS "changes_by_supplier" ON ONLY "changes" USING btree ("workspace_id",(fields #>> '{supplier_id,after}'::text[])) WHERE (fields #>> '{supplier_id,after}'::text[]) IS NOT NULL;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "changes_by_supplier_open" ON "changes_open" USING btree ("workspace_id",(fields #>> '{supplier_id,after}'::text[])) WHERE (fields #>> '{supplier_id,after}'::text[]) IS NOT NULL;
--> statement-breakpoint
do $$
declare
  part record;
begin
  for part in select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'changes'::regclass loop
    execute format('create index if not exists %I on %I (workspace_id, (fields #>> ''{supplier_id,after}''::text[]))
      where (fields #>> ''{supplier_id,after}''::text[]) is not null', replace(part.name, 'changes_', 'changes_by_supplier_'), part.name);
    execute format('alter index changes_by_supplier attach partition %I', replace(part.name, 'changes_', 'changes_by_supplier_'));
  end loop;
end $$;
