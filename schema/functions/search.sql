-- After each statement that names records: words that are new to the workspace are learnt. Under the collation "C" of a name only ASCII has
-- letters.
create or replace function index_words() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    if not exists (select from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
        where n.name_norm <> o.name_norm) then
      return null;
    end if;
  end if;
  insert into search_words (workspace_id, word, typo_keys)
    select w.workspace_id, w.word, typo_keys(w.workspace_id, w.word)
    from (select distinct n.workspace_id, word from new_rows n, unnest(words_of(n.name_norm)) word
      where word collate "default" ~ '^[[:alpha:]]{3,60}$') w
    where not exists (select from search_words s where s.workspace_id = w.workspace_id and s.word = w.word)
    order by 1, 2 on conflict do nothing;
  return null;
end $$;

create or replace procedure named_table(name text) language plpgsql as $$
begin
  call write_trigger(format('create or replace trigger learn_insert after insert on %I referencing new table as new_rows for each statement
    execute function index_words()', name));
  call write_trigger(format('create or replace trigger learn_update after update on %I
    referencing old table as old_rows new table as new_rows for each statement execute function index_words()', name));
end $$;

-- The words of the workspace's names that differ from this one in at most two letters (a short one in one), the nearest first.
create or replace function similar_words(p_word text, p_limit int)
  returns setof text stable language plpgsql
  security definer set search_path = public, pg_temp set enable_seqscan = off set enable_indexscan = off as $$
declare
  most int := case when length(p_word) > 3 then 2 else 1 end;
begin
  return query execute 'select s.word::text from search_words s
    where s.typo_keys && $1 and s.workspace_id = $2 and levenshtein_less_equal(s.word, $3, $4) <= $4
    order by levenshtein_less_equal(s.word, $3, $4), similarity(s.word, $3) desc, s.word limit $5'
    using typo_keys(current_workspace(), p_word), current_workspace(), p_word, most, p_limit;
end $$;

-- What an index of lexemes is asked: the workspace, and every word, as the beginning of one of the name's or as one of the address's (with
-- `p_address` the last one as its beginning); with `p_typos`, or a similar one.
create or replace function search_query(p_words text[], p_typos boolean, p_address boolean) returns tsquery stable language sql as $$
  select format('''#%s'' & %s', current_workspace(), string_agg(format('(%s)', choices), ' & '))::tsquery from (
    select format('''%s'':* | ''@%s''%s', w, w, case when p_address and at = cardinality(p_words) then ':*' else '' end)
      || coalesce((select string_agg(format(' | ''%s''', s), '') from similar_words(w, 20) s
        where p_typos and w ~ '^[[:alpha:]]{3,60}$'), '') as choices
    from unnest(p_words) with ordinality u(w, at)) each
$$;

-- How well a name answers to the words, from 0 to 1: 0 when one of them is none of the name's.
create or replace function name_score(p_words text[], p_name text) returns float8 immutable parallel safe language sql as $$
  select case
    when min(best) > 0 then 0.75 * avg(best) + 0.25 * similarity(array_to_string(p_words, ' '), array_to_string(words_of(p_name), ' '))
    else 0 end
  from (
    select max(case when n = w then 1 when starts_with(n, w) then 0.9
      when typos > most then 0 else 0.9 * (1 - typos::float8 / greatest(length(n), length(w))) end) as best
    from (select left(w, 60) as w, case when length(w) > 3 then 2 else 1 end as most from unnest(p_words) w) w,
      (select left(n, 60) as n from unnest(words_of(p_name)) n) n, lateral (select levenshtein_less_equal(n, w, most) as typos) d
    group by w) each
$$;

-- The first 200 records that a condition of an inverted index finds. Only its bitmap reads little, whatever the planner believes: so no
-- other condition is one that an index has. A bitmap that does not fit into work_mem would point to whole pages.
create or replace function search_index(p_table text, p_condition text, p_words text[], p_address text)
  returns setof search_match stable language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set work_mem = '64MB' as $$
begin
  return query execute format('select r.id, r.name_norm::text, case when s > 0 then %L else $2 end, greatest(s, 0.5)
    from (select id, name_norm from %I where %s and (workspace_id = %L) is true %s limit 200) r, name_score($1, r.name_norm) s',
    'name', p_table, p_condition, current_workspace(), case when p_table <> 'documents' then 'and archived is not true' end)
      using p_words, p_address;
end $$;

/*
  The best records of each section, and a row without an id for a section whose scope the caller lacks.
  p: q; sections; limit of each; where q is one: id, email, phone (E.164).
*/
create or replace function search_records(p jsonb)
  returns table (section text, id uuid, title text, subtitle text, matched_on text, score float8) stable language plpgsql
  security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  q constant text := norm(p ->> 'q');
  words constant text[] := (words_of(q))[1:6];
  digits constant text := case when q ~ '^[-+0-9 ().\/]+$' then ltrim(regexp_replace(q, '\D', '', 'g'), '0') else '' end;
  most constant int := (p ->> 'limit')::int;
  exactly text;
  live text;
  address text;
  address_field text;
  shown text;
  near tsquery;
  matches search_match[];
begin
  foreach section in array array(select jsonb_array_elements_text(p -> 'sections')) loop
    if not has_scopes(array[section || ':read']) then
      id := null;
      return next;
      continue;
    end if;
    live := case when section = 'documents' then 'true' else 'archived = false' end;
    case section
      when 'documents' then
        exactly := '';
        address := 'norm(folder)';
        address_field := 'folder';
        shown := $x$ r.name, nullif(concat_ws(' · ', r.folder, r.document_type), '') $x$;
      when 'contacts' then
        exactly := $x$ union all (select id, name_norm, 'email' from contacts where workspace_id = $1 and email = $3 and not archived
          order by created_at desc limit 20)
          union all (select id, name_norm, 'phone' from contacts where workspace_id = $1 and phone = $4 and not archived
            order by created_at desc limit 20)
          union all (select id, name_norm, 'landline' from contacts
            where workspace_id = $1 and landline = $4 and not archived limit 20) $x$;
        address := 'email';
        address_field := 'email';
        shown := $x$ concat_ws(' ', r.first_name, r.last_name),
          coalesce(r.email, r.phone, (select c.name from companies c where c.workspace_id = r.workspace_id and c.id = r.customer_id)) $x$;
      when 'companies' then
        exactly := $x$
          union all (select id, name_norm, 'email' from companies where workspace_id = $1 and email = $3 and not archived limit 20)
          union all (select id, name_norm, 'phone' from companies where workspace_id = $1 and phone = $4 and not archived limit 20) $x$;
        address := $x$ coalesce(email || ' ', '') || coalesce(website_url, '') $x$;
        address_field := 'website_url';
        shown := $x$ r.name, coalesce(r.website_url, r.email, r.industry) $x$;
      when 'opportunities' then
        exactly := '';
        address := 'external_id';
        address_field := 'external_id';
        shown := $x$ r.name,
          nullif(concat_ws(' · ', (select c.name from companies c where c.workspace_id = r.workspace_id and c.id = r.customer_id),
          (select s.name from stages s where s.workspace_id = r.workspace_id and s.id = r.stage_id)), '') $x$;
    end case;
    if section <> 'documents' then
      exactly := format($x$ union all select id, name_norm, 'external_id' from %I
        where workspace_id = $1 and external_id = $5 and not archived $x$, section) || exactly;
    end if;
    execute format($x$ select array_agg((m.id, m.name_norm, m.field, 1)::search_match) from (
        select id, name_norm, 'id' as field from %I where workspace_id = $1 and id = $2 and %s %s) m $x$, section, live, exactly)
      into matches using w, (p ->> 'id')::uuid, p ->> 'email', p ->> 'phone', p ->> 'q';
    if words <> '{}' and not p ? 'id' then
      execute format($x$ select $4 || array_agg((r.id, r.name_norm, 'name', name_score($3, r.name_norm))::search_match) from (
          select id, name_norm from %I where workspace_id = $1 and %s and name_norm >= $2 and name_norm < $2 || chr(1114111)
            order by name_norm limit $5) r $x$, section, live)
        into matches using w, q collate "C", words, matches, most;
      -- For a letter or two the names that begin with them are enough.
      if length(q) > 2 or coalesce(cardinality(matches), 0) < most then
        matches := matches || array(select m
          from search_index(section,
            format('lexemes_of(workspace_id, name_norm, %s) @@ %L::tsquery', address, search_query(words, false, q ~ '@')),
            words, address_field) m);
      end if;
      if array_to_string(words, ' ') ~ '[[:alpha:]]{3}' and (select count(distinct m.id) from unnest(matches) m) < most then
        near := coalesce(near, search_query(words, true, q ~ '@'));
        matches := matches || array(select m
          from search_index(section,
            format('lexemes_of(workspace_id, name_norm, %s) @@ %L::tsquery', address, near), words, address_field) m);
      end if;
    end if;
    if section = 'contacts' and p ? 'email' then
      matches := matches || array(select (m.id, m.name, 'alternate_emails', 1)::search_match
        from search_index(section,
          format('workspace_id = %L and alternate_emails <> ''{}'' and alternate_emails @> array[%L]', w, p ->> 'email'), words, null) m);
    end if;
    if section = 'contacts' and p ? 'phone' then
      matches := matches || array(select (m.id, m.name, 'alternate_phones', 1)::search_match
        from search_index(section,
          format('workspace_id = %L and alternate_phones <> ''{}'' and alternate_phones @> array[%L]', w, p ->> 'phone'), words, null) m);
    end if;
    if section = 'contacts' and length(digits) > 3 then
      matches := matches || array(select (m.id, m.name, 'phone', 0.5)::search_match
        from search_index(section,
          format('workspace_id::text = %L and '' '' || search_text like %L', w, '%' || digits || '%'), words, null) m);
    end if;
    return query execute format($x$ select %L, r.id, %s, m.matched_on, round(m.score::numeric, 3)::float8 from (
        select * from (select distinct on (m.id) *, m.score = 1 and m.matched_on <> 'name' as exact from unnest($2) m
          order by m.id, exact desc, m.score desc) once
          order by once.exact desc, once.score desc, once.name, once.id limit $3) m
      join %I r on r.workspace_id = $1 and r.id = m.id order by m.exact desc, m.score desc, m.name, m.id $x$, section, shown, section)
        using w, matches, most;
  end loop;
end $$;

-- Lists and the search whose cost does not grow with what a workspace has.

-- What a text with a space before it is like when it contains every word of the query: a word with three letters or digits in a row
-- anywhere, another at the beginning of a word, for trigrams find it nowhere else. Null, which nothing is like, when no word has a letter
-- or digit.
create or replace function search_patterns(p_query text) returns text[] immutable strict parallel safe language sql as $$
  select array_agg(case when w ~ '[[:alnum:]]{3}' then '%' else '% ' end || literally(w) || '%')
  from (select distinct w from regexp_split_to_table(search_form(p_query), ' ') w where w ~ '[[:alnum:]]') words
$$;

call named_table('contacts');
call named_table('companies');
call named_table('opportunities');
call named_table('documents');

revoke execute on function index_words, similar_words, search_index, search_records from public;
grant execute on function search_records to app;
