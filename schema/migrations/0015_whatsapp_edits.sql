ALTER TABLE "whatsapp_messages" ADD COLUMN "edited_at" timestamp(3) with time zone;
