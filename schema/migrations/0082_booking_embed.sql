ALTER TABLE "crm_settings" ADD COLUMN "booking_embed_origins" text[] DEFAULT '{}' NOT NULL;
