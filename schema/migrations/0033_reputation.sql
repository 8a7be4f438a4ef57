CREATE TABLE "reputation_case_studies" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"profile_id" uuid NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"title" text NOT NULL,
	"client_name" text,
	"client_logo" text,
	"image_url" text,
	"summary" text,
	"content" text,
	"service_category" text,
	"position" integer NOT NULL,
	"approved_by" uuid,
	"approved_at" timestamp(3) with time zone,
	"published_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reputation_case_studies_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "reputation_profiles" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"slug" text NOT NULL,
	"display_name" text NOT NULL,
	"description" text,
	"category" text,
	"logo_url" text,
	"website" text,
	"primary_color" text,
	"is_published" boolean DEFAULT false NOT NULL,
	"review_count" integer DEFAULT 0 NOT NULL,
	"rating_counts" integer[] DEFAULT '{0,0,0,0,0}' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reputation_profiles_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "reputation_reviews" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"profile_id" uuid NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"reviewer_name" text NOT NULL,
	"reviewer_title" text,
	"reviewer_company" text,
	"reviewer_company_logo" text,
	"reviewer_avatar" text,
	"rating" integer NOT NULL,
	"testimonial_text" text NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (search_form(reviewer_name || ' ' || testimonial_text)) STORED NOT NULL,
	"service_category" text,
	"featured" boolean DEFAULT false NOT NULL,
	"vendor_response" text,
	"vendor_response_by" uuid,
	"vendor_response_at" timestamp(3) with time zone,
	"approved_by" uuid,
	"approved_at" timestamp(3) with time zone,
	"published_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reputation_reviews_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "reputation_slugs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"slug" text NOT NULL,
	"profile_id" uuid NOT NULL,
	CONSTRAINT "reputation_slugs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "reputation_case_studies_by_created" ON "reputation_case_studies" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "reputation_case_studies_by_updated" ON "reputation_case_studies" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "reputation_case_studies_by_status" ON "reputation_case_studies" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "reputation_case_studies_by_profile" ON "reputation_case_studies" USING btree ("workspace_id","profile_id","position","id");
--> statement-breakpoint
CREATE INDEX "reputation_case_studies_by_position" ON "reputation_case_studies" USING btree ("workspace_id","position","id");
--> statement-breakpoint
CREATE INDEX "reputation_case_studies_by_approver" ON "reputation_case_studies" USING btree ("workspace_id","approved_by") WHERE approved_by is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "reputation_profiles_key" ON "reputation_profiles" USING btree ("workspace_id");
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_created" ON "reputation_reviews" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_updated" ON "reputation_reviews" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_status" ON "reputation_reviews" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_featured" ON "reputation_reviews" USING btree ("workspace_id","featured","created_at","id");
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_category" ON "reputation_reviews" USING btree ("workspace_id","service_category","created_at","id");
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_rating" ON "reputation_reviews" USING btree ("workspace_id","rating","created_at","id");
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_profile" ON "reputation_reviews" USING btree ("workspace_id","profile_id","id");
--> statement-breakpoint
CREATE INDEX "reputation_reviews_shown" ON "reputation_reviews" USING btree ("workspace_id","profile_id","featured","published_at","id") WHERE status = 'published';
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_approver" ON "reputation_reviews" USING btree ("workspace_id","approved_by") WHERE approved_by is not null;
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_responder" ON "reputation_reviews" USING btree ("workspace_id","vendor_response_by") WHERE vendor_response_by is not null;
--> statement-breakpoint
CREATE INDEX "reputation_reviews_by_words" ON "reputation_reviews" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE UNIQUE INDEX "reputation_slugs_slug_key" ON "reputation_slugs" USING btree ("slug");
--> statement-breakpoint
CREATE INDEX "reputation_slugs_by_profile" ON "reputation_slugs" USING btree ("workspace_id","profile_id","id");
--> statement-breakpoint
call tenant_table('reputation_case_studies');
--> statement-breakpoint
call tenant_table('reputation_profiles');
--> statement-breakpoint
call tenant_table('reputation_reviews');
--> statement-breakpoint
call tenant_table('reputation_slugs');
--> statement-breakpoint
call tenant_reference('reputation_case_studies', 'profile_id', 'reputation_profiles', 'cascade');
--> statement-breakpoint
call tenant_reference('reputation_case_studies', 'approved_by', 'memberships');
--> statement-breakpoint
call tenant_reference('reputation_reviews', 'profile_id', 'reputation_profiles', 'cascade');
--> statement-breakpoint
call tenant_reference('reputation_reviews', 'approved_by', 'memberships');
--> statement-breakpoint
call tenant_reference('reputation_reviews', 'vendor_response_by', 'memberships');
--> statement-breakpoint
call tenant_reference('reputation_slugs', 'profile_id', 'reputation_profiles', 'cascade');
