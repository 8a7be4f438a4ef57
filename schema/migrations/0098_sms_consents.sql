CREATE TABLE "sms_consents" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"phone_number" text NOT NULL,
	"contact_id" uuid,
	"decision" text NOT NULL,
	"source" text NOT NULL,
	"evidence" text,
	"recorded_by" uuid,
	"occurred_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sms_consents_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "sms_consents_by_occurred" ON "sms_consents" USING btree ("workspace_id","occurred_at","id");
--> statement-breakpoint
CREATE INDEX "sms_consents_by_number" ON "sms_consents" USING btree ("workspace_id","phone_number","occurred_at","id");
--> statement-breakpoint
CREATE INDEX "sms_consents_by_contact" ON "sms_consents" USING btree ("workspace_id","contact_id","occurred_at","id");
--> statement-breakpoint
CREATE INDEX "sms_consents_by_decision" ON "sms_consents" USING btree ("workspace_id","decision","occurred_at","id");
--> statement-breakpoint
call tenant_table('sms_consents');
--> statement-breakpoint
call tenant_reference('sms_consents', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('sms_consents', 'recorded_by', 'memberships');
