CREATE TABLE "document_template_sections" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"template_id" uuid NOT NULL,
	"type" text NOT NULL,
	"title" text,
	"content" jsonb NOT NULL,
	"content_length" integer NOT NULL,
	"content_sha256" text NOT NULL,
	"file_id" uuid,
	"position" integer NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_template_sections_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "document_templates" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"description" text,
	"document_type" text,
	"revision" integer DEFAULT 1 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_templates_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "documents" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (search_form(name || coalesce(' ' || folder, ''))) STORED NOT NULL,
	"folder" text collate "C",
	"document_type" text,
	"file_id" uuid,
	"contact_id" uuid,
	"customer_id" uuid,
	"opportunity_id" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "documents_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"content_type" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text NOT NULL,
	"width" integer,
	"height" integer,
	"state" text DEFAULT 'stored' NOT NULL,
	"uploaded_by" uuid DEFAULT current_user_id(),
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "files_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "storage_reservations" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"bytes" bigint NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "storage_reservations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "storage_usage" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"stored_bytes" bigint DEFAULT 0 NOT NULL,
	"quota_bytes" bigint DEFAULT 10737418240 NOT NULL,
	CONSTRAINT "storage_usage_workspace_id_pk" PRIMARY KEY("workspace_id"),
	CONSTRAINT "storage_usage_bytes" CHECK (stored_bytes >= 0)
);
--> statement-breakpoint
CREATE INDEX "document_template_sections_by_position" ON "document_template_sections" USING btree ("workspace_id","template_id","position","id");
--> statement-breakpoint
CREATE INDEX "document_template_sections_by_file" ON "document_template_sections" USING btree ("workspace_id","file_id","id");
--> statement-breakpoint
CREATE INDEX "document_templates_by_created" ON "document_templates" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "document_templates_by_updated" ON "document_templates" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "document_templates_by_name" ON "document_templates" USING btree ("workspace_id","name_norm","id");
--> statement-breakpoint
CREATE INDEX "document_templates_by_type" ON "document_templates" USING btree ("workspace_id","document_type","created_at","id");
--> statement-breakpoint
CREATE INDEX "documents_by_created" ON "documents" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "documents_by_updated" ON "documents" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "documents_by_name" ON "documents" USING btree ("workspace_id","name_norm","id");
--> statement-breakpoint
CREATE INDEX "documents_by_folder" ON "documents" USING btree ("workspace_id","folder","created_at","id");
--> statement-breakpoint
CREATE INDEX "documents_by_type" ON "documents" USING btree ("workspace_id","document_type","created_at","id");
--> statement-breakpoint
CREATE INDEX "documents_by_file" ON "documents" USING btree ("workspace_id","file_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "documents_by_contact" ON "documents" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "documents_by_customer" ON "documents" USING btree ("workspace_id","customer_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "documents_by_opportunity" ON "documents" USING btree ("workspace_id","opportunity_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "documents_by_words" ON "documents" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE INDEX "files_by_created" ON "files" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "files_by_updated" ON "files" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "files_by_type" ON "files" USING btree ("workspace_id","type","created_at","id");
--> statement-breakpoint
call tenant_table('document_template_sections');
--> statement-breakpoint
call tenant_table('document_templates');
--> statement-breakpoint
call tenant_table('documents');
--> statement-breakpoint
call tenant_table('files');
--> statement-breakpoint
call tenant_table('storage_reservations');
--> statement-breakpoint
call tenant_table('storage_usage');
--> statement-breakpoint
call tenant_reference('document_template_sections', 'template_id', 'document_templates', 'cascade');
--> statement-breakpoint
call tenant_reference('document_template_sections', 'file_id', 'files');
--> statement-breakpoint
call tenant_reference('documents', 'file_id', 'files');
--> statement-breakpoint
call tenant_reference('documents', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('documents', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('documents', 'opportunity_id', 'opportunities', 'set null');
--> statement-breakpoint
revoke insert, update, delete on storage_reservations, storage_usage from app;
--> statement-breakpoint
-- Images that anybody has uploaded belong to no workspace. Only functions read and write these two tables.
create table public_images (
  sha256 text primary key,
  extension text not null,
  size integer not null,
  uploaded_at timestamp(3) with time zone not null default now(),
  checked_at timestamp(3) with time zone not null default now()
);
--> statement-breakpoint
create index public_images_by_check on public_images (checked_at);
--> statement-breakpoint
-- A row for each upload and each of its sources, which are the digests of an address and of a browser's fingerprint.
create table public_image_uploads (
  id uuid not null,
  source text not null,
  sha256 text not null,
  context text not null,
  uploaded_at timestamp(3) with time zone not null default clock_timestamp(),
  primary key (id, source)
);
--> statement-breakpoint
create index public_image_uploads_by_source on public_image_uploads (source, uploaded_at);
--> statement-breakpoint
create index public_image_uploads_by_time on public_image_uploads (uploaded_at);
--> statement-breakpoint
alter table public_images enable row level security;
--> statement-breakpoint
alter table public_images force row level security;
--> statement-breakpoint
alter table public_image_uploads enable row level security;
--> statement-breakpoint
alter table public_image_uploads force row level security;
--> statement-breakpoint
insert into storage_usage (workspace_id, stored_bytes) select workspace_id, sum(size) from attachments group by workspace_id;
