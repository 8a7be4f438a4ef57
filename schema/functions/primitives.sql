/*
  Functions that tables call in defaults, generated columns, indexes, policies and triggers. They are put in force before the migrations,
  with primitives-counts.sql; all other files of this folder follow after them.

  Session settings carry values between the statements of one transaction. Every one of them ends with its transaction; this is the complete
  list:

  setting                 | type         | set by                                                   | read by
  app.workspace_id        | uuid         | begin_request, accept_invitation, create_workspace, jobs | current_workspace
  app.user_id             | uuid         | begin_request, accept_invitation, load_email_draft       | current_user_id
  app.key_id              | uuid         | begin_request                                            | current_key_id
  app.request_id          | uuid         | begin_request, accept_invitation                         | current_request_id
  app.authority           | JSON object: the authority of the caller | authorize                    | current_authority
  app.required            | text[]: scopes, and 'admin' | note_requirement                          | end_request, matching_policies
  app.policies            | uuid[]: the approval policies about the caller | begin_request          | matching_policies
  app.mode | run, dry, held, hold, approved, import | begin_request | end_request, invite_member, plans of merges, invitations
  app.request | JSON object: fields of the log entry, direct, idempotency_key | begin_request, note_created, note_accepted | end_request
  app.approval_id         | uuid         | begin_request, begin_import, continue_request | end_request, redact_approvals, assert_unheld
  app.skip_automations    | 'true' or '' | begin_request                                            | skips_automations
  app.skip_action_ids     | JSON array   | begin_request                                            | record_move
  app.cause               | text: type, id and depth | set_cause                     | current_cause_type, current_cause_id, …_depth
  app.delivers            | 'true'       | mark_for_delivery                                        | finish_request
  app.interests           | text: a workspace, and as JSON what interests its followers | wake_followers, note_interest | wake_followers
  app.woken | JSON object: the wake that was added, by follower and workspace, and its last position | wake_followers | wake_followers
  app.flags               | text: words  | set_flag, clear_flag                                     | has_flag
  app.custom_refused      | JSON object: errors by record id | check_custom_values, record_upserts  | custom_error_of, raise_shared_value
  app.deleting            | uuid[] or '': records of running deletions | begin_request, start_deletion | current_deletions, deletes_nothing
  app.deletion_xid        | xid8: the transaction that deleted rows name | continue_deletion        | deletion_transaction, keep_rows
  app.deleted_record | uuid: the record whose deletion the history has | start_deletion, continue_deletion | record_versions, keep_rows
  app.handed              | JSON object: values by name (src/data/handed.ts) | hand                      | handed
  app.most_dependants     | int: a lower limit than most_dependants | settings of a database of tests | most_dependants
  app.written_triggers    | oid[] as text: triggers that a migration has written or found | write_trigger | dev/migrate.ts
*/

create or replace function current_workspace() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.workspace_id', true), '')::uuid;

create or replace function current_user_id() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.user_id', true), '')::uuid;

create or replace function current_key_id() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.key_id', true), '')::uuid;

