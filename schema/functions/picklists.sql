-- Distinct names, compared in normal form; the first spelling of each remains.
create or replace function distinct_names(names text[]) returns text[] immutable strict parallel safe language sql
  return array(select (array_agg(n order by i))[1] from unnest(names) with ordinality u(n, i) group by norm(n) order by min(i));

-- One tag of each name, compared in normal form: the last one, at its position or, in a record, at that of the first.
create or replace function distinct_tags(tags jsonb, p_first boolean) returns jsonb immutable strict parallel safe language sql
  return (select coalesce(jsonb_agg(t order by case when p_first then first else i end), '[]') from (
    select t, i, min(i) over same as first, max(i) over same as last
    from jsonb_array_elements(tags) with ordinality e(t, i) window same as (partition by norm(t ->> 'name'))) each where i = last);

-- Raises an error for the first name that an earlier entry of the list has, compared in normal form.
create or replace function assert_distinct_names(p_path text, p_entries jsonb) returns void stable language plpgsql as $$
declare
  at bigint := (select min(i) from (
    select i, row_number() over (partition by norm(e ->> 'name') order by i) as n
    from jsonb_array_elements(p_entries) with ordinality u(e, i)) r
    where n > 1);
begin
  if at is not null then perform fail_field(format('%s.%s.name', p_path, at - 1), 'is a duplicate'); end if;
end $$;

-- Replaces a word in a list, without duplicates.
create or replace function respelled(words text[], p_from text, p_to text) returns text[] immutable strict parallel safe language sql
  return array(select w
    from (select case when norm(e) = norm(p_from) then p_to else e end as w, i from unnest(words) with ordinality u(e, i)) x group by w
    order by min(i));

-- Renames a tag in a list. It keeps its colour, unless a tag of the new name exists already.
create or replace function retagged(tags jsonb, p_from text, p_to text) returns jsonb immutable strict parallel safe language sql
  return (select coalesce(jsonb_agg(case when norm(t ->> 'name') = norm(p_from) then t || jsonb_build_object('name', p_to) else t end
    order by i), '[]')
    from jsonb_array_elements(tags) with ordinality e(t, i)
    where norm(t ->> 'name') <> norm(p_from) or norm(p_from) = norm(p_to) or not tag_names(tags) && array[norm(p_to)]);

-- The first records that have the word and, if p_becomes is given, in which it has not been replaced yet. Runs as its owner, because the
-- inverted indexes are not used under row-level security. It does not scan a table: statistics may say that a word is frequent which the
-- last record has just lost.
create or replace function usages(p_list text, p_word text, p_becomes text, p_limit int)
  returns setof uuid stable language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  if p_becomes is null and p_list in ('contact_tags', 'company_tags', 'opportunity_tags') then
    return query select t.record_id from tagged_records t where t.workspace_id = (select current_workspace())
      and t.object = case p_list when 'contact_tags' then 'contacts' when 'company_tags' then 'companies' else 'opportunities' end
      and t.tag = norm(p_word) limit p_limit;
    return;
  end if;
  if p_list in ('lost_reasons', 'won_reasons', 'contact_tags', 'company_tags', 'opportunity_tags') then
    return query select * from usages_in_arrays(p_list, p_word, p_becomes, p_limit);
    return;
  end if;
  return query execute case p_list
    when 'opportunity_types' then 'select id from opportunities where workspace_id = $1 and opportunity_type = $2 limit $3'
    when 'lead_sources' then 'select id from opportunities where workspace_id = $1 and lead_source = $2 limit $3'
    when 'account_types' then 'select id from companies where workspace_id = $1 and account_type = $2 limit $3'
    when 'contact_types' then 'select id from contacts where workspace_id = $1 and contact_type = $2 limit $3'
  end using current_workspace(), p_word, p_limit;
end $$;

-- The same for columns with several words. Only the bitmap of the inverted index reads little when the word is not where statistics expect
-- it.
create or replace function usages_in_arrays(p_list text, p_word text, p_becomes text, p_limit int)
  returns setof uuid stable language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set work_mem = '64MB' as $$
begin
  return query execute case p_list
    when 'lost_reasons' then 'select id from opportunities where workspace_id = $1 and lower_all(lost_reasons) && array[lower($2)]
      and ($3 is null or respelled(lost_reasons, $2, $3) <> lost_reasons) limit $4'
    when 'won_reasons' then 'select id from opportunities where workspace_id = $1 and lower_all(won_reasons) && array[lower($2)]
      and ($3 is null or respelled(won_reasons, $2, $3) <> won_reasons) limit $4'
    else format('select id from %I where workspace_id = $1 and tags <> ''[]'' and tag_names(tags) && array[norm($2)]
      and ($3 is null or retagged(tags, $2, $3) <> tags) limit $4', case p_list when 'contact_tags' then 'contacts' when 'company_tags'
      then 'companies' else 'opportunities' end)
  end using current_workspace(), p_word, p_becomes, p_limit;
end $$;

revoke execute on function usages, usages_in_arrays from public;
grant execute on function usages to app;
