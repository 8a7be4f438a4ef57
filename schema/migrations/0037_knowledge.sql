CREATE TABLE "knowledge_agents" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"knowledge_base_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "knowledge_agents_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "knowledge_bases" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"auto_resync_enabled" boolean DEFAULT false NOT NULL,
	"auto_resync_hours" integer DEFAULT 24 NOT NULL,
	"help_center_url" text,
	"last_syncs" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "knowledge_bases_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "knowledge_chunks" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"entry_id" uuid NOT NULL,
	"rank" integer NOT NULL,
	"heading_path" text[] NOT NULL,
	"text" text NOT NULL,
	"sha256" text NOT NULL,
	"lexemes" "tsvector" NOT NULL,
	"word_count" integer NOT NULL,
	"model" text NOT NULL,
	"embedding" halfvec(1024) NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "knowledge_chunks_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "knowledge_copies" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"knowledge_base_id" uuid,
	"provider_kb_id" text,
	"is_kept" boolean DEFAULT false NOT NULL,
	"imported_urls" text[] DEFAULT '{}' NOT NULL,
	"provider_keys" text[] DEFAULT '{}' NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"error" text,
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "knowledge_copies_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "knowledge_entries" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"knowledge_base_id" uuid,
	"source" text NOT NULL,
	"source_key" text,
	"title" text NOT NULL,
	"url" text,
	"text" text DEFAULT '' NOT NULL,
	"text_length" integer GENERATED ALWAYS AS (char_length(text)) STORED NOT NULL,
	"text_sha256" text GENERATED ALWAYS AS (text_sha256(text)) STORED NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"error" text,
	"chunk_count" integer DEFAULT 0 NOT NULL,
	"etag" text,
	"source_sha256" text,
	"synced_at" timestamp(3) with time zone,
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "knowledge_entries_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_agents_key" ON "knowledge_agents" USING btree ("workspace_id","knowledge_base_id","agent_id");
--> statement-breakpoint
CREATE INDEX "knowledge_agents_by_base" ON "knowledge_agents" USING btree ("workspace_id","knowledge_base_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "knowledge_agents_by_agent" ON "knowledge_agents" USING btree ("workspace_id","agent_id","knowledge_base_id");
--> statement-breakpoint
CREATE INDEX "knowledge_bases_by_created" ON "knowledge_bases" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "knowledge_bases_by_updated" ON "knowledge_bases" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "knowledge_chunks_by_entry" ON "knowledge_chunks" USING btree ("workspace_id","entry_id","rank");
--> statement-breakpoint
CREATE INDEX "knowledge_chunks_by_words" ON "knowledge_chunks" USING gin ("lexemes") WITH (fastupdate=false);
--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_copies_base_key" ON "knowledge_copies" USING btree ("workspace_id","knowledge_base_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_copies_provider_key" ON "knowledge_copies" USING btree ("provider_kb_id");
--> statement-breakpoint
CREATE INDEX "knowledge_copies_by_created" ON "knowledge_copies" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "knowledge_copies_due" ON "knowledge_copies" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "knowledge_copies_due_of" ON "knowledge_copies" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "knowledge_entries_by_created" ON "knowledge_entries" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "knowledge_entries_by_updated" ON "knowledge_entries" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "knowledge_entries_by_base" ON "knowledge_entries" USING btree ("workspace_id","knowledge_base_id","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "knowledge_entries_source_key" ON "knowledge_entries" USING btree ("workspace_id","knowledge_base_id","source","source_key");
--> statement-breakpoint
CREATE INDEX "knowledge_entries_due" ON "knowledge_entries" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "knowledge_entries_due_of" ON "knowledge_entries" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
call tenant_table('knowledge_agents');
--> statement-breakpoint
call tenant_table('knowledge_bases');
--> statement-breakpoint
call tenant_table('knowledge_chunks');
--> statement-breakpoint
call tenant_table('knowledge_copies');
--> statement-breakpoint
call tenant_table('knowledge_entries');
--> statement-breakpoint
call tenant_reference('knowledge_agents', 'knowledge_base_id', 'knowledge_bases', 'cascade');
--> statement-breakpoint
call tenant_reference('knowledge_agents', 'agent_id', 'voice_agent_configs', 'cascade');
--> statement-breakpoint
call tenant_reference('knowledge_chunks', 'entry_id', 'knowledge_entries', 'cascade');
--> statement-breakpoint
call tenant_reference('knowledge_copies', 'knowledge_base_id', 'knowledge_bases', 'set null');
--> statement-breakpoint
call tenant_reference('knowledge_entries', 'knowledge_base_id', 'knowledge_bases', 'set null');
--> statement-breakpoint
-- Three vectors fit on a page, which an exact search then reads without detours. The stand-in for pgvector stores them as longer text.
do $$ begin
  if exists (select from pg_type t join pg_proc p on p.oid = t.typinput join pg_language l on l.oid = p.prolang where t.typname = 'halfvec' and l.lanname = 'c') then
    alter table knowledge_chunks alter column embedding set storage plain;
  end if;
end $$;
