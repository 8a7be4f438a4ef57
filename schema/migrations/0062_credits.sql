-- Credits: the balance of each workspace, its ledger, and what was used in each month (see schema/functions/credits.sql).
CREATE TABLE "credit_accounts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"balance" integer DEFAULT 0 NOT NULL,
	"reserved" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "credit_accounts_workspace_id_pk" PRIMARY KEY("workspace_id"),
	CONSTRAINT "credit_accounts_balance" CHECK (balance >= 0),
	CONSTRAINT "credit_accounts_reserved" CHECK (reserved >= 0)
);
--> statement-breakpoint
CREATE TABLE "credit_entries" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"kind" text NOT NULL,
	"amount" integer NOT NULL,
	"balance" integer NOT NULL,
	"message_id" uuid,
	"channel" text,
	"units" integer,
	"reference" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credit_entries_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "credit_usage" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"month" date NOT NULL,
	"channel" text NOT NULL,
	"messages" integer NOT NULL,
	"units" integer NOT NULL,
	"credits" integer NOT NULL,
	CONSTRAINT "credit_usage_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "sender_phone" text;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "segments" integer;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "credits" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "delivery_status" text;
--> statement-breakpoint
CREATE INDEX "credit_entries_by_created" ON "credit_entries" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "credit_entries_by_kind" ON "credit_entries" USING btree ("workspace_id","kind","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "credit_entries_message_key" ON "credit_entries" USING btree ("workspace_id","message_id","kind");
--> statement-breakpoint
CREATE UNIQUE INDEX "credit_entries_reference_key" ON "credit_entries" USING btree ("workspace_id","reference");
--> statement-breakpoint
CREATE UNIQUE INDEX "credit_usage_key" ON "credit_usage" USING btree ("workspace_id","month","channel");
--> statement-breakpoint
call tenant_table('credit_accounts', 'select');
--> statement-breakpoint
call tenant_table('credit_entries', 'select');
--> statement-breakpoint
call tenant_table('credit_usage', 'select');
