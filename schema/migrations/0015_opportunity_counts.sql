-- Counts of opportunities for boards and summaries, kept as they change.

CREATE TABLE "opportunity_deltas" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"stage_id" uuid NOT NULL,
	"currency" text NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"assigned_to" uuid,
	"archived" boolean NOT NULL,
	"created_on" date NOT NULL,
	"opened_on" date,
	"closed_on" date,
	"count" integer NOT NULL,
	"without_company" integer NOT NULL,
	"value" numeric(30, 2) NOT NULL,
	"weighted_value" numeric(30, 2) NOT NULL,
	"won_ms" bigint NOT NULL,
	CONSTRAINT "opportunity_deltas_workspace_id_pipeline_id_id_pk" PRIMARY KEY("workspace_id","pipeline_id","id")
);
--> statement-breakpoint
CREATE TABLE "opportunity_totals" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"stage_id" uuid NOT NULL,
	"currency" text NOT NULL,
	"assigned_to" uuid,
	"archived" boolean NOT NULL,
	"count" bigint NOT NULL,
	"without_company" bigint NOT NULL,
	"value" numeric(30, 2) NOT NULL,
	"weighted_value" numeric(30, 2) NOT NULL,
	"won_ms" bigint NOT NULL,
	CONSTRAINT "opportunity_totals_key" UNIQUE NULLS NOT DISTINCT("workspace_id","pipeline_id","assigned_to","archived","stage_id","currency")
);
--> statement-breakpoint
CREATE TABLE "opportunity_periods" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"stage_id" uuid NOT NULL,
	"currency" text NOT NULL,
	"assigned_to" uuid,
	"date_field" text NOT NULL,
	"period" text NOT NULL,
	"starts_on" date NOT NULL,
	"count" bigint NOT NULL,
	"without_company" bigint NOT NULL,
	"value" numeric(30, 2) NOT NULL,
	"weighted_value" numeric(30, 2) NOT NULL,
	"won_ms" bigint NOT NULL,
	CONSTRAINT "opportunity_periods_key" UNIQUE NULLS NOT DISTINCT("workspace_id","pipeline_id","assigned_to","date_field","period","starts_on","stage_id","currency")
);
--> statement-breakpoint
-- Totals change in place; deltas come and go, so dead ones are cleared away long before they are a fifth of the table.
alter table opportunity_totals set (fillfactor = 70);
--> statement-breakpoint
alter table opportunity_periods set (fillfactor = 80);
--> statement-breakpoint
alter table opportunity_deltas set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
call tenant_table('opportunity_deltas', 'select');
--> statement-breakpoint
call tenant_table('opportunity_totals', 'select');
--> statement-breakpoint
call tenant_table('opportunity_periods', 'select');
--> statement-breakpoint
-- An owner's newest cards of a column of the board.
CREATE INDEX "opportunities_by_stage_and_owner" ON "opportunities" USING btree ("workspace_id","stage_id","assigned_to","created_at","id") WHERE not archived and assigned_to is not null;
--> statement-breakpoint
create trigger count_insert after insert on opportunities referencing new table as new_rows for each statement execute function count_opportunities();
--> statement-breakpoint
create trigger count_update after update on opportunities referencing old table as old_rows new table as new_rows for each statement execute function count_opportunities();
--> statement-breakpoint
create trigger count_delete after delete on opportunities referencing old table as old_rows for each statement execute function count_opportunities();
--> statement-breakpoint
-- What is there already. The triggers above lock the table against writers until the migration ends.
insert into opportunity_totals (workspace_id, pipeline_id, assigned_to, archived, stage_id, currency, count, without_company, value, weighted_value, won_ms)
  select o.workspace_id, o.pipeline_id, w.owner, o.archived, o.stage_id, o.currency, count(*), count(*) filter (where o.customer_id is null),
    sum(o.value), sum(round(o.value * o.probability / 100, 2)), sum(ms_to_win(o.status, o.created_at, o.opened_at, o.closed_at))
  from opportunities o, lateral (select null::uuid as owner union all select o.assigned_to where o.assigned_to is not null) w
  where o.pipeline_id is not null and o.stage_id is not null
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6;
--> statement-breakpoint
insert into opportunity_periods (workspace_id, pipeline_id, assigned_to, date_field, period, starts_on, stage_id, currency, count, without_company, value, weighted_value, won_ms)
  select o.workspace_id, o.pipeline_id, w.owner, f.date_field, p.period, p.starts_on, o.stage_id, o.currency, count(*), count(*) filter (where o.customer_id is null),
    sum(o.value), sum(round(o.value * o.probability / 100, 2)), sum(ms_to_win(o.status, o.created_at, o.opened_at, o.closed_at))
  from opportunities o,
    lateral (select null::uuid as owner union all select o.assigned_to where o.assigned_to is not null) w,
    lateral (values ('created_at', utc_day(o.created_at)), ('opened_at', utc_day(o.opened_at)), ('closed_at', utc_day(o.closed_at))) f(date_field, at),
    lateral (values ('day', f.at), ('month', f.at - extract(day from f.at)::int + 1)) p(period, starts_on)
  where o.pipeline_id is not null and o.stage_id is not null and f.at is not null
  group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8;
