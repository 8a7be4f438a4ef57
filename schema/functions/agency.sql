-- Agencies: what the operator of the platform records about them. All rows are in the agency's workspace.

-- Raises NOT_FOUND unless the workspace is an agency; sets the workspace of the transaction.
create or replace function enter_agency(p_agency uuid) returns agencies set search_path = public, pg_temp language plpgsql as $$
declare
  a agencies;
begin
  perform set_config('app.workspace_id', p_agency::text, true);
  select * into a from agencies where workspace_id = p_agency;
  if a.workspace_id is null then perform fail('NOT_FOUND', format('The workspace %s is not an agency', p_agency)); end if;
  return a;
end $$;

-- Makes a workspace an agency, with the roles of its members. p: commission_percent, currency, signup_url, from_month.
create or replace function make_agency(p_workspace uuid, p jsonb) returns void set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  insert into agencies (workspace_id, commission_percent, currency, signup_url, from_month)
    values (p_workspace, (p ->> 'commission_percent')::numeric, p ->> 'currency', p ->> 'signup_url', (p ->> 'from_month')::date);
  insert into roles (workspace_id, role_key, name, description, scopes, can_write) values
    (p_workspace, 'owner', 'Owner', 'Owns the agency: sees all of its figures, and decides about plans and payouts.', '{*:*}', true),
    (p_workspace, 'account_manager', 'Account manager', 'Looks after clients, and sees the figures of those brought in.', '{*:*}', true),
    (p_workspace, 'systems_architect', 'Systems architect', 'Builds for clients, and sees no commission.', '{*:*}', true),
    (p_workspace, 'salesperson', 'Salesperson', 'Brings in clients, and sees the commission for them.', '{*:*}', true);
end $$;

/*
  Changes what an agency gets, and where its clients sign up. p: commission_percent, currency, signup_url; what is not given stays.
  p_month: the present month. A percentage counts for what has no statement yet, so the months that have ended must be closed.
*/
create or replace function change_agency(p_agency uuid, p jsonb, p_month date) returns void set search_path = public, pg_temp
  language plpgsql as $$
declare
  a agencies := enter_agency(p_agency);
begin
  select * into a from agencies where workspace_id = p_agency for update;
  if (p ->> 'currency') <> a.currency and exists (select from agency_payments where workspace_id = p_agency) then
    perform fail('CONFLICT', format('This agency has payments in %s, so its currency stays', a.currency),
      jsonb_build_object('id', p_agency));
  end if;
  if (p ->> 'commission_percent')::numeric <> a.commission_percent and a.from_month < p_month and not exists (
    select from commission_statements where workspace_id = p_agency and payee_id = p_agency and month >= p_month - interval '1 month') then
    perform fail('CONFLICT', 'Months that have ended are not closed yet: read GET /agency/commission, which closes them, and try again',
      jsonb_build_object('id', p_agency));
  end if;
  update agencies set commission_percent = coalesce((p ->> 'commission_percent')::numeric, commission_percent),
      currency = coalesce(p ->> 'currency', currency), signup_url = case when p ? 'signup_url' then p ->> 'signup_url' else signup_url end
    where workspace_id = p_agency;
end $$;

/*
  Links a client's workspace to an agency, or changes the link. p: brought_in_by (an email address), is_template, plan, trial_ends_at;
  what is not given stays.
*/
create or replace function link_agency_client(p_agency uuid, p_client uuid, p jsonb) returns void
  set search_path = public, pg_temp language plpgsql as $$
declare
  client workspaces;
  person uuid;
begin
  perform enter_agency(p_agency);
  -- What is being written in the client's workspace is awaited, so that it is copied (await_agency_link).
  perform pg_advisory_xact_lock(hashtext('agency_clients'), hashtext(p_client::text));
  select * into client from workspaces where id = p_client;
  if client.id is null or p_client = p_agency then perform fail('NOT_FOUND', format('There is no client workspace %s', p_client)); end if;
  if exists (select from agency_clients where client_id = p_client and ended_at is null and workspace_id <> p_agency) then
    perform fail('CONFLICT', 'Another agency looks after this client: end that link first');
  end if;
  if p ? 'brought_in_by' then
    select m.user_id into person from memberships m join users u on u.id = m.user_id
      where m.workspace_id = p_agency and m.status = 'active' and u.email = lower(btrim(p ->> 'brought_in_by'));
    if person is null then perform fail('NOT_FOUND', 'No active member of the agency has the email address of --brought-in-by'); end if;
  end if;
  insert into agency_clients as c (workspace_id, client_id, name, brought_in_by, is_template, plan, trial_ends_at, due_at)
    values (p_agency, p_client, client.name, person, coalesce((p ->> 'is_template')::boolean, false), p ->> 'plan',
      (p ->> 'trial_ends_at')::timestamptz, now())
    on conflict (workspace_id, client_id) do update set ended_at = null, due_at = now(), turn = c.turn + 1,
      linked_at = case when c.ended_at is null then c.linked_at else now() end,
      brought_in_by = coalesce(excluded.brought_in_by, c.brought_in_by),
      is_template = case when p ? 'is_template' then excluded.is_template else c.is_template end,
      plan = coalesce(excluded.plan, c.plan), trial_ends_at = coalesce(excluded.trial_ends_at, c.trial_ends_at);
  insert into agency_requests (workspace_id, id, client_id, title, description, type, priority, status, queue, created_at, updated_at,
      note_count, last_note_at)
    select p_agency, r.id, p_client, r.title, r.description, r.type, r.priority, r.status, r.queue, r.created_at, r.updated_at,
        n.count, n.latest
      from service_requests r, lateral (select count(*), max(created_at) as latest from service_request_notes t
        where t.workspace_id = p_client and t.request_id = r.id) n
      where r.workspace_id = p_client on conflict do nothing;
