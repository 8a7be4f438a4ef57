CREATE TABLE "auto_replies" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"auto_responder_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"incoming_id" uuid NOT NULL,
	"run_id" uuid,
	"category" text,
	"action" text,
	"outcome" text,
	"reason" text,
	"approval_id" uuid,
	"credits" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "auto_replies_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "auto_responders" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"identity_kind" text NOT NULL,
	"phone_number_id" uuid,
	"email_config_id" uuid,
	"identity_ref" uuid GENERATED ALWAYS AS (coalesce(phone_number_id, email_config_id)) STORED NOT NULL,
	"channel" text GENERATED ALWAYS AS (case identity_kind when 'phone' then 'sms' else 'email' end) STORED NOT NULL,
	"enabled" boolean DEFAULT false NOT NULL,
	"mode" text DEFAULT 'draft' NOT NULL,
	"instructions" text,
	"tone" text,
	"knowledge_base_id" uuid,
	"context_modules" text[] DEFAULT '{}' NOT NULL,
	"tools" text[] DEFAULT '{}' NOT NULL,
	"tool_scopes" text[] DEFAULT '{}' NOT NULL,
	"triage_actions" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"key_id" uuid,
	"error" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auto_responders_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "auto_responders_one_identity" CHECK (num_nonnulls(phone_number_id, email_config_id) = 1),
	CONSTRAINT "auto_responders_kind" CHECK ((identity_kind = 'phone') = (phone_number_id is not null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "auto_replies_open" ON "auto_replies" USING btree ("workspace_id","conversation_id") WHERE outcome is null;
--> statement-breakpoint
CREATE INDEX "auto_replies_by_conversation" ON "auto_replies" USING btree ("workspace_id","conversation_id","created_at");
--> statement-breakpoint
CREATE INDEX "auto_replies_by_responder" ON "auto_replies" USING btree ("workspace_id","auto_responder_id");
--> statement-breakpoint
CREATE INDEX "auto_replies_by_age" ON "auto_replies" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE INDEX "auto_replies_due" ON "auto_replies" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "auto_replies_due_of" ON "auto_replies" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "auto_responders_by_created" ON "auto_responders" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "auto_responders_by_updated" ON "auto_responders" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "auto_responders_by_channel" ON "auto_responders" USING btree ("workspace_id","channel","created_at","id");
--> statement-breakpoint
CREATE INDEX "auto_responders_by_enabled" ON "auto_responders" USING btree ("workspace_id","enabled","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "auto_responders_identity_key" ON "auto_responders" USING btree ("workspace_id","identity_ref");
--> statement-breakpoint
CREATE INDEX "auto_responders_by_phone_number" ON "auto_responders" USING btree ("workspace_id","phone_number_id");
--> statement-breakpoint
CREATE INDEX "auto_responders_by_email_config" ON "auto_responders" USING btree ("workspace_id","email_config_id");
--> statement-breakpoint
CREATE INDEX "auto_responders_by_base" ON "auto_responders" USING btree ("workspace_id","knowledge_base_id");
--> statement-breakpoint
call tenant_table('auto_replies');
--> statement-breakpoint
call tenant_table('auto_responders');
--> statement-breakpoint
call tenant_reference('auto_replies', 'auto_responder_id', 'auto_responders', 'cascade');
--> statement-breakpoint
call tenant_reference('auto_replies', 'conversation_id', 'conversations', 'cascade');
--> statement-breakpoint
call tenant_reference('auto_responders', 'phone_number_id', 'phone_numbers', 'cascade');
--> statement-breakpoint
call tenant_reference('auto_responders', 'email_config_id', 'email_configs', 'cascade');
--> statement-breakpoint
call tenant_reference('auto_responders', 'knowledge_base_id', 'knowledge_bases', 'set null');
