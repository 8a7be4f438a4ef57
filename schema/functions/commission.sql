-- Commission: the facts that the Worker computes with (src/features/agency/rules/commission.ts), and what is kept of the result.

-- Rows that are kept as they were written.
create or replace function keep_locked() returns trigger language plpgsql as $$
begin
  perform fail('CONFLICT', format('Rows of %s are never changed', tg_table_name));
  return old;
end $$;
create or replace trigger keep before update or delete on commission_statements for each row execute function keep_locked();
create or replace trigger keep before update or delete on commission_lines for each row execute function keep_locked();
create or replace trigger keep before update or delete on commission_payouts for each row execute function keep_locked();
create or replace trigger keep before update or delete on commission_plans for each row execute function keep_locked();
create or replace trigger keep before update or delete on agency_refunds for each row execute function keep_locked();

-- What the role of the caller sees. p_scopes: a scope for each role, and under '' that of others (src/features/agency/rules/access.ts).
create or replace function commission_scope(p_scopes jsonb) returns text stable language sql
  return coalesce(p_scopes ->> (current_authority()).role, p_scopes ->> '');

-- Those who get a commission, with the first month and the last statement of each: the agency, and everybody with a plan.
create or replace function commission_payees() returns table (payee_id uuid, from_month date, last_month date, carried_cents bigint)
  stable language sql as $$
  select p.payee_id, p.from_month, s.month, coalesce(s.carried_out_cents, 0)
    from (select a.workspace_id as payee_id, a.from_month from agencies a
      union all select c.user_id, c.from_month from commission_plans c where c.number = 1) p
      left join lateral (select t.month, t.carried_out_cents from commission_statements t where t.payee_id = p.payee_id
        order by t.month desc limit 1) s on true
$$;

-- Whether a month before this one has no statement yet.
create or replace function commission_is_due(p_month date) returns boolean stable language sql as $$
  select exists (select from commission_payees() where case when last_month is null then from_month < p_month
    else last_month < (p_month - interval '1 month')::date end)
$$;

-- What earns a payee a commission and has no line yet (Cause in src/features/agency/rules/commission.ts), for clients that p_by brought in.
create or replace function pending_causes(p_payee uuid, p_from date, p_by uuid default null) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'month', c.month, 'payment_id', c.payment_id, 'refund_id', c.refund_id,
      'kind', p.kind, 'client_id', p.client_id, 'client_name', k.name, 'brought_in_by', p.brought_in_by,
      'occurred_at', iso(coalesce(r.refunded_at, p.paid_at)), 'payment_month', p.month, 'payment_cents', p.amount_cents,
      'refunded_before_cents', coalesce(r.refunded_cents - r.amount_cents, 0), 'refunded_cents', coalesce(r.refunded_cents, 0),
      'month_index', case p.kind when 'subscription' then (select count(*) from agency_paid_months n
        where n.client_id = p.client_id and n.month <= p.month) end,
      'line', (select jsonb_build_object('rate', l.rate, 'plan_number', l.plan_number, 'month_index', l.month_index)
        from commission_lines l where l.payment_id = p.id and l.payee_id = c.payee_id and l.refund_id is null))
      order by c.month, c.id), '[]')
    from commission_causes c join agency_payments p on p.id = c.payment_id left join agency_refunds r on r.id = c.refund_id
      left join agency_clients k on k.client_id = p.client_id
    where c.payee_id = p_payee and not c.has_line and p.month >= p_from
      and case when p_by is null then true else p.brought_in_by = p_by end
$$;

-- A payee with the versions of its plan and what has no line yet (Payee in src/features/agency/rules/commission.ts).
create or replace function payee_facts(p_payee uuid, p_by uuid default null) returns jsonb stable language sql as $$
  select jsonb_build_object('id', p.payee_id, 'from_month', p.from_month, 'last_month', p.last_month, 'carried_cents', p.carried_cents,
      'percent', (select a.commission_percent from agencies a where a.workspace_id = p.payee_id),
      'plans', (select coalesce(jsonb_agg(to_jsonb(c) order by c.number), '[]') from commission_plans c
        where c.user_id = p.payee_id),
      'causes', pending_causes(p.payee_id, p.from_month, p_by))
    from commission_payees() p where p.payee_id = p_payee
$$;

-- The facts of all whose statements may be missing.
create or replace function commission_facts(p_month date) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(payee_facts(payee_id) order by payee_id), '[]') from commission_payees()
    where case when last_month is null then from_month < p_month else last_month < (p_month - interval '1 month')::date end
$$;

/*
  Stores the statements of months that have ended. p: payees, each with its id, its statements and their lines. Whoever is first stores
  them: a payee with a statement of one of these months is left out.
*/
create or replace function lock_commission(p jsonb) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  payee jsonb;
  who uuid;
