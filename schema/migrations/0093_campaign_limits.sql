CREATE TABLE "campaign_windows" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"campaign_id" uuid NOT NULL,
	"scope" text NOT NULL,
	"began_at" timestamp(3) with time zone NOT NULL,
	"taken" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "campaign_windows_workspace_id_campaign_id_scope_pk" PRIMARY KEY("workspace_id","campaign_id","scope")
);
--> statement-breakpoint
ALTER TABLE "email_campaigns" ADD COLUMN "max_per_minute" integer;
--> statement-breakpoint
ALTER TABLE "email_campaigns" ADD COLUMN "max_per_domain" integer;
--> statement-breakpoint
ALTER TABLE "campaign_sends" DROP COLUMN "hour_began_at";
--> statement-breakpoint
ALTER TABLE "campaign_sends" DROP COLUMN "hour_count";
--> statement-breakpoint
call tenant_table('campaign_windows');
--> statement-breakpoint
call tenant_reference('campaign_windows', 'campaign_id', 'email_campaigns', 'cascade');
