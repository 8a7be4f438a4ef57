-- The labels that a workspace begins with.
create or replace function add_work_order_statuses(p_workspace uuid) returns void language sql set search_path = public, pg_temp as $$
  insert into work_order_statuses (workspace_id, label, is_done, sort_order)
    values (p_workspace, 'To do', false, 0), (p_workspace, 'Scheduled', false, 1), (p_workspace, 'In progress', false, 2),
      (p_workspace, 'Done', true, 3)
$$;
revoke execute on function add_work_order_statuses from public, app, jobs;

-- The status that a request means by a label, by an id, by both, or by neither: then the first one.
create or replace function work_order_status(p_label text, p_id uuid) returns uuid stable language plpgsql as $$
declare
  labels constant text := (select string_agg(s.label, ', ' order by s.sort_order, s.id) from work_order_statuses s);
  labelled constant uuid := (select s.id from work_order_statuses s where s.label_norm = norm(p_label));
begin
  if p_label is not null and labelled is null then
    perform fail_field('status', coalesce('must be one of the labels: ' || labels,
      'has no label to match: add one with POST /work-order-statuses'));
  elsif p_id is not null and not exists (select from work_order_statuses s where s.id = p_id) then
    perform fail_field('status_id', 'status_id does not exist in this workspace');
  elsif p_id <> labelled then
    perform fail_field('status', 'is another status than status_id: send one of them');
  elsif p_id is null and labels is null then
    perform fail_field('status', 'has no label to match: add one with POST /work-order-statuses');
  end if;
  return coalesce(p_id, labelled, (select s.id from work_order_statuses s order by s.sort_order, s.id limit 1));
end $$;

-- Derives the opportunity and the title from the line item, and the time of completion from the status.
create or replace function derive_work_order() returns trigger language plpgsql as $$
declare
  is_done constant boolean := coalesce((select s.is_done from work_order_statuses s where s.workspace_id = new.workspace_id
    and s.id = new.status_id), false);
begin
  if tg_op = 'INSERT' and (new.deal_id is null or new.title is null) then
    select coalesce(new.deal_id, i.opportunity_id), coalesce(new.title, i.name) into new.deal_id, new.title from opportunity_products i
      where i.workspace_id = new.workspace_id and i.id = new.deal_product_id;
  end if;
  if tg_op = 'INSERT' or new.status_id <> old.status_id then
    new.completed_at := case when not is_done then null when tg_op = 'UPDATE' then coalesce(old.completed_at, now())
      else coalesce(new.completed_at, now()) end;
  end if;
  return new;
end $$;
create or replace trigger derive before insert or update of status_id on work_orders for each row
  when (not merge_in_progress()) execute function derive_work_order();

-- Announces that a work order has another status, with both labels.
create or replace function announce_work_order_status() returns trigger language plpgsql as $$
begin
  perform emit('work_order.status_changed', 'work_order', n.id, jsonb_build_object('deal_id', n.deal_id,
      'deal_product_id', n.deal_product_id, 'from_status_id', o.status_id, 'from_status', f.label,
      'to_status_id', n.status_id, 'to_status', t.label, 'is_done', t.is_done,
      'assigned_to', n.assigned_to))
    from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
    left join work_order_statuses f on f.workspace_id = o.workspace_id and f.id = o.status_id
    left join work_order_statuses t on t.workspace_id = n.workspace_id and t.id = n.status_id
    where n.status_id <> o.status_id;
  return null;
end $$;
create or replace trigger announce_status after update on work_orders referencing old table as old_rows new table as new_rows
  for each statement when (not merge_in_progress()) execute function announce_work_order_status();

-- Whether a status is final decides when its work orders were completed, so it stays while there are any.
create or replace function keep_status_meaning() returns trigger language plpgsql as $$
declare
  used constant uuid[] := array(select w.id from work_orders w where w.workspace_id = new.workspace_id and w.status_id = new.id limit 10);
begin
  if used <> '{}' then
    perform fail('CONFLICT', 'Work orders have this status, so is_done cannot be changed: give them another status first',
      jsonb_build_object('field', 'is_done', 'referenced_by', 'work_orders', 'ids', used));
  end if;
  return new;
end $$;
create or replace trigger keep_meaning before update of is_done on work_order_statuses for each row
  when (new.is_done <> old.is_done) execute function keep_status_meaning();

-- The other work orders of the same member whose time overlaps that of this one, as JSON: at most 20. Work without a duration takes an
-- hour.
create or replace function work_order_clashes(p work_orders) returns jsonb stable language plpgsql as $$
declare
  starts constant timestamp := p.schedule_date + p.schedule_time;
  ends constant timestamp := starts + make_interval(mins => coalesce(p.duration_minutes, 60));
