create or replace function current_workspace() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.workspace_id', true), '')::uuid;

-- Case, width and spacing do not tell two names apart. Cut where an index entry would grow too long.
create or replace function norm(value text) returns text immutable strict parallel safe language sql
  return left(lower(normalize(btrim(regexp_replace(value, '\s+', ' ', 'g')), NFKC)), 500);

-- ISO 8601 UTC with milliseconds, for instants inside JSON.
create or replace function iso(value timestamptz) returns text immutable strict parallel safe language sql
  return to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

create or replace function current_user_id() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.user_id', true), '')::uuid;

create or replace function current_key_id() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.key_id', true), '')::uuid;

-- Rows of a tenant table exist for their own workspace only, whoever asks. `rights` is what the app role may do.
create or replace procedure tenant_table(name text, rights text default 'select, insert, update, delete') language plpgsql as $$
begin
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('create policy tenant on %I using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()))', name);
  execute format('grant %s on %I to app', rights, name);
end $$;

-- A reference within the workspace. Its constraint name tells the field: <table>.<column>.
create or replace procedure tenant_reference(child text, col text, parent text, on_delete text default 'no action') language plpgsql as $$
begin
  execute format('alter table %I add constraint %I foreign key (workspace_id, %I) references %I (workspace_id, %I) on delete %s',
    child, child || '.' || col, col, parent, case parent when 'memberships' then 'user_id' else 'id' end,
    case on_delete when 'set null' then format('set null (%I)', col) else on_delete end);
end $$;

-- The forms in which filters compare text.
create or replace function lower_all(given text[]) returns text[] immutable strict parallel safe language sql
  return array(select lower(v) from unnest(given) v);

create or replace function norm_all(given text[]) returns text[] immutable strict parallel safe language sql
  return array(select norm(v) from unnest(given) v);

