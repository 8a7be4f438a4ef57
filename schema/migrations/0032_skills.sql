CREATE TABLE "model_days" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"day" date NOT NULL,
	"subject_id" uuid NOT NULL,
	"credits" integer NOT NULL,
	CONSTRAINT "model_days_workspace_id_day_subject_id_pk" PRIMARY KEY("workspace_id","day","subject_id")
);
--> statement-breakpoint
CREATE TABLE "skill_runs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"skill_id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"output" jsonb,
	"tool_calls" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" jsonb,
	"steps" integer DEFAULT 0 NOT NULL,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"is_estimate" boolean DEFAULT false NOT NULL,
	"credits_reserved" integer NOT NULL,
	"credits" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	CONSTRAINT "skill_runs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "skills" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"model" text DEFAULT 'standard' NOT NULL,
	"system_prompt" text NOT NULL,
	"tools" text[] DEFAULT '{}' NOT NULL,
	"input_schema" jsonb,
	"output_schema" jsonb,
	"max_steps" integer NOT NULL,
	"credits_per_run" integer NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"visibility" text DEFAULT 'private' NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"credits_per_day" integer,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "skills_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "crm_settings" ADD COLUMN "model_credits_per_day" integer;
--> statement-breakpoint
CREATE INDEX "model_days_by_age" ON "model_days" USING btree ("day");
--> statement-breakpoint
CREATE INDEX "skill_runs_open" ON "skill_runs" USING btree ("created_at") WHERE status = 'running';
--> statement-breakpoint
CREATE INDEX "skill_runs_by_age" ON "skill_runs" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE UNIQUE INDEX "skills_name_key" ON "skills" USING btree ("workspace_id","name_norm");
--> statement-breakpoint
CREATE INDEX "skills_by_created" ON "skills" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "skills_by_updated" ON "skills" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
call tenant_table('model_days', 'select');
--> statement-breakpoint
call tenant_table('skill_runs', 'select');
--> statement-breakpoint
call tenant_table('skills');
--> statement-breakpoint
create index skill_runs_by_mention on skill_runs using gin (mention_keys(coalesce("output"::text, '') || ' ' || "tool_calls"::text || ' ' || coalesce("error"::text, ''))) with (gin_pending_list_limit = 256);
--> statement-breakpoint
-- Copies of the active public skills of all workspaces. Requests read all but the instructions and the owner's budget; only functions write here.
create table published_skills (
  id uuid primary key,
  owner_id uuid not null,
  name text not null,
  name_norm text collate "C" not null generated always as (norm(name)) stored,
  description text,
  model text not null,
  system_prompt text not null,
  tools text[] not null,
  input_schema jsonb,
  output_schema jsonb,
  max_steps integer not null,
  credits_per_run integer not null,
  version integer not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null
);
--> statement-breakpoint
create index published_skills_by_created on published_skills (created_at, id);
--> statement-breakpoint
create index published_skills_by_updated on published_skills (updated_at, id);
--> statement-breakpoint
create index published_skills_by_name on published_skills (name_norm, id);
--> statement-breakpoint
create index published_skills_by_owner on published_skills (owner_id, id);
--> statement-breakpoint
alter table published_skills enable row level security;
--> statement-breakpoint
alter table published_skills force row level security;
--> statement-breakpoint
create policy everyone on published_skills for select using (true);
--> statement-breakpoint
grant select (id, owner_id, name, name_norm, description, model, tools, input_schema, output_schema, max_steps, credits_per_run, version, created_at, updated_at)
  on published_skills to app;
