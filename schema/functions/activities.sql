-- Deletes an activity together with the last record that it is linked to. `tg_argv[0]` is the link's column.
create or replace function delete_linked_activities() returns trigger language plpgsql as $$
begin
  -- Locked first, because two records that share an activity may be deleted concurrently.
  execute format('select from activities where workspace_id = $1 and %I = $2 order by id for update', tg_argv[0])
    using old.workspace_id, old.id;
  execute format('delete from activities where workspace_id = $1 and %I = $2 and num_nonnulls(contact_id, customer_id, deal_id) = 1',
    tg_argv[0]) using old.workspace_id, old.id;
  return old;
end $$;
create or replace trigger take_activities before delete on contacts for each row execute function delete_linked_activities('contact_id');
create or replace trigger take_activities before delete on companies for each row execute function delete_linked_activities('customer_id');
create or replace trigger take_activities before delete on opportunities for each row execute function delete_linked_activities('deal_id');
