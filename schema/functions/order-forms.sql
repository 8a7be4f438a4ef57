/*
  Order forms: what their pages show, and what the payment provider reports about their orders. The reports come in any order and more than
  once. Each event of the provider is logged once, and whoever records one has the order locked.
*/

-- What the address of a form grants: nothing but the workspace. Null for an unknown address.
create or replace function order_form_grant(p_slug text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', f.workspace_id, 'scopes', '[]'::jsonb) from order_forms f where f.slug = p_slug
$$;

-- What the address of a webhook of the payment provider grants: nothing but the workspace. The signature is verified with its secret.
create or replace function payment_grant(p_token text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', s.workspace_id, 'scopes', '[]'::jsonb) from payment_settings s where s.webhook_token = p_token
$$;

revoke execute on function order_form_grant, payment_grant from public;
grant execute on function order_form_grant, payment_grant to app;

-- The products that items or lines name. Ids from JSON are compared as an array, because a join by them would read all products.
create or replace function products_of(p_items jsonb) returns setof products stable rows 10 language sql as $$
  select p.* from products p where p.id = any (array(select (i ->> 'product_id')::uuid from jsonb_array_elements(p_items) i))
$$;

-- Items with what is not sent copied from their products.
create or replace function complete_order_items(p_items jsonb) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('product_id', p.id, 'label', coalesce(i ->> 'label', p.name),
      'unit_price', round(coalesce((i ->> 'unit_price')::numeric, p.price), 2), 'quantity_min', i -> 'quantity_min',
        'quantity_max', i -> 'quantity_max',
      'tax_rate', coalesce((i ->> 'tax_rate')::numeric, p.tax_percent, 0)) order by n), '[]')
    from jsonb_array_elements(p_items) with ordinality e(i, n)
    left join products_of(p_items) p on p.id = (i ->> 'product_id')::uuid
$$;

-- The items of which the product is in another currency, or with p_must_exist does not exist.
create or replace function faulty_order_items(p_items jsonb, p_currency text, p_must_exist boolean) returns text[] stable language sql as $$
  select array(select format('items.%s.product_id', n - 1) from jsonb_array_elements(p_items) with ordinality e(i, n)
    left join products_of(p_items) p on p.id = (i ->> 'product_id')::uuid
    where i ->> 'product_id' is not null and case when p_must_exist then p.id is null else p.currency <> p_currency end order by n)
$$;

-- The items that cost more than the provider charges at once, which a product's own price may do.
create or replace function costly_order_items(p_items jsonb, p_most numeric) returns text[] stable language sql as $$
  select array(select format('items.%s.unit_price', n - 1) from jsonb_array_elements(p_items) with ordinality e(i, n)
    where (i ->> 'unit_price')::numeric > p_most order by n)
$$;

-- The items with a price that is no whole number.
create or replace function fractional_order_items(p_items jsonb) returns text[] stable language sql as $$
  select array(select format('items.%s.unit_price', n - 1) from jsonb_array_elements(p_items) with ordinality e(i, n)
    where mod((i ->> 'unit_price')::numeric, 1) <> 0 order by n)
$$;

-- A form as its page shows it; null for one that is not active. `can_pay`: whether payments can be started, and are noticed.
create or replace function order_page(p_slug text) returns jsonb stable language sql as $$
  select jsonb_build_object('form', to_jsonb(f) - 'workspace_id', 'workspace', jsonb_build_object('name', w.name, 'color', w.primary_color),
      'workspace_id', w.id, 'can_pay', exists (select from payment_settings s where s.webhook_secret is not null))
    from order_forms f cross join workspaces w where f.slug = p_slug and f.is_active
$$;

-- What the page after a payment shows; null for an unknown order.
create or replace function ordered_page(p_slug text, p_order uuid) returns jsonb stable language sql as $$
  select jsonb_build_object('form', to_jsonb(f) - 'workspace_id', 'workspace', jsonb_build_object('name', w.name, 'color', w.primary_color),
      'status', o.status, 'total', o.total, 'currency', o.currency)
    from form_orders o join order_forms f on f.id = o.form_id cross join workspaces w where o.id = p_order and f.slug = p_slug
$$;

-- Lines without the products that no longer exist.
create or replace function lines_with_products(p_lines jsonb) returns jsonb stable language sql as $$
  select jsonb_agg(l || jsonb_build_object('product_id', p.id) order by n) from jsonb_array_elements(p_lines) with ordinality e(l, n)
    left join products_of(p_lines) p on p.id = (l ->> 'product_id')::uuid
$$;

-- The email address of the buyer of an order: that of the form, or the payer's if the form's was erased.
create or replace function buyer_email(o form_orders, p_payer text) returns text immutable language sql
  return coalesce(nullif(o.buyer ->> 'email', ''), p_payer);

