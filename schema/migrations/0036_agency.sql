CREATE TABLE "agency_requests" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"client_id" uuid NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"type" text NOT NULL,
	"priority" text NOT NULL,
	"status" text NOT NULL,
	"queue" text NOT NULL,
	"note_count" integer DEFAULT 0 NOT NULL,
	"last_note_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone NOT NULL,
	"updated_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "agency_requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "agencies" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"commission_percent" numeric(5, 2) NOT NULL,
	"currency" text NOT NULL,
	"signup_url" text,
	"from_month" date NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agencies_workspace_id_pk" PRIMARY KEY("workspace_id")
);
--> statement-breakpoint
CREATE TABLE "agency_clients" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"client_id" uuid NOT NULL,
	"name" text NOT NULL,
	"is_template" boolean DEFAULT false NOT NULL,
	"brought_in_by" uuid,
	"linked_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	"plan" text,
	"trial_ends_at" timestamp(3) with time zone,
	"paid_cents" bigint DEFAULT 0 NOT NULL,
	"user_count" integer,
	"website_url" text,
	"last_activity_at" timestamp(3) with time zone,
	"open_service_requests" integer,
	"unfinished_setup" text[],
	"checked_at" timestamp(3) with time zone,
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "agency_clients_workspace_id_client_id_pk" PRIMARY KEY("workspace_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "agency_paid_months" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"client_id" uuid NOT NULL,
	"month" date NOT NULL,
	CONSTRAINT "agency_paid_months_workspace_id_client_id_month_pk" PRIMARY KEY("workspace_id","client_id","month")
);
--> statement-breakpoint
CREATE TABLE "agency_payments" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"client_id" uuid NOT NULL,
	"brought_in_by" uuid,
	"kind" text NOT NULL,
	"paid_at" timestamp(3) with time zone NOT NULL,
	"month" date NOT NULL,
	"amount_cents" bigint NOT NULL,
	"currency" text NOT NULL,
	"refunded_cents" bigint DEFAULT 0 NOT NULL,
	"reference" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agency_payments_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "agency_payments_amount" CHECK (amount_cents > 0 and refunded_cents between 0 and amount_cents)
);
--> statement-breakpoint
CREATE TABLE "agency_refunds" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"payment_id" uuid NOT NULL,
	"refunded_at" timestamp(3) with time zone NOT NULL,
	"month" date NOT NULL,
	"amount_cents" bigint NOT NULL,
	"refunded_cents" bigint NOT NULL,
	"reference" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agency_refunds_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "commission_causes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"payee_id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"refund_id" uuid,
	"month" date NOT NULL,
	"has_line" boolean DEFAULT false NOT NULL,
	CONSTRAINT "commission_causes_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "commission_lines" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"payee_id" uuid NOT NULL,
	"statement_month" date NOT NULL,
	"brought_in_by" uuid,
	"client_id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"refund_id" uuid,
	"kind" text NOT NULL,
	"occurred_at" timestamp(3) with time zone NOT NULL,
	"payment_cents" bigint NOT NULL,
	"refunded_before_cents" bigint NOT NULL,
	"refunded_cents" bigint NOT NULL,
	"month_index" integer,
	"plan_number" integer,
	"rate" integer NOT NULL,
	"commission_cents" bigint NOT NULL,
	CONSTRAINT "commission_lines_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "commission_payouts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"statement_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"is_paid" boolean NOT NULL,
	"payment_reference" text,
	"user_id" uuid,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "commission_payouts_workspace_id_statement_id_number_pk" PRIMARY KEY("workspace_id","statement_id","number")
);
--> statement-breakpoint
CREATE TABLE "commission_plans" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"from_month" date NOT NULL,
	"one_off_percent" numeric(5, 2) NOT NULL,
	"first_months" integer NOT NULL,
	"first_months_percent" numeric(5, 2) NOT NULL,
	"ongoing_percent" numeric(5, 2) NOT NULL,
	"ongoing_months" integer,
	"changed_by" uuid,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "commission_plans_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "commission_statements" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"payee_id" uuid NOT NULL,
	"month" date NOT NULL,
	"line_count" integer NOT NULL,
	"lines_cents" bigint NOT NULL,
	"carried_in_cents" bigint NOT NULL,
	"payable_cents" bigint NOT NULL,
	"carried_out_cents" bigint NOT NULL,
	"locked_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "commission_statements_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "commission_statements_sum" CHECK (payable_cents >= 0 and carried_out_cents <= 0 and lines_cents + carried_in_cents = payable_cents + carried_out_cents)
);
--> statement-breakpoint
CREATE TABLE "website_syncs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"website_id" uuid NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"commit" text,
	"preview_url" text,
	"log_tail" text,
	"started_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	CONSTRAINT "website_syncs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "websites" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"client_id" uuid NOT NULL,
	"name" text NOT NULL,
	"repository" text NOT NULL,
	"branch" text DEFAULT 'main' NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "websites_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "agency_requests_by_created" ON "agency_requests" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "agency_requests_by_status" ON "agency_requests" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "agency_requests_by_client" ON "agency_requests" USING btree ("workspace_id","client_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "agency_requests_by_client_status" ON "agency_requests" USING btree ("workspace_id","client_id","status","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "agency_clients_key" ON "agency_clients" USING btree ("client_id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "agency_clients_by_linked" ON "agency_clients" USING btree ("workspace_id","linked_at","client_id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "agency_clients_by_kind" ON "agency_clients" USING btree ("workspace_id","is_template","linked_at","client_id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "agency_clients_due" ON "agency_clients" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "agency_clients_due_of" ON "agency_clients" USING btree ("workspace_id","due_at","client_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "agency_payments_key" ON "agency_payments" USING btree ("workspace_id","reference");
--> statement-breakpoint
CREATE INDEX "agency_payments_by_client" ON "agency_payments" USING btree ("workspace_id","client_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "agency_refunds_key" ON "agency_refunds" USING btree ("workspace_id","reference");
--> statement-breakpoint
CREATE INDEX "agency_refunds_by_payment" ON "agency_refunds" USING btree ("workspace_id","payment_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "commission_causes_payment_key" ON "commission_causes" USING btree ("workspace_id","payee_id","payment_id") WHERE refund_id is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "commission_causes_refund_key" ON "commission_causes" USING btree ("workspace_id","payee_id","refund_id") WHERE refund_id is not null;
--> statement-breakpoint
CREATE INDEX "commission_causes_pending" ON "commission_causes" USING btree ("workspace_id","payee_id","month","id") WHERE not has_line;
--> statement-breakpoint
CREATE INDEX "commission_causes_by_payment" ON "commission_causes" USING btree ("workspace_id","payment_id");
--> statement-breakpoint
CREATE INDEX "commission_causes_by_refund" ON "commission_causes" USING btree ("workspace_id","refund_id");
--> statement-breakpoint
CREATE INDEX "commission_lines_by_statement" ON "commission_lines" USING btree ("workspace_id","payee_id","statement_month","id");
--> statement-breakpoint
CREATE INDEX "commission_lines_by_person" ON "commission_lines" USING btree ("workspace_id","payee_id","brought_in_by","statement_month","id");
--> statement-breakpoint
CREATE INDEX "commission_lines_by_payment" ON "commission_lines" USING btree ("workspace_id","payment_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "commission_plans_key" ON "commission_plans" USING btree ("workspace_id","user_id","number");
--> statement-breakpoint
CREATE UNIQUE INDEX "commission_statements_key" ON "commission_statements" USING btree ("workspace_id","payee_id","month");
--> statement-breakpoint
CREATE INDEX "website_syncs_by_website" ON "website_syncs" USING btree ("workspace_id","website_id","started_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "websites_key" ON "websites" USING btree ("workspace_id","client_id","repository","branch");
--> statement-breakpoint
CREATE INDEX "websites_by_created" ON "websites" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "websites_by_client" ON "websites" USING btree ("workspace_id","client_id","created_at","id");
--> statement-breakpoint
call tenant_table('agency_requests', 'select');
--> statement-breakpoint
call tenant_table('agencies', 'select');
--> statement-breakpoint
call tenant_table('agency_clients', 'select');
--> statement-breakpoint
call tenant_table('agency_paid_months', 'select');
--> statement-breakpoint
call tenant_table('agency_payments', 'select');
--> statement-breakpoint
call tenant_table('agency_refunds', 'select');
--> statement-breakpoint
call tenant_table('commission_causes', 'select');
--> statement-breakpoint
call tenant_table('commission_lines', 'select');
--> statement-breakpoint
call tenant_table('commission_payouts', 'select');
--> statement-breakpoint
call tenant_table('commission_plans', 'select');
--> statement-breakpoint
call tenant_table('commission_statements', 'select');
--> statement-breakpoint
call tenant_table('website_syncs', 'select');
--> statement-breakpoint
call tenant_table('websites', 'select');
--> statement-breakpoint
call tenant_reference('agency_clients', 'brought_in_by', 'memberships');
--> statement-breakpoint
call tenant_reference('agency_payments', 'brought_in_by', 'memberships');
--> statement-breakpoint
call tenant_reference('agency_refunds', 'payment_id', 'agency_payments');
--> statement-breakpoint
call tenant_reference('commission_causes', 'payment_id', 'agency_payments');
--> statement-breakpoint
call tenant_reference('commission_causes', 'refund_id', 'agency_refunds');
--> statement-breakpoint
call tenant_reference('commission_payouts', 'statement_id', 'commission_statements');
--> statement-breakpoint
call tenant_reference('commission_plans', 'user_id', 'memberships');
--> statement-breakpoint
call tenant_reference('commission_plans', 'changed_by', 'memberships');
--> statement-breakpoint
call tenant_reference('website_syncs', 'website_id', 'websites', 'cascade');