begin
  perform from agencies where workspace_id = w for update;
  for payee in select * from jsonb_array_elements(p) loop
    who := (payee ->> 'id')::uuid;
    continue when exists (select from commission_statements s, jsonb_to_recordset(payee -> 'statements') n(month date)
      where s.workspace_id = w and s.payee_id = who and s.month >= n.month);
    insert into commission_statements (workspace_id, payee_id, month, line_count, lines_cents, carried_in_cents, payable_cents,
        carried_out_cents)
      select w, who, n.month, n.line_count, n.lines_cents, n.carried_in_cents, n.payable_cents, n.carried_out_cents
        from jsonb_populate_recordset(null::commission_statements, payee -> 'statements') n order by n.month;
    insert into commission_lines (workspace_id, id, payee_id, statement_month, brought_in_by, client_id, payment_id, refund_id, kind,
        occurred_at, payment_cents, refunded_before_cents, refunded_cents, month_index, plan_number, rate, commission_cents)
      select w, c.id, who, n.statement_month, p.brought_in_by, p.client_id, p.id, r.id, p.kind, coalesce(r.refunded_at, p.paid_at),
          p.amount_cents, coalesce(r.refunded_cents - r.amount_cents, 0), coalesce(r.refunded_cents, 0), n.month_index, n.plan_number,
          n.rate, n.commission_cents
        from jsonb_populate_recordset(null::commission_lines, payee -> 'lines') n
          join commission_causes c on c.workspace_id = w and c.id = n.id and c.payee_id = who
          join agency_payments p on p.workspace_id = w and p.id = c.payment_id
          left join agency_refunds r on r.workspace_id = w and r.id = c.refund_id;
    update commission_causes c set has_line = true from commission_lines l
      where c.workspace_id = w and c.payee_id = who and not c.has_line and l.workspace_id = w and l.id = c.id;
  end loop;
end $$;

-- Statements with their first lines, latest first. With p_by only lines of clients that this member has brought in, and their sums.
create or replace function commission_statements_of(p_payee uuid, p_by uuid, p_months int, p_lines int) returns jsonb
  stable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'month', to_char(s.month, 'YYYY-MM'), 'locked_at', iso(s.locked_at),
      'line_count', found.count, 'lines_cents', found.cents, 'carried_in_cents', s.carried_in_cents, 'payable_cents', s.payable_cents,
      'carried_out_cents', s.carried_out_cents, 'lines', found.lines, 'payout', (select jsonb_build_object('is_paid', o.is_paid,
        'payment_reference', o.payment_reference, 'at', iso(o.created_at)) from commission_payouts o where o.statement_id = s.id
        order by o.number desc limit 1)) order by s.month desc), '[]')
    from (select * from commission_statements where payee_id = p_payee order by month desc limit p_months) s
      cross join lateral (select case when p_by is null then s.line_count else count(*) end as count,
          case when p_by is null then s.lines_cents else coalesce(sum(l.commission_cents), 0) end as cents,
          coalesce(jsonb_agg(to_jsonb(l) || jsonb_build_object('client_name', l.client_name, 'occurred_at', iso(l.occurred_at))
            order by l.id) filter (where l.at <= p_lines), '[]') as lines
        from (select t.*, k.name as client_name, row_number() over (order by t.id) as at from commission_lines t
          left join agency_clients k on k.client_id = t.client_id
          where t.payee_id = p_payee and t.statement_month = s.month and case when p_by is null then true else t.brought_in_by = p_by end
          order by t.id limit case when p_by is null then p_lines end) l) found
$$;

-- The commission of the agency, as far as the caller's role sees it.
create or replace function agency_commission(p_scopes jsonb, p_months int, p_lines int) returns jsonb stable language sql as $$
  select case when scope = 'none' then jsonb_build_object('scope', scope) else jsonb_build_object('scope', scope, 'currency', a.currency,
      'payee', payee_facts(a.workspace_id, by.id), 'statements', commission_statements_of(a.workspace_id, by.id, p_months, p_lines)) end
    from agencies a, commission_scope(p_scopes) scope, lateral (select case scope when 'mine' then current_user_id() end) by(id)
$$;

-- The commission of those who have a plan, as far as the caller's role sees it.
create or replace function team_commission(p_scopes jsonb, p_months int, p_lines int) returns jsonb stable language sql as $$
  select case when scope = 'none' then jsonb_build_object('scope', scope) else jsonb_build_object('scope', scope, 'currency', a.currency,
      'members', (select coalesce(jsonb_agg(jsonb_build_object('user_id', m.user_id, 'name', p.name,
          'role', m.role, 'payee', payee_facts(m.user_id), 'statements', commission_statements_of(m.user_id, null, p_months, p_lines))
          order by m.created_at, m.user_id), '[]')
        from commission_plans c join memberships m on m.user_id = c.user_id, member_profile(m.workspace_id, m.user_id) p
        where c.number = 1 and case scope when 'agency' then true else c.user_id = current_user_id() end)) end
    from agencies a, commission_scope(p_scopes) scope
$$;

