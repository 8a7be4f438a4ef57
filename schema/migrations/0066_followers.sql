CREATE TABLE "followers" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"contact_id" uuid,
	"customer_id" uuid,
	"opportunity_id" uuid,
	"user_id" uuid NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "followers_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "one_record" CHECK (num_nonnulls(contact_id, customer_id, opportunity_id) = 1)
);
--> statement-breakpoint
CREATE UNIQUE INDEX "followers_contact_key" ON "followers" USING btree ("workspace_id","contact_id","user_id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "followers_customer_key" ON "followers" USING btree ("workspace_id","customer_id","user_id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "followers_opportunity_key" ON "followers" USING btree ("workspace_id","opportunity_id","user_id") WHERE opportunity_id is not null;
--> statement-breakpoint
CREATE INDEX "followers_by_contact" ON "followers" USING btree ("workspace_id","contact_id","id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE INDEX "followers_by_customer" ON "followers" USING btree ("workspace_id","customer_id","id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE INDEX "followers_by_opportunity" ON "followers" USING btree ("workspace_id","opportunity_id","id") WHERE opportunity_id is not null;
--> statement-breakpoint
CREATE INDEX "followers_contacts_by_user" ON "followers" USING btree ("workspace_id","user_id","contact_id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE INDEX "followers_customers_by_user" ON "followers" USING btree ("workspace_id","user_id","customer_id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE INDEX "followers_opportunities_by_user" ON "followers" USING btree ("workspace_id","user_id","opportunity_id") WHERE opportunity_id is not null;
--> statement-breakpoint
call tenant_table('followers');
--> statement-breakpoint
call tenant_reference('followers', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('followers', 'customer_id', 'companies', 'cascade');
--> statement-breakpoint
call tenant_reference('followers', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('followers', 'user_id', 'memberships', 'cascade');
