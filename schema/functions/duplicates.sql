create or replace function is_dismissed(a uuid, b uuid) returns boolean stable language sql
  return exists (select from dismissed_duplicates d
    where d.workspace_id = (select current_workspace()) and d.first_id = least(a, b) and d.second_id = greatest(a, b));

-- By which fields records of a table are looked for among themselves, the surest first.
create or replace function duplicate_keys(p_table text) returns text[] immutable language sql
  return case p_table when 'contacts' then array['email', 'alternate_emails', 'phone', 'alternate_phones', 'landline', 'name']
    when 'companies'
    then array['email', 'phone', 'abn', 'website_url', 'domains', 'name'] else array['name'] end;

-- The column in which a key is compared.
create or replace function key_column(p_table text, p_key text) returns text immutable language sql
  return case when p_table <> 'companies' or p_key not in ('abn', 'website_url') then case p_key when 'name' then 'name_norm' else p_key end
    when p_key = 'abn' then 'abn_key' else 'website_domain' end;

-- The list with the further values of a key, such as alternate_emails of email; null for a key without one.
create or replace function further_column(p_table text, p_key text) returns text immutable parallel safe language sql
  return case p_table || '.' || p_key when 'contacts.email' then 'alternate_emails' when 'contacts.phone' then 'alternate_phones'
    when 'companies.website_url' then 'domains' end;

-- The column with the main value that such a list belongs to; null for any other key.
create or replace function main_column(p_list text) returns text immutable parallel safe language sql
  return case p_list when 'alternate_emails' then 'email' when 'alternate_phones' then 'phone' when 'domains' then 'website_domain' end;

-- The lowest score at which two records are reported. Many opportunities share a name, so they must also share a company.
create or replace function min_similarity(p_table text)
  returns float8 immutable language sql return case p_table when 'opportunities' then 0.7 else 0.4 end;

-- The values of a list, such as alternate_emails, and the main one.
create or replace function values_of(p_record jsonb, p_list text) returns setof text immutable language sql as $$
  select p_record ->> main_column(p_list) where p_record ->> main_column(p_list) is not null
  union select jsonb_array_elements_text(p_record -> p_list)
$$;

-- How one slip of the keyboard makes one text of the other: 'transposed', 'replaced' or 'added'; null for all other pairs.
create or replace function typing_slip(a text, b text) returns text immutable parallel safe language sql as $$
  select case when length(x) = 2 and x = reverse(y) and x <> y then 'transposed' when length(x) = 1 and length(y) = 1 then 'replaced'
      when length(x) + length(y) = 1 then 'added' end
    from (select count(*)::int as n from generate_series(1, least(length(a), length(b))) i where left(a, i) = left(b, i)) head,
      lateral (select count(*)::int as n from generate_series(1, least(length(a), length(b)) - head.n) i
        where right(a, i) = right(b, i)) tail,
      lateral (select substr(a, head.n + 1, length(a) - head.n - tail.n) as x, substr(b, head.n + 1, length(b) - head.n - tail.n) as y) rest
$$;

-- Whether two contacts can be the same person by their names: the given name is the same, an initial, misspelt, or in the place of the
-- family name.
create or replace function can_be_one_name(a jsonb, b jsonb) returns boolean immutable parallel safe language sql as $$
  select starts_with(x, y) or starts_with(y, x) or similarity(x, y) >= 0.5
      or coalesce(slip = 'transposed' or slip is not null and least(length(x), length(y)) > 3, false)
      or array(select regexp_split_to_table(a ->> 'name_norm', '[ -]')
        order by 1) = array(select regexp_split_to_table(b ->> 'name_norm', '[ -]') order by 1)
    from (select norm(replace(a ->> 'first_name', '.', '')) as x, norm(replace(b ->> 'first_name', '.', '')) as y) given,
      lateral (select typing_slip(x, y) as slip) slips
$$;