end $$;

-- The agency no longer looks after the client. What it saw of the client goes; payments, and the commission for them, stay.
create or replace function unlink_agency_client(p_agency uuid, p_client uuid) returns void
  set search_path = public, pg_temp language plpgsql as $$
begin
  perform enter_agency(p_agency);
  update agency_clients set ended_at = now(), due_at = null where workspace_id = p_agency and client_id = p_client and ended_at is null;
  if not found then perform fail('NOT_FOUND', 'The agency does not look after this client'); end if;
  delete from agency_requests where workspace_id = p_agency and client_id = p_client;
  delete from websites where workspace_id = p_agency and client_id = p_client;
end $$;

/*
  Records what a client has paid, once for each reference, and returns the payment's id. p: client_id, kind, paid_at, month (its first day,
  in the agency's zone), amount_cents, currency, reference. p_most: the most payments and refunds without a statement.
*/
create or replace function record_agency_payment(p_agency uuid, p jsonb, p_most int) returns uuid
  set search_path = public, pg_temp language plpgsql as $$
declare
  a constant agencies := enter_agency(p_agency);
  sent constant agency_payments := jsonb_populate_record(null::agency_payments, p);
  client agency_clients;
  known agency_payments;
  new_id constant uuid := uuidv7();
begin
  select * into client from agency_clients where workspace_id = p_agency and client_id = sent.client_id for update;
  if client.client_id is null then perform fail('NOT_FOUND', format('%s is no client of this agency', sent.client_id)); end if;
  select * into known from agency_payments where workspace_id = p_agency and reference = sent.reference;
  if (known.client_id, known.kind, known.paid_at, known.amount_cents, known.currency)
    = (sent.client_id, sent.kind, sent.paid_at, sent.amount_cents, sent.currency) then return known.id; end if;
  if known.id is not null then
    perform fail('CONFLICT', format('The reference %s belongs to another payment: each has its own', sent.reference),
      jsonb_build_object('id', known.id));
  end if;
  if sent.currency <> a.currency then perform fail('CONFLICT', format('All payments of this agency are in %s', a.currency)); end if;
  if sent.paid_at > now() then perform fail('CONFLICT', 'A payment is recorded after it was made'); end if;
  if sent.month < a.from_month then
    perform fail('CONFLICT', format('The commission of this agency begins with %s', to_char(a.from_month, 'YYYY-MM')));
  end if;
  perform assert_few_pending(p_agency, payee, p_most) from unnest(array[p_agency, client.brought_in_by]) payee;
  insert into agency_payments (workspace_id, id, client_id, brought_in_by, kind, paid_at, month, amount_cents, currency, reference)
    values (p_agency, new_id, sent.client_id, client.brought_in_by, sent.kind, sent.paid_at, sent.month, sent.amount_cents, sent.currency,
      sent.reference);
  update agency_clients set paid_cents = paid_cents + sent.amount_cents where workspace_id = p_agency and client_id = sent.client_id;
  if sent.kind = 'subscription' then
    insert into agency_paid_months (workspace_id, client_id, month) values (p_agency, sent.client_id, sent.month) on conflict do nothing;
  end if;
  insert into commission_causes (workspace_id, payee_id, payment_id, month)
    select p_agency, payee, new_id, sent.month from unnest(array[p_agency, client.brought_in_by]) payee where payee is not null;
  return new_id;
end $$;

-- Raises CONFLICT if too much waits for the statements of a payee.
create or replace function assert_few_pending(p_agency uuid, p_payee uuid, p_most int) returns void stable
  set search_path = public, pg_temp language plpgsql as $$
begin
  if (select count(*) from (select from commission_causes where workspace_id = p_agency and payee_id = p_payee and not has_line
    limit p_most) c) >= p_most then
    perform fail('CONFLICT', 'Too many payments have no statement yet: read GET /agency/commission, which makes those of past months');
  end if;
end $$;

/*
  Records that a payment was refunded, as a whole or in part, once for each reference, and returns the refund's id. p: payment_reference,
  refunded_at, month, amount_cents, reference.
*/
create or replace function record_agency_refund(p_agency uuid, p jsonb) returns uuid
  set search_path = public, pg_temp language plpgsql as $$
