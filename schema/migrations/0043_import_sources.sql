-- Imports that decide whether automations react.
ALTER TABLE "imports" ADD COLUMN "run_automations" boolean;
