CREATE TABLE "campaign_recipients" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"campaign_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"email" text collate "C" NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"batch_id" uuid,
	"reconciling" boolean DEFAULT false NOT NULL,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"provider_message_id" text,
	"error" text,
	"sent_at" timestamp(3) with time zone,
	"delivered_at" timestamp(3) with time zone,
	"opened_at" timestamp(3) with time zone,
	"clicked_at" timestamp(3) with time zone,
	"bounced_at" timestamp(3) with time zone,
	"complained_at" timestamp(3) with time zone,
	"unsubscribed_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaign_recipients_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "campaign_sends" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"campaign_id" uuid NOT NULL,
	"due_at" timestamp(3) with time zone,
	"last_id" uuid,
	"is_resolved" boolean DEFAULT false NOT NULL,
	"audience_size" integer DEFAULT 0 NOT NULL,
	"skipped" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"hour_began_at" timestamp(3) with time zone,
	"hour_count" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "campaign_sends_workspace_id_campaign_id_pk" PRIMARY KEY("workspace_id","campaign_id")
);
--> statement-breakpoint
CREATE TABLE "email_campaigns" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"subject" text,
	"body_html" text,
	"segment_filter" jsonb,
	"max_per_hour" integer,
	"status" text DEFAULT 'draft' NOT NULL,
	"scheduled_at" timestamp(3) with time zone,
	"started_at" timestamp(3) with time zone,
	"ended_at" timestamp(3) with time zone,
	"error" jsonb,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_campaigns_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "unsubscribes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"email" text NOT NULL,
	"contact_id" uuid,
	"campaign_id" uuid,
	"reason" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "unsubscribes_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_recipients_address_key" ON "campaign_recipients" USING btree ("workspace_id","campaign_id","email");
--> statement-breakpoint
CREATE INDEX "campaign_recipients_by_created" ON "campaign_recipients" USING btree ("workspace_id","campaign_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "campaign_recipients_by_status" ON "campaign_recipients" USING btree ("workspace_id","campaign_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "campaign_recipients_by_contact" ON "campaign_recipients" USING btree ("workspace_id","contact_id");
--> statement-breakpoint
CREATE INDEX "campaign_recipients_due" ON "campaign_recipients" USING btree ("workspace_id","campaign_id","due_at","id") WHERE due_at is not null and batch_id is null;
--> statement-breakpoint
CREATE INDEX "campaign_recipients_open" ON "campaign_recipients" USING btree ("workspace_id","campaign_id","due_at","id") WHERE batch_id is not null;
--> statement-breakpoint
CREATE INDEX "campaign_sends_by_campaign" ON "campaign_sends" USING btree ("workspace_id","campaign_id");
--> statement-breakpoint
CREATE INDEX "campaign_sends_due" ON "campaign_sends" USING btree ("due_at","workspace_id","campaign_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "email_campaigns_by_created" ON "email_campaigns" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "email_campaigns_by_updated" ON "email_campaigns" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "email_campaigns_by_status" ON "email_campaigns" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "unsubscribes_key" ON "unsubscribes" USING btree ("workspace_id","email","campaign_id","reason");
--> statement-breakpoint
CREATE INDEX "unsubscribes_by_created" ON "unsubscribes" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "unsubscribes_by_campaign" ON "unsubscribes" USING btree ("workspace_id","campaign_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "unsubscribes_by_reason" ON "unsubscribes" USING btree ("workspace_id","reason","created_at","id");
--> statement-breakpoint
CREATE INDEX "unsubscribes_by_contact" ON "unsubscribes" USING btree ("workspace_id","contact_id");
--> statement-breakpoint
call tenant_table('campaign_recipients');
--> statement-breakpoint
call tenant_table('campaign_sends');
--> statement-breakpoint
call tenant_table('email_campaigns');
--> statement-breakpoint
call tenant_table('unsubscribes');
--> statement-breakpoint
call tenant_reference('campaign_recipients', 'campaign_id', 'email_campaigns', 'cascade');
--> statement-breakpoint
call tenant_reference('campaign_recipients', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('campaign_sends', 'campaign_id', 'email_campaigns', 'cascade');
--> statement-breakpoint
call tenant_reference('unsubscribes', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('unsubscribes', 'campaign_id', 'email_campaigns', 'set null');
--> statement-breakpoint
create index campaign_sends_by_mention on campaign_sends using gin (mention_keys("skipped"::text || ' ' || "counts"::text)) with (gin_pending_list_limit = 256);
