/*
  What a merge decides from: the Worker reads these facts, decides the winner's fields (src/features/merges/rules) and sends them to
  merge_records. p: entity; table; winner_id; loser_ids; parent_company_id, an overriding parent. Returns:
  - winner (null if there is none) and losers, in the order of loser_ids, without generated and derived columns;
  - unusable: by loser, the metadata keys whose values the current custom field definitions refuse;
  - parents: by company, its parent, for the merged companies, the overriding parent, and all companies above them;
  - digest, by which confirm_merge_facts recognises the same facts.
  It is volatile, so that it sees what was committed while the statement waited for a lock.
*/
create or replace function merge_facts(p jsonb)
  returns jsonb volatile security definer set search_path = public, pg_temp language plpgsql as $$
declare
  record_table constant regclass := (p ->> 'table')::regclass;
  winner_id constant uuid := (p ->> 'winner_id')::uuid;
  loser_ids constant uuid[] := array(select value::uuid from jsonb_array_elements_text(p -> 'loser_ids'));
  generated constant text[] := array(select attname from pg_attribute where attrelid = record_table and attgenerated <> '')
    || array(select column_name from unrecorded_columns() where table_name = record_table::text and kind = 'derived');
  winner jsonb;
  losers jsonb;
  facts jsonb;
begin
  execute format('select to_jsonb(r) - $3 from %s r where r.workspace_id = $1 and r.id = $2', record_table)
    into winner using current_workspace(), winner_id, generated;
  execute format('select coalesce(jsonb_agg(to_jsonb(r) - $3 order by array_position($2, r.id)), ''[]'') from %s r
    where r.workspace_id = $1 and r.id = any ($2)', record_table)
    into losers using current_workspace(), loser_ids, generated;
  -- A value that refers to another record of the merge has no record to refer to.
  winner := winner || jsonb_build_object('metadata',
    (winner -> 'metadata') - custom_keys_of(p ->> 'entity', winner -> 'metadata', loser_ids));
  facts := jsonb_build_object('winner', winner, 'losers', losers,
    'unusable', (select coalesce(jsonb_object_agg(id, keys), '{}') from (
      select l ->> 'id' as id, jsonb_agg(k) as keys from jsonb_array_elements(losers) l, jsonb_each(l -> 'metadata') m(k, v)
      where not is_blank(v)
        and (custom_value_issues(current_workspace(), p ->> 'entity', jsonb_build_object(k, v), false) is not null
          or k = any (custom_keys_of(p ->> 'entity', l -> 'metadata', loser_ids || winner_id)))
      group by 1) refused),
    'parents', case when record_table <> 'companies'::regclass then '{}' else (
      with recursive path(id, parent, level) as (
        select c.id, c.parent_company_id, 1 from companies c where c.workspace_id = (select current_workspace())
          and c.id = any (loser_ids || winner_id || (p ->> 'parent_company_id')::uuid)
        union
        select c.id, c.parent_company_id, path.level + 1 from path
          join companies c on c.workspace_id = (select current_workspace()) and c.id = path.parent
          where path.level < 100
      )
      select coalesce(jsonb_object_agg(id, parent), '{}') from path) end,
    'tag_forms', (select coalesce(jsonb_object_agg(t ->> 'name', norm(t ->> 'name')), '{}')
      from jsonb_array_elements(losers || winner || jsonb_build_object('tags', p -> 'tags')) r,
        jsonb_array_elements(case jsonb_typeof(r -> 'tags') when 'array' then r -> 'tags' else '[]' end) t));
  return facts || jsonb_build_object('digest', md5(facts::text));
end $$;

-- Locks the records of a merge until the end of the transaction, and returns whether the facts are still those that were read. Without a
-- digest nothing was read yet.
create or replace function confirm_merge_facts(p jsonb, p_digest text)
  returns boolean volatile security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if p_digest is null then return false; end if;
  perform lock_for_merge((p ->> 'table')::regclass, p ->> 'entity', (p ->> 'winner_id')::uuid,
    array(select value::uuid from jsonb_array_elements_text(p -> 'loser_ids')), p ?| array['parent_company_id', 'is_primary']);
  -- An activity is locked before the rows of its contacts, as when it changes itself.
  if p ->> 'table' = 'contacts' then
    perform from activities where workspace_id = (select current_workspace())
      and id = any (array(select l.activity_id from activity_contacts l
      where l.workspace_id = (select current_workspace())
      and l.contact_id = any (array(select value::uuid from jsonb_array_elements_text(p -> 'loser_ids')))))
      order by id for update;
  end if;
  return merge_facts(p) ->> 'digest' = p_digest;
end $$;

revoke execute on function merge_facts, confirm_merge_facts from public;
grant execute on function merge_facts, confirm_merge_facts to app;
