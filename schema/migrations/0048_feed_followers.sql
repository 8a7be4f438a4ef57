DROP TABLE "list_tracking" CASCADE;
