ALTER TABLE "voice_results" ADD COLUMN "bookings" jsonb;