-- Whether two opportunities or companies differ by a number in their names, such as the year.
create or replace function are_numbered_apart(a jsonb, b jsonb) returns boolean immutable parallel safe language sql
  return not a ? 'first_name' and regexp_replace(a ->> 'name_norm', '\D+', ' ', 'g') <> regexp_replace(b ->> 'name_norm', '\D+', ' ', 'g');

-- What two records, as JSON, have in common, each with the chance that it is right; by place, in the order of duplicate_keys, then what
-- alone is no reason to look. Of a similar name the weight is in proportion to its similarity (pg_trgm).
create or replace function shared_values(a jsonb, b jsonb)
  returns table (place int, weight numeric, field text, kind text, value text) immutable language sql as $$
  select 1, 0.9, 'email', 'exact', a ->> 'email' where a ->> 'email' = b ->> 'email'
  union all select 2, 0.85, 'alternate_emails', 'exact', min(e)
    from (select values_of(a, 'alternate_emails') as e intersect select values_of(b, 'alternate_emails')) shared
    where (a ->> 'email' = b ->> 'email') is not true having min(e) is not null
  union all select 3, 0.8, 'phone', 'exact', a ->> 'phone' where a ->> 'phone' = b ->> 'phone'
  union all select 4, 0.75, 'alternate_phones', 'exact', min(n)
    from (select values_of(a, 'alternate_phones') as n intersect select values_of(b, 'alternate_phones')) shared
    where (a ->> 'phone' = b ->> 'phone') is not true having min(n) is not null
  union all select 5, 0.4, 'landline', 'exact', a ->> 'landline' where a ->> 'landline' = b ->> 'landline'
  union all select 6, 0.9, 'abn', 'exact', b ->> 'abn' where a ->> 'abn_key' = b ->> 'abn_key'
  union all select 7, 0.5, 'website_url', 'exact', b ->> 'website_domain' where a ->> 'website_domain' = b ->> 'website_domain'
  union all select 8, 0.5, 'domains', 'exact', min(d)
    from (select values_of(a, 'domains') as d intersect select values_of(b, 'domains')) shared
    where (a ->> 'website_domain' = b ->> 'website_domain') is not true having min(d) is not null
  union all select 9, 0.6 * s, 'name', case when a ->> 'name_norm' = b ->> 'name_norm' then 'exact' else 'similar' end, b ->> 'name_norm'
    from (select case when a ->> 'name_norm' = b ->> 'name_norm' then 1
      when are_numbered_apart(a, b) then 0 else similarity(a ->> 'name_norm', b ->> 'name_norm')::numeric end as s) n where s >= 0.5
  union all select 10, 0.3, 'customer_id', 'exact', a ->> 'customer_id' where a ->> 'customer_id' = b ->> 'customer_id'
  union all select 11, 0.3, 'phone', 'similar', b ->> 'phone' where typing_slip(a ->> 'phone', b ->> 'phone') = 'transposed'
  union all select 12, 0.4, 'date_of_birth', 'exact', b ->> 'date_of_birth' where a ->> 'date_of_birth' = b ->> 'date_of_birth'
  union all select 13, 0.4, 'address_line1', 'exact', b ->> 'address_line1'
    where norm(a ->> 'address_line1') = norm(b ->> 'address_line1') and a ->> 'postal_code' = b ->> 'postal_code'
$$;

