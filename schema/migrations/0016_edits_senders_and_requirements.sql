ALTER TABLE "email_campaigns" ADD COLUMN "config_id" uuid;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "address_id" uuid;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "bundle_id" uuid;
--> statement-breakpoint
call tenant_reference('email_campaigns', 'config_id', 'email_configs', 'set null');
--> statement-breakpoint
call tenant_reference('phone_numbers', 'address_id', 'phone_addresses');
--> statement-breakpoint
call tenant_reference('phone_numbers', 'bundle_id', 'phone_bundles');
