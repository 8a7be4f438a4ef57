ALTER TABLE "contacts" ADD COLUMN "first_name_derived" boolean DEFAULT false NOT NULL;