declare
  paid agency_payments;
  known agency_refunds;
  sent constant agency_refunds := jsonb_populate_record(null::agency_refunds, p);
  new_id constant uuid := uuidv7();
begin
  perform enter_agency(p_agency);
  select * into paid from agency_payments where workspace_id = p_agency and reference = p ->> 'payment_reference' for update;
  if paid.id is null then perform fail('NOT_FOUND', format('No payment has the reference %s', p ->> 'payment_reference')); end if;
  select * into known from agency_refunds where workspace_id = p_agency and reference = sent.reference;
  if (known.payment_id, known.refunded_at, known.amount_cents) = (paid.id, sent.refunded_at, sent.amount_cents) then
    return known.id;
  end if;
  if known.id is not null then
    perform fail('CONFLICT', format('The reference %s belongs to another refund: each has its own', sent.reference),
      jsonb_build_object('id', known.id));
  end if;
  if paid.refunded_cents + sent.amount_cents > paid.amount_cents then
    perform fail('CONFLICT', format('At most %s can be refunded of this payment',
      round((paid.amount_cents - paid.refunded_cents) / 100.0, 2)), jsonb_build_object('id', paid.id));
  end if;
  if sent.refunded_at not between paid.paid_at and now() then
    perform fail('CONFLICT', 'A payment is refunded after it was made, and a refund is recorded after that');
  end if;
  update agency_payments set refunded_cents = refunded_cents + sent.amount_cents where workspace_id = p_agency and id = paid.id;
  update agency_clients set paid_cents = paid_cents - sent.amount_cents where workspace_id = p_agency and client_id = paid.client_id;
  insert into agency_refunds (workspace_id, id, payment_id, refunded_at, month, amount_cents, refunded_cents, reference)
    values (p_agency, new_id, paid.id, sent.refunded_at, sent.month, sent.amount_cents, paid.refunded_cents + sent.amount_cents,
      sent.reference);
  insert into commission_causes (workspace_id, payee_id, payment_id, refund_id, month)
    select p_agency, payee_id, paid.id, new_id, sent.month from commission_causes
      where workspace_id = p_agency and payment_id = paid.id and refund_id is null;
  return new_id;
end $$;

revoke execute on function enter_agency, make_agency, change_agency, link_agency_client, unlink_agency_client,
  record_agency_payment, assert_few_pending, record_agency_refund from public, app, jobs;

-- Raises FORBIDDEN unless the workspace is an agency.
create or replace function assert_agency() returns void stable language plpgsql as $$
begin
  if not exists (select from agencies) then
    perform fail('FORBIDDEN', 'This workspace is not an agency: use a key that was made in the workspace of the agency');
  end if;
end $$;

/*
  Figures about a client for its agency's row, in the client's workspace: how many members it has, when a key was last used, and what its
  setup lacks. Nothing that the client stores is among them.
*/
create or replace function client_figures(p_client uuid) returns jsonb stable set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('name', w.name, 'website_url', w.website_url, 'user_count', members.count,
    'last_activity_at', (select max(u.last_used_at) from api_key_uses u where u.workspace_id = p_client),
    'open_service_requests', (select count(*) from (select from service_requests r where r.workspace_id = p_client
      and r.status in ('open', 'in_progress', 'waiting') limit 1000) open),
    'unfinished_setup', array(select step from (values
      ('contact_details', w.contact_email is not null and w.phone is not null), ('website', w.website_url is not null),
      ('team', members.count > 1),
      ('mailbox', exists (select from account_grants g where g.workspace_id = p_client and g.mailbox_id is not null)),
      ('calendar', exists (select from account_grants g where g.workspace_id = p_client and g.connection_id is not null)))
      steps(step, is_done) where not is_done))
    from workspaces w, (select count(*) from memberships where workspace_id = p_client and status = 'active') members
    where w.id = p_client
$$;

-- Stores the figures of a client, if the agency still looks after it. Only they leave the client's workspace.
create or replace function conclude_client_check(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  figures jsonb;
begin
  perform from agency_clients where workspace_id = p_workspace and client_id = p_id and ended_at is null for update;
  if not found then return null; end if;
  perform set_config('app.workspace_id', p_id::text, true);
  figures := client_figures(p_id);
  perform set_config('app.workspace_id', p_workspace::text, true);
  if figures is null then return null; end if;
  update agency_clients set name = figures ->> 'name', website_url = figures ->> 'website_url', checked_at = now(),
      user_count = (figures ->> 'user_count')::int, last_activity_at = (figures ->> 'last_activity_at')::timestamptz,
      open_service_requests = (figures ->> 'open_service_requests')::int,
      unfinished_setup = array(select jsonb_array_elements_text(figures -> 'unfinished_setup'))
    where workspace_id = p_workspace and client_id = p_id;
  return null;
end $$;

revoke execute on function client_figures, conclude_client_check from public, app, jobs;