/*
  What speaks against two records being one, each with the share of the score that it leaves. Different given names are those of a household
  or of colleagues with one number. An email, a phone number and others that differ count where nothing identifies the record, so that
  namesakes are not proposed: less if the company, the address or the date of birth supports the name. p_shared: the fields in common.
*/
create or replace function contrary_values(a jsonb, b jsonb, p_shared text[])
  returns table (field text, leaves numeric) immutable language sql as $$
  select 'name', case when p_shared && array['email', 'alternate_emails'] then 0.6 else 0.3 end
    where a ? 'first_name' and not can_be_one_name(a, b)
  union all select 'date_of_birth', 0.4
    where a ->> 'date_of_birth' <> b ->> 'date_of_birth' and typing_slip(a ->> 'date_of_birth', b ->> 'date_of_birth') is null
  union all select 'abn', 0.3 where a ->> 'abn_key' <> b ->> 'abn_key'
  union all select f.field, case when p_shared && array['customer_id', 'date_of_birth', 'address_line1'] then 0.8 else 0.6 end
    from (values ('email', a ->> 'email', b ->> 'email'), ('phone', a ->> 'phone', b ->> 'phone'),
      ('postal_code', a ->> 'postal_code', b ->> 'postal_code'), ('website_url', a ->> 'website_domain', b ->> 'website_domain'),
      ('customer_id', case when a ? 'first_name' then a ->> 'customer_id' end, b ->> 'customer_id')) f(field, one, other)
    where f.one <> f.other and not f.field = any (p_shared)
      and not p_shared && array['email', 'alternate_emails', 'phone', 'alternate_phones', 'landline', 'abn', 'website_url', 'domains']
$$;

/*
  Why two records may be one, and the score from 0 to 1: the chance that one of the reasons is right, if they were independent,
  1 - (1 - w1)(1 - w2)…, multiplied by what each contrary value leaves of it.
*/
create or replace function record_similarity(a jsonb, b jsonb, out score float8, out reasons jsonb, out differences jsonb) immutable
  language sql as $$
  with shared as materialized (select * from shared_values(a, b)),
    contrary as (select * from contrary_values(a, b, array(select s.field from shared s)))
  select round(((1 - exp(sum(ln(1 - s.weight)))) * (select coalesce(exp(sum(ln(c.leaves))), 1) from contrary c))::numeric, 3)::float8,
    jsonb_agg(jsonb_build_object('field', s.field, 'kind', s.kind, 'value', s.value) order by s.place),
    (select coalesce(jsonb_agg(c.field order by c.leaves, c.field), '[]') from contrary c)
  from shared s
$$;