/*
  The position of an event that is written now: the latest transaction that has ended, or this one if it is later. Whoever changes a record
  after another transaction has done so gets a later position, although its own transaction may have begun before. So the events of one
  record are in the order of its versions. A position is never before its own transaction, so below the oldest open transaction none can
  appear.
*/
create or replace function event_position() returns xid8 volatile parallel unsafe language sql
  return greatest(pg_current_xact_id(), (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);

-- The error of a record that a bulk call has rejected, or null.
create or replace function custom_error_of(p_id uuid) returns jsonb stable parallel safe language sql
  return nullif(current_setting('app.custom_refused', true), '')::jsonb -> p_id::text;

-- Tells the planner that a workspace may have all rows of a table. It would otherwise expect the average, and with many small workspaces it
-- would then read a large one whole instead of using a better index.
create or replace procedure expect_large_workspaces(name text) language plpgsql as $$
begin
  execute format('alter table %I alter workspace_id set (n_distinct = 1)', name);
end $$;

-- Limits the rows of a tenant table to the current workspace for every role, its owner included. `rights` are the app role's privileges.
create or replace procedure tenant_table(name text, rights text default 'select, insert, update, delete') language plpgsql as $$
begin
  call expect_large_workspaces(name);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('create policy tenant on %I using (workspace_id = (select current_workspace()))
    with check (workspace_id = (select current_workspace()))', name);
  execute format('grant %s on %I to app', rights, name);
end $$;

-- Whether the caller sees the private lists of others: a client_admin does, and so do the jobs that act for nobody.
create or replace function sees_private_lists() returns boolean stable language sql
  return coalesce((nullif(current_setting('app.authority', true), '')::jsonb ->> 'admin')::boolean, true);

-- Whether the caller sees the calendars of other members: a client_admin does, and so do the jobs that act for nobody.
create or replace function sees_all_calendars() returns boolean stable language sql
  return coalesce((nullif(current_setting('app.authority', true), '')::jsonb ->> 'admin')::boolean, true);

/*
  The member who acts in person: who has made the key that is used, or has requested what was approved and that nobody else has edited. Null
  for a key that somebody else has made for the member, and for what automations, imports and webhooks do with the rights of a key: others
  decide what these do, and read what they return. What is in a mailbox is for this member.
*/
create or replace function current_person() returns uuid stable parallel safe language sql
  return case when (nullif(current_setting('app.authority', true), '')::jsonb ->> 'in_person')::boolean then current_user_id() end;

-- Whether a role names a scope of mailboxes, and the caller acts in person with a key that has it. Null without a caller.
create or replace function names_personal_scope(p_authority jsonb, p_scope text) returns boolean immutable language sql
  return case when p_authority is not null then coalesce((p_authority ->> 'in_person')::boolean, false)
    and coalesce(p_authority -> 'role_scopes' ? p_scope, false)
    and (p_authority -> 'scopes') ?| array[p_scope, '*:*', 'personal-email:*', '*:' || split_part(p_scope, ':', 2)] end;

/*
  Whether the caller sees what is in the mailboxes of other members. That takes a role that names the scope: no wildcard does, not even that
  of a client_admin. Jobs that act for nobody see it, and so do triggers, because a record keeps its rows together, whoever they are for.
*/
create or replace function sees_personal_email() returns boolean stable language sql
  return pg_trigger_depth() > 0 or coalesce(
    names_personal_scope(nullif(current_setting('app.authority', true), '')::jsonb, 'personal-email:read'), true);

-- Whether the caller sees a row with this private_to, as the policies decide it: for functions that row-level security does not bind.
create or replace function sees_row_of(p_owner uuid) returns boolean stable language sql
  return p_owner is null or p_owner = current_person() or sees_personal_email();

-- Adds a reference within the workspace. The constraint is named <table>.<column>, so that an error can name the field.
create or replace procedure tenant_reference(child text, col text, parent text, on_delete text default 'no action') language plpgsql as $$
begin
  execute format('alter table %I add constraint %I foreign key (workspace_id, %I) references %I (workspace_id, %I) on delete %s',
    child, child || '.' || col, col, parent, case parent when 'memberships' then 'user_id' else 'id' end,
    case on_delete when 'set null' then format('set null (%I)', col) else on_delete end);
end $$;

-- The normal form of names: case, width and spacing do not distinguish them. Truncated to fit an index entry.
create or replace function norm(value text) returns text immutable strict parallel safe language plpgsql as $$
begin
  return left(lower(normalize(btrim(regexp_replace(value collate "default", '\s+', ' ', 'g')), NFKC)), 500);
end $$;

-- An instant in JSON: ISO 8601 in UTC with milliseconds.
create or replace function iso(value timestamptz) returns text immutable strict parallel safe language sql
  return to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- The normal forms in which filters compare text.
create or replace function lower_all(given text[]) returns text[] immutable strict parallel safe language plpgsql as $$
begin
  return array(select lower(v collate "default") from unnest(given) v);
end $$;

create or replace function norm_all(given text[]) returns text[] immutable strict parallel safe language sql
  return array(select norm(v) from unnest(given) v);

-- Escapes a text for use in a LIKE pattern.
create or replace function literally(value text) returns text immutable strict parallel safe language sql
  return replace(replace(replace(value, '\', '\\'), '%', '\%'), '_', '\_');

create or replace function tag_names(tags jsonb) returns text[] immutable strict parallel safe language plpgsql as $$
begin
  return array(select public.norm(t ->> 'name') from jsonb_array_elements(tags) t);
end $$;

-- The form in which lists are searched: as norm, and without accents. A final sigma is a sigma.
create or replace function search_form(value text) returns text immutable strict parallel safe cost 200 language plpgsql as $$
begin
  return left(translate(lower(public.unaccent('public.unaccent'::regdictionary, public.norm(value)) collate "default"), 'ς', 'σ'), 500);
end $$;

create or replace function joined(list text[]) returns text immutable parallel safe language plpgsql as $$
begin
  return array_to_string(list, ' ');
end $$;

-- A business number without spaces, punctuation and the letters ABN before it; null without a digit.
create or replace function abn_key(abn text) returns text immutable strict parallel safe language plpgsql as $$
begin
  return case when abn ~ '[0-9]'
    then upper(regexp_replace(regexp_replace(abn, '^\s*a\.?b\.?n\.?\s*', '', 'i'), '[^0-9A-Za-z]', '', 'g') collate "C") end;
end $$;

-- The host of a web address without www; null for hosts at which many companies have their page.
create or replace function website_domain(url text) returns text immutable strict parallel safe language plpgsql as $$
begin
  return (select left(host, 253)
    from (select substring(lower(url collate "C") from '^https?://(?:[^/?#]*@)?(?:www\.)?([^/?#:]+)') as host) h
    where host !~ ('(^|\.)((facebook|instagram|linkedin|twitter|youtube|tiktok|pinterest|linktr|google|yelp|etsy|ebay|medium|github)'
      || '\.[a-z.]+|x\.com)$'));
end $$;

-- Filters: an index of "field=value" terms for each object finds records by equality on any field.

-- Whether a number can be indexed: float8 holds it without overflow or underflow.
create or replace function is_indexable(value numeric) returns boolean immutable strict parallel safe language sql
  return value = 0 or abs(value) between 1e-300 and 1e300;

-- The indexed form of any JSON value; null for what no filter compares. A text is without case and repeated spaces; what looks like a phone
-- number or a date is reduced to its digits.
create or replace function metadata_value(value jsonb) returns text immutable strict parallel safe language sql
  return case jsonb_typeof(value)
    when 'string' then case when norm(value #>> '{}') ~ '^\+?[0-9 ().\-/]{5,40}$'
      then regexp_replace(value #>> '{}', '\D', '', 'g') else norm(value #>> '{}') end
    when 'boolean' then value #>> '{}'
    when 'number' then case when value::numeric = 0 then '0' when is_indexable(value::numeric) then (value::numeric)::float8::text end end;

-- A record's metadata as at most 200 terms. A record with more is a candidate for every filter over metadata.
create or replace function metadata_entries(metadata jsonb) returns text[] immutable parallel safe language plpgsql as $$
begin
  if metadata is null or metadata = '{}' then return '{}'; end if;
  return (
    select case when count(*) > 200 then (array_agg(entry order by entry))[1:200] || 'metadata:more'::text else array_agg(entry) end from (
      select 'metadata.' || e.key || '=' || public.metadata_value(e.value) as entry from jsonb_each(metadata) e(key, value)
        where jsonb_typeof(e.value) in ('string', 'number', 'boolean')
      union select 'metadata.' || e.key || '=' || public.metadata_value(v) from jsonb_each(metadata) e(key, value),
        jsonb_array_elements(case jsonb_typeof(e.value) when 'array' then e.value else '[]' end) v) entries where entry is not null);
end $$;

create or replace function list_entries(field text, list text[]) returns text[] immutable parallel safe language plpgsql as $$
begin
  return array(select field || '=' || v from unnest(list) v);
end $$;

-- The hash of a term. It includes the workspace, so that one index serves all workspaces.
create or replace function term(workspace uuid, entry text) returns int immutable strict parallel safe language sql
  return hashtextextended(lower(entry), uuid_hash_extended(workspace, 0))::bit(32)::int;

create or replace function terms_of(workspace uuid, entries text[], metadata jsonb)
  returns int[] immutable parallel safe cost 1000 language plpgsql as $$
begin
  return array(select distinct public.term(workspace, e) from unnest(entries || public.metadata_entries(metadata)) e where e is not null);
end $$;

-- The expression of each object's term index. A query must use the same expression. Fields with a b-tree index are left out.
create or replace function terms_expression(object text) returns text immutable language sql
  return case object
    when 'contacts' then $x$terms_of(workspace_id,
      array['first_name=' || first_name, 'last_name=' || last_name, 'job_title=' || job_title, 'contact_type=' || contact_type,
        'date_of_birth=' || (date_of_birth - date '1970-01-01'), 'notes=' || notes, 'source=' || source, 'source_id=' || source_id,
        'address_line1=' || address_line1, 'address_line2=' || address_line2, 'city=' || city, 'state=' || state,
        'postal_code=' || postal_code, 'country=' || country, 'timezone=' || timezone, 'referrer_category=' || referrer_category,
        case when is_primary then 'is_primary=true' end, case when email_unsubscribed then 'email_unsubscribed=true' end,
        case when sms_unsubscribed then 'sms_unsubscribed=true' end, case when voice_unsubscribed then 'voice_unsubscribed=true' end,
        case when whatsapp_unsubscribed then 'whatsapp_unsubscribed=true' end, case when is_referrer then 'is_referrer=true' end,
        case when archived then 'archived=true' end] || list_entries('alternate_emails', alternate_emails), metadata)$x$
    when 'companies' then $x$terms_of(workspace_id,
      array['description=' || description, 'website_url=' || website_url, 'industry=' || industry, 'account_type=' || account_type,
        'abn=' || abn, 'address_line1=' || address_line1, 'address_line2=' || address_line2, 'city=' || city, 'state=' || state,
        'postal_code=' || postal_code, 'country=' || country, 'timezone=' || timezone, 'founded_year=' || founded_year,
        'annual_revenue=' || trim_scale(annual_revenue), 'employee_count=' || employee_count, 'notes=' || notes,
        case when archived then 'archived=true' end], metadata)$x$
    when 'opportunities' then $x$terms_of(workspace_id,
      array['description=' || description, 'currency=' || currency, 'status=' || status, 'probability=' || trim_scale(probability),
        'opportunity_type=' || opportunity_type, 'lead_source=' || lead_source, 'notes=' || notes,
        'expected_close_date=' || (expected_close_date - date '1970-01-01'), 'next_action_type=' || next_action_type,
        'next_action_note=' || next_action_note, case when archived then 'archived=true' end]
        || list_entries('lost_reasons', lost_reasons) || list_entries('won_reasons', won_reasons) || list_entries('tags', tag_names(tags)),
      metadata)$x$
  end;