/*
  A line with its payee, if the caller's role sees it: as it is stored, or else what its payee has no line for yet. p_agency, p_team: the
  scopes for the commission of the agency and of the team.
*/
create or replace function commission_line(p_id uuid, p_agency jsonb, p_team jsonb) returns jsonb stable language sql as $$
  select jsonb_build_object('payee_id', c.payee_id, 'is_agency', c.payee_id = c.workspace_id,
      'line', (select to_jsonb(l) || jsonb_build_object('occurred_at', iso(l.occurred_at),
        'client_name', (select k.name from agency_clients k where k.client_id = l.client_id)) from commission_lines l where l.id = c.id),
      'payee', case when not c.has_line then payee_facts(c.payee_id) end)
    from commission_causes c join agency_payments p on p.id = c.payment_id
    where c.id = p_id and case when c.payee_id = c.workspace_id then case commission_scope(p_agency) when 'agency' then true
        when 'mine' then p.brought_in_by = current_user_id() else false end
      else case commission_scope(p_team) when 'agency' then true when 'self' then c.payee_id = current_user_id() else false end end
$$;

/*
  What a file of a statement is made from, if the caller's role sees the statement: whose it is, what it carries in, and whose clients
  its lines are about if not all are shown. p_agency, p_team: as for a line.
*/
create or replace function commission_statement(p_id uuid, p_agency jsonb, p_team jsonb) returns jsonb stable language sql as $$
  select jsonb_build_object('payee_id', s.payee_id, 'month', s.month, 'is_agency', is_agency, 'by', case when scope = 'mine' then
      current_user_id() end, 'carried_in_cents', case when scope = 'mine' then 0 else s.carried_in_cents end)
    from commission_statements s, lateral (select s.payee_id = s.workspace_id) o(is_agency),
      lateral (select commission_scope(case when is_agency then p_agency else p_team end)) c(scope)
    where s.id = p_id and (scope in ('agency', 'mine') or scope = 'self' and s.payee_id = current_user_id())
$$;

/*
  Adds a version of a member's plan; the first one is the plan since its month. Only the owner may. p: user_id, number, from_month and the
  plan. p_most: the most members with a plan.
*/
create or replace function add_commission_plan(p_scopes jsonb, p jsonb, p_most int) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  sent constant commission_plans := jsonb_populate_record(null::commission_plans, p);
begin
  perform assert_commission_owner(p_scopes);
  perform from agencies where workspace_id = w for update;
  if sent.number <> coalesce((select max(number) from commission_plans where workspace_id = w and user_id = sent.user_id), 0) + 1 then
    perform fail('CONFLICT', 'Somebody else has changed this plan meanwhile: read it, and send the change again');
  end if;
  if exists (select from commission_plans c where c.workspace_id = w and c.user_id = sent.user_id and c.number = sent.number - 1
    and (c.one_off_percent, c.first_months, c.first_months_percent, c.ongoing_percent, c.ongoing_months) is not distinct from
      (sent.one_off_percent, sent.first_months, sent.first_months_percent, sent.ongoing_percent, sent.ongoing_months)) then
    return;
  end if;
  if sent.number = 1 and (select count(*) from commission_plans where workspace_id = w and number = 1) >= p_most then
    perform fail('CONFLICT', format('At most %s members have a plan', p_most));
  end if;
  insert into commission_plans (workspace_id, user_id, number, from_month, one_off_percent, first_months, first_months_percent,
      ongoing_percent, ongoing_months, changed_by)
    values (w, sent.user_id, sent.number, sent.from_month, sent.one_off_percent, sent.first_months, sent.first_months_percent,
      sent.ongoing_percent, sent.ongoing_months, current_user_id());
end $$;

create or replace function assert_commission_owner(p_scopes jsonb) returns void stable language plpgsql as $$
begin
  if commission_scope(p_scopes) is distinct from 'agency' then
    perform fail('FORBIDDEN', 'Only an owner of the agency changes plans and payouts');
  end if;
end $$;

-- Notes that a statement was paid, or that it was not after all. The agency's own statement is no payout of the team.
create or replace function mark_payout(p_scopes jsonb, p_id uuid, p_paid boolean, p_reference text) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  s commission_statements;
  last commission_payouts;
begin
  perform assert_commission_owner(p_scopes);
  perform from agencies where workspace_id = w for update;
  select * into s from commission_statements where workspace_id = w and id = p_id and payee_id <> w for key share;
  if s.id is null then perform fail('NOT_FOUND', 'No such payout in this workspace'); end if;
  select * into last from commission_payouts where workspace_id = w and statement_id = p_id order by number desc limit 1;
  if p_paid and s.payable_cents = 0 then perform fail('CONFLICT', 'Nothing is owed for this month, so it cannot be paid'); end if;
  if p_paid and last.is_paid then
    perform fail('CONFLICT', 'This payout is paid already: send paid false first if that was a mistake',
      jsonb_build_object('payment_reference', last.payment_reference, 'paid_at', iso(last.created_at)));
  end if;
  if not p_paid and not coalesce(last.is_paid, false) then perform fail('CONFLICT', 'This payout is not paid'); end if;
  insert into commission_payouts (workspace_id, statement_id, number, is_paid, payment_reference, user_id)
    values (w, p_id, coalesce(last.number, 0) + 1, p_paid, case when p_paid then p_reference end, current_user_id());
end $$;

revoke execute on function lock_commission, add_commission_plan, mark_payout from public, app, jobs;
grant execute on function lock_commission, add_commission_plan, mark_payout to app;
