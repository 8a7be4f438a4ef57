ALTER TABLE "automation_triggers" ADD COLUMN "since" "pg_snapshot" DEFAULT pg_current_snapshot() NOT NULL;
