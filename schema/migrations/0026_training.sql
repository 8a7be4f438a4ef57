CREATE TABLE "training_canvases" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "training_canvases_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "training_cards" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"canvas_id" uuid NOT NULL,
	"resource_type" text NOT NULL,
	"url" text NOT NULL,
	"target_id" uuid GENERATED ALWAYS AS (case when resource_type in ('notepad', 'document', 'image', 'file') then url::uuid end) STORED,
	"title" text NOT NULL,
	"description" text,
	"sort_order" integer NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "training_cards_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "training_progress" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"card_id" uuid NOT NULL,
	"user_id" uuid DEFAULT current_user_id() NOT NULL,
	"started_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"done_at" timestamp(3) with time zone,
	CONSTRAINT "training_progress_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "training_canvases_by_created" ON "training_canvases" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "training_canvases_by_updated" ON "training_canvases" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "training_canvases_by_name" ON "training_canvases" USING btree ("workspace_id","name_norm","id");
--> statement-breakpoint
CREATE INDEX "training_cards_by_order" ON "training_cards" USING btree ("workspace_id","canvas_id","sort_order","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "training_progress_key" ON "training_progress" USING btree ("workspace_id","card_id","user_id");
--> statement-breakpoint
CREATE INDEX "training_progress_by_user" ON "training_progress" USING btree ("workspace_id","user_id","card_id");
--> statement-breakpoint
call tenant_table('training_canvases');
--> statement-breakpoint
call tenant_table('training_cards');
--> statement-breakpoint
call tenant_table('training_progress');
--> statement-breakpoint
call tenant_reference('training_cards', 'canvas_id', 'training_canvases', 'cascade');
--> statement-breakpoint
call tenant_reference('training_progress', 'card_id', 'training_cards', 'cascade');
--> statement-breakpoint
call tenant_reference('training_progress', 'user_id', 'memberships', 'cascade');
