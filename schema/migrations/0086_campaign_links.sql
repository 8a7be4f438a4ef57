CREATE TABLE "campaign_clicks" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"link_id" uuid NOT NULL,
	"recipient_id" uuid NOT NULL,
	"clicked_at" timestamp(3) with time zone NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaign_clicks_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "campaign_links" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"campaign_id" uuid NOT NULL,
	"url" text NOT NULL,
	"recipients" integer DEFAULT 0 NOT NULL,
	"first_clicked_at" timestamp(3) with time zone,
	"last_clicked_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaign_links_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "crm_settings" ADD COLUMN "campaign_open_tracking" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "crm_settings" ADD COLUMN "campaign_click_tracking" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_clicks_key" ON "campaign_clicks" USING btree ("workspace_id","link_id","recipient_id");
--> statement-breakpoint
CREATE INDEX "campaign_clicks_by_link" ON "campaign_clicks" USING btree ("workspace_id","link_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "campaign_clicks_by_recipient" ON "campaign_clicks" USING btree ("workspace_id","recipient_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_links_url_key" ON "campaign_links" USING btree ("workspace_id","campaign_id",md5("url"));
--> statement-breakpoint
CREATE INDEX "campaign_links_by_recipients" ON "campaign_links" USING btree ("workspace_id","campaign_id","recipients","id");
--> statement-breakpoint
call tenant_table('campaign_clicks');
--> statement-breakpoint
call tenant_table('campaign_links');
--> statement-breakpoint
call tenant_reference('campaign_clicks', 'link_id', 'campaign_links', 'cascade');
--> statement-breakpoint
call tenant_reference('campaign_clicks', 'recipient_id', 'campaign_recipients', 'cascade');
--> statement-breakpoint
call tenant_reference('campaign_links', 'campaign_id', 'email_campaigns', 'cascade');
