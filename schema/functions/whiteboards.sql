/*
  Whiteboards. An element is current from the generation that added it until the one that removed it, so a version costs only what has
  changed since. The callers have locked the board. The contents have no foreign key to it: they stay with a deleted board until its
  deletion expires.
*/

-- The fractional index with this number: a0 to az, b00 to bzz, and so on, as the package fractional-indexing counts.
create or replace function fraction_key(p_number bigint) returns text immutable parallel safe strict language plpgsql as $$
declare
  n bigint := p_number;
  places int := 1;
  key text := '';
begin
  while n >= 62::numeric ^ places loop
    n := n - (62::numeric ^ places)::bigint;
    places := places + 1;
  end loop;
  for place in 1..places loop
    key := substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (n % 62)::int + 1, 1) || key;
    n := n / 62;
  end loop;
  return chr(ascii('a') + places - 1) || key;
end $$;

-- How many replaced versions of a board are kept.
create or replace function whiteboard_versions() returns int immutable parallel safe language sql return 20;

-- The elements of a board in a generation, in order.
create or replace function whiteboard_elements_in(p_id uuid, p_generation int) returns json stable language sql as $$
  select coalesce(json_agg(e.data order by e.index_key, e.element_id), '[]') from whiteboard_elements e
    where e.whiteboard_id = p_id and e.added <= p_generation and (e.removed is null or e.removed > p_generation)
$$;

-- Replaces the content of a board. What it was before becomes a version, unless nothing was ever drawn; the earliest one beyond
-- whiteboard_versions() goes. p_facts: count, length, sha256, next_index.
create or replace function replace_whiteboard(p_id uuid, p_elements json, p_app_state json, p_files json, p_facts jsonb)
  returns void language plpgsql set enable_nestloop = off as $$
declare
  g constant int := (select generation + 1 from whiteboards where id = p_id);
  kept constant int := g - whiteboard_versions();
begin
  update whiteboard_scenes s set replaced_at = now(), replaced_by = current_user_id(), element_count = b.element_count,
    content_length = b.content_length, content_sha256 = b.content_sha256 from whiteboards b
    where b.id = p_id and s.whiteboard_id = p_id and s.generation = g - 1;
  update whiteboard_elements e set removed = g where e.whiteboard_id = p_id and e.removed is null
    and not exists (select from json_array_elements(p_elements) s where s ->> 'id' = e.element_id and s::text = e.data::text);
  insert into whiteboard_elements (whiteboard_id, element_id, added, index_key, data)
    select p_id, s ->> 'id', g, s ->> 'index', s from json_array_elements(p_elements) s
    where not exists (select from whiteboard_elements e where e.whiteboard_id = p_id and e.removed is null and e.element_id = s ->> 'id');
  insert into whiteboard_scenes (whiteboard_id, generation, app_state, files) values (p_id, g, p_app_state, p_files);
  update whiteboards set generation = g, element_count = (p_facts ->> 'count')::int, content_length = (p_facts ->> 'length')::int,
    content_sha256 = p_facts ->> 'sha256', next_index = greatest(next_index, (p_facts ->> 'next_index')::bigint) where id = p_id;
  delete from whiteboard_scenes where whiteboard_id = p_id and generation < kept;
  delete from whiteboard_elements where whiteboard_id = p_id and removed <= kept;
end $$;

-- Makes an earlier version the content again. What is replaced becomes a version itself.
create or replace function revert_whiteboard(p_id uuid, p_version uuid) returns void language plpgsql as $$
declare
  v whiteboard_scenes;
begin
  select * into v from whiteboard_scenes where whiteboard_id = p_id and id = p_version and replaced_at is not null;
  perform assert_exists(v.id is not null, 'version of this whiteboard', p_version);
  perform replace_whiteboard(p_id, whiteboard_elements_in(p_id, v.generation), v.app_state, v.files,
    jsonb_build_object('count', v.element_count, 'length', v.content_length, 'sha256', v.content_sha256, 'next_index', 0));
end $$;

-- Adds elements after all others. p_facts: paths (where the request has each id), bound (see bind_whiteboard_elements), length, sha256,
-- max_elements, max_length.
create or replace function append_to_whiteboard(p_id uuid, p_elements json, p_facts jsonb) returns void language plpgsql as $$
declare
  b whiteboards;
  n constant int := json_array_length(p_elements);
