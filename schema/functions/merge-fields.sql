-- The parent of a winning company: that of the topmost loser above it, or else its own, or else the first parent of a loser that is not
-- below them.
create or replace function merged_parent(p_winner uuid, p_losers uuid[], p_fill boolean)
  returns table (parent uuid, loser uuid) stable security definer set search_path = public, pg_temp language sql as $$
  with recursive up(start, id, level) as (
    select s.id, s.id, 0 from unnest(p_losers || p_winner) s(id)
    union all
    select up.start, c.parent_company_id, up.level + 1 from up join companies c on c.workspace_id = current_workspace() and c.id = up.id
      where c.parent_company_id is not null and up.level < 100
  ), top as (
    select id, level from up where start = p_winner and id = any (p_losers) order by level desc limit 1
  ), own as (
    select (select u.id from up u where u.start = p_winner and u.level = coalesce((select level from top), 0) + 1) as parent,
      (select id from top) as loser
  )
  select coalesce(own.parent, theirs.parent), case when own.parent is null then coalesce(theirs.loser, own.loser) else own.loser end
  from own left join lateral (
    select u.id as parent, u.start as loser from up u
    where own.parent is null and p_fill and u.level = 1 and u.start = any (p_losers) and u.id <> all (p_losers || p_winner)
      and not exists (select from up above where above.start = u.start and above.level > 1 and above.id = any (p_losers || p_winner))
    order by array_position(p_losers, u.start) limit 1) theirs on true
$$;

/*
  The winner's new values: `row`, the columns that change, and `fields`, each with before, after and the losers that the value is from.
  Overrides take precedence. A blank field takes the value of the first loser that has one, and fields that belong together come from the
  same loser.
*/
create or replace function merge_fields(p_of regclass, p jsonb, p_was jsonb, p_losers jsonb)
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  given constant jsonb := coalesce(p -> 'field_overrides', '{}');
  fills constant boolean := coalesce((p ->> 'fill_empty_fields')::boolean, true);
  winner constant uuid := (p ->> 'winner_id')::uuid;
  losers constant uuid[] := array(select (l ->> 'id')::uuid from jsonb_array_elements(p_losers) l);
  together constant jsonb := case p_of when 'opportunities'::regclass
    then '[{"of": ["value"], "with": ["currency"]}, {"of": ["next_action_type", "next_action_note", "next_action_at"], "with": []}]'
    else '[{"of": ["address_line1", "address_line2", "city", "state", "postal_code"], "with": ["country"]}]' end;
  becomes jsonb;
  sources jsonb := '{}';
  said text[];
  f record;
  g jsonb;