-- What is known of the order that a report is about, by its id or by its payment, and of its buyer; null for none.
create or replace function reported_order(p_order uuid, p_payment text, p_event text, p_payer text) returns jsonb stable language sql as $$
  select jsonb_build_object('id', o.id, 'form_id', o.form_id, 'form', f.name,
      'pipeline_id', (select p.id from pipelines p where p.id = f.pipeline_id and not p.archived),
        -- The form may have other terms by now: only with the tax in its prices an order comes to the sum of its lines.
        'prices_include_tax', o.total = (select sum((l ->> 'total')::numeric) from jsonb_array_elements(o.lines) l),
      'currency', o.currency, 'total', o.total, 'lines', lines_with_products(o.lines), 'buyer', o.buyer, 'is_paid', o.paid_at is not null,
      'is_known', exists (select from order_form_logs l where l.provider_event_id = p_event),
      'contact', (select jsonb_build_object('id', c.id, 'customer_id', c.customer_id) from contacts c
        where c.id = match_booker(buyer_email(o, p_payer), null)))
    from form_orders o join order_forms f on f.id = o.form_id
    -- With coalesce, row-level security would make it a filter over all orders.
    where o.id = case when p_order is not null then p_order
      else (select p.id from form_orders p where p.payment_id = p_payment order by p.id limit 1) end
$$;

/*
  Locks an order, and says whether it and its buyer's contact are as they were read. The first lock lets orders of one workspace find the
  contacts that the others create.
*/
create or replace function order_stands(p_order uuid, p_event text, p_paid boolean, p_known boolean, p_contact uuid, p_payer text)
  returns boolean language plpgsql as $$
declare
  o form_orders;
begin
  perform pg_advisory_xact_lock(hashtext('order_contacts'), hashtext((select current_workspace())::text));
  select * into o from form_orders where id = p_order for update;
  return o.id is not null and (o.paid_at is not null) = p_paid
    and exists (select from order_form_logs l where l.provider_event_id = p_event) = p_known
    and (p_paid or match_booker(buyer_email(o, p_payer), null) is not distinct from p_contact);
end $$;

/*
  Records a report about an order: its log entry, and what it says about the order. p: event, at (the provider's time), amount, currency,
  message, provider_id, provider_event_id, payment_id, and of a payment contact_id and opportunity_id. What has been paid was not held by
  any policy, so none holds its record. An order expires with its page, and not with one whose response was lost; its form can then be sent
  again.
*/
create or replace function record_payment(p_order uuid, p jsonb) returns void language plpgsql as $$
declare
  o form_orders;
  event constant text := p ->> 'event';
  at constant timestamptz := (p ->> 'at')::timestamptz;
  is_over boolean;
begin
  perform set_config('app.policies', '', true);
  select event = 'checkout_expired' and coalesce(checkout_session_id = p ->> 'provider_id', true) into is_over from form_orders
    where id = p_order for update;
  update form_orders set
    payment_id = coalesce(p ->> 'payment_id', payment_id),
    paid_at = case when event = 'paid' then coalesce(paid_at, at) else paid_at end,
    failed_at = case when event = 'payment_failed' then at when event = 'paid' then null else failed_at end,
    expired_at = case when is_over then at when event = 'paid' then null else expired_at end,
    form_token = case when is_over then id::text else form_token end,
    contact_id = coalesce((p ->> 'contact_id')::uuid, contact_id),
    opportunity_id = coalesce((p ->> 'opportunity_id')::uuid, opportunity_id),
    buyer = case when event = 'paid' or is_over then null else buyer end,
    amount_refunded = case when event = 'refunded' then greatest(amount_refunded, (p ->> 'amount')::numeric) else amount_refunded end,
    dispute_status = case when p ? 'dispute_status' and at >= coalesce(dispute_at, at) then p ->> 'dispute_status' else dispute_status end,
    dispute_at = case when p ? 'dispute_status' then greatest(dispute_at, at) else dispute_at end
    where id = p_order returning * into o;
  insert into order_form_logs (form_id, order_id, event, amount, currency, message, provider_id, provider_event_id,
    contact_id, opportunity_id)
    values (o.form_id, o.id, event, (p ->> 'amount')::numeric, coalesce(p ->> 'currency', o.currency), p ->> 'message', p ->> 'provider_id',
      p ->> 'provider_event_id', o.contact_id, o.opportunity_id)
    on conflict (workspace_id, provider_event_id) do nothing;
end $$;

-- Deletes at most p_limit orders whose page was never paid, with their logs: after 30 days nobody can pay it any more.
create or replace function forget_unpaid_orders(p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  old constant uuid[] := array(select o.id from form_orders o where o.created_at < now() - interval '30 days' and o.buyer is not null
    order by o.created_at limit p_limit);
begin
  delete from form_orders o where o.id = any (old);
  return cardinality(old);
end $$;

revoke execute on function forget_unpaid_orders from public, app;
grant execute on function forget_unpaid_orders to jobs;
