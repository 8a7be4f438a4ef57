CREATE TABLE "notepad_versions" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"notepad_id" uuid NOT NULL,
	"notepad_version" integer NOT NULL,
	"content" text NOT NULL,
	"content_length" integer GENERATED ALWAYS AS (char_length(content)) STORED NOT NULL,
	"content_sha256" text GENERATED ALWAYS AS (text_sha256(content)) STORED NOT NULL,
	"replaced_by" uuid DEFAULT current_user_id(),
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notepad_versions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "notepads" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"title" text NOT NULL,
	"title_norm" text collate "C" GENERATED ALWAYS AS (norm(title)) STORED NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (notepad_search_text(title, content)) STORED NOT NULL,
	"content" text DEFAULT '' NOT NULL,
	"content_length" integer GENERATED ALWAYS AS (char_length(content)) STORED NOT NULL,
	"content_sha256" text GENERATED ALWAYS AS (text_sha256(content)) STORED NOT NULL,
	"visibility" text DEFAULT 'workspace' NOT NULL,
	"access" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"owner_id" uuid DEFAULT current_user_id(),
	"readers" text[] GENERATED ALWAYS AS (notepad_parties(visibility, owner_id, access, '{read,write}')) STORED NOT NULL,
	"writers" text[] GENERATED ALWAYS AS (notepad_parties(visibility, owner_id, access, '{write}')) STORED NOT NULL,
	"private_to" uuid GENERATED ALWAYS AS (case when visibility <> 'workspace' then owner_id end) STORED,
	"contact_id" uuid,
	"customer_id" uuid,
	"opportunity_id" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notepads_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "notepads_content" CHECK (octet_length(content) <= 1000000),
	CONSTRAINT "notepads_access" CHECK ((visibility = 'restricted') = (access <> '[]')),
	CONSTRAINT "notepads_owner" CHECK (visibility = 'workspace' or owner_id is not null)
);
--> statement-breakpoint
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
CREATE INDEX "notepad_versions_by_created" ON "notepad_versions" USING btree ("workspace_id","notepad_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "notepads_by_created" ON "notepads" USING btree ("workspace_id","visibility","created_at","id");
--> statement-breakpoint
CREATE INDEX "notepads_by_updated" ON "notepads" USING btree ("workspace_id","visibility","updated_at","id");
--> statement-breakpoint
CREATE INDEX "notepads_by_title" ON "notepads" USING btree ("workspace_id","visibility","title_norm","id");
--> statement-breakpoint
CREATE INDEX "notepads_own_by_created" ON "notepads" USING btree ("workspace_id","owner_id","visibility","created_at","id");
--> statement-breakpoint
CREATE INDEX "notepads_own_by_updated" ON "notepads" USING btree ("workspace_id","owner_id","visibility","updated_at","id");
--> statement-breakpoint
CREATE INDEX "notepads_own_by_title" ON "notepads" USING btree ("workspace_id","owner_id","visibility","title_norm","id");
--> statement-breakpoint
CREATE INDEX "notepads_by_contact" ON "notepads" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "notepads_by_customer" ON "notepads" USING btree ("workspace_id","customer_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "notepads_by_opportunity" ON "notepads" USING btree ("workspace_id","opportunity_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "notepads_by_words" ON "notepads" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
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
call tenant_table('notepad_versions');
--> statement-breakpoint
call tenant_table('notepads');
--> statement-breakpoint
call tenant_table('training_canvases');
--> statement-breakpoint
call tenant_table('training_cards');
--> statement-breakpoint
call tenant_table('training_progress');
--> statement-breakpoint
call tenant_reference('notepad_versions', 'notepad_id', 'notepads', 'cascade');
--> statement-breakpoint
call tenant_reference('notepads', 'owner_id', 'memberships');
--> statement-breakpoint
call tenant_reference('notepads', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('notepads', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('notepads', 'opportunity_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('training_cards', 'canvas_id', 'training_canvases', 'cascade');
--> statement-breakpoint
call tenant_reference('training_progress', 'card_id', 'training_cards', 'cascade');
--> statement-breakpoint
call tenant_reference('training_progress', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
revoke insert, update, delete on notepad_versions from app;
--> statement-breakpoint
create policy seen on notepads as restrictive using (sees_notepad(readers, (select caller_parties())));
--> statement-breakpoint
create policy seen on notepad_versions as restrictive using (exists (select from notepads n
  where n.workspace_id = notepad_versions.workspace_id and n.id = notepad_versions.notepad_id));
--> statement-breakpoint
-- Of notepads these policies decide nothing: those after them do.
alter policy personal on changes using (private_to is null or entity = 'notepad' or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
alter policy personal on outbox using (private_to is null or entity = 'notepad' or private_to = (select current_person()) or (select sees_personal_email()));
--> statement-breakpoint
-- The history of a notepad is for those who see it; that it was deleted, for those who saw it then: every member, or its owner.
create policy notepads on changes as restrictive for select using (entity <> 'notepad' or (select caller_parties()) is null
  or (action = 'deleted' and (private_to is null or private_to = (select current_person())))
  or exists (select from notepads n where n.workspace_id = changes.workspace_id and n.id = changes.entity_id));
--> statement-breakpoint
create policy notepads on outbox as restrictive for select using (entity <> 'notepad' or (select caller_parties()) is null
  or (type = 'notepad.deleted' and (private_to is null or private_to = (select current_person())))
  or exists (select from notepads n where n.workspace_id = outbox.workspace_id and n.id = outbox.entity_id));
