-- How many emails of a campaign may be sent by when.

/*
  How many more emails may be sent in the current minute and hour, at most p_most, and when a window that is used up ends. A window begins
  with the minute of its first email.
*/
create or replace function campaign_room(p_campaign uuid, p_per_minute int, p_per_hour int, p_most int,
  out room int, out opens_at timestamptz)
  security definer set search_path = public, pg_temp language sql as $$
  with limits(scope, most) as (select * from (values ('minute', p_per_minute), ('hour', p_per_hour)) l(scope, most)
    where most is not null), opened as (
    insert into campaign_windows as x (workspace_id, campaign_id, scope, began_at)
      select (select current_workspace()), p_campaign, l.scope, date_trunc('minute', now()) from limits l
      on conflict (workspace_id, campaign_id, scope) do update set
        began_at = case when x.began_at + ('1 ' || x.scope)::interval <= now() then excluded.began_at else x.began_at end,
        taken = case when x.began_at + ('1 ' || x.scope)::interval <= now() then 0 else x.taken end
      returning x.scope, x.began_at, x.taken
  ) select least(p_most, min(l.most - o.taken)::int), max(o.began_at + ('1 ' || o.scope)::interval) filter (where o.taken >= l.most)
      from limits l join opened o on o.scope = l.scope
$$;

-- Counts emails that are being sent.
create or replace function take_campaign_room(p_campaign uuid, p_count int)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update campaign_windows set taken = taken + p_count
    where workspace_id = (select current_workspace()) and campaign_id = p_campaign and scope in ('minute', 'hour')
$$;

/*
  Gives each of these recipients a place among the p_per_hour of an hour of its mail domain, and returns those whose hour is the current
  one. The others are due when theirs begins, which keeps their places; one that is claimed later than in that hour gets another place.
*/
create or replace function recipients_of_hour(p_campaign uuid, p_ids uuid[], p_per_hour int)
  returns uuid[] security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  this_hour constant timestamptz := date_trunc('hour', now());
  later uuid[];
begin
  insert into campaign_windows as x (workspace_id, campaign_id, scope, began_at)
    select distinct w, p_campaign, split_part(r.email, '@', 2), this_hour from campaign_recipients r
      where r.workspace_id = w and r.id = any (p_ids)
    on conflict (workspace_id, campaign_id, scope) do update set began_at = this_hour, taken = 0 where x.began_at < this_hour;
  with placed as (
    select r.id, split_part(r.email, '@', 2) as scope, row_number() over (partition by split_part(r.email, '@', 2)
      order by r.due_at, r.id) as n
      from campaign_recipients r where r.workspace_id = w and r.id = any (p_ids) and r.due_at is distinct from this_hour
  ), moved as (
    update campaign_recipients r set due_at = x.began_at + (x.taken + p.n - 1) / p_per_hour * interval '1 hour'
      from placed p join campaign_windows x on x.workspace_id = w and x.campaign_id = p_campaign and x.scope = p.scope
      where r.workspace_id = w and r.id = p.id and x.began_at + (x.taken + p.n - 1) / p_per_hour * interval '1 hour' > now() returning r.id
  ), noted as (
    update campaign_windows x
      set began_at = x.began_at + (x.taken + g.n) / p_per_hour * interval '1 hour', taken = (x.taken + g.n) % p_per_hour
      from (select p.scope, count(*) as n from placed p group by p.scope) g
      where x.workspace_id = w and x.campaign_id = p_campaign and x.scope = g.scope
  ) select coalesce(array_agg(m.id), '{}') into later from moved m;
  return array(select unnest(p_ids) except select unnest(later));
end $$;

revoke execute on function campaign_room, take_campaign_room, recipients_of_hour from public, app;
