CREATE INDEX "campaign_clicks_by_time" ON "campaign_clicks" USING btree ("workspace_id","link_id","clicked_at");
