-- Settings of phone numbers, voice agents, call logs, regulatory addresses and bundles (see schema/functions/phone-jobs.sql).
CREATE TABLE "call_logs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"provider" text NOT NULL,
	"provider_call_id" text NOT NULL,
	"direction" text NOT NULL,
	"status" text NOT NULL,
	"phone_number" text NOT NULL,
	"external_phone_number" text,
	"contact_id" uuid,
	"voice_agent_config_id" uuid,
	"started_at" timestamp(3) with time zone NOT NULL,
	"ended_at" timestamp(3) with time zone,
	"duration_seconds" integer,
	"ended_reason" text,
	"recording_url" text,
	"transcript_url" text,
	"transcript" text,
	"summary" text,
	"sentiment" text,
	"is_successful" boolean,
	"stage" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "call_logs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "phone_addresses" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"customer_name" text NOT NULL,
	"street" text NOT NULL,
	"street_secondary" text,
	"city" text NOT NULL,
	"region" text NOT NULL,
	"postal_code" text NOT NULL,
	"country" text NOT NULL,
	"status" text DEFAULT 'creating' NOT NULL,
	"provider_id" text,
	"validated" boolean DEFAULT false NOT NULL,
	"due_at" timestamp(3) with time zone,
	"attempts" integer DEFAULT 1 NOT NULL,
	"error" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "phone_addresses_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "phone_bundles" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"friendly_name" text NOT NULL,
	"email" text NOT NULL,
	"country" text NOT NULL,
	"number_type" text NOT NULL,
	"end_user_type" text NOT NULL,
	"status" text DEFAULT 'creating' NOT NULL,
	"provider_id" text,
	"items" jsonb,
	"submitted_at" timestamp(3) with time zone,
	"failure_reason" text,
	"due_at" timestamp(3) with time zone,
	"attempts" integer DEFAULT 1 NOT NULL,
	"error" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "phone_bundles_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "voice_agent_configs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"provider_agent_id" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "voice_agent_configs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "transfer_number" text;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "inbound_voice_agent_config_id" uuid;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "outbound_voice_agent_config_id" uuid;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "voice_provider_last_synced_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "voice_provider_last_sync_error" text;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "voice_sync_due_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "voice_sync_attempts" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "voice_sync_turn" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "call_logs_provider_key" ON "call_logs" USING btree ("workspace_id","provider","provider_call_id");
--> statement-breakpoint
CREATE INDEX "call_logs_by_start" ON "call_logs" USING btree ("workspace_id","started_at","id");
--> statement-breakpoint
CREATE INDEX "call_logs_by_contact" ON "call_logs" USING btree ("workspace_id","contact_id","started_at","id");
--> statement-breakpoint
CREATE INDEX "call_logs_by_number" ON "call_logs" USING btree ("workspace_id","phone_number","started_at","id");
--> statement-breakpoint
CREATE INDEX "call_logs_by_external" ON "call_logs" USING btree ("workspace_id","external_phone_number","started_at","id");
--> statement-breakpoint
CREATE INDEX "call_logs_by_direction" ON "call_logs" USING btree ("workspace_id","direction","started_at","id");
--> statement-breakpoint
CREATE INDEX "call_logs_by_status" ON "call_logs" USING btree ("workspace_id","status","started_at","id");
--> statement-breakpoint
CREATE INDEX "call_logs_by_agent" ON "call_logs" USING btree ("workspace_id","voice_agent_config_id","started_at","id");
--> statement-breakpoint
CREATE INDEX "phone_addresses_by_created" ON "phone_addresses" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "phone_addresses_by_updated" ON "phone_addresses" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "phone_addresses_due" ON "phone_addresses" USING btree ("workspace_id","due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "phone_bundles_by_created" ON "phone_bundles" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "phone_bundles_by_updated" ON "phone_bundles" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "phone_bundles_due" ON "phone_bundles" USING btree ("workspace_id","due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "voice_agent_configs_by_created" ON "voice_agent_configs" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "voice_agent_configs_by_updated" ON "voice_agent_configs" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "voice_agent_configs_provider_key" ON "voice_agent_configs" USING btree ("provider_agent_id");
--> statement-breakpoint
CREATE INDEX "phone_numbers_by_inbound_agent" ON "phone_numbers" USING btree ("workspace_id","inbound_voice_agent_config_id");
--> statement-breakpoint
CREATE INDEX "phone_numbers_by_outbound_agent" ON "phone_numbers" USING btree ("workspace_id","outbound_voice_agent_config_id");
--> statement-breakpoint
CREATE INDEX "phone_numbers_sync_due" ON "phone_numbers" USING btree ("workspace_id","voice_sync_due_at") WHERE voice_sync_due_at is not null;
--> statement-breakpoint
call tenant_table('call_logs', 'select');
--> statement-breakpoint
call tenant_table('phone_addresses');
--> statement-breakpoint
call tenant_table('phone_bundles');
--> statement-breakpoint
call tenant_table('voice_agent_configs');
--> statement-breakpoint
call tenant_reference('call_logs', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('call_logs', 'voice_agent_config_id', 'voice_agent_configs', 'set null');
--> statement-breakpoint
call tenant_reference('phone_numbers', 'inbound_voice_agent_config_id', 'voice_agent_configs');
--> statement-breakpoint
call tenant_reference('phone_numbers', 'outbound_voice_agent_config_id', 'voice_agent_configs');
