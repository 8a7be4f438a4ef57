-- The stage of a new card: the first of the given pipeline, or else of the default or the oldest pipeline.
create or replace function first_stage(p_pipeline uuid) returns uuid stable language sql as $$
  select s.id from stages s join pipelines p on p.workspace_id = s.workspace_id and p.id = s.pipeline_id
  where s.workspace_id = (select current_workspace()) and case when p_pipeline is null then not p.archived else p.id = p_pipeline end
  order by p.is_default desc, p.created_at, p.id, s.position, s.id limit 1
$$;

-- The given reasons that are in the workspace's list, spelled as in the list.
create or replace function match_reasons(p_kind text, p_given text[]) returns text[] stable language sql as $$
  select case when p_given is null then null else nullif(array(
    select o from unnest(p_given) with ordinality g(v, i)
    join unnest(case p_kind when 'lost' then s.lost_reasons else s.won_reasons end) o on norm(o) = norm(v) group by o order by min(i)),
      '{}') end
  from crm_settings s where s.workspace_id = (select current_workspace())
$$;

-- The given reasons that are not among the saved ones, whether all of them are in the workspace's list, and that list; null if there are
-- none.
create or replace function dropped_reasons(p_kind text, p_given jsonb, p_saved text[]) returns jsonb stable language sql as $$
  select jsonb_build_object('dropped', jsonb_agg(v order by i), 'listed', bool_and(norm(v) = any (norm_all(s.options))),
    'options', s.options)
  from jsonb_array_elements_text(case jsonb_typeof(p_given) when 'array' then p_given else '[]' end) with ordinality g(v, i),
    (select coalesce(case p_kind when 'lost' then lost_reasons else won_reasons end, '{}') as options from crm_settings
      where workspace_id = (select current_workspace())) s
  where (norm(v) = any (norm_all(p_saved))) is not true
  group by s.options
$$;

-- Derives a card's pipeline, status, probability, times and reasons from its stage, on every path.
create or replace function apply_stage() returns trigger language plpgsql as $$
declare
  stage stages;
  first uuid;
  stage_changed boolean := tg_op = 'INSERT' or new.stage_id is distinct from old.stage_id;
begin
  if tg_op = 'INSERT' and new.stage_id is null then
    -- One that is being deleted is passed over.
    for attempt in 1..10 loop
      first := first_stage(new.pipeline_id);
      exit when first is null;
      select s.id into new.stage_id from stages s where s.workspace_id = new.workspace_id and s.id = first for key share;
      exit when found;
    end loop;
  end if;
  if new.stage_id is not null then
    select * into stage from stages where workspace_id = new.workspace_id and id = new.stage_id;
    if not found then return new; end if; -- the foreign key raises the error
    new.pipeline_id := stage.pipeline_id;
    if stage_changed then
      new.status := stage.kind;
      new.stage_entered_at := now();
    end if;
    if stage_changed or new.status <> old.status then new.probability := stage.probability; end if;
  elsif stage_changed and tg_op = 'UPDATE' then
    new.pipeline_id := null;
    new.stage_entered_at := null;
  end if;
  if tg_op = 'UPDATE' and ((stage_changed and new.stage_id is not null) or new.status <> old.status) then
    if new.status <> 'lost' then new.lost_reasons := null; end if;
    if new.status <> 'won' then new.won_reasons := null; end if;
  end if;
  if new.status <> 'open' then
    if tg_op = 'UPDATE' and new.status <> old.status and new.closed_at is not distinct from old.closed_at
      then new.closed_at := now(); end if;
    new.closed_at := coalesce(new.closed_at, case when tg_op = 'UPDATE' and new.status = old.status then old.closed_at end, now());
  elsif tg_op = 'UPDATE' and new.closed_at is not distinct from old.closed_at then
    new.closed_at := null;
  elsif new.closed_at is not null then
    perform fail('VALIDATION_ERROR', 'Some fields are not valid',
      jsonb_build_object('issues',
      jsonb_build_array(jsonb_build_object('path', 'closed_at', 'message',
      'Only a won or lost opportunity has closed_at: move it to such a stage'))));
  end if;
  return new;
end $$;
create or replace trigger place before insert or update of stage_id, pipeline_id, status, closed_at on opportunities for each row
  when (not merge_in_progress()) execute function apply_stage();

create or replace function record_move(old opportunities, new opportunities)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  source stages;
  target stages;
