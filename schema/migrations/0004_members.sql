-- Members: inviting, accepting, and who must stay.

call tenant_table('invitations');
--> statement-breakpoint
call tenant_reference('invitations', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
alter table memberships add constraint manager_user_id check (manager_user_id <> user_id);
