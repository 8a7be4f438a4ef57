CREATE TABLE "tagged_records" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"object" text NOT NULL,
	"tag" text NOT NULL,
	"archived" boolean NOT NULL,
	"created_at" timestamp(3) with time zone NOT NULL,
	"record_id" uuid NOT NULL,
	CONSTRAINT "tagged_records_key" PRIMARY KEY("workspace_id","object","tag","archived","created_at","record_id")
);
--> statement-breakpoint
ALTER TABLE "followers" ADD COLUMN "record_created_at" timestamp(3) with time zone DEFAULT now() NOT NULL;
--> statement-breakpoint
ALTER TABLE "list_members" ADD COLUMN "record_created_at" timestamp(3) with time zone DEFAULT now() NOT NULL;
--> statement-breakpoint
ALTER TABLE "opportunity_contacts" ADD COLUMN "opportunity_created_at" timestamp(3) with time zone DEFAULT now() NOT NULL;
--> statement-breakpoint
call tenant_table('tagged_records');
--> statement-breakpoint
create trigger tag_insert after insert on contacts for each row when (new.tags <> '[]') execute function keep_tagged_records();
--> statement-breakpoint
create trigger tag_update after update on contacts for each row
  when ((old.tags <> '[]' or new.tags <> '[]') and (old.tags, old.archived, old.created_at) is distinct from (new.tags, new.archived, new.created_at))
  execute function keep_tagged_records();
--> statement-breakpoint
create trigger tag_delete after delete on contacts for each row when (old.tags <> '[]') execute function keep_tagged_records();
--> statement-breakpoint
create trigger tag_insert after insert on companies for each row when (new.tags <> '[]') execute function keep_tagged_records();
--> statement-breakpoint
create trigger tag_update after update on companies for each row
  when ((old.tags <> '[]' or new.tags <> '[]') and (old.tags, old.archived, old.created_at) is distinct from (new.tags, new.archived, new.created_at))
  execute function keep_tagged_records();
--> statement-breakpoint
create trigger tag_delete after delete on companies for each row when (old.tags <> '[]') execute function keep_tagged_records();
--> statement-breakpoint
create trigger tag_insert after insert on opportunities for each row when (new.tags <> '[]') execute function keep_tagged_records();
--> statement-breakpoint
create trigger tag_update after update on opportunities for each row
  when ((old.tags <> '[]' or new.tags <> '[]') and (old.tags, old.archived, old.created_at) is distinct from (new.tags, new.archived, new.created_at))
  execute function keep_tagged_records();
--> statement-breakpoint
create trigger tag_delete after delete on opportunities for each row when (old.tags <> '[]') execute function keep_tagged_records();
--> statement-breakpoint
insert into tagged_records (workspace_id, object, tag, archived, created_at, record_id)
  select distinct r.workspace_id, 'contacts', tag, r.archived, r.created_at, r.id from contacts r, unnest(tag_names(r.tags)) tag where r.tags <> '[]' order by 1, 2, 3, 4, 5, 6;
--> statement-breakpoint
insert into tagged_records (workspace_id, object, tag, archived, created_at, record_id)
  select distinct r.workspace_id, 'companies', tag, r.archived, r.created_at, r.id from companies r, unnest(tag_names(r.tags)) tag where r.tags <> '[]' order by 1, 2, 3, 4, 5, 6;
--> statement-breakpoint
insert into tagged_records (workspace_id, object, tag, archived, created_at, record_id)
  select distinct r.workspace_id, 'opportunities', tag, r.archived, r.created_at, r.id from opportunities r, unnest(tag_names(r.tags)) tag where r.tags <> '[]' order by 1, 2, 3, 4, 5, 6;
--> statement-breakpoint
alter table followers disable trigger user;
--> statement-breakpoint
alter table list_members disable trigger user;
--> statement-breakpoint
alter table opportunity_contacts disable trigger user;
--> statement-breakpoint
update followers l set record_created_at = r.created_at from contacts r where r.workspace_id = l.workspace_id and r.id = l.contact_id;
--> statement-breakpoint
update followers l set record_created_at = r.created_at from companies r where r.workspace_id = l.workspace_id and r.id = l.customer_id;
--> statement-breakpoint
update followers l set record_created_at = r.created_at from opportunities r where r.workspace_id = l.workspace_id and r.id = l.opportunity_id;
--> statement-breakpoint
update list_members l set record_created_at = r.created_at from contacts r where r.workspace_id = l.workspace_id and r.id = l.contact_id;
--> statement-breakpoint
update list_members l set record_created_at = r.created_at from companies r where r.workspace_id = l.workspace_id and r.id = l.customer_id;
--> statement-breakpoint
update list_members l set record_created_at = r.created_at from opportunities r where r.workspace_id = l.workspace_id and r.id = l.opportunity_id;
--> statement-breakpoint
update opportunity_contacts l set opportunity_created_at = r.created_at from opportunities r where r.workspace_id = l.workspace_id and r.id = l.opportunity_id;
--> statement-breakpoint
alter table followers enable trigger user;
--> statement-breakpoint
alter table list_members enable trigger user;
--> statement-breakpoint
alter table opportunity_contacts enable trigger user;
--> statement-breakpoint
create trigger take_record_created_at before insert or update of contact_id, customer_id, opportunity_id on followers for each row execute function take_record_created_at();
--> statement-breakpoint
create trigger take_record_created_at before insert or update of contact_id, customer_id, opportunity_id on list_members for each row execute function take_record_created_at();
--> statement-breakpoint
create trigger take_opportunity_created_at before insert or update of opportunity_id on opportunity_contacts for each row execute function take_opportunity_created_at();
