CREATE TABLE "agent_tool_keys" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"agent_id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"sealed_key" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_tool_keys_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "agent_versions" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"agent_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"content" jsonb NOT NULL,
	"tool_scopes" text[] DEFAULT '{}' NOT NULL,
	"status" text NOT NULL,
	"error" text,
	"provider_version" integer,
	"published_at" timestamp(3) with time zone,
	"published_by" uuid DEFAULT current_user_id(),
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_versions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "transcripts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"audio_url" text NOT NULL,
	"contact_id" uuid,
	"opportunity_id" uuid,
	"language" text,
	"status" text DEFAULT 'queued' NOT NULL,
	"error" text,
	"duration_seconds" numeric(14, 4),
	"credits" integer DEFAULT 0 NOT NULL,
	"credits_charged" integer DEFAULT 0 NOT NULL,
	"entries" jsonb,
	"is_truncated" boolean DEFAULT false NOT NULL,
	"activity_id" uuid,
	"provider_request_id" text,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "transcripts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "transcripts_charged" CHECK (credits_charged between 0 and credits)
);
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ALTER COLUMN "provider_agent_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "call_logs" ADD COLUMN "agent_version" integer;
--> statement-breakpoint
ALTER TABLE "call_logs" ADD COLUMN "tool_calls" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "call_logs" ADD COLUMN "cost_cents" numeric(14, 4);
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "type" text DEFAULT 'voice' NOT NULL;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "is_external" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "language" text DEFAULT 'en-AU' NOT NULL;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "prompt" text DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "greeting" text;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "voice_id" text;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "model" text;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "tools" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "tool_scopes" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "event_type_id" uuid;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "transfer_number" text;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "status" text DEFAULT 'published' NOT NULL;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "published_version" integer;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "published_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "publish_error" text;
--> statement-breakpoint
ALTER TABLE "voice_agent_configs" ADD COLUMN "provider_version" integer;
--> statement-breakpoint
CREATE UNIQUE INDEX "agent_tool_keys_key" ON "agent_tool_keys" USING btree ("workspace_id","agent_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "agent_versions_number_key" ON "agent_versions" USING btree ("workspace_id","agent_id","number");
--> statement-breakpoint
CREATE INDEX "agent_versions_due" ON "agent_versions" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "agent_versions_due_of" ON "agent_versions" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "transcripts_by_created" ON "transcripts" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "transcripts_by_updated" ON "transcripts" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "transcripts_by_contact" ON "transcripts" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "transcripts_by_opportunity" ON "transcripts" USING btree ("workspace_id","opportunity_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "transcripts_by_status" ON "transcripts" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "transcripts_by_activity" ON "transcripts" USING btree ("workspace_id","activity_id");
--> statement-breakpoint
CREATE INDEX "transcripts_unpaid" ON "transcripts" USING btree ("workspace_id","id") WHERE credits_charged < credits;
--> statement-breakpoint
CREATE INDEX "transcripts_due" ON "transcripts" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "transcripts_due_of" ON "transcripts" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
call tenant_table('agent_tool_keys');
--> statement-breakpoint
call tenant_table('agent_versions');
--> statement-breakpoint
call tenant_table('transcripts');
--> statement-breakpoint
call tenant_reference('agent_tool_keys', 'agent_id', 'voice_agent_configs', 'cascade');
--> statement-breakpoint
call tenant_reference('agent_versions', 'agent_id', 'voice_agent_configs', 'cascade');
--> statement-breakpoint
call tenant_reference('voice_agent_configs', 'event_type_id', 'scheduled_event_types', 'set null');
--> statement-breakpoint
call tenant_reference('transcripts', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('transcripts', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('transcripts', 'activity_id', 'activities', 'set null');
--> statement-breakpoint
create index agent_versions_by_mention on agent_versions using gin (mention_keys("content"::text)) with (gin_pending_list_limit = 256);
