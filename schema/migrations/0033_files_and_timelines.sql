-- Contacts and companies have files, as opportunities do.
ALTER TABLE "attachments" ALTER COLUMN "opportunity_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "attachments" ADD COLUMN "contact_id" uuid, ADD COLUMN "customer_id" uuid,
  ADD CONSTRAINT "one_record" CHECK (num_nonnulls(opportunity_id, contact_id, customer_id) = 1);
--> statement-breakpoint
CREATE INDEX "attachments_by_contact" ON "attachments" USING btree ("workspace_id","contact_id","created_at","id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE INDEX "attachments_by_customer" ON "attachments" USING btree ("workspace_id","customer_id","created_at","id") WHERE customer_id is not null;
--> statement-breakpoint
call tenant_reference('attachments', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('attachments', 'customer_id', 'companies', 'cascade');
--> statement-breakpoint
-- The changes that timelines show, now also those of contacts and companies.
ALTER TABLE "opportunity_changes" RENAME TO "timeline_changes";
--> statement-breakpoint
ALTER TABLE "timeline_changes" RENAME COLUMN "opportunity_id" TO "record_id";
--> statement-breakpoint
ALTER TABLE "timeline_changes" RENAME CONSTRAINT "opportunity_changes_workspace_id_opportunity_id_at_change_id_pk" TO "timeline_changes_workspace_id_record_id_at_change_id_pk";
--> statement-breakpoint
ALTER INDEX "opportunity_changes_by_age" RENAME TO "timeline_changes_by_age";
--> statement-breakpoint
insert into timeline_changes (workspace_id, record_id, at, change_id)
  select workspace_id, entity_id, at, id from changes where entity in ('contact', 'company');
--> statement-breakpoint
-- The stage moves that the timelines of contacts and companies show.
CREATE TABLE "timeline_moves" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"record_id" uuid NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"move_id" uuid NOT NULL,
	CONSTRAINT "timeline_moves_workspace_id_record_id_at_move_id_pk" PRIMARY KEY("workspace_id","record_id","at","move_id")
);
--> statement-breakpoint
call tenant_table('timeline_moves', 'select');
--> statement-breakpoint
insert into timeline_moves (workspace_id, record_id, at, move_id)
  select m.workspace_id, o.customer_id, m.moved_at, m.id from stage_moves m
    join opportunities o on o.workspace_id = m.workspace_id and o.id = m.opportunity_id where o.customer_id is not null
  union all select m.workspace_id, l.contact_id, m.moved_at, m.id from stage_moves m
    join opportunity_contacts l on l.workspace_id = m.workspace_id and l.opportunity_id = m.opportunity_id;
--> statement-breakpoint
-- Its result has another column: by which field a record was matched.
drop function if exists match_records(jsonb, jsonb);
