-- Queues and cron jobs sign in as a role of their own, with the same settings as requests: a role does not inherit settings.
alter role jobs set timezone = 'UTC';
--> statement-breakpoint
alter role jobs set statement_timeout = '15s';
--> statement-breakpoint
alter role jobs set lock_timeout = '8s';
--> statement-breakpoint
alter role jobs set transaction_timeout = '18s';
--> statement-breakpoint
alter role jobs set idle_in_transaction_session_timeout = '10s';
--> statement-breakpoint
-- The invitations that a workspace has sent on the latest day on which it sent any: one row each (see count_invitation).
CREATE TABLE "invitation_counts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"day" date NOT NULL,
	"sent" integer NOT NULL,
	CONSTRAINT "invitation_counts_workspace_id_pk" PRIMARY KEY("workspace_id")
);
--> statement-breakpoint
alter table invitation_counts add foreign key (workspace_id) references workspaces on delete cascade;
--> statement-breakpoint
call tenant_table('invitation_counts', 'select');
