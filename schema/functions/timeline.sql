-- Links a change to its opportunity, or to both when a record moves from one opportunity to another. The timeline shows created
-- attachments, activities and tasks, and stage moves, from their own tables, so their changes are left out.
create or replace function index_timeline_change() returns trigger language plpgsql as $$
declare
  part text[] := case new.entity
    when 'opportunity_product' then '{opportunity_products,opportunity_id}'
    when 'opportunity_contact' then '{opportunity_contacts,opportunity_id}'
    when 'opportunity_user' then '{opportunity_users,opportunity_id}'
    when 'opportunity_bucket' then '{opportunity_buckets,opportunity_id}'
    when 'product_cost' then '{product_costs,opportunity_id}'
    when 'billing_party' then '{billing_parties,opportunity_id}'
    when 'invoice' then '{invoices,opportunity_id}'
    when 'attachment' then '{attachments,opportunity_id}'
    when 'task' then '{tasks,opportunity_id}'
    when 'activity' then '{activities,deal_id}'
    when 'deal_stakeholder' then '{deal_stakeholders,deal_id}'
  end;
  about uuid[];
begin
  if new.entity = 'opportunity' then
    if new.action = 'updated'
      and new.fields - array['stage_id', 'pipeline_id', 'stage_entered_at', 'status', 'probability', 'closed_at'] = '{}'
      then return null; end if;
    about := array[new.entity_id];
  elsif new.action = 'created' and new.entity in ('attachment', 'activity', 'task') then
    return null;
  elsif new.fields ? part[2] then
    about := array[(new.fields #>> array[part[2], 'before'])::uuid, (new.fields #>> array[part[2], 'after'])::uuid];
  elsif new.action = 'updated' then
    execute format('select array[%I] from %I where workspace_id = $1 and id = $2', part[2], part[1]) into about
      using new.workspace_id, new.entity_id;
  end if;
  insert into opportunity_changes (workspace_id, opportunity_id, at, change_id)
    select new.workspace_id, a, new.at, new.id from unnest(about) a where a is not null;
  return null;
end $$;
create or replace trigger index_timeline_change after insert on changes for each row
  when (new.entity in ('opportunity', 'opportunity_product', 'opportunity_contact', 'opportunity_user',
  'opportunity_bucket', 'product_cost', 'billing_party', 'invoice', 'attachment', 'task', 'activity', 'deal_stakeholder'))
    execute function index_timeline_change();
