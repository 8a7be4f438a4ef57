-- Several contacts take part in an activity: beside the main one (contact_id) those of these rows, whose occurred_at is that of the activity.
CREATE TABLE "activity_contacts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"activity_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"rank" integer DEFAULT 0 NOT NULL,
	"occurred_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "activity_contacts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "activity_contacts_by_activity" ON "activity_contacts" USING btree ("workspace_id","activity_id","rank","id");
--> statement-breakpoint
CREATE INDEX "activity_contacts_by_contact" ON "activity_contacts" USING btree ("workspace_id","contact_id","occurred_at","activity_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "activity_contacts_pair_key" ON "activity_contacts" USING btree ("workspace_id","contact_id","activity_id");
--> statement-breakpoint
call tenant_table('activity_contacts');
--> statement-breakpoint
call tenant_reference('activity_contacts', 'activity_id', 'activities', 'cascade');
--> statement-breakpoint
call tenant_reference('activity_contacts', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "contact_ids" uuid[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
alter table activities disable trigger user;
--> statement-breakpoint
update activities set contact_ids = array[contact_id] where contact_id is not null;
--> statement-breakpoint
alter table activities enable trigger user;
--> statement-breakpoint
-- An activity may have no main contact: its contact was deleted, and others took part.
ALTER TABLE "activities" ADD COLUMN "has_others" boolean GENERATED ALWAYS AS (cardinality(contact_ids) > num_nonnulls(contact_id)) STORED NOT NULL;
--> statement-breakpoint
alter table activities drop constraint contact_id, add constraint contact_id check (num_nonnulls(contact_id, customer_id, deal_id) > 0 or has_others);
--> statement-breakpoint
-- Tasks have a type, a reminder and a recurrence. The tasks of a series are numbered.
ALTER TABLE "tasks" ADD COLUMN "task_type" text DEFAULT 'to_do' NOT NULL,
  ADD COLUMN "reminder_at" timestamp(3) with time zone,
  ADD COLUMN "reminded_at" timestamp(3) with time zone,
  ADD COLUMN "recurrence" jsonb,
  ADD COLUMN "series_id" uuid,
  ADD COLUMN "occurrence" integer;
--> statement-breakpoint
CREATE INDEX "tasks_by_type" ON "tasks" USING btree ("workspace_id","task_type","archived","created_at","id");
--> statement-breakpoint
CREATE INDEX "tasks_by_series" ON "tasks" USING btree ("workspace_id","series_id","archived","created_at","id") WHERE series_id is not null;
--> statement-breakpoint
CREATE INDEX "tasks_reminders" ON "tasks" USING btree ("reminder_at","id") WHERE reminder_at is not null and reminded_at is null and status <> 'completed' and not archived;
--> statement-breakpoint
CREATE UNIQUE INDEX "tasks_series_key" ON "tasks" USING btree ("workspace_id","series_id","occurrence") WHERE series_id is not null;
