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
alter table opportunity_periods set (fillfactor = 80);
alter table opportunity_deltas set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
call tenant_table('opportunity_deltas', 'select');
call tenant_table('opportunity_totals', 'select');
call tenant_table('opportunity_periods', 'select');
--> statement-breakpoint
-- An owner's newest cards of a column of the board.
CREATE INDEX "opportunities_by_stage_and_owner" ON "opportunities" USING btree ("workspace_id","stage_id","assigned_to","created_at","id") WHERE not archived and assigned_to is not null;
--> statement-breakpoint

-- The calendar day of an instant in UTC, whatever the session's time zone.
create function utc_day(value timestamptz) returns date immutable strict parallel safe language sql
  return (value at time zone 'UTC')::date;
--> statement-breakpoint
-- Milliseconds from opening to closing; instants have no finer part.
create function ms_to_win(status text, created_at timestamptz, opened_at timestamptz, closed_at timestamptz) returns bigint immutable parallel safe language sql
  return case when status = 'won' then coalesce((extract(epoch from closed_at - coalesce(opened_at, created_at)) * 1000)::bigint, 0) else 0 end;
--> statement-breakpoint
/*
  After each statement on opportunities, whatever caused it: its net effect on the counts, in one insert. A change that matters to no count writes
  nothing, for its rows before and after cancel out. Defined here because the totals below are only right when nothing is written between them and the triggers.
*/
create function count_opportunities() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on, count, without_company, value, weighted_value, won_ms)
      select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at), utc_day(closed_at),
        count(*), count(*) filter (where customer_id is null), sum(value), sum(round(value * probability / 100, 2)), sum(ms_to_win(status, created_at, opened_at, closed_at))
      from new_rows where pipeline_id is not null and stage_id is not null group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  elsif tg_op = 'DELETE' then
    insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on, count, without_company, value, weighted_value, won_ms)
      select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at), utc_day(closed_at),
        -count(*), -count(*) filter (where customer_id is null), -sum(value), -sum(round(value * probability / 100, 2)), -sum(ms_to_win(status, created_at, opened_at, closed_at))
      from old_rows where pipeline_id is not null and stage_id is not null group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  else
    insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on, count, without_company, value, weighted_value, won_ms)
      select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at), utc_day(closed_at),
        sum(n), coalesce(sum(n) filter (where customer_id is null), 0), sum(n * value), sum(n * round(value * probability / 100, 2)), sum(n * ms_to_win(status, created_at, opened_at, closed_at))
      from (
        select 1 as n, workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_at, opened_at, closed_at, customer_id, value, probability, status from new_rows
        union all
        select -1, workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_at, opened_at, closed_at, customer_id, value, probability, status from old_rows
      ) signed
      where pipeline_id is not null and stage_id is not null
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      having sum(n) <> 0 or coalesce(sum(n) filter (where customer_id is null), 0) <> 0 or sum(n * value) <> 0
        or sum(n * round(value * probability / 100, 2)) <> 0 or sum(n * ms_to_win(status, created_at, opened_at, closed_at)) <> 0;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger count_insert after insert on opportunities referencing new table as new_rows for each statement execute function count_opportunities();
create trigger count_update after update on opportunities referencing old table as old_rows new table as new_rows for each statement execute function count_opportunities();
create trigger count_delete after delete on opportunities referencing old table as old_rows for each statement execute function count_opportunities();
--> statement-breakpoint
create function drop_opportunity_counts() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from opportunity_deltas where workspace_id = old.id;
  delete from opportunity_totals where workspace_id = old.id;
  delete from opportunity_periods where workspace_id = old.id;
  return null;
end $$;
--> statement-breakpoint
-- A foreign key would make every writer lock the one row of its workspace.
create trigger drop_opportunity_counts after delete on workspaces for each row execute function drop_opportunity_counts();
--> statement-breakpoint
revoke execute on function count_opportunities, drop_opportunity_counts from public;
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
