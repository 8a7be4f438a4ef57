CREATE TABLE "suppression_lifts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"address" text NOT NULL,
	"due_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "suppression_lifts_workspace_id_address_pk" PRIMARY KEY("workspace_id","address")
);
--> statement-breakpoint
ALTER TABLE "email_campaigns" ADD COLUMN "config_id" uuid;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "address_id" uuid;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "bundle_id" uuid;
--> statement-breakpoint
ALTER TABLE "whatsapp_messages" ADD COLUMN "edited_at" timestamp(3) with time zone;
--> statement-breakpoint
CREATE INDEX "suppression_lifts_due" ON "suppression_lifts" USING btree ("due_at");
--> statement-breakpoint
call tenant_table('suppression_lifts');
--> statement-breakpoint
call tenant_reference('email_campaigns', 'config_id', 'email_configs', 'set null');
--> statement-breakpoint
call tenant_reference('phone_numbers', 'address_id', 'phone_addresses');
--> statement-breakpoint
call tenant_reference('phone_numbers', 'bundle_id', 'phone_bundles');