begin
  select * into b from whiteboards where id = p_id;
  perform fail_paths(array(select p.path from jsonb_each_text(p_facts -> 'paths') p(id, path) join whiteboard_elements e
    on e.whiteboard_id = p_id and e.removed is null and e.element_id = p.id order by p.path),
    'is the id of an element of the board already: choose another one, or leave it out');
  perform fail_paths(array(select 'elements' where b.element_count + n > (p_facts ->> 'max_elements')::int),
    format('A board has at most %s elements, and this one has %s: remove some first, with PUT /whiteboards/:whiteboard_id/content',
      p_facts ->> 'max_elements', b.element_count));
  perform fail_paths(array(select 'elements' where b.content_length + (p_facts ->> 'length')::int > (p_facts ->> 'max_length')::int),
    format('A board has at most %s bytes of JSON, and this one has %s: remove elements first', p_facts ->> 'max_length', b.content_length));
  insert into whiteboard_scenes (whiteboard_id, generation, app_state, files) values (p_id, b.generation, '{}', '{}')
    on conflict do nothing;
  insert into whiteboard_elements (whiteboard_id, element_id, added, index_key, data)
    select p_id, s.e ->> 'id', b.generation, k.key, (s.e::jsonb || jsonb_build_object('index', k.key))::json
    from json_array_elements(p_elements) with ordinality s(e, at), lateral (select fraction_key(b.next_index + s.at - 1) as key) k;
  perform bind_whiteboard_elements(p_id, b.generation, p_facts -> 'bound');
  update whiteboards set element_count = b.element_count + n, content_length = b.content_length + (p_facts ->> 'length')::int,
    content_sha256 = encode(sha256(convert_to(concat(b.content_sha256, p_facts ->> 'sha256'), 'UTF8')), 'hex'),
    next_index = b.next_index + n where id = p_id;
end $$;

-- Adds to elements of the board what is bound to them: arrows and texts. p_bound: id, path (where the request names it), elements (id and
-- type of each), nonce, updated. The row of an earlier generation stays for its versions.
create or replace function bind_whiteboard_elements(p_id uuid, p_generation int, p_bound jsonb) returns void language plpgsql as $$
declare
  t record;
  e whiteboard_elements;
  changed json;
begin
  for t in select * from jsonb_to_recordset(p_bound) r(id text, path text, elements jsonb, nonce int, updated bigint) loop
    select * into e from whiteboard_elements w where w.whiteboard_id = p_id and w.removed is null and w.element_id = t.id;
    perform fail_paths(array(select t.path where e.element_id is null), 'is not the id of an element of the board');
    changed := (e.data::jsonb || jsonb_build_object('boundElements', coalesce(e.data::jsonb -> 'boundElements', '[]') || t.elements,
      'version', least((e.data ->> 'version')::bigint + 1, 2147483647), 'versionNonce', t.nonce, 'updated', t.updated))::json;
    if e.added = p_generation then
      update whiteboard_elements w set data = changed where w.whiteboard_id = p_id and w.element_id = t.id and w.removed is null;
    else
      update whiteboard_elements w set removed = p_generation where w.whiteboard_id = p_id and w.element_id = t.id and w.removed is null;
      insert into whiteboard_elements (whiteboard_id, element_id, added, index_key, data)
        values (p_id, t.id, p_generation, e.index_key, changed);
    end if;
  end loop;
end $$;

-- Copies the present content of a board to a new one.
create or replace function copy_whiteboard_content(p_from uuid, p_to uuid) returns void language sql as $$
  insert into whiteboard_scenes (whiteboard_id, generation, app_state, files)
    select p_to, 0, s.app_state, s.files from whiteboards b
    join whiteboard_scenes s on s.whiteboard_id = b.id and s.generation = b.generation where b.id = p_from;
  insert into whiteboard_elements (whiteboard_id, element_id, added, index_key, data)
    select p_to, e.element_id, 0, e.index_key, e.data from whiteboard_elements e where e.whiteboard_id = p_from and e.removed is null
$$;

-- Removes the contents of boards that cannot be restored: when a purge deletes them, and when what is kept of their deletion goes.
create or replace function discard_whiteboard(p_workspace uuid, p_id uuid) returns void language sql security definer
  set search_path = public, pg_temp as $$
  delete from whiteboard_elements where workspace_id = p_workspace and whiteboard_id = p_id;
  delete from whiteboard_scenes where workspace_id = p_workspace and whiteboard_id = p_id
$$;

create or replace function discard_deleted_whiteboards() returns trigger language plpgsql security definer
  set search_path = public, pg_temp as $$
begin
  perform discard_whiteboard(o.workspace_id, o.id) from old_rows o;
  return null;
end $$;
create or replace trigger discard_contents after delete on whiteboards referencing old table as old_rows for each statement
  when (not keeps_deleted_rows()) execute function discard_deleted_whiteboards();

create or replace function discard_expired_whiteboard() returns trigger language plpgsql security definer
  set search_path = public, pg_temp as $$
begin
  if not exists (select from whiteboards b where b.workspace_id = old.workspace_id and b.id = old.row_id) then
    perform discard_whiteboard(old.workspace_id, old.row_id);
  end if;
  return null;
end $$;
create or replace trigger discard_whiteboard after delete on deleted_rows for each row
  when (old.table_name = 'whiteboards') execute function discard_expired_whiteboard();

revoke execute on function discard_whiteboard, discard_deleted_whiteboards, discard_expired_whiteboard from public;
