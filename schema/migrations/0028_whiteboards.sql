CREATE TABLE "whiteboard_elements" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"whiteboard_id" uuid NOT NULL,
	"element_id" text NOT NULL,
	"added" integer NOT NULL,
	"removed" integer,
	"index_key" text collate "C" NOT NULL,
	"data" json NOT NULL,
	CONSTRAINT "whiteboard_elements_workspace_id_whiteboard_id_element_id_added_pk" PRIMARY KEY("workspace_id","whiteboard_id","element_id","added")
);
--> statement-breakpoint
CREATE TABLE "whiteboard_scenes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"whiteboard_id" uuid NOT NULL,
	"generation" integer NOT NULL,
	"app_state" json NOT NULL,
	"files" json NOT NULL,
	"element_count" integer DEFAULT 0 NOT NULL,
	"content_length" integer DEFAULT 0 NOT NULL,
	"content_sha256" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"replaced_at" timestamp(3) with time zone,
	"replaced_by" uuid,
	CONSTRAINT "whiteboard_scenes_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "whiteboards" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (search_form(name)) STORED NOT NULL,
	"description" text,
	"opportunity_id" uuid,
	"element_count" integer DEFAULT 0 NOT NULL,
	"content_length" integer DEFAULT 0 NOT NULL,
	"content_sha256" text,
	"generation" integer DEFAULT 0 NOT NULL,
	"next_index" bigint DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "whiteboards_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "whiteboard_elements_current_key" ON "whiteboard_elements" USING btree ("workspace_id","whiteboard_id","element_id") WHERE removed is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "whiteboard_scenes_generation_key" ON "whiteboard_scenes" USING btree ("workspace_id","whiteboard_id","generation");
--> statement-breakpoint
CREATE INDEX "whiteboards_by_created" ON "whiteboards" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "whiteboards_by_updated" ON "whiteboards" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "whiteboards_by_name" ON "whiteboards" USING btree ("workspace_id","name_norm","id");
--> statement-breakpoint
CREATE INDEX "whiteboards_by_opportunity" ON "whiteboards" USING btree ("workspace_id","opportunity_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "whiteboards_by_words" ON "whiteboards" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
call tenant_table('whiteboard_elements');
--> statement-breakpoint
call tenant_table('whiteboard_scenes');
--> statement-breakpoint
call tenant_table('whiteboards');
--> statement-breakpoint
call tenant_reference('whiteboards', 'opportunity_id', 'opportunities', 'set null');
