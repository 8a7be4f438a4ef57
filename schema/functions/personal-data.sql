-- Truncates each list of an object to p_most elements.
create or replace function truncate_lists(p_lists jsonb, p_most int) returns jsonb immutable language sql
  return (select coalesce(jsonb_object_agg(k, case when jsonb_array_length(v) > p_most then v - p_most else v end), '{}')
    from jsonb_each(p_lists) e(k, v));

/*
  Exports a contact's personal data: at most p_most rows of each kind, the latest first. Returns no row if the contact does not exist.
  `records` has the rows of every table that refers to contacts, `journals` those of every log table. Both lists of tables come from the
  catalogue, so a new table is included. What is in the mailbox of another member is left out.
*/
create or replace function person_data(p_id uuid, p_most int)
  returns setof jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  own jsonb;
  known text[];
  records jsonb := '{}';
  logs jsonb := '{}';
  linked jsonb := '{}';
  found jsonb;
  ids uuid[];
  t record;
  kind record;
begin
  select to_jsonb(c) - array['workspace_id', 'name_norm', 'search_text', 'local_zone', 'zone_basis', 'first_name_derived'] into own
    from contacts c where c.workspace_id = w and c.id = p_id;
  if own is null then return; end if;
  known := identifiers_of('contact', p_id, own);
  for t in
    select a.child::text as name,
        format('(%s)%s', string_agg(format('r.%I = $2', a.col), ' or '),
        case when a.child = 'notepads'::regclass then ' and sees_notepad(r.readers, caller_parties())'
        when exists (select from pg_attribute g
          where g.attrelid = a.child and g.attname = 'private_to') then ' and sees_row_of(r.private_to)' end) as about,
            array['workspace_id'] || array(select g.attname::text from pg_attribute g where g.attrelid = a.child and g.attgenerated <> '')
      || array(select u.column_name from unrecorded_columns() u where u.table_name = a.child::text and u.kind = 'secret') as hidden
    from links_to('{contacts}') a group by a.child order by 1
  loop
    execute format('select coalesce(jsonb_agg(x.row order by x.id desc), ''[]'')
      from (select to_jsonb(r) - $3 as row, r.id from %I r where r.workspace_id = $1 and %s order by r.id desc
        limit $4) x', t.name, t.about)
      into found using w, p_id, t.hidden, p_most + 1;
    records := records || jsonb_build_object(t.name, found);
  end loop;
  for t in select * from log_tables() loop
    -- Rows that only mention the contact also concern other people, and are left out.
    execute format('select jsonb_agg(x.row)
      from (select to_jsonb(r) - ''workspace_id'' as row from %s r where ctid = any (array(%s)) and (%s) limit $3) x',
        t.name, t.candidates, t.about)
      into found using w, array[p_id], p_most + 1, keys_of(array[p_id], '{}');
    if found is not null then logs := logs || jsonb_build_object(t.name::text, found); end if;
  end loop;
  for kind in select * from (values ('companies', 'customer_id'), ('opportunities', 'referrer_opportunity_id')) k(name, own_column) loop
    ids := array[(own ->> kind.own_column)::uuid];
    for t in select a.child::text as name, a.col from links_to(array[kind.name::regclass]) a where records ? a.child::text loop
      ids := ids || array(select distinct (r ->> t.col)::uuid from jsonb_array_elements(records -> t.name) r);
    end loop;
    execute format('select coalesce(jsonb_agg(jsonb_build_object(''id'', r.id, ''name'', r.name) order by r.name, r.id), ''[]'') from %I r
      where r.workspace_id = $1 and r.id = any ($2)', kind.name) into found using w, ids;
    linked := linked || jsonb_build_object(kind.name, found);
  end loop;
  -- The opportunities are the last kind.
  select linked || jsonb_build_object(
      'attachments', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]')
        from (select a.id, jsonb_build_object('id', a.id, 'opportunity_id', a.opportunity_id, 'name', a.name,
          'content_type', a.content_type, 'size', a.size, 'created_at', a.created_at) as row
        from attachments a where a.workspace_id = w and a.opportunity_id = any (ids) order by a.id desc limit p_most + 1) x),
      'campaign_clicks', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (
        select k.id, jsonb_build_object('id', k.id, 'campaign_id', e.id, 'campaign_name', e.name, 'recipient_id', r.id, 'url', l.url,
          'clicked_at', k.clicked_at) as row
        from campaign_recipients r join campaign_clicks k on k.workspace_id = w and k.recipient_id = r.id
          join campaign_links l on l.workspace_id = w and l.id = k.link_id
          join email_campaigns e on e.workspace_id = w and e.id = l.campaign_id
        where r.workspace_id = w and r.contact_id = p_id order by k.id desc limit p_most + 1) x),
      'history', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]')
        from (select c.id, to_jsonb(c) - array['workspace_id', 'entity'] as row
        from changes c where c.workspace_id = w and c.entity = 'contact' and c.entity_id = any (array(select merged_from(p_id)) || p_id)
        order by c.id desc limit p_most + 1) x),
      'events', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]')
        from (select o.id, jsonb_build_object('id', o.id, 'type', o.type, 'payload', o.payload,
          'request_id', o.request_id, 'at', o.at) as row
        from outbox o where o.workspace_id = w and o.entity_id = p_id order by o.id desc limit p_most + 1) x),
      'approvals', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]')
          from (select a.id, jsonb_build_object('id', a.id, 'status', a.status, 'method', a.method, 'path', a.path,
            'created_at', a.created_at,
          'changes', (select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(a.changes) c
            where c ->> 'entity_id' = p_id::text)) as row
        from approvals a where a.workspace_id = w and a.id = any (approvals_mentioning(array[p_id], known)) order by a.id desc
        limit p_most + 1) x)) into linked;
  return next jsonb_build_object('contact', own, 'records', truncate_lists(records, p_most), 'journals', truncate_lists(logs, p_most))
    || truncate_lists(linked, p_most) || jsonb_build_object('truncated',
    (select coalesce(jsonb_agg(distinct k order by k), '[]')
      from (select * from jsonb_each(records || logs) union all select * from jsonb_each(linked)) e(k, v)
      where jsonb_array_length(v) > p_most));
end $$;

revoke execute on function person_data from public;
grant execute on function person_data to app;
