ALTER TABLE "sms_messages" ADD COLUMN "keyword" text;
