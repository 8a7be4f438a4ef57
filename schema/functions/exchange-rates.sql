-- The rates by which amounts in these currencies become amounts in the target on a day: of each currency its latest rate until then, or
-- else the latest one of the opposite direction (inverse). A currency without either is left out.
create or replace function rates_to(p_currencies text[], p_target text, p_on date) returns json stable language sql as $$
  select coalesce(json_agg(json_build_object('currency', c.currency, 'rate', r.rate::text, 'inverse', r.inverse,
      'effective_on', r.effective_on)
      order by c.currency), '[]')
  from (select distinct unnest(p_currencies) as currency) c cross join lateral (
    select * from (
      (select e.rate, false as inverse, e.effective_on from exchange_rates e where e.workspace_id = (select current_workspace())
        and e.base_currency = c.currency and e.quote_currency = p_target and e.effective_on <= p_on order by e.effective_on desc limit 1)
      union all
      (select e.rate, true, e.effective_on from exchange_rates e where e.workspace_id = (select current_workspace())
        and e.base_currency = p_target and e.quote_currency = c.currency and e.effective_on <= p_on order by e.effective_on desc limit 1)
    ) either order by inverse limit 1) r
  where c.currency <> p_target
$$;
