-- Whether a component of the product may belong to p_parent: one of the same product, neither the component itself nor below it, with fewer
-- than eight above it.
create or replace function component_fits(p_id uuid, p_parent uuid, p_product uuid) returns boolean stable language plpgsql as $$
begin
  return exists (select from product_components c where c.id = p_parent and c.product_id = p_product) and not exists (
    with recursive up(id, level) as (
      select p_parent, 1
      union select c.parent_component_id, level + 1 from up join product_components c on c.id = up.id
        where up.id <> p_id and level < 9 and c.parent_component_id is not null)
    select from up where up.id = p_id or up.level >= 9);
end $$;

create or replace function check_component_parent() returns trigger language plpgsql as $$
begin
  if not component_fits(new.id, new.parent_component_id, new.product_id) then
    perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
      'path', 'parent_component_id', 'message', 'The component would contain itself, or is not of the same product'))));
  end if;
  return new;
end $$;
create or replace trigger check_parent before insert or update of parent_component_id, product_id on product_components for each row
  when (new.parent_component_id is not null) execute function check_component_parent();

-- Makes the instances that the line items of an opportunity lack, at most p_most, from the components of their products as they are now.
create or replace function make_component_instances(p_opportunity uuid, p_most int) returns int language plpgsql as $$
declare
  made int;
begin
  insert into component_instances (opportunity_id, product_id, component_id, line_item_id, label, type, status, quantity, attributes)
    select i.opportunity_id, i.product_id, c.id, i.id, c.label, c.type, c.status,
      greatest(0.0001, least(9999999, round(c.quantity * i.quantity, 4))), c.attributes
    from opportunity_products i join product_components c on c.workspace_id = i.workspace_id and c.product_id = i.product_id
    where i.opportunity_id = p_opportunity and i.quantity > 0 and not exists (select from component_instances e
      where e.workspace_id = i.workspace_id and e.line_item_id = i.id and e.component_id = c.id)
    order by i.position, i.id, c.created_at, c.id limit p_most
    on conflict do nothing;
  get diagnostics made = row_count;
  return made;
end $$;

-- Makes instances for the opportunities that a statement has won, if the workspace wants them.
create or replace function instances_of_won() returns trigger language plpgsql as $$
begin
  perform make_component_instances(n.id, 1000) from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
    where n.status = 'won' and o.status <> 'won' and exists (select from crm_settings s where s.workspace_id = n.workspace_id
      and s.component_instances_on_win);
  return null;
end $$;
create or replace trigger instances_of_won after update on opportunities referencing old table as old_rows new table as new_rows
  for each statement when (not merge_in_progress()) execute function instances_of_won();
