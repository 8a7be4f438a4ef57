CREATE TABLE "dead_letters" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"queue" text NOT NULL,
	"type" text,
	"message" jsonb NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"last_failed_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"replayed_at" timestamp(3) with time zone,
	CONSTRAINT "dead_letters_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "dead_letters_by_created" ON "dead_letters" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "dead_letters_by_queue" ON "dead_letters" USING btree ("workspace_id","queue","created_at","id");
--> statement-breakpoint
CREATE INDEX "dead_letters_by_status" ON "dead_letters" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "dead_letters_by_queue_and_status" ON "dead_letters" USING btree ("workspace_id","queue","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "dead_letters_by_age" ON "dead_letters" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE UNIQUE INDEX "dead_letters_open_key" ON "dead_letters" USING btree ("workspace_id","queue","message") WHERE status = 'open';
--> statement-breakpoint
call tenant_table('dead_letters');
--> statement-breakpoint
create index dead_letters_by_mention on dead_letters using gin (mention_keys("message"::text)) with (gin_pending_list_limit = 256);
