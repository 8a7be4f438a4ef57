-- Copies an opportunity and the given parts of it. It starts as open in p.stage_id or, without one, in the first stage of the same
-- pipeline, or of the default one if that is archived. Unique custom values are not copied, nor is an owner who is no longer a member. p:
-- source_id, id, name, stage_id, metadata (added to what is copied), include (names of parts), most (the most rows that one call copies).
create or replace function copy_opportunity(p jsonb) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
  issues jsonb;
  source constant uuid := (p ->> 'source_id')::uuid;
  copy constant uuid := (p ->> 'id')::uuid;
  parts constant text[] := array(select jsonb_array_elements_text(p -> 'include'));
  items jsonb := '{}';
  buckets jsonb := '{}';
begin
  if (select count(*) from (
    select from opportunity_products where workspace_id = w and opportunity_id = source and 'line_items' = any (parts)
    union all select from product_costs where workspace_id = w and opportunity_id = source and 'costs' = any (parts)
    union all select from opportunity_contacts where workspace_id = w and opportunity_id = source and 'contacts' = any (parts)
    union all select from opportunity_users where workspace_id = w and opportunity_id = source and 'users' = any (parts)
    union all select from deal_stakeholders where workspace_id = w and deal_id = source and 'stakeholders' = any (parts)
    limit (p ->> 'most')::int + 1) parts_of_it) > (p ->> 'most')::int then
    perform fail('CONFLICT', format('More than %s rows belong to the opportunity: include fewer of its parts', p ->> 'most'));
  end if;

  insert into opportunities (id, name, description, value, value_source, currency, stage_id, assigned_to, customer_id, opportunity_type,
    lead_source, notes, expected_close_date, tags, metadata)
    select copy, coalesce(p ->> 'name', left(o.name, 193) || ' (copy)'), o.description, o.value, o.value_source, o.currency,
      coalesce((p ->> 'stage_id')::uuid, first_stage((select l.id from pipelines l where l.workspace_id = w and l.id = o.pipeline_id
        and not l.archived))),
      (select m.user_id from memberships m where m.workspace_id = w and m.user_id = o.assigned_to and m.status <> 'removed'), o.customer_id,
      o.opportunity_type, o.lead_source, o.notes, o.expected_close_date,
      case when 'tags' = any (parts) then o.tags else '[]' end,
      case when 'metadata' = any (parts) then without_unique_values('opportunity', o.metadata) else '{}' end
        || coalesce(p -> 'metadata', '{}')
    from opportunities o where o.workspace_id = w and o.id = source;

  if 'buckets' = any (parts) then
    select coalesce(jsonb_object_agg(b.id, uuidv7()), '{}') into buckets from opportunity_buckets b
      where b.workspace_id = w and b.opportunity_id = source;
    insert into opportunity_buckets (id, opportunity_id, name, position)
      select (buckets ->> b.id::text)::uuid, copy, b.name, b.position from opportunity_buckets b
        where b.workspace_id = w and b.opportunity_id = source order by b.position, b.id;
  end if;
  if 'line_items' = any (parts) then
    select coalesce(jsonb_object_agg(i.id, uuidv7()), '{}') into items from opportunity_products i
      where i.workspace_id = w and i.opportunity_id = source;
    insert into opportunity_products (id, opportunity_id, product_id, bucket_id, name, description, quantity, unit_price, discount_percent,
      tax_percent, position)
      select (items ->> i.id::text)::uuid, copy, i.product_id, (buckets ->> i.bucket_id::text)::uuid, i.name, i.description, i.quantity,
        i.unit_price, i.discount_percent, i.tax_percent, i.position from opportunity_products i
        where i.workspace_id = w and i.opportunity_id = source order by i.position, i.id;
  end if;
  if 'costs' = any (parts) then
    insert into product_costs (opportunity_id, line_item_id, description, supplier_name, catalog_entry_id, quantity, unit_cost)
      select copy, (items ->> c.line_item_id::text)::uuid, c.description, c.supplier_name, c.catalog_entry_id, c.quantity, c.unit_cost
        from product_costs c where c.workspace_id = w and c.opportunity_id = source order by c.id;
  end if;
  if 'contacts' = any (parts) then
    insert into opportunity_contacts (opportunity_id, contact_id, role, is_primary)
      select copy, l.contact_id, l.role, l.is_primary from opportunity_contacts l
        where l.workspace_id = w and l.opportunity_id = source order by l.id;
  end if;
  if 'users' = any (parts) then
    insert into opportunity_users (opportunity_id, user_id, role)
      select copy, l.user_id, l.role from opportunity_users l
        join memberships m on m.workspace_id = w and m.user_id = l.user_id and m.status <> 'removed'
        where l.workspace_id = w and l.opportunity_id = source order by l.id;
  end if;
  if 'stakeholders' = any (parts) then
    insert into deal_stakeholders (deal_id, contact_id, bucket_id, role)
      select copy, l.contact_id, l.bucket_id, l.role from deal_stakeholders l where l.workspace_id = w and l.deal_id = source order by l.id;
  end if;

  -- When it was inserted, its value was still to follow from its line items.
  select stage_issues(w, o.stage_id, to_jsonb(o)) into issues from opportunities o
    where o.workspace_id = w and o.id = copy and o.value_source <> 'manual';
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
end $$;
