CREATE TABLE "list_members" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"list_id" uuid NOT NULL,
	"contact_id" uuid,
	"customer_id" uuid,
	"opportunity_id" uuid,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "list_members_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "one_record" CHECK (num_nonnulls(contact_id, customer_id, opportunity_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "lists" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED,
	"description" text,
	"object" text NOT NULL,
	"kind" text NOT NULL,
	"filter" jsonb,
	"search" text,
	"visibility" text DEFAULT 'private' NOT NULL,
	"owner_id" uuid,
	"name_scope" uuid GENERATED ALWAYS AS (case visibility when 'shared' then '00000000-0000-0000-0000-000000000000'::uuid else coalesce(owner_id, id) end) STORED NOT NULL,
	"archived" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "lists_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "lists_kind" CHECK (case kind when 'static' then num_nonnulls(filter, search) = 0 else num_nonnulls(filter, search) > 0 end)
);
--> statement-breakpoint
CREATE INDEX "list_members_by_list" ON "list_members" USING btree ("workspace_id","list_id","contact_id","customer_id","opportunity_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "list_members_contact_key" ON "list_members" USING btree ("workspace_id","contact_id","list_id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "list_members_customer_key" ON "list_members" USING btree ("workspace_id","customer_id","list_id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "list_members_opportunity_key" ON "list_members" USING btree ("workspace_id","opportunity_id","list_id") WHERE opportunity_id is not null;
--> statement-breakpoint
CREATE INDEX "lists_by_created" ON "lists" USING btree ("workspace_id","archived","created_at","id");
--> statement-breakpoint
CREATE INDEX "lists_by_updated" ON "lists" USING btree ("workspace_id","archived","updated_at","id");
--> statement-breakpoint
CREATE INDEX "lists_by_name" ON "lists" USING btree ("workspace_id","archived","name_norm","id");
--> statement-breakpoint
CREATE INDEX "lists_live" ON "lists" USING btree ("workspace_id","object","created_at","id") WHERE kind = 'live' and not archived;
--> statement-breakpoint
CREATE UNIQUE INDEX "lists_name_key" ON "lists" USING btree ("workspace_id","object","name_scope","name_norm");
--> statement-breakpoint
call tenant_table('list_members');
--> statement-breakpoint
call tenant_table('lists');
--> statement-breakpoint
call tenant_reference('list_members', 'list_id', 'lists', 'cascade');
--> statement-breakpoint
call tenant_reference('list_members', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('list_members', 'customer_id', 'companies', 'cascade');
--> statement-breakpoint
call tenant_reference('list_members', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('lists', 'owner_id', 'memberships', 'set null');

--> statement-breakpoint
-- A private list is for its owner and for members with the role client_admin, and so are its history and its events. The event of a deletion has nothing but the id.
create policy seen on lists as restrictive using (visibility = 'shared' or owner_id = (select current_user_id()) or (select sees_private_lists()));
--> statement-breakpoint
create policy seen on changes as restrictive for select using (entity <> 'list' or (select sees_private_lists())
  or exists (select from lists l where l.workspace_id = changes.workspace_id and l.id = changes.entity_id));
--> statement-breakpoint
create policy seen on outbox as restrictive for select using (entity <> 'list' or type = 'list.deleted' or (select sees_private_lists())
  or exists (select from lists l where l.workspace_id = outbox.workspace_id and l.id = outbox.entity_id));
