CREATE TABLE "service_request_links" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"request_id" uuid NOT NULL,
	"related_id" uuid NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "service_request_links_workspace_id_request_id_related_id_pk" PRIMARY KEY("workspace_id","request_id","related_id"),
	CONSTRAINT "service_request_links_order" CHECK (request_id < related_id)
);
--> statement-breakpoint
CREATE TABLE "service_request_notes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"request_id" uuid NOT NULL,
	"user_id" uuid DEFAULT current_user_id(),
	"by_agency" boolean DEFAULT false NOT NULL,
	"content" text NOT NULL,
	"edited_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "service_request_notes_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "service_request_notices" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"request_id" uuid NOT NULL,
	"request_version" integer NOT NULL,
	"recipient" text NOT NULL,
	"changes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"error" text,
	"message_reference" jsonb,
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "service_request_notices_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "service_request_vectors" (
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
	CONSTRAINT "service_request_vectors_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "service_request_vectors_model" CHECK ((model is null) = (embedding is null))
);
--> statement-breakpoint
CREATE TABLE "service_requests" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"search_text" text collate "C" GENERATED ALWAYS AS (search_form(title || ' ' || coalesce(description, ''))) STORED NOT NULL,
	"type" text DEFAULT 'other' NOT NULL,
	"priority" text DEFAULT 'normal' NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"queue" text DEFAULT 'platform' NOT NULL,
	"context" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"related_ids" uuid[] DEFAULT '{}' NOT NULL,
	"requester_id" uuid DEFAULT current_user_id(),
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "service_requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "service_request_links_by_related" ON "service_request_links" USING btree ("workspace_id","related_id","request_id");
--> statement-breakpoint
CREATE INDEX "service_request_notes_by_request" ON "service_request_notes" USING btree ("workspace_id","request_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "service_request_notices_key" ON "service_request_notices" USING btree ("workspace_id","request_id","request_version","recipient");
--> statement-breakpoint
CREATE INDEX "service_request_notices_due" ON "service_request_notices" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "service_request_notices_due_of" ON "service_request_notices" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "service_request_vectors_by_model" ON "service_request_vectors" USING btree ("workspace_id","model","id");
--> statement-breakpoint
CREATE INDEX "service_request_vectors_due" ON "service_request_vectors" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "service_request_vectors_due_of" ON "service_request_vectors" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "service_requests_by_created" ON "service_requests" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "service_requests_by_updated" ON "service_requests" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "service_requests_by_status" ON "service_requests" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "service_requests_by_type" ON "service_requests" USING btree ("workspace_id","type","created_at","id");
--> statement-breakpoint
CREATE INDEX "service_requests_by_priority" ON "service_requests" USING btree ("workspace_id","priority","created_at","id");
--> statement-breakpoint
CREATE INDEX "service_requests_by_queue" ON "service_requests" USING btree ("workspace_id","queue","created_at","id");
--> statement-breakpoint
CREATE INDEX "service_requests_by_words" ON "service_requests" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
call tenant_table('service_request_links');
--> statement-breakpoint
call tenant_table('service_request_notes');
--> statement-breakpoint
call tenant_table('service_request_notices');
--> statement-breakpoint
call tenant_table('service_request_vectors');
--> statement-breakpoint
call tenant_table('service_requests');
--> statement-breakpoint
call tenant_reference('service_request_links', 'request_id', 'service_requests', 'cascade');
--> statement-breakpoint
call tenant_reference('service_request_links', 'related_id', 'service_requests', 'cascade');
--> statement-breakpoint
call tenant_reference('service_request_notes', 'request_id', 'service_requests', 'cascade');
--> statement-breakpoint
call tenant_reference('service_request_notices', 'request_id', 'service_requests', 'cascade');
--> statement-breakpoint
call tenant_reference('service_request_vectors', 'id', 'service_requests', 'cascade');
--> statement-breakpoint
create index service_request_notices_by_mention on service_request_notices using gin (mention_keys("changes"::text || ' ' || coalesce("message_reference"::text, ''))) with (gin_pending_list_limit = 256);
--> statement-breakpoint
-- Three vectors fit on a page, which an exact search then reads without detours. The stand-in for pgvector stores them as longer text.
do $$ begin
  if exists (select from pg_type t join pg_proc p on p.oid = t.typinput join pg_language l on l.oid = p.prolang where t.typname = 'halfvec' and l.lanname = 'c') then
    alter table service_request_vectors alter column embedding set storage plain;
  end if;
end $$;
