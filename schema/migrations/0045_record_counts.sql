CREATE TABLE "record_count_deltas" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"assigned_to" uuid,
	"source_id" uuid,
	"count" integer NOT NULL,
	"archived" boolean NOT NULL,
	"object" text NOT NULL,
	"source" text,
	"tags" text[],
	CONSTRAINT "record_count_deltas_key" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "record_counts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"object" text NOT NULL,
	"counted_by" text NOT NULL,
	"value" text NOT NULL,
	"archived" boolean NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "record_counts_key" PRIMARY KEY("workspace_id","object","counted_by","value","archived")
);
--> statement-breakpoint
call tenant_table('record_count_deltas', 'select');
--> statement-breakpoint
call tenant_table('record_counts', 'select');
--> statement-breakpoint
alter table record_count_deltas set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
call count_records_of('contacts', '{archived,assigned_to,source_id,source,tags}');
--> statement-breakpoint
call count_records_of('companies', '{archived,assigned_to,tags}');
--> statement-breakpoint
call count_records_of('opportunities', '{archived,assigned_to,lead_source,tags}');
--> statement-breakpoint
call count_records_of('tasks', '{archived,assigned_to}');
--> statement-breakpoint
insert into record_counts (workspace_id, object, counted_by, value, archived, count)
  select r.workspace_id, 'contacts', k.counted_by, k.value, r.archived, count(*) from contacts r, lateral (
    select v.counted_by, v.value from (values ('all', ''), ('assigned_to', r.assigned_to::text), ('source_id', r.source_id::text), ('source', r.source)) v(counted_by, value) where v.value is not null union all
    select 'tag', tag from unnest(counted_tags(r.tags)) tag) k
  group by 1, 3, 4, 5 order by 1, 3, 4, 5;
--> statement-breakpoint
insert into record_counts (workspace_id, object, counted_by, value, archived, count)
  select r.workspace_id, 'companies', k.counted_by, k.value, r.archived, count(*) from companies r, lateral (
    select v.counted_by, v.value from (values ('all', ''), ('assigned_to', r.assigned_to::text)) v(counted_by, value) where v.value is not null union all
    select 'tag', tag from unnest(counted_tags(r.tags)) tag) k
  group by 1, 3, 4, 5 order by 1, 3, 4, 5;
--> statement-breakpoint
insert into record_counts (workspace_id, object, counted_by, value, archived, count)
  select r.workspace_id, 'opportunities', k.counted_by, k.value, r.archived, count(*) from opportunities r, lateral (
    select v.counted_by, v.value from (values ('all', ''), ('assigned_to', r.assigned_to::text), ('source', r.lead_source)) v(counted_by, value) where v.value is not null union all
    select 'tag', tag from unnest(counted_tags(r.tags)) tag) k
  group by 1, 3, 4, 5 order by 1, 3, 4, 5;
--> statement-breakpoint
insert into record_counts (workspace_id, object, counted_by, value, archived, count)
  select r.workspace_id, 'tasks', k.counted_by, k.value, r.archived, count(*) from tasks r, lateral (
    select v.counted_by, v.value from (values ('all', ''), ('assigned_to', r.assigned_to::text)) v(counted_by, value) where v.value is not null) k
  group by 1, 3, 4, 5 order by 1, 3, 4, 5;
