ALTER TABLE "grant_requests" ALTER COLUMN "sealed_verifier" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "grant_requests" ADD COLUMN "sealed_account" text;
--> statement-breakpoint
ALTER TABLE "grant_requests" ADD CONSTRAINT "sealed" CHECK (num_nonnulls(sealed_verifier, sealed_account) = 1);
