/*
  Work that is due: claiming, extending, ending and finding it, for every kind (queues/work). work_kind has what the registry says of a
  kind: the table and the columns of its items, the condition of those that are work of this kind, and the functions that take part. Only
  these functions write the columns of a claim; work in parts counts its attempts anew after each. While a worker has an item, due_at is the
  end of its lease: whoever changes the item meanwhile sets due_at, which then holds, or raises its turn, and then it is due at once.
*/

-- Puts the names of a kind into the text of a statement: «table», «key», «due», «turn», «claim», «until», «attempts», «where» and «read».
create or replace function work_text(k jsonb, p_text text) returns text immutable language plpgsql as $$
declare
  name text;
  value text;
begin
  for name, value in select * from jsonb_each_text(k) loop
    p_text := replace(p_text, '«' || name || '»', value);
  end loop;
  return p_text;
end $$;

-- The condition for an item of a kind to be due and with nobody, in the workspace $1.
create or replace function work_is_free() returns text immutable language sql
  return 't.workspace_id = $1 and t.«due» <= now() and (t.«until» is null or t.«until» <= now()) and («where»)';

/*
  Claims at most p_limit items of a workspace that are due, longest first, for p_lease seconds. The reader of the kind returns them (id,
  item), and may note what is about to be requested; without one an item is its row. p_workers of more than one is how many may be at items
  of the workspace; `more`: another one finds some.
*/
create or replace function claim_work(p_kind text, p_workspace uuid, p_claim uuid, p_limit int, p_lease int, p_workers int) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k constant jsonb := work_kind(p_kind);
  room int := p_limit;
  ids uuid[];
  items jsonb;
  has_more boolean := false;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  if p_workers > 1 then
    execute work_text(k, 'select $2 - count(*) from «table» t where t.workspace_id = $1 and t.«due» is not null and t.«until» > now()')
      into room using p_workspace, p_workers * p_limit;
  end if;
  execute work_text(k, 'with due as (
      select t.«key» as id from «table» t where ' || work_is_free() || ' order by t.«due», t.«key» limit $2 for update skip locked
    ), held as (
      update «table» t set «claim» = $3, «until» = now() + make_interval(secs => $4), «due» = now() + make_interval(secs => $4),
          «attempts» = t.«attempts» + 1, «turn» = t.«turn» + 1
        from due where t.workspace_id = $1 and t.«key» = due.id returning t.«key» as id
    ) select array_agg(id) from held') into ids using p_workspace, greatest(least(room, p_limit), 0), p_claim, p_lease;
  if ids is null then return '{"items": [], "more": false}'; end if;
  -- Row by row: the planner takes a function for a thousand rows, and would sometimes read the whole table for them. jsonb_agg takes time
  -- that is quadratic in a list of texts within an item.
  execute work_text(k,
    'select json_agg(json_build_object(''id'', t.«key», ''turn'', t.«turn», ''attempts'', t.«attempts», ''item'', i.item)
        order by t.«key»)
      from («read») i(id, item), lateral (select * from «table» r where r.workspace_id = $1 and r.«key» = i.id limit 1) t')
    into items using p_workspace, ids;
  if room > p_limit then
    execute work_text(k, 'select exists (select from «table» t where ' || work_is_free() || ')') into has_more using p_workspace;
  end if;
  return jsonb_build_object('items', coalesce(items, '[]'), 'more', has_more);
end $$;

-- The assignments of the columns of a kind that p has, for an update from `n`.
create or replace function work_columns(k jsonb, p jsonb) returns text stable language sql
  return (select coalesce(string_agg(format('%1$I = n.%1$I, ', c), ''), '') from jsonb_array_elements_text(k -> 'writes') c where p ? c);