begin
  select * into source from stages where workspace_id = new.workspace_id and id = old.stage_id;
  select * into target from stages where workspace_id = new.workspace_id and id = new.stage_id;
  if new.stage_id is distinct from old.stage_id then
    insert into stage_moves (workspace_id, opportunity_id, from_pipeline_id, from_stage_id, from_stage_name, to_pipeline_id, to_stage_id,
      to_stage_name, seconds_in_stage, moved_by)
      values (new.workspace_id, new.id, source.pipeline_id, source.id, source.name, target.pipeline_id, target.id, target.name,
        case when source.id is not null then extract(epoch from now() - old.stage_entered_at)::bigint end, current_user_id());
  end if;
  if old.id is not null and new.stage_id is distinct from old.stage_id then
    perform emit('opportunity.moved', 'opportunity', new.id,
      jsonb_build_object('from_stage_id', source.id, 'to_stage_id', target.id, 'from_pipeline_id', source.pipeline_id,
      'to_pipeline_id', target.pipeline_id, 'skip_action_ids',
        coalesce(nullif(current_setting('app.skip_action_ids', true), ''), '[]')::jsonb));
  end if;
  if new.status <> 'open' and new.status is distinct from old.status then
    perform emit('opportunity.' || new.status, 'opportunity', new.id, jsonb_build_object('stage_id', new.stage_id, 'value', new.value));
  end if;
end $$;

create or replace function record_moves()
  returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
declare
  card opportunities;
  move record;
begin
  for card in select * from new_rows where tg_op = 'INSERT' and stage_id is not null loop
    perform record_move(null, card);
  end loop;
  if tg_op = 'UPDATE' then
    for move in select row(o.*)::opportunities as was, row(n.*)::opportunities as is_now from new_rows n
      join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
      where n.stage_id is distinct from o.stage_id or n.status <> o.status loop
      perform record_move(move.was, move.is_now);
    end loop;
  end if;
  return null;
end $$;
create or replace trigger record_insert_moves after insert on opportunities referencing new table as new_rows for each statement
  when (not merge_in_progress()) execute function record_moves();
create or replace trigger record_update_moves after update on opportunities referencing old table as old_rows new table as new_rows
  for each statement execute function record_moves();

revoke execute on function record_move, record_moves from public;

/* The parts of an opportunity's record. PL/pgSQL keeps their plans for the session: planning such a query takes longer than running it. */
create or replace function placements_of(p_stage uuid, p_entered_at timestamptz) returns json stable language plpgsql as $$
begin
  return (select coalesce(json_agg(json_build_object('pipeline_id', p.id, 'pipeline_name', p.name, 'stage_id', s.id, 'stage_name', s.name,
      'stage_kind', s.kind, 'entered_at', iso(p_entered_at))), '[]')
    from stages s join pipelines p on p.workspace_id = s.workspace_id and p.id = s.pipeline_id
    where s.id = p_stage);
end $$;

create or replace function line_items_of(p_opportunity uuid) returns json stable language plpgsql as $$
begin
  return (select coalesce(json_agg(json_build_object('id', i.id, 'product_id', i.product_id, 'bucket_id', i.bucket_id, 'name', i.name,
      'description', i.description, 'quantity', i.quantity, 'unit_price', i.unit_price, 'discount_percent', i.discount_percent,
      'tax_percent', i.tax_percent, 'subtotal', i.subtotal, 'total', i.total, 'position', i.position) order by i.position, i.id), '[]')
    from opportunity_products i where i.opportunity_id = p_opportunity);
end $$;

create or replace function contacts_of(p_opportunity uuid) returns json stable language plpgsql as $$
begin
  return (select coalesce(json_agg(json_build_object('contact_id', c.id, 'first_name', c.first_name,
      'last_name', c.last_name, 'email', c.email,
      'phone', c.phone, 'role', l.role, 'is_primary', l.is_primary) order by l.is_primary desc, l.id), '[]')
    from opportunity_contacts l join contacts c on c.workspace_id = l.workspace_id and c.id = l.contact_id
    where l.opportunity_id = p_opportunity);
end $$;

create or replace function users_of(p_opportunity uuid) returns json stable language plpgsql as $$
begin
  return (select coalesce(json_agg(json_build_object('user_id', u.id, 'full_name', p.name, 'email', u.email, 'role', l.role)
    order by l.id), '[]')
    from opportunity_users l join users u on u.id = l.user_id left join member_profile(l.workspace_id, l.user_id) p on true
    where l.opportunity_id = p_opportunity);
end $$;
