/*
  The value of an opportunity whose value_source is not `manual` is the sum of its line items: of their subtotals, or of their totals with
  tax. It is kept on every path: triggers derive it whenever its line items or the opportunity change. While a restore or an undo inserts an
  opportunity again, its line items follow later, and correct the value only if they differ.
*/
create or replace function line_item_sum(p_workspace uuid, p_opportunity uuid, p_source text) returns numeric stable language sql as $$
  select coalesce(sum(case p_source when 'subtotal' then i.subtotal else i.total end), 0) from opportunity_products i
    where i.workspace_id = p_workspace and i.opportunity_id = p_opportunity
$$;

-- The same, unless it exceeds what a value can be.
create or replace function value_of_line_items(p_workspace uuid, p_opportunity uuid, p_source text)
  returns numeric stable language plpgsql as $$
declare
  value constant numeric := line_item_sum(p_workspace, p_opportunity, p_source);
begin
  if value >= 1e12 then perform fail_field('unit_price', 'The value of the opportunity exceeds 999,999,999,999.99'); end if;
  return value;
end $$;

create or replace function derive_value() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.value := value_of_line_items(new.workspace_id, new.id, new.value_source);
  return new;
end $$;
create or replace trigger derive_value before insert or update of value, value_source on opportunities for each row
  when (new.value_source <> 'manual' and not merge_in_progress()) execute function derive_value();

-- After each statement on line items. The opportunities are locked before their line items are added up, so that of two concurrent changes
-- the second one counts the first.
create or replace function settle_values()
  returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
declare
  w uuid;
  changed uuid[];
begin
  if tg_op = 'INSERT' then
    select min(workspace_id::text)::uuid, array_agg(distinct opportunity_id) into w, changed from new_rows;
  elsif tg_op = 'DELETE' then
    select min(workspace_id::text)::uuid, array_agg(distinct opportunity_id) into w, changed from old_rows;
  else
    select min(n.workspace_id::text)::uuid, array_agg(distinct n.opportunity_id) || array_agg(distinct o.opportunity_id) into w, changed
      from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
      where (n.opportunity_id, n.subtotal, n.total) is distinct from (o.opportunity_id, o.subtotal, o.total);
  end if;
  if changed is null then return null; end if;
  changed := array(select locked.id from (select o.id from opportunities o
    where o.workspace_id = w and o.id = any (changed) and o.value_source <> 'manual' order by o.id for update) locked);
  if cardinality(changed) = 0 then return null; end if;
  update opportunities o set value = value_of_line_items(w, o.id, o.value_source)
    where o.workspace_id = w and o.id = any (changed) and o.value <> line_item_sum(w, o.id, o.value_source);
  return null;
end $$;
create or replace trigger settle_insert after insert on opportunity_products referencing new table as new_rows
  for each statement execute function settle_values();
create or replace trigger settle_update after update on opportunity_products referencing old table as old_rows new table as new_rows
  for each statement execute function settle_values();
create or replace trigger settle_delete after delete on opportunity_products referencing old table as old_rows
  for each statement execute function settle_values();

-- The issues of a patch that contradicts the source of the value: it sets the value, or another currency than the line items have. The
-- current value is accepted, so that a record can be sent back as it was read.
create or replace function value_issues(p_patch jsonb, p_before jsonb) returns jsonb stable language sql as $$
  select jsonb_agg(jsonb_build_object('path', path, 'message', message) order by path desc) from (
    select 'value' as path, 'The value comes from the line items: change those, or set value_source to manual' as message
      where (p_patch ->> 'value')::numeric is distinct from coalesce((p_before ->> 'value')::numeric, 0) and p_patch ->> 'value' is not null
    union all
    select 'currency', format('The line items, of which the value is the sum, are in %s: remove them first, or set value_source to manual',
        p_before ->> 'currency')
      where p_patch ->> 'currency' <> p_before ->> 'currency' and exists (select from opportunity_products i
        where i.workspace_id = (select current_workspace()) and i.opportunity_id = (p_before ->> 'id')::uuid)) found
  where coalesce(p_patch ->> 'value_source', p_before ->> 'value_source', 'manual') <> 'manual'
$$;

revoke execute on function derive_value, settle_values from public;
