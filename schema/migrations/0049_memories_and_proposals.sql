CREATE TABLE "memories" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"contact_id" uuid,
	"customer_id" uuid,
	"opportunity_id" uuid,
	"subject_id" uuid GENERATED ALWAYS AS (coalesce(contact_id, customer_id, opportunity_id, workspace_id)) STORED NOT NULL,
	"topic" text,
	"topic_norm" text collate "C" GENERATED ALWAYS AS (norm(topic)) STORED,
	"text" text NOT NULL,
	"text_key" text GENERATED ALWAYS AS (memory_text_key(text)) STORED NOT NULL,
	"lexemes" "tsvector" GENERATED ALWAYS AS (chunk_lexemes(workspace_id, coalesce(topic || ' ', '') || text)) STORED NOT NULL,
	"source_type" text NOT NULL,
	"source_id" uuid NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"valid_until" timestamp(3) with time zone,
	"superseded_by_id" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memories_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "memories_subject" CHECK (num_nonnulls(contact_id, customer_id, opportunity_id) <= 1),
	CONSTRAINT "memories_validity" CHECK (valid_until >= valid_from)
);
--> statement-breakpoint
CREATE TABLE "memory_vectors" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid NOT NULL,
	"model" text,
	"embedding" halfvec(1024),
	"error" text,
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memory_vectors_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "memory_vectors_model" CHECK ((model is null) = (embedding is null))
);
--> statement-breakpoint
CREATE INDEX "memories_by_created" ON "memories" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "memories_by_updated" ON "memories" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "memories_by_contact" ON "memories" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "memories_by_customer" ON "memories" USING btree ("workspace_id","customer_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "memories_by_opportunity" ON "memories" USING btree ("workspace_id","opportunity_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "memories_by_source" ON "memories" USING btree ("workspace_id","source_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "memories_by_source_type" ON "memories" USING btree ("workspace_id","source_type","created_at","id");
--> statement-breakpoint
CREATE INDEX "memories_by_topic" ON "memories" USING btree ("workspace_id","subject_id","topic_norm","valid_from");
--> statement-breakpoint
CREATE INDEX "memories_by_text" ON "memories" USING btree ("workspace_id","subject_id","text_key");
--> statement-breakpoint
CREATE INDEX "memories_by_successor" ON "memories" USING btree ("workspace_id","superseded_by_id") WHERE superseded_by_id is not null;
--> statement-breakpoint
CREATE INDEX "memory_vectors_by_model" ON "memory_vectors" USING btree ("workspace_id","model","id");
--> statement-breakpoint
CREATE INDEX "memory_vectors_due" ON "memory_vectors" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "memory_vectors_due_of" ON "memory_vectors" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
call tenant_table('memories');
--> statement-breakpoint
call tenant_table('memory_vectors');
--> statement-breakpoint
call tenant_reference('memories', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('memories', 'customer_id', 'companies', 'cascade');
--> statement-breakpoint
call tenant_reference('memories', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('memories', 'superseded_by_id', 'memories', 'set null');
--> statement-breakpoint
call tenant_reference('memory_vectors', 'id', 'memories', 'cascade');
--> statement-breakpoint
-- Three vectors fit on a page, which an exact search then reads without detours. The stand-in for pgvector stores them as longer text.
do $$ begin
  if exists (select from pg_type t join pg_proc p on p.oid = t.typinput join pg_language l on l.oid = p.prolang where t.typname = 'halfvec' and l.lanname = 'c') then
    alter table memory_vectors alter column embedding set storage plain;
  end if;
end $$;
--> statement-breakpoint
CREATE TABLE "agent_proposals" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"approval_id" uuid NOT NULL,
	"operation_id" text NOT NULL,
	"grounds" jsonb NOT NULL,
	"withdrawn_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_proposals_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "agent_proposals_approval_key" ON "agent_proposals" USING btree ("workspace_id","approval_id");
--> statement-breakpoint
CREATE INDEX "agent_proposals_by_created" ON "agent_proposals" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "agent_proposals_by_operation" ON "agent_proposals" USING btree ("workspace_id","operation_id","created_at","id");
--> statement-breakpoint
call tenant_table('agent_proposals');
--> statement-breakpoint
call tenant_reference('agent_proposals', 'approval_id', 'approvals', 'cascade');
--> statement-breakpoint
create index agent_proposals_by_mention on agent_proposals using gin (mention_keys("grounds"::text)) with (gin_pending_list_limit = 256);
