/*
  Undoes a merge: restores the losers under their old ids and moves back their rows that are still where the merge moved them. The others
  stay and are reported in `changed_since` of the merge. p: merge_id; entity; table.
*/
create or replace function unmerge_records(p jsonb) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  of constant regclass := (p ->> 'table')::regclass;
  this merges;
  further uuid;
  report jsonb;
  parent jsonb;
  t record;
begin
  select * into this from merges m where m.workspace_id = w and m.id = (p ->> 'merge_id')::uuid and m.entity = p ->> 'entity' for update;
  if this.id is null then perform fail('NOT_FOUND', 'No such merge in this workspace'); end if;
  if this.undone then perform fail('INVALID_STATE', 'This merge is undone already',
    jsonb_build_object('state', 'undone', 'allowed', array['merged'])); end if;
  if not this.undoable or this.created_at < now() - make_interval(days => (p ->> 'days')::int) then
    perform fail('INVALID_STATE', format('A merge can be undone for %s days', p ->> 'days'),
      jsonb_build_object('state', 'expired', 'allowed', array['merged']));
  end if;
  -- A merge of the winner, and another undo about it, wait for this one.
  perform lock_merged_records(of, this.winner_id, '{}', this.field_changes ?| array['parent_company_id', 'is_primary'] or exists (
    select from merge_entries e where e.workspace_id = w and e.merge_id = this.id and e.table_name = of::text
      and (e.before ->> 'parent_company_id' is not null or (e.before ->> 'is_primary')::boolean)));
  select m.id into further from merges m
    join merge_entries e on e.workspace_id = w and e.merge_id = m.id and e.action = 'merged' and e.row_id = this.winner_id
    where m.workspace_id = w and not m.undone;
  if further is not null then
    perform fail('INVALID_STATE', 'The winner was merged itself since then: undo that merge first',
      jsonb_build_object('state', 'merged_on', 'allowed', array['merged'], 'merge_id', further, 'merged_into',
      merged_into(this.winner_id)));
  end if;
  perform set_flag('merge_in_progress');
  -- A loser that was the winner's parent must be there again before the winner refers to it.
  parent := case when this.losers @> jsonb_build_array(jsonb_build_object('id', this.field_changes #> '{parent_company_id,before}'))
    then this.field_changes -> 'parent_company_id' end;
  report := revert_fields(of, this.id, this.winner_id,
    case when parent is null then this.field_changes else this.field_changes - 'parent_company_id' end);
  report := report || restore_rows(of, this.entity, this.id, '{merged}');
  if parent is not null and exists (select from companies c where c.workspace_id = w and c.id = this.winner_id) then
    report := report || revert_fields(of, this.id, this.winner_id, jsonb_build_object('parent_company_id', parent));
  end if;
  for t in
    select e.name, (select max(r.level) from references_to(of) r where r.child = e.name::regclass) as level
    from (select distinct d.table_name as name from merge_entries d
      where d.workspace_id = w and d.merge_id = this.id and d.action in ('dropped', 'deleted')) e order by level desc, e.name
  loop
    perform restore_flags(t.name::regclass, this.id);
    report := report || restore_rows(t.name::regclass, entity_of(t.name), this.id, '{dropped,deleted}');
  end loop;
  report := report || revert_moves(of, this.id, this.winner_id);
  perform clear_flag('merge_in_progress');
  set constraints all immediate;
  set constraints all deferred;
  update merges m set undone = true, undone_at = now(), undone_by = current_user_id(), changed_since = report
    where m.workspace_id = w and m.id = this.id;
  perform expire_merge_rows(w, this.id);
  perform emit(this.entity || '.unmerged', this.entity, this.winner_id,
    jsonb_build_object('merge_id', this.id, 'restored_ids', (select jsonb_agg(l -> 'id') from jsonb_array_elements(this.losers) l)));
end $$;

-- Deletes what a merge did to each row, and keeps which records were the losers.
create or replace function expire_merge_rows(p_workspace uuid, p_merge uuid)
  returns void language sql security definer set search_path = public, pg_temp as $$
  delete from merge_entries where workspace_id = p_workspace and merge_id = p_merge and action <> 'merged';
  update merge_entries set before = '{}', after = '{}' where workspace_id = p_workspace and merge_id = p_merge;
  update merges set undoable = false where workspace_id = p_workspace and id = p_merge;
$$;

-- The same for merges of all workspaces that can no longer be undone.
create or replace function expire_merge_undo(p_days int, p_limit int default 200)
  returns void language sql security definer set search_path = public, pg_temp as $$
  select expire_merge_rows(old.workspace_id, old.id)
    from (select workspace_id, id from merges where undoable and created_at < now() - make_interval(days => p_days)
    order by created_at limit p_limit) old
$$;

revoke execute on function unmerge_records, expire_merge_rows, expire_merge_undo from public, app;
grant execute on function unmerge_records to app;
grant execute on function expire_merge_undo to jobs;