begin
  if p.assigned_to is null or starts is null or p.completed_at is not null then return '[]'; end if;
  return (select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'title', c.title, 'schedule_date', c.schedule_date,
      'schedule_time', c.schedule_time, 'duration_minutes', c.duration_minutes)
      order by c.schedule_date, c.schedule_time, c.id), '[]') from (
    select * from work_orders w where w.assigned_to = p.assigned_to and w.schedule_date between p.schedule_date - 1 and p.schedule_date + 1
      and w.schedule_time is not null and w.completed_at is null and w.id <> p.id and w.schedule_date + w.schedule_time < ends
      and starts < w.schedule_date + w.schedule_time + make_interval(mins => coalesce(w.duration_minutes, 60))
    order by w.schedule_date, w.schedule_time, w.id limit 20) c);
end $$;

-- Makes a work order for each component of the product of a line item that has none: the ids of those that were made, and how many there
-- were. The lock on the line item lets calls at the same time make each of them once.
create or replace function make_work_orders(p_item uuid, p_date date, p_assignee uuid) returns jsonb language plpgsql as $$
declare
  item constant opportunity_products := (select row(i.*)::opportunity_products from opportunity_products i where i.id = p_item for update);
  total constant int := (select count(*) from (select from product_components c where c.product_id = item.product_id limit 501) n);
  made uuid[];
begin
  if item.product_id is null then
    perform fail_field('deal_product_id',
      'is a line item without a product, which has no components: create the work order with POST /work-orders');
  elsif total = 0 then
    perform fail_field('deal_product_id', 'is a line item whose product has no components: add some with POST /product-components');
  elsif total > 500 then
    perform fail_field('deal_product_id',
      'is a line item whose product has more than 500 components: create the work orders with POST /work-orders');
  end if;
  with new as (
    insert into work_orders (deal_product_id, component_id, title, status_id, schedule_date, assigned_to)
      select p_item, c.id, left(concat_ws(': ', item.name, c.label), 200), work_order_status(null, null), p_date, p_assignee
      from product_components c where c.product_id = item.product_id
        and not exists (select from work_orders w where w.deal_product_id = p_item and w.component_id = c.id)
      order by c.created_at, c.id
      on conflict do nothing returning id)
  select coalesce(array_agg(id), '{}') into made from new;
  return jsonb_build_object('made', to_jsonb(made), 'existing', total - cardinality(made));
end $$;

-- Gives at most p_limit work orders of a status another one.
create or replace function replace_work_order_status(p_id uuid, p_replacement uuid, p_limit int) returns void language sql as $$
  update work_orders set status_id = p_replacement where id = any (array(select w.id from work_orders w where w.status_id = p_id
    order by w.created_at, w.id limit p_limit for update));
$$;

-- The work orders of a member within some days that overlap others, each with those: at most 200.
create or replace function work_order_clashes_between(p_member uuid, p_from date, p_to date) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'title', w.title, 'schedule_date', w.schedule_date,
      'schedule_time', w.schedule_time, 'duration_minutes', w.duration_minutes, 'assigned_to', w.assigned_to, 'clashes', w.found)
      order by w.schedule_date, w.schedule_time, w.id), '[]')
  from (select o.*, c.found from (select * from work_orders o where o.assigned_to = p_member and o.schedule_date between p_from and p_to
      and o.schedule_time is not null and o.completed_at is null order by o.schedule_date, o.id limit 2000) o,
    lateral (select work_order_clashes(row(o.*)::work_orders) as found) c where c.found <> '[]' limit 200) w
$$;

-- What the token of a member's calendar grants: nothing but the workspace, while the member belongs to it.
create or replace function work_feed_grant(p_hash text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', f.workspace_id, 'scopes', '[]'::jsonb) from work_order_feeds f
    join memberships m on m.workspace_id = f.workspace_id and m.user_id = f.user_id and m.status <> 'removed'
    where f.token_hash = decode(p_hash, 'hex')
$$;
revoke execute on function work_feed_grant from public;
grant execute on function work_feed_grant to app;

-- Notes that a calendar was read, at most once an hour.
create or replace function note_feed_read(p_hash text) returns void language sql as $$
  update work_order_feeds set last_read_at = now() where token_hash = decode(p_hash, 'hex')
    and (last_read_at is null or last_read_at < now() - interval '1 hour')
$$;

-- The work orders of a member's calendar: those from a month ago to a year ahead, at most 1,000.
create or replace function work_calendar(p_hash text) returns jsonb stable language sql as $$
  select jsonb_build_object('name', w.name, 'zone', w.timezone, 'orders', (
      select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'version', o.version, 'updated_at', epoch_ms(o.updated_at), 'title', o.title,
        'status', s.label, 'schedule_date', o.schedule_date, 'schedule_time', o.schedule_time, 'duration_minutes', o.duration_minutes,
        'address', o.address, 'description', o.description) order by o.schedule_date, o.id), '[]')
      from (select * from work_orders o where o.assigned_to = f.user_id and o.schedule_date between current_date - 31 and current_date + 366
        order by o.schedule_date, o.id limit 1000) o join work_order_statuses s on s.workspace_id = o.workspace_id and s.id = o.status_id))
    from work_order_feeds f cross join workspaces w where f.token_hash = decode(p_hash, 'hex')
$$;
