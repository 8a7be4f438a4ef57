-- Roles of a workspace's own, what every request did, and lists of words.

CREATE TABLE "requests" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"endpoint" text,
	"status" integer NOT NULL,
	"status_class" text GENERATED ALWAYS AS ((status / 100)::text || 'xx') STORED NOT NULL,
	"outcome" text NOT NULL,
	"error_code" text,
	"error_message" text,
	"approval_id" uuid,
	"replay_of" uuid,
	"duration_ms" integer,
	"at" timestamp(3) with time zone GENERATED ALWAYS AS (uuid_extract_timestamp(id)) STORED NOT NULL,
	CONSTRAINT "requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"role_key" text NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"description" text,
	"scopes" text[] NOT NULL,
	"can_write" boolean DEFAULT true NOT NULL,
	"built_in" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "roles_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
DROP INDEX "changes_by_request";--> statement-breakpoint
DROP INDEX "outbox_by_request";--> statement-breakpoint
CREATE INDEX "requests_by_key" ON "requests" USING btree ("workspace_id","key_id","id");--> statement-breakpoint
CREATE INDEX "requests_by_user" ON "requests" USING btree ("workspace_id","user_id","id");--> statement-breakpoint
CREATE INDEX "requests_by_method" ON "requests" USING btree ("workspace_id","method","id");--> statement-breakpoint
CREATE INDEX "requests_by_path" ON "requests" USING btree ("workspace_id","path","id");--> statement-breakpoint
CREATE INDEX "requests_by_endpoint" ON "requests" USING btree ("workspace_id","endpoint","id");--> statement-breakpoint
CREATE INDEX "requests_by_status" ON "requests" USING btree ("workspace_id","status_class","id");--> statement-breakpoint
CREATE INDEX "requests_by_age" ON "requests" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "roles_key_key" ON "roles" USING btree ("workspace_id","role_key");--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name_key" ON "roles" USING btree ("workspace_id","name_norm");--> statement-breakpoint
CREATE INDEX "roles_by_created" ON "roles" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "roles_by_kind" ON "roles" USING btree ("workspace_id","built_in","created_at","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_type" ON "opportunities" USING btree ("workspace_id","opportunity_type","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "memberships_by_role" ON "memberships" USING btree ("workspace_id","role","created_at","user_id");--> statement-breakpoint
CREATE INDEX "changes_by_request" ON "changes" USING btree ("workspace_id","request_id","id");--> statement-breakpoint
CREATE INDEX "outbox_by_request" ON "outbox" USING btree ("workspace_id","request_id","id");
--> statement-breakpoint
call tenant_table('roles');
call tenant_table('requests', 'select');
--> statement-breakpoint
-- The roles that every workspace has.
create function add_built_in_roles(p_workspace uuid) returns void language sql set search_path = public as $$
  insert into roles (workspace_id, role_key, name, description, scopes, can_write, built_in)
  values (p_workspace, 'client_admin', 'Admin', 'Full access: members, roles and keys too.', '{*:*}', true, true),
    (p_workspace, 'client_editor', 'Editor', 'Reads and writes all but members, roles and keys.', '{*:*}', true, true),
    (p_workspace, 'client_viewer', 'Viewer', 'Reads, and writes nothing.', '{*:*}', false, true)
$$;
--> statement-breakpoint
revoke execute on function add_built_in_roles from public;
select add_built_in_roles(id) from workspaces;
--> statement-breakpoint
call tracked_table('roles', 'role');
alter table memberships add constraint "memberships.role" foreign key (workspace_id, role) references roles (workspace_id, role_key);
--> statement-breakpoint
create function keep_built_in_role() returns trigger language plpgsql as $$
begin
  perform fail('CONFLICT', 'A role that every workspace has stays as it is: make one of your own', jsonb_build_object('role', old.role_key));
  return old;
end $$;
--> statement-breakpoint
create trigger keep before update or delete on roles for each row when (old.built_in) execute function keep_built_in_role();
--> statement-breakpoint
/*
  Keeps what was asked and answered. Who asked is told, or recognised by the key's hash; a key that nobody has is nobody's request.
  Told again it changes what came of the request, not who asked what: a write has recorded itself already (see end_request).
*/
create function record_requests(p_told jsonb) returns void security definer set search_path = public language sql as $$
  insert into requests as r (workspace_id, id, key_id, user_id, method, path, endpoint, status, outcome, error_code, error_message, approval_id, replay_of, duration_ms)
  select distinct on (t.id) k.workspace_id, t.id, k.id, k.user_id, t.method, t.path, t.endpoint, t.status, t.outcome, t.error_code, t.error_message, t.approval_id, t.replay_of, t.duration_ms
  from jsonb_to_recordset(p_told) as t(id uuid, workspace_id uuid, key_id uuid, key_hash text, method text, path text, endpoint text, status int, outcome text,
      error_code text, error_message text, approval_id uuid, replay_of uuid, duration_ms int)
    cross join lateral (
      select workspace_id, id, user_id from api_keys where workspace_id = t.workspace_id and id = t.key_id
      union all select workspace_id, id, user_id from api_keys where t.key_id is null and key_hash = decode(t.key_hash, 'hex')) k
  order by t.id
  on conflict (workspace_id, id) do update set status = excluded.status, error_code = excluded.error_code, error_message = excluded.error_message, duration_ms = excluded.duration_ms
$$;
--> statement-breakpoint
revoke execute on function record_requests from public;
grant execute on function record_requests to app;
--> statement-breakpoint

-- Lists of words, and the records that have them. Reasons and tags are one word however they are written; types and lead sources as they are spelled.
create index opportunities_by_lost_reason on opportunities using gin (workspace_id, lower_all(lost_reasons)) with (fastupdate = off) where lost_reasons is not null;
create index opportunities_by_won_reason on opportunities using gin (workspace_id, lower_all(won_reasons)) with (fastupdate = off) where won_reasons is not null;
--> statement-breakpoint
-- The words with another one in the place of one; each once.
create function respelled(words text[], p_from text, p_to text) returns text[] immutable strict parallel safe language sql
  return array(select w from (select case when lower(e) = lower(p_from) then p_to else e end as w, i from unnest(words) with ordinality u(e, i)) x group by w order by min(i));
--> statement-breakpoint
-- The same for tags: one that is renamed keeps its colour, unless the other one is there already.
create function retagged(tags jsonb, p_from text, p_to text) returns jsonb immutable strict parallel safe language sql
  return (select coalesce(jsonb_agg(case when lower(t ->> 'name') = lower(p_from) then t || jsonb_build_object('name', p_to) else t end order by i), '[]')
    from jsonb_array_elements(tags) with ordinality e(t, i)
    where lower(t ->> 'name') <> lower(p_from) or lower(p_from) = lower(p_to) or not tag_names(tags) && array[lower(p_to)]);
--> statement-breakpoint
-- The first records that have the word; where another one is to take its place, those that it has not yet taken it on. As its owner, for indexes of lists of
-- words are not used under row-level security (see search_ids).
create function holders(p_list text, p_word text, p_becomes text, p_limit int) returns setof uuid stable language plpgsql security definer set search_path = public as $$
begin
  return query execute case p_list
    when 'lost_reasons' then 'select id from opportunities where workspace_id = $1 and lower_all(lost_reasons) && array[lower($2)] and ($3 is null or respelled(lost_reasons, $2, $3) <> lost_reasons) limit $4'
    when 'won_reasons' then 'select id from opportunities where workspace_id = $1 and lower_all(won_reasons) && array[lower($2)] and ($3 is null or respelled(won_reasons, $2, $3) <> won_reasons) limit $4'
    when 'tags' then 'select id from opportunities where workspace_id = $1 and tag_names(tags) && array[lower($2)] and ($3 is null or retagged(tags, $2, $3) <> tags) limit $4'
    when 'opportunity_types' then 'select id from opportunities where workspace_id = $1 and opportunity_type = $2 limit $4'
    when 'lead_sources' then 'select id from opportunities where workspace_id = $1 and lead_source = $2 limit $4'
    when 'account_types' then 'select id from companies where workspace_id = $1 and account_type = $2 limit $4'
    when 'contact_types' then 'select id from contacts where workspace_id = $1 and contact_type = $2 limit $4'
  end using current_workspace(), p_word, p_becomes, p_limit;
end $$;
--> statement-breakpoint
revoke execute on function holders from public;
grant execute on function holders to app;