create or replace function record_of(p_table text, p_id uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
begin
  case p_table
    when 'contacts' then return (select to_jsonb(r) from contacts r where r.workspace_id = (select current_workspace()) and r.id = p_id);
    when 'companies' then return (select to_jsonb(r) from companies r where r.workspace_id = (select current_workspace()) and r.id = p_id);
    else return (select to_jsonb(r) from opportunities r where r.workspace_id = (select current_workspace()) and r.id = p_id);
  end case;
end $$;

-- A record as it is shown in a list of candidates.
create or replace function as_candidate(p_record jsonb) returns jsonb immutable language sql
  return jsonb_build_object('id', p_record -> 'id', 'name',
    coalesce(p_record ->> 'name', concat_ws(' ', p_record ->> 'first_name', p_record ->> 'last_name')),
    'email', p_record -> 'email', 'phone', p_record -> 'phone', 'external_id', p_record -> 'external_id', 'created_at',
      iso((p_record ->> 'created_at')::timestamptz));

/*
  A page of records with possible duplicates: each record is compared with up to three before it, in the order of one key after the other. A
  page reads the index of a key and ends after 5000 entries (1000 of names, 250 of alternate values; a comparison of two records counts as
  20), so its cost does not depend on the number of records and it may be short. A pair is listed once, under its first reason. p: table,
  limit, min_score (null for min_similarity), after (key, value, at, id: the end of the previous page). Returns items and next, which is
  null at the end.
*/
create or replace function scan_duplicates(p jsonb)
  returns jsonb stable security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  kind constant text := p ->> 'table';
  keys constant text[] := duplicate_keys(kind);
  wanted constant int := (p ->> 'limit')::int;
  least_score constant float8 := coalesce((p ->> 'min_score')::float8, min_similarity(kind));
  place jsonb := nullif(p -> 'after', 'null');
  effort int := 5000;
  items jsonb := '[]';
  candidates jsonb;
  own jsonb;
  other jsonb;
  key text;
  col text;
  cursor_at text;
  neighbours text;
  cost int;
  seen bigint;
  looked int := 0;
  here jsonb;
  pair record;
  alike record;
begin
  if place ->> 'key' <> all (keys)
    then perform fail_field('after', 'Not a cursor of this list: use page.next of an earlier answer as it is'); end if;
  foreach key in array keys[coalesce(array_position(keys, place ->> 'key'), 1):] loop
    cost := case when key = 'name' then 5 when main_column(key) is not null then 20 else 1 end;
    if main_column(key) is not null then
      neighbours := format($q$ select a.n, a.id, ''::text as value, a.created_at as at, o.id as other from (
          select id, created_at, %1$I, %2$I, row_number() over (order by id) as n from %3$I
          where workspace_id = $1 and %2$I <> '{}' and not archived and ($3::uuid is null or id > $3) order by id limit $2) a
        left join lateral (
          select u.id from (
            (select id, %2$I from %3$I
              where workspace_id = $1 and %1$I = any (a.%2$I) and not archived limit 4)
            union (select id, %2$I from %3$I
              where workspace_id = $1 and %2$I <> '{}' and %2$I && array_remove(a.%2$I || a.%1$I, null) and not archived limit 4)) u
          where u.id <> a.id and (u.%2$I = '{}' or u.id < a.id) order by u.id limit 3) o on true
        order by a.n, o.id $q$, main_column(key), key, kind);
    else
      col := key_column(kind, key);
      cursor_at := case key when 'name' then '(name_norm, id) %s ($4, $3)'
        else format('(%I, archived, created_at, id) %%s ($4, false, $5, $3)', col) end;
      -- The index of names has no created_at: the id breaks ties.
      neighbours := format($q$ with ahead as (select *, row_number() over () as n from (
            select id, %1$I as value, %8$s as at from %2$I
              where workspace_id = $1 and archived = false and %1$I is not null and ($3::uuid is null or %3$s)
              order by %1$I, %4$s id limit $2) r),
          behind as (select *, 1 - row_number() over () as n from (
            select id, %1$I as value, %8$s as at from %2$I where $3::uuid is not null and workspace_id = $1 and archived = false and %5$s
              order by %1$I desc, %6$s id desc limit 3) r),
          rows as (select * from ahead union all select * from behind)
        select r.n, r.id, r.value, r.at, o.id as other from ahead r cross join (values (1), (2), (3)) before(steps)
          left join rows o on o.n = r.n - steps and %7$s
        order by r.n, steps $q$,
        col, kind, format(cursor_at, '>'), case key when 'name' then '' else 'created_at,' end, format(cursor_at, '<='),
        case key when 'name' then '' else 'created_at desc,' end,
        case key when 'name' then 'left(o.value, 2) = left(r.value, 2) and (o.value = r.value or similarity(o.value, r.value) >= 0.5)'
          else 'o.value = r.value' end,
        case key when 'name' then $x$'-infinity'::timestamptz$x$ else 'created_at' end);
    end if;
    seen := 0;
    candidates := '[]';
    for pair in execute neighbours using w, effort / cost, (place ->> 'id')::uuid, place ->> 'value', (place ->> 'at')::timestamptz loop
      if pair.n > seen then
        if candidates <> '[]' then
          items := items || jsonb_build_object('record', as_candidate(own), 'candidates', candidates);
        end if;
        if jsonb_array_length(items) = wanted or effort - seen * cost - looked * 20 < 20
          then return jsonb_build_object('items', items, 'next', here); end if;
        seen := pair.n;
        own := null;
        candidates := '[]';
        here := jsonb_build_object('key', key, 'value', pair.value, 'at', pair.at, 'id', pair.id);
      end if;
      if pair.other is not null and not is_dismissed(pair.id, pair.other) then
        looked := looked + 1;
        own := coalesce(own, record_of(kind, pair.id));
        other := record_of(kind, pair.other);
        select * into alike from record_similarity(own, other);
        if alike.score >= least_score and alike.reasons -> 0 ->> 'field' = key then
          candidates := candidates || jsonb_build_object('record', as_candidate(other), 'score', alike.score, 'reasons', alike.reasons,
            'differences', alike.differences);
        end if;
      end if;
    end loop;
    if candidates <> '[]' then items := items || jsonb_build_object('record', as_candidate(own), 'candidates', candidates); end if;
    effort := effort - seen * cost - looked * 20;
    looked := 0;
    if jsonb_array_length(items) = wanted or effort < 20 then return jsonb_build_object('items', items, 'next', here); end if;
    place := null;
  end loop;
  return jsonb_build_object('items', items, 'next', null);
end $$;

-- The possible duplicates of one record, the most similar first.
create or replace function duplicates_of(p_table text, p_id uuid, p_most int, p_min_score float8)
  returns jsonb stable security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  own jsonb;
  words text[];
  key text;
  more uuid[];
  ids uuid[] := '{}';
  found jsonb;
begin
  own := record_of(p_table, p_id);
  words := (words_of(own ->> 'name_norm'))[1:6];
  foreach key in array duplicate_keys(p_table) || case when p_table = 'companies' then '{}' else array['customer_id'] end loop
    if main_column(key) is not null then
      -- Each has a limit of its own: a union of all would read every record with a value that very many have.
      execute format('select array_agg(o.id) from (
          (select id from %3$I where workspace_id = $1 and %1$I = any (array(select jsonb_array_elements_text($2 -> %2$L)))
            and not archived limit 25)
          union (select id from %3$I
            where workspace_id = $1 and %2$I <> ''{}'' and %2$I && array(select values_of($2, %2$L)) and not archived limit 25)) o',
        main_column(key), key, p_table)
        into more using w, own;
    else
      execute format('select array_agg(id) from (select id from %I where workspace_id = $1 and %I = $2%s and not archived limit 50) o',
        p_table, key_column(p_table, key), case key when 'customer_id' then '::uuid' else '' end)
        into more using w, own ->> key_column(p_table, key);
    end if;
    ids := ids || more;
  end loop;
  -- Names that are adjacent in the alphabet, and names with all of its words or similar ones.
  execute format('select array(select id
    from (select id from %1$I where workspace_id = $1 and archived = false and name_norm < $2 order by name_norm desc limit 5) b)
    || array(select id from (select id from %1$I where workspace_id = $1 and archived = false and name_norm > $2
      order by name_norm limit 5) a)', p_table)
    into more using w, own ->> 'name_norm';
  ids := ids || more;
  if words <> '{}' then
    ids := ids || array(select m.id from search_index(p_table, format('lexemes_of(workspace_id, name_norm, %s) @@ %L::tsquery',
      case p_table when 'contacts' then 'email' when 'companies' then $x$coalesce(email || ' ', '') || coalesce(website_url, '')$x$
        else 'external_id' end, search_query(words, true, false)), words, 'email') m);
  end if;
  execute format('select jsonb_agg(c.candidate) from (
      select jsonb_build_object(''record'', as_candidate(to_jsonb(b)), ''score'', l.score, ''reasons'', l.reasons,
          ''differences'', l.differences) as candidate
      from %I b, record_similarity($3, to_jsonb(b)) l
      where b.workspace_id = $1 and b.id = any ($2) and b.id <> $4 and l.score >= $5 and not is_dismissed(b.id, $4)
      order by l.score desc, b.id limit $6) c', p_table)
    into found using w, ids, own, p_id, coalesce(p_min_score, min_similarity(p_table)), p_most;
  return coalesce(found, '[]');
end $$;

revoke execute on function record_of, scan_duplicates, duplicates_of(text, uuid, int, float8) from public;
grant execute on function scan_duplicates, duplicates_of(text, uuid, int, float8) to app;
