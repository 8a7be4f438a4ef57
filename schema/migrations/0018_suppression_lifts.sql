CREATE TABLE "suppression_lifts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"address" text NOT NULL,
	"due_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "suppression_lifts_workspace_id_address_pk" PRIMARY KEY("workspace_id","address")
);
--> statement-breakpoint
CREATE INDEX "suppression_lifts_due" ON "suppression_lifts" USING btree ("due_at");
--> statement-breakpoint
call tenant_table('suppression_lifts');
