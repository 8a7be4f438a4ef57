-- The send ledger, the suppression list and birthday messages (see schema/functions/messages.sql and birthdays.sql).
CREATE TABLE "birthday_counts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"day" date NOT NULL,
	"channel" text NOT NULL,
	"result" text NOT NULL,
	"contacts" integer NOT NULL,
	CONSTRAINT "birthday_counts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "birthday_deliveries" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"contact_id" uuid NOT NULL,
	"year" smallint NOT NULL,
	"channel" text NOT NULL,
	"day" date NOT NULL,
	"result" text NOT NULL,
	"message_id" uuid,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "birthday_deliveries_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "birthday_schedules" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"next_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "birthday_schedules_workspace_id_pk" PRIMARY KEY("workspace_id")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"channel" text NOT NULL,
	"purpose" text NOT NULL,
	"contact_id" uuid,
	"recipient" text NOT NULL,
	"subject" text,
	"body_text" text NOT NULL,
	"body_html" text,
	"dedupe_key" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"expires_at" timestamp(3) with time zone,
	"provider_message_id" text,
	"error" text,
	"sent_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "messages_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "suppressions" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"channel" text NOT NULL,
	"address" text NOT NULL,
	"reason" text NOT NULL,
	"note" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "suppressions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "birthday" smallint GENERATED ALWAYS AS ((extract(month from date_of_birth) * 100 + extract(day from date_of_birth))::smallint) STORED;
--> statement-breakpoint
ALTER TABLE "crm_settings" ADD COLUMN "quiet_hours" jsonb DEFAULT '{"from":"20:00","to":"08:00"}'::jsonb;
--> statement-breakpoint
CREATE UNIQUE INDEX "birthday_counts_key" ON "birthday_counts" USING btree ("workspace_id","day","channel","result");
--> statement-breakpoint
CREATE INDEX "birthday_counts_by_day" ON "birthday_counts" USING btree ("workspace_id","day","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "birthday_deliveries_key" ON "birthday_deliveries" USING btree ("workspace_id","contact_id","year","channel");
--> statement-breakpoint
CREATE INDEX "birthday_deliveries_by_created" ON "birthday_deliveries" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "birthday_deliveries_by_day" ON "birthday_deliveries" USING btree ("workspace_id","day","created_at","id");
--> statement-breakpoint
CREATE INDEX "birthday_deliveries_by_message" ON "birthday_deliveries" USING btree ("workspace_id","message_id");
--> statement-breakpoint
CREATE INDEX "birthday_schedules_due" ON "birthday_schedules" USING btree ("next_at");
--> statement-breakpoint
CREATE INDEX "messages_by_created" ON "messages" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "messages_by_updated" ON "messages" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "messages_by_contact" ON "messages" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "messages_by_channel" ON "messages" USING btree ("workspace_id","channel","created_at","id");
--> statement-breakpoint
CREATE INDEX "messages_by_purpose" ON "messages" USING btree ("workspace_id","purpose","created_at","id");
--> statement-breakpoint
CREATE INDEX "messages_by_status" ON "messages" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "messages_due" ON "messages" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "messages_dedupe_key" ON "messages" USING btree ("workspace_id","dedupe_key");
--> statement-breakpoint
CREATE INDEX "suppressions_by_created" ON "suppressions" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "suppressions_by_updated" ON "suppressions" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "suppressions_by_channel" ON "suppressions" USING btree ("workspace_id","channel","created_at","id");
--> statement-breakpoint
CREATE INDEX "suppressions_by_address" ON "suppressions" USING btree ("workspace_id","address","created_at","id");
--> statement-breakpoint
CREATE INDEX "suppressions_by_reason" ON "suppressions" USING btree ("workspace_id","reason","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "suppressions_address_key" ON "suppressions" USING btree ("workspace_id","channel","address");
--> statement-breakpoint
CREATE INDEX "contacts_by_birthday" ON "contacts" USING btree ("workspace_id","birthday","id","local_zone") WHERE birthday is not null;
--> statement-breakpoint
alter table birthday_schedules add foreign key (workspace_id) references workspaces on delete cascade;
--> statement-breakpoint
call tenant_table('birthday_counts', 'select');
--> statement-breakpoint
call tenant_table('birthday_deliveries', 'select');
--> statement-breakpoint
call tenant_table('birthday_schedules', 'select');
--> statement-breakpoint
call tenant_table('messages', 'select');
--> statement-breakpoint
call tenant_table('suppressions');
--> statement-breakpoint
call tenant_reference('birthday_deliveries', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('birthday_deliveries', 'message_id', 'messages', 'set null');
--> statement-breakpoint
call tenant_reference('messages', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
insert into birthday_schedules (workspace_id, next_at) select workspace_id, '-infinity' from crm_settings where birthday_messages <> '[]';
