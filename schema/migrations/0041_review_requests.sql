CREATE TABLE "review_requests" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"profile_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"channel" text NOT NULL,
	"message" text,
	"remind_after_days" integer,
	"status" text DEFAULT 'queued' NOT NULL,
	"reason" text,
	"sent_at" timestamp(3) with time zone,
	"reminded_at" timestamp(3) with time zone,
	"reviewed_at" timestamp(3) with time zone,
	"review_id" uuid,
	"expires_at" timestamp(3) with time zone NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"token_seed" uuid NOT NULL,
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "review_requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "reputation_profiles" ADD COLUMN "accepts_reviews" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "reputation_reviews" ADD COLUMN "source" text DEFAULT 'workspace' NOT NULL;
--> statement-breakpoint
ALTER TABLE "reputation_reviews" ADD COLUMN "verified_by" text;
--> statement-breakpoint
ALTER TABLE "reputation_reviews" ADD COLUMN "form_hash" "bytea";
--> statement-breakpoint
CREATE INDEX "review_requests_by_created" ON "review_requests" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "review_requests_by_updated" ON "review_requests" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "review_requests_by_contact" ON "review_requests" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "review_requests_by_status" ON "review_requests" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "review_requests_by_channel" ON "review_requests" USING btree ("workspace_id","channel","created_at","id");
--> statement-breakpoint
CREATE INDEX "review_requests_by_profile" ON "review_requests" USING btree ("workspace_id","profile_id");
--> statement-breakpoint
CREATE INDEX "review_requests_by_review" ON "review_requests" USING btree ("workspace_id","review_id") WHERE review_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "review_requests_token" ON "review_requests" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "review_requests_due" ON "review_requests" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "review_requests_due_of" ON "review_requests" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
call tenant_table('review_requests');
--> statement-breakpoint
call tenant_reference('review_requests', 'profile_id', 'reputation_profiles', 'cascade');
--> statement-breakpoint
call tenant_reference('review_requests', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('review_requests', 'review_id', 'reputation_reviews', 'set null');
