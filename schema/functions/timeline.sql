-- A part of records with a timeline: its table, and the columns that refer to these records.
create or replace function timeline_part(p_entity text) returns text[] immutable parallel safe language sql
  return case p_entity
    when 'opportunity_product' then '{opportunity_products,opportunity_id}'
    when 'opportunity_contact' then '{opportunity_contacts,opportunity_id,contact_id}'
    when 'opportunity_user' then '{opportunity_users,opportunity_id}'
    when 'opportunity_bucket' then '{opportunity_buckets,opportunity_id}'
    when 'product_cost' then '{product_costs,opportunity_id}'
    when 'billing_party' then '{billing_parties,opportunity_id}'
    when 'invoice' then '{invoices,opportunity_id}'
    when 'attachment' then '{attachments,opportunity_id,contact_id,customer_id}'
    when 'document' then '{documents,opportunity_id,contact_id,customer_id}'
    when 'task' then '{tasks,opportunity_id,contact_id,customer_id}'
    when 'activity' then '{activities,deal_id,contact_id,customer_id}'
    when 'deal_stakeholder' then '{deal_stakeholders,deal_id,contact_id}'
    when 'employer' then '{employers,contact_id,customer_id}'
    when 'work_order' then '{work_orders,deal_id}'
    when 'whiteboard' then '{whiteboards,opportunity_id}'
    when 'notepad' then '{notepads,opportunity_id,contact_id,customer_id}'
    when 'memory' then '{memories,opportunity_id,contact_id,customer_id}'
    when 'stakeholder_member' then '{stakeholder_members,contact_id}'
  end::text[];

-- Links a change to the contact, company or opportunity whose timeline shows it, or to both when a row moves from one to another. The
-- timeline shows created attachments, activities and tasks, and stage moves, from their own tables, so their changes are left out. What is
-- drawn on a whiteboard or written on a notepad is left out too.
create or replace function index_timeline_change() returns trigger language plpgsql as $$
declare
  part constant text[] := timeline_part(new.entity);
  about uuid[];
  stored uuid[];
begin
  if part is null then
    if new.entity = 'opportunity' and new.action = 'updated'
      and new.fields - array['stage_id', 'pipeline_id', 'stage_entered_at', 'status', 'probability', 'closed_at'] = '{}'
      then return null; end if;
    about := array[new.entity_id];
  elsif new.action = 'created' and new.entity in ('attachment', 'activity', 'task')
    or new.entity in ('whiteboard', 'notepad') and new.action = 'updated'
      and new.fields - array['element_count', 'content_length', 'content_sha256'] = '{}' then
    return null;
  else
    about := array(select (new.fields -> c ->> side)::uuid from unnest(part[2:]) c, unnest(array['before', 'after']) side);
    if new.action = 'updated' then
      execute format('select array[%s] from %I where workspace_id = $1 and id = $2', array_to_string(part[2:], ', '), part[1]) into stored
        using new.workspace_id, new.entity_id;
    end if;
  end if;
  insert into timeline_changes (workspace_id, record_id, at, change_id)
    select distinct new.workspace_id, a, new.at, new.id from unnest(about || stored) a where a is not null;
  return null;
end $$;
create or replace trigger index_timeline_change after insert on changes for each row
  when (new.entity in ('contact', 'company', 'opportunity', 'opportunity_product', 'opportunity_contact', 'opportunity_user',
  'opportunity_bucket', 'product_cost', 'billing_party', 'document', 'invoice', 'attachment', 'task', 'activity', 'deal_stakeholder', 'employer',
  'stakeholder_member', 'notepad', 'whiteboard', 'work_order', 'memory')) execute function index_timeline_change();

-- Links a stage move to the company and the contacts that the opportunity has at this time.
create or replace function index_timeline_moves()
  returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = on set enable_seqscan = off as $$
begin
  insert into timeline_moves (workspace_id, record_id, at, move_id)
    select m.workspace_id, r.id, m.moved_at, m.id from new_rows m, lateral (
      select o.customer_id as id from opportunities o
        where o.workspace_id = m.workspace_id and o.id = m.opportunity_id and o.customer_id is not null
      union all select l.contact_id from opportunity_contacts l
        where l.workspace_id = m.workspace_id and l.opportunity_id = m.opportunity_id) r
    on conflict do nothing;
  return null;
end $$;
create or replace trigger index_timeline_moves after insert on stage_moves referencing new table as new_rows for each statement
  execute function index_timeline_moves();

revoke execute on function index_timeline_moves from public;
