-- The calendar day of an instant in UTC, independent of the session's time zone.
create or replace function utc_day(value timestamptz) returns date immutable strict parallel safe language sql
  return (value at time zone 'UTC')::date;

-- What an opportunity adds to the counters of its stage (p_sign 1), or takes from them (-1). The time to win is counted in milliseconds;
-- stored instants are no more precise.
create or replace function opportunity_amounts(p_sign int, p_customer uuid, p_value numeric, p_probability numeric, p_status text,
  p_created_at timestamptz, p_opened_at timestamptz, p_closed_at timestamptz)
  returns table (count int, without_company int, value numeric, weighted_value numeric, won_ms bigint) immutable parallel safe language sql
as $$
  select p_sign, case when p_customer is null then p_sign else 0 end, p_sign * p_value, p_sign * round(p_value * p_probability / 100, 2),
    case when p_status = 'won'
      then p_sign * coalesce((extract(epoch from p_closed_at - coalesce(p_opened_at, p_created_at)) * 1000)::bigint, 0) else 0 end
$$;

/*
  After each statement on opportunities: inserts the net effect on the counters. A change that affects no counter inserts nothing, because
  its rows before and after cancel out. It is defined here because migration 0015 creates the triggers and computes the first totals in one
  transaction.
*/
create or replace function count_opportunities() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on,
      count, without_company, value, weighted_value, won_ms)
      select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at),
        utc_day(closed_at), sum(a.count), sum(a.without_company), sum(a.value), sum(a.weighted_value), sum(a.won_ms)
      from new_rows o, opportunity_amounts(1, customer_id, o.value, probability, status, created_at, opened_at, closed_at) a
      where pipeline_id is not null and stage_id is not null group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  elsif tg_op = 'DELETE' then
    insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on,
      count, without_company, value, weighted_value, won_ms)
      select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at),
        utc_day(closed_at), sum(a.count), sum(a.without_company), sum(a.value), sum(a.weighted_value), sum(a.won_ms)
      from old_rows o, opportunity_amounts(-1, customer_id, o.value, probability, status, created_at, opened_at, closed_at) a
      where pipeline_id is not null and stage_id is not null group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  else
    insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on,
      count, without_company, value, weighted_value, won_ms)
      select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at),
        utc_day(closed_at), sum(a.count), sum(a.without_company), sum(a.value), sum(a.weighted_value), sum(a.won_ms)
      from (select 1 as sign, n.* from new_rows n union all select -1, b.* from old_rows b) o,
        opportunity_amounts(sign, customer_id, o.value, probability, status, created_at, opened_at, closed_at) a
      where pipeline_id is not null and stage_id is not null group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      having sum(a.count) <> 0 or sum(a.without_company) <> 0 or sum(a.value) <> 0 or sum(a.weighted_value) <> 0 or sum(a.won_ms) <> 0;
  end if;
  return null;
end $$;

revoke execute on function count_opportunities from public;