-- Renews the lease of a claim, and stores facts (columns) that hold whatever was changed meanwhile. False if the claim is lost.
create or replace function extend_work(p_kind text, p_workspace uuid, p_id uuid, p_claim uuid, p_lease int, p_facts jsonb) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k constant jsonb := work_kind(p_kind);
  held int;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  execute work_text(k, 'update «table» t set ' || work_columns(k, p_facts) || '«until» = now() + make_interval(secs => $5),
      «due» = case when t.«due» is not distinct from t.«until» then now() + make_interval(secs => $5) else t.«due» end
    from jsonb_populate_record(null::«table», $4) n where t.workspace_id = $1 and t.«key» = $2 and t.«claim» = $3')
    using p_workspace, p_id, p_claim, p_facts, p_lease;
  get diagnostics held = row_count;
  return held > 0;
end $$;

/*
  Ends a claim with its outcome p: `facts` are stored in any case, `results` only if nobody has changed the item meanwhile (columns, both);
  the settler of the kind gets the whole of it, and may return other seconds than `wait`. `wait`: the seconds until the item is due again;
  without it nothing is left to do. `failed`: attempts go on counting. The rows that requests lock before the item are locked first. Returns
  the seconds until it is due; -1 if the claim is lost, and nothing is stored.
*/
create or replace function end_work(p_kind text, p_workspace uuid, p_id uuid, p_claim uuid, p_turn int, p jsonb) returns int
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k constant jsonb := work_kind(p_kind);
  is_same boolean;
  columns jsonb;
  seconds int;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_flag('unchecked_values');
  perform set_cause('provider', null);
  if k ? 'lock' then execute format('select %I($1, $2)', k ->> 'lock') using p_workspace, p_id; end if;
  execute work_text(k, 'select t.«turn» = $4 and t.«due» is not distinct from t.«until» from «table» t
    where t.workspace_id = $1 and t.«key» = $2 and t.«claim» = $3 for update') into is_same using p_workspace, p_id, p_claim, p_turn;
  if is_same is null then return -1; end if;
  columns := coalesce(p -> 'facts', '{}') || case when is_same then coalesce(p -> 'results', '{}') else '{}' end;
  if k ? 'settle' then
    execute format('select %I($1, $2, $3, $4)', k ->> 'settle') into seconds using p_workspace, p_id, is_same, p;
  end if;
  execute work_text(k, 'update «table» t set ' || work_columns(k, columns) || '«claim» = null, «until» = null,
      «attempts» = case when $4 and $5 then t.«attempts» else 0 end,
      «due» = case when $4 then now() + make_interval(secs => $6) when t.«due» is distinct from t.«until» then t.«due»
        else date_trunc(''milliseconds'', now()) end
    from jsonb_populate_record(null::«table», $7) n where t.workspace_id = $1 and t.«key» = $2 and t.«claim» = $3
    returning ceil(greatest(extract(epoch from t.«due» - now()), 0))') into seconds
    using p_workspace, p_id, p_claim, is_same, coalesce((p ->> 'failed')::boolean, false), coalesce(seconds, (p ->> 'wait')::int), columns;
  return seconds;
end $$;

/*
  What is due by p_until: for each of these kinds and sets the workspaces, longest first and each in turn, with the seconds until then and
  the item of a set, among the next p_among rows after p_after (by name: due, workspace). `next`: where this page has ended; null at the
  end.
*/
create or replace function due_work(p_kinds text[], p_after jsonb, p_until timestamptz, p_among int) returns jsonb stable
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  name text;
  page jsonb;
  pages jsonb := '{}';
begin
  foreach name in array p_kinds loop
    execute work_text(work_kind(name), 'with page as materialized (
        select t.workspace_id as w, «item» as i, t.«due» as d from «table» t where t.«due» <= $1 and (t.«due», t.workspace_id) > ($2, $3)
          and «free» and («where») order by t.«due», t.workspace_id limit $4
      ), first as (select w, i, min(d) as d, row_number() over (partition by w order by min(d), i) as n from page group by w, i)
      select jsonb_build_object(''next'', (select jsonb_build_array(d, w) from page offset $4 - 1 limit 1), ''due'',
        (select jsonb_agg(jsonb_build_array(w, greatest(ceil(extract(epoch from d - now())), 0), i) order by n, d, w) from first))')
      into page using p_until, coalesce(p_after -> name ->> 0, '-infinity')::timestamptz,
        coalesce(p_after -> name ->> 1, '00000000-0000-0000-0000-000000000000')::uuid, p_among;
    if page -> 'due' <> 'null' then pages := pages || jsonb_build_object(name, page); end if;
  end loop;
  return pages;
end $$;

revoke execute on function claim_work, extend_work, end_work, due_work, work_text, work_is_free, work_columns from public, app, jobs;
grant execute on function claim_work, extend_work, end_work, due_work to jobs;
