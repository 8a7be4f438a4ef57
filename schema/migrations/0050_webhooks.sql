CREATE TABLE "incoming_requests" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"webhook_id" uuid NOT NULL,
	"message_id" text,
	"payload" jsonb,
	"state" text DEFAULT 'received' NOT NULL,
	"result_id" uuid,
	"error_code" text,
	"error_message" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	CONSTRAINT "incoming_requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "incoming_webhooks" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"action" text NOT NULL,
	"automation_id" uuid,
	"mapping" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"match_on" text[],
	"id_path" text,
	"signature_header" text,
	"signature_encoding" text DEFAULT 'hex' NOT NULL,
	"signature_secret" text,
	"status" text DEFAULT 'enabled' NOT NULL,
	"key_id" uuid NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "incoming_webhooks_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"webhook_id" uuid NOT NULL,
	"event_id" uuid,
	"event_type" text NOT NULL,
	"record_id" uuid,
	"replay_id" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"due_at" timestamp(3) with time zone,
	"claim_id" uuid,
	"attempts" integer DEFAULT 0 NOT NULL,
	"log" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"response" jsonb,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	CONSTRAINT "webhook_deliveries_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_states" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"webhook_id" uuid NOT NULL,
	"due_at" timestamp(3) with time zone,
	"leased_until" timestamp(3) with time zone,
	"failing_since" timestamp(3) with time zone,
	"last_delivered_at" timestamp(3) with time zone,
	"last_failed_at" timestamp(3) with time zone,
	"since_xid" "xid8" NOT NULL,
	"replay_id" uuid,
	"replay_xid" "xid8",
	"replay_event_id" uuid,
	"replay_until_xid" "xid8",
	"replay_until_id" uuid,
	"replayed" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "webhook_states_workspace_id_webhook_id_pk" PRIMARY KEY("workspace_id","webhook_id")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"event_types" text[] NOT NULL,
	"filter" jsonb,
	"ordered" boolean DEFAULT false NOT NULL,
	"scopes" text[],
	"status" text DEFAULT 'enabled' NOT NULL,
	"disabled_reason" text,
	"disabled_at" timestamp(3) with time zone,
	"source" text DEFAULT 'api' NOT NULL,
	"key_id" uuid NOT NULL,
	"sealed_secret" text NOT NULL,
	"sealed_previous_secret" text,
	"previous_expires_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhooks_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "incoming_requests_by_webhook" ON "incoming_requests" USING btree ("workspace_id","webhook_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "incoming_requests_samples" ON "incoming_requests" USING btree ("workspace_id","webhook_id","id") WHERE payload is not null and state <> 'received';
--> statement-breakpoint
CREATE INDEX "incoming_requests_waiting" ON "incoming_requests" USING btree ("created_at") WHERE state = 'received';
--> statement-breakpoint
CREATE INDEX "incoming_requests_by_age" ON "incoming_requests" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE UNIQUE INDEX "incoming_requests_message_key" ON "incoming_requests" USING btree ("workspace_id","webhook_id","message_id");
--> statement-breakpoint
CREATE INDEX "incoming_webhooks_by_created" ON "incoming_webhooks" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "incoming_webhooks_by_updated" ON "incoming_webhooks" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "incoming_webhooks_by_automation" ON "incoming_webhooks" USING btree ("workspace_id","automation_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "incoming_webhooks_token" ON "incoming_webhooks" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_webhook" ON "webhook_deliveries" USING btree ("workspace_id","webhook_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_state" ON "webhook_deliveries" USING btree ("workspace_id","webhook_id","state","created_at","id");
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("workspace_id","webhook_id","due_at","id") WHERE state = 'pending';
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_of_record" ON "webhook_deliveries" USING btree ("workspace_id","webhook_id","record_id","id") WHERE state = 'pending';
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_claimed" ON "webhook_deliveries" USING btree ("workspace_id","claim_id") WHERE claim_id is not null;
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_age" ON "webhook_deliveries" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_event_key" ON "webhook_deliveries" USING btree ("workspace_id","webhook_id","event_id","replay_id");
--> statement-breakpoint
CREATE INDEX "webhook_states_due" ON "webhook_states" USING btree ("due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "webhook_states_replaying" ON "webhook_states" USING btree ("workspace_id","webhook_id") WHERE replay_id is not null;
--> statement-breakpoint
CREATE INDEX "webhooks_by_created" ON "webhooks" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "webhooks_by_updated" ON "webhooks" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "webhooks_enabled" ON "webhooks" USING btree ("workspace_id","id") WHERE status = 'enabled';
--> statement-breakpoint
call tenant_table('incoming_requests');
--> statement-breakpoint
call tenant_table('incoming_webhooks');
--> statement-breakpoint
call tenant_table('webhook_deliveries');
--> statement-breakpoint
call tenant_table('webhook_states');
--> statement-breakpoint
call tenant_table('webhooks');
--> statement-breakpoint
call tenant_reference('incoming_webhooks', 'automation_id', 'automations', 'set null');
--> statement-breakpoint
call tenant_reference('webhook_states', 'webhook_id', 'webhooks', 'cascade');
--> statement-breakpoint
create index incoming_requests_by_mention on incoming_requests using gin (mention_keys(coalesce("payload"::text, ''))) with (gin_pending_list_limit = 256);
--> statement-breakpoint
create index webhook_deliveries_by_mention on webhook_deliveries using gin (mention_keys("log"::text || ' ' || coalesce("response"::text, ''))) with (gin_pending_list_limit = 256);
