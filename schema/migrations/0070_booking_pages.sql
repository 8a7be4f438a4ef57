ALTER TABLE "crm_settings" ADD COLUMN "booking_page_enabled" boolean DEFAULT false NOT NULL;