begin
  execute format('select coalesce(jsonb_object_agg(k, to_jsonb(r) -> k), ''{}'') from jsonb_populate_record(null::%s, $1) r, jsonb_object_keys($1) k', p_of)
    into becomes using given - 'metadata';
  becomes := p_was || becomes
    || jsonb_build_object('metadata',
    coalesce((select jsonb_object_agg(k, v) from jsonb_each(p_was -> 'metadata' || coalesce(given -> 'metadata', '{}')) e(k, v)
    where not (v = 'null' and given -> 'metadata' ? k)), '{}'));

  if fills then
    for f in
      select distinct on (k) k as name, l -> k as value, l -> 'id' as loser
      from jsonb_array_elements(p_losers) with ordinality e(l, at), jsonb_object_keys(l) k
      where not given ? k and is_blank(becomes -> k) and not is_blank(l -> k)
        and not exists (select from jsonb_array_elements(together) t where t -> 'of' ? k)
        and (k <> all ('{id,workspace_id,version,created_at,updated_at,archived,metadata,alternate_emails,is_primary,parent_company_id,pipeline_id,stage_id,stage_entered_at,status,probability,closed_at,lost_reasons,won_reasons}')
          or k = becomes ->> 'status' || '_reasons')
        and exists (select from pg_attribute a where a.attrelid = p_of and a.attname = k and a.attgenerated = '')
      order by k, at
    loop
      becomes := becomes || jsonb_build_object(f.name, f.value);
      sources := sources || jsonb_build_object(f.name, jsonb_build_array(f.loser));
    end loop;
    for g in select jsonb_array_elements(together) loop
      continue when exists (select from jsonb_array_elements_text(g -> 'of') k
        where given ? k or not (is_blank(becomes -> k) or becomes -> k = '0'));
      select l into f from jsonb_array_elements(p_losers) with ordinality e(l, at)
        where exists (select from jsonb_array_elements_text(g -> 'of') k where not (is_blank(l -> k) or l -> k = '0'))
          and not exists (select from jsonb_array_elements_text(g -> 'with') k
            where not is_blank(becomes -> k) and becomes -> k is distinct from l -> k)
        order by at limit 1;
      continue when f.l is null;
      becomes := becomes || (select jsonb_object_agg(k, f.l -> k) from jsonb_array_elements_text(g -> 'of' || (g -> 'with')) k);
      sources := sources || (select jsonb_object_agg(k, jsonb_build_array(f.l -> 'id'))
        from jsonb_array_elements_text(g -> 'of' || (g -> 'with')) k);
    end loop;
    -- Custom values, as far as they are still possible.
    for f in
      select distinct on (k) k as name, v as value, l -> 'id' as loser
      from jsonb_array_elements(p_losers) with ordinality e(l, at), jsonb_each(l -> 'metadata') m(k, v)
      where not coalesce(given -> 'metadata' ? k, false) and not is_blank(v) and is_blank(becomes -> 'metadata' -> k)
        and custom_value_issues(current_workspace(), p ->> 'entity', jsonb_build_object(k, v), false) is null
      order by k, at
    loop
      becomes := jsonb_set(becomes, array['metadata', f.name], f.value);
      sources := sources || jsonb_build_object('metadata.' || f.name, jsonb_build_array(f.loser));
    end loop;
  end if;

  if (p ->> 'append_notes')::boolean then
    said := array[btrim(becomes ->> 'notes')];
    for f in select l ->> 'notes' as notes, l -> 'id' as loser from jsonb_array_elements(p_losers) with ordinality e(l, at)
      where not is_blank(l -> 'notes') order by at loop
      continue when btrim(f.notes) = any (said);
      said := said || btrim(f.notes);
      becomes := becomes || jsonb_build_object('notes', concat_ws(E'\n\n', nullif(btrim(becomes ->> 'notes'), ''), f.notes));
      sources := sources || jsonb_build_object('notes', coalesce(sources -> 'notes', '[]') || jsonb_build_array(f.loser));
    end loop;
    if length(becomes ->> 'notes') > 20000
      then perform fail_field('append_notes',
      'The notes would be longer than 20000 characters together: merge fewer records, or leave this out'); end if;
  end if;
  if (p ->> 'union_tags')::boolean then
    for f in select t as tag, l -> 'id' as loser
      from jsonb_array_elements(p_losers) with ordinality e(l, at), jsonb_array_elements(l -> 'tags') with ordinality x(t, n)
      order by at, n loop
      continue when exists (select from jsonb_array_elements(becomes -> 'tags') t where norm(t ->> 'name') = norm(f.tag ->> 'name'));
      becomes := becomes || jsonb_build_object('tags', becomes -> 'tags' || f.tag);
      sources := sources || jsonb_build_object('tags', case when coalesce(sources -> 'tags', '[]') @> f.loser then sources -> 'tags'
        else coalesce(sources -> 'tags', '[]') || jsonb_build_array(f.loser) end);
    end loop;
    if jsonb_array_length(becomes -> 'tags') > 50
      then perform fail_field('union_tags', 'An opportunity has at most 50 tags: merge fewer records, or leave this out'); end if;
  end if;

  if p_of = 'contacts'::regclass then
    -- Every address and number by which the person is known, as far as there is a place for it.
    if not given ? 'alternate_emails' then
      for f in select a.address, l -> 'id' as loser from jsonb_array_elements(p_losers) with ordinality e(l, at), lateral (
          select l ->> 'email' as address, 0 as n union all select x.address, x.n
            from jsonb_array_elements_text(l -> 'alternate_emails') with ordinality x(address, n)) a
        where a.address is not null order by at, a.n
      loop
        continue when becomes -> 'alternate_emails' ? f.address or becomes ->> 'email' = f.address;
        becomes := becomes || jsonb_build_object('alternate_emails', becomes -> 'alternate_emails' || to_jsonb(f.address));
        sources := sources || jsonb_build_object('alternate_emails', case when coalesce(sources -> 'alternate_emails', '[]') @> f.loser
          then sources -> 'alternate_emails' else coalesce(sources -> 'alternate_emails', '[]') || jsonb_build_array(f.loser) end);
      end loop;
      if p_was ->> 'email' <> becomes ->> 'email' and not becomes -> 'alternate_emails' ? (p_was ->> 'email') then
        becomes := becomes || jsonb_build_object('alternate_emails', becomes -> 'alternate_emails' || (p_was -> 'email'));
      end if;
      becomes := becomes || jsonb_build_object('alternate_emails', (becomes -> 'alternate_emails') - coalesce(becomes ->> 'email', ''));
    end if;
    if fills and not given ? 'landline' and is_blank(becomes -> 'landline') then
      select l ->> 'phone' as phone, l -> 'id' as loser into f from jsonb_array_elements(p_losers) with ordinality e(l, at)
        where l ->> 'phone' <> becomes ->> 'phone' order by at limit 1;
      if f.phone is not null then
        becomes := becomes || jsonb_build_object('landline', f.phone);
        sources := sources || jsonb_build_object('landline', jsonb_build_array(f.loser));
      end if;
    end if;
    -- Who said no stays out of reach, and a referrer is one.
    for f in select k as name, jsonb_agg(l -> 'id' order by at) as losers
      from jsonb_array_elements(p_losers) with ordinality e(l, at),
        unnest('{email_unsubscribed,sms_unsubscribed,voice_unsubscribed,whatsapp_unsubscribed,is_referrer}'::text[]) k
      where not given ? k and (l ->> k)::boolean and not (becomes ->> k)::boolean and (fills or k <> 'is_referrer') group by k
    loop
      becomes := becomes || jsonb_build_object(f.name, true);
      sources := sources || jsonb_build_object(f.name, f.losers);
    end loop;
    if not given ? 'is_primary' and not (becomes ->> 'is_primary')::boolean then
      select l -> 'id' as loser into f from jsonb_array_elements(p_losers) l
        where (l ->> 'is_primary')::boolean and l -> 'customer_id' = becomes -> 'customer_id' and not is_blank(l -> 'customer_id') limit 1;
      if f.loser is not null then
        becomes := becomes || '{"is_primary": true}';
        sources := sources || jsonb_build_object('is_primary', jsonb_build_array(f.loser));
      end if;
    end if;
  end if;
  if p_of = 'companies'::regclass then
    if not given ? 'parent_company_id' then
      select m.parent, m.loser into f from merged_parent(winner, losers, fills) m;
      becomes := becomes || jsonb_build_object('parent_company_id', f.parent);
      sources := sources || jsonb_build_object('parent_company_id', case when f.loser is null then '[]'
        else jsonb_build_array(f.loser) end);
    elsif exists (with recursive up(id, level) as (
        select (given ->> 'parent_company_id')::uuid, 1
        union select c.parent_company_id, up.level + 1 from up join companies c on c.workspace_id = current_workspace() and c.id = up.id
          where up.id <> all (losers || winner) and up.level < 50)
        select from up where up.id = any (losers || winner) or up.level = 50) then
      perform fail_field('field_overrides.parent_company_id',
        'must be a company of this workspace that is none of those merged nor below one of them, with fewer than 50 above it');
    end if;
  end if;

  return jsonb_build_object(
    'row', (select coalesce(jsonb_object_agg(k, v), '{}') from jsonb_each(becomes) e(k, v) where v is distinct from p_was -> k),
    'fields', (select coalesce(jsonb_object_agg(name,
      jsonb_build_object('before', was, 'after', is_now, 'from', coalesce(sources -> name, '[]'))), '{}') from (
      select k as name, coalesce(p_was -> k, 'null') as was, v as is_now from jsonb_each(becomes) e(k, v) where k <> 'metadata'
      union all select 'metadata.' || k, coalesce(p_was -> 'metadata' -> k, 'null'), coalesce(becomes -> 'metadata' -> k, 'null')
        from (select jsonb_object_keys(becomes -> 'metadata') k union select jsonb_object_keys(p_was -> 'metadata')) keys) each
          where was <> is_now));
end $$;

revoke execute on function merged_parent, merge_fields from public;