-- Part of a pattern that means itself.
create or replace function literally(value text) returns text immutable strict parallel safe language sql
  return replace(replace(replace(value, '\', '\\'), '%', '\%'), '_', '\_');

create or replace function tag_names(tags jsonb) returns text[] immutable strict parallel safe language sql
  return array(select lower(t ->> 'name') from jsonb_array_elements(tags) t);

create or replace function custom_error_of(p_id uuid) returns jsonb stable parallel safe language sql
  return nullif(current_setting('app.custom_refused', true), '')::jsonb -> p_id::text;

-- Search over all records: exact identities first, then the words of names, then words that differ from them in at most two letters.

-- The words of a text as they are searched by: letters and digits alone, without accents.
create or replace function words_of(value text) returns text[] immutable parallel safe cost 200 language sql
  return array_remove(regexp_split_to_array(translate(public.unaccent('public.unaccent'::regdictionary, coalesce(value, '')), '''’`', ''), '[^[:alnum:]]+'), '');

-- Hashes of a word with up to two of its first seven letters left out (of a short word one), the workspace's own.
create or replace function typo_keys(p_workspace uuid, p_word text) returns int[] immutable parallel safe cost 1000 language plpgsql as $$
declare
  start text := left(p_word, 7);
  once text;
  variants text[] := array[start];
begin
  for i in 1..length(start) loop
    once := left(start, i - 1) || substr(start, i + 1);
    variants := variants || once;
    if length(p_word) > 3 then
      for j in i..length(once) loop
        variants := variants || (left(once, j - 1) || substr(once, j + 1));
      end loop;
    end if;
  end loop;
  return array(select distinct (hashtextextended(p_workspace::text || v, 0) % 2147483647)::int from unnest(variants) v);
end $$;

-- Rows that a merge drops, or that its undo puts back as they were: no trigger makes something else of them.
create or replace function merge_in_progress() returns boolean stable language sql return current_setting('app.merge_in_progress', true) is not distinct from 'on';

-- A record's words for its index: those of its name, with an @ before them those of its address, and with a # its workspace, so that no other index
-- can be taken for a search, however frequent its words are.
create or replace function lexemes_of(workspace uuid, name text, address text) returns tsvector immutable parallel safe cost 1000 language sql
  return array_to_tsvector(words_of(name) || array(select '@' || w from unnest(words_of(address)) w) || ('#' || workspace));

-- Indexes for what read whole tables: purges, and the deletion of a pipeline.

-- What a text mentions, as hashes: ids, email addresses and numbers. For an index over what logs say of records (see mentioned_in).
create or replace function mention_keys(p_text text) returns int[] immutable parallel safe strict language sql
  return (select coalesce(array_agg(distinct hashtext(m[1])), '{}') from regexp_matches(regexp_replace(lower(p_text), '\\(u[0-9a-f]{4}|.)', ' ', 'g'),
    '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[[:alnum:]_][[:alnum:].!$%*+^_`~-]*@[[:alnum:].-]*[[:alnum:]]|\+?[0-9]{6,}', 'g') m);

-- Searches by field: an index of "field = value" terms for each object, so that equality on any field finds its records.

-- The form in which a text value of metadata is indexed: without case and repeated spaces; what looks like a phone number (or a date) by its digits.
create or replace function metadata_form(value text) returns text immutable strict parallel safe language sql
  return case when norm(value) ~ '^\+?[0-9 ().\-/]{5,40}$' then regexp_replace(value, '\D', '', 'g') else norm(value) end;

-- The same for any JSON value; null for what no filter compares.
create or replace function metadata_value(value jsonb) returns text immutable strict parallel safe language sql
  return case jsonb_typeof(value)
    when 'string' then metadata_form(value #>> '{}')
    when 'boolean' then value #>> '{}'
    when 'number' then case when value::numeric = 0 then '0' when abs(value::numeric) between 1e-300 and 1e300 then (value::numeric)::float8::text end end;

-- A record's metadata as terms, at most 200: with more of them the record is a candidate of every filter over metadata.
create or replace function metadata_entries(metadata jsonb) returns text[] immutable parallel safe language sql
  return case when metadata is null or metadata = '{}' then '{}' else (
    select case when count(*) > 200 then (array_agg(entry order by entry))[1:200] || 'metadata:more'::text else array_agg(entry) end from (
      select 'metadata.' || e.key || '=' || metadata_value(e.value) as entry from jsonb_each(metadata) e(key, value) where jsonb_typeof(e.value) in ('string', 'number', 'boolean')
      union select 'metadata.' || e.key || '=' || metadata_value(v) from jsonb_each(metadata) e(key, value),
        jsonb_array_elements(case jsonb_typeof(e.value) when 'array' then e.value else '[]' end) v) entries where entry is not null) end;

create or replace function list_entries(field text, list text[]) returns text[] immutable parallel safe language sql
  return array(select field || '=' || v from unnest(list) v);

-- A term's hash: of its workspace too, so that one index serves all of them.
create or replace function term(workspace uuid, entry text) returns int immutable strict parallel safe language sql
  return hashtextextended(lower(entry), uuid_hash_extended(workspace, 0))::bit(32)::int;

create or replace function terms_of(workspace uuid, entries text[], metadata jsonb) returns int[] immutable parallel safe cost 1000 language sql
  return array(select distinct term(workspace, e) from unnest(entries || metadata_entries(metadata)) e where e is not null);

-- What each index of terms has, as its expression: an index cannot be asked in other words. Fields that have a b-tree of their own are left to it.
create or replace function terms_expression(object text) returns text immutable language sql
  return case object
    when 'contacts' then $x$terms_of(workspace_id, array['first_name=' || first_name, 'last_name=' || last_name, 'job_title=' || job_title, 'contact_type=' || contact_type,
      'date_of_birth=' || (date_of_birth - date '1970-01-01'), 'notes=' || notes, 'source=' || source, 'source_id=' || source_id, 'address_line1=' || address_line1, 'address_line2=' || address_line2,
      'city=' || city, 'state=' || state, 'postal_code=' || postal_code, 'country=' || country, 'timezone=' || timezone, 'referrer_category=' || referrer_category,
      case when is_primary then 'is_primary=true' end, case when email_unsubscribed then 'email_unsubscribed=true' end, case when sms_unsubscribed then 'sms_unsubscribed=true' end,
      case when voice_unsubscribed then 'voice_unsubscribed=true' end, case when whatsapp_unsubscribed then 'whatsapp_unsubscribed=true' end, case when is_referrer then 'is_referrer=true' end,
      case when archived then 'archived=true' end] || list_entries('alternate_emails', alternate_emails), metadata)$x$
    when 'companies' then $x$terms_of(workspace_id, array['description=' || description, 'website_url=' || website_url, 'industry=' || industry, 'account_type=' || account_type, 'abn=' || abn,
      'address_line1=' || address_line1, 'address_line2=' || address_line2, 'city=' || city, 'state=' || state, 'postal_code=' || postal_code, 'country=' || country, 'timezone=' || timezone,
      'founded_year=' || founded_year, 'annual_revenue=' || trim_scale(annual_revenue), 'employee_count=' || employee_count, 'notes=' || notes, case when archived then 'archived=true' end], metadata)$x$
    when 'opportunities' then $x$terms_of(workspace_id, array['description=' || description, 'currency=' || currency, 'status=' || status, 'probability=' || trim_scale(probability), 'opportunity_type=' || opportunity_type,
      'lead_source=' || lead_source, 'notes=' || notes, 'expected_close_date=' || (expected_close_date - date '1970-01-01'), 'next_action_type=' || next_action_type, 'next_action_note=' || next_action_note,
      case when archived then 'archived=true' end] || list_entries('lost_reasons', lost_reasons) || list_entries('won_reasons', won_reasons) || list_entries('tags', tag_names(tags)), metadata)$x$
  end;

-- The calendar day of an instant in UTC, whatever the session's time zone.
create or replace function utc_day(value timestamptz) returns date immutable strict parallel safe language sql
  return (value at time zone 'UTC')::date;

-- Milliseconds from opening to closing; instants have no finer part.
create or replace function ms_to_win(status text, created_at timestamptz, opened_at timestamptz, closed_at timestamptz) returns bigint immutable parallel safe language sql
  return case when status = 'won' then coalesce((extract(epoch from closed_at - coalesce(opened_at, created_at)) * 1000)::bigint, 0) else 0 end;

/*
  After each statement on opportunities, whatever caused it: its net effect on the counts, in one insert. A change that matters to no count writes
  nothing, for its rows before and after cancel out. Defined here because the totals below are only right when nothing is written between them and the triggers.
*/
create or replace function count_opportunities() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on, count, without_company, value, weighted_value, won_ms)
      select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at), utc_day(closed_at),
        count(*), count(*) filter (where customer_id is null), sum(value), sum(round(value * probability / 100, 2)), sum(ms_to_win(status, created_at, opened_at, closed_at))
      from new_rows where pipeline_id is not null and stage_id is not null group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  elsif tg_op = 'DELETE' then
    insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on, count, without_company, value, weighted_value, won_ms)
      select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at), utc_day(closed_at),
        -count(*), -count(*) filter (where customer_id is null), -sum(value), -sum(round(value * probability / 100, 2)), -sum(ms_to_win(status, created_at, opened_at, closed_at))
      from old_rows where pipeline_id is not null and stage_id is not null group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  else
    insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on, count, without_company, value, weighted_value, won_ms)
      select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at), utc_day(closed_at),
        sum(n), coalesce(sum(n) filter (where customer_id is null), 0), sum(n * value), sum(n * round(value * probability / 100, 2)), sum(n * ms_to_win(status, created_at, opened_at, closed_at))
      from (
        select 1 as n, workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_at, opened_at, closed_at, customer_id, value, probability, status from new_rows
        union all
        select -1, workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_at, opened_at, closed_at, customer_id, value, probability, status from old_rows
      ) signed
      where pipeline_id is not null and stage_id is not null
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      having sum(n) <> 0 or coalesce(sum(n) filter (where customer_id is null), 0) <> 0 or sum(n * value) <> 0
        or sum(n * round(value * probability / 100, 2)) <> 0 or sum(n * ms_to_win(status, created_at, opened_at, closed_at)) <> 0;
  end if;
  return null;
end $$;

create or replace function id_at(p_at timestamptz) returns uuid immutable strict parallel safe language sql
  return (lpad(to_hex(greatest(0, floor(extract(epoch from p_at) * 1000))::bigint), 12, '0') || repeat('0', 20))::uuid;

-- The moment of an id or a bound, whatever its version.
create or replace function instant_of(p_id uuid) returns timestamptz immutable strict parallel safe language sql
  return to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0);

revoke execute on function count_opportunities from public;
