-- Buckets, supplier costs, billing parties, invoices, attachments and the timeline.

call tenant_table('opportunity_buckets');
--> statement-breakpoint
call tenant_table('product_costs');
--> statement-breakpoint
call tenant_table('billing_parties');
--> statement-breakpoint
call tenant_table('invoices');
--> statement-breakpoint
call tenant_table('attachments');
--> statement-breakpoint
call tenant_table('opportunity_changes', 'select');
--> statement-breakpoint
call tenant_reference('opportunity_buckets', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('product_costs', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('billing_parties', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('billing_parties', 'customer_id', 'companies', 'cascade');
--> statement-breakpoint
call tenant_reference('invoices', 'customer_id', 'companies');
--> statement-breakpoint
call tenant_reference('invoices', 'opportunity_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('attachments', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('attachments', 'uploaded_by', 'memberships');
--> statement-breakpoint
-- A bucket and its line items, a line item and its costs, are of one opportunity. They may move to another one in any order within a transaction.
alter table opportunity_products add constraint "opportunity_products.bucket_id" foreign key (workspace_id, opportunity_id, bucket_id)
  references opportunity_buckets (workspace_id, opportunity_id, id) on update cascade on delete set null (bucket_id) deferrable initially deferred;
--> statement-breakpoint
alter table product_costs add constraint "product_costs.line_item_id" foreign key (workspace_id, opportunity_id, line_item_id)
  references opportunity_products (workspace_id, opportunity_id, id) on update cascade on delete cascade deferrable initially deferred;
--> statement-breakpoint
alter table attachments alter column uploaded_by set default current_user_id();
