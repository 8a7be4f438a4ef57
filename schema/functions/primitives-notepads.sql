-- Notepads: who sees one, and what its columns derive from others.

-- The digest of a text, in hexadecimal.
create or replace function text_sha256(value text) returns text immutable strict parallel safe language plpgsql as $$
begin
  return encode(sha256(convert_to(value, 'UTF8')), 'hex');
end $$;

-- The text that a search of notepads finds: the title and the beginning of the content.
create or replace function notepad_search_text(p_title text, p_content text)
  returns text immutable parallel safe cost 200 language plpgsql as $$
begin
  return translate(lower(public.unaccent('public.unaccent'::regdictionary, lower(normalize(
    btrim(regexp_replace((p_title || ' ' || left(p_content, 2000)) collate "default", '\s+', ' ', 'g')), NFKC)))), 'ς', 'σ');
end $$;

-- Who may do with a notepad what the levels allow: `workspace` stands for every member, `user:<id>` for one, `role:<key>` for those with a
-- role.
create or replace function notepad_parties(p_visibility text, p_owner uuid, p_access jsonb, p_levels text[]) returns text[]
  immutable parallel safe language plpgsql as $$
begin
  return case p_visibility when 'workspace' then '{workspace}' when 'private' then array['user:' || p_owner]
    else array['user:' || p_owner] || array(select coalesce('user:' || (e ->> 'user_id'), 'role:' || (e ->> 'role'))
      from jsonb_array_elements(p_access) e where e ->> 'level' = any (p_levels)) end;
end $$;

/*
  As whom the caller sees notepads; null for the jobs that act for nobody, and in triggers, because a record keeps its rows together. A key
  that somebody else has made sees what every member sees (see current_person).
*/
create or replace function caller_parties() returns text[] stable language sql as $$
  select case when pg_trigger_depth() > 0 or nullif(current_setting('app.authority', true), '') is null then null
    when current_person() is null then '{workspace}'
    else array['workspace', 'user:' || current_person(), 'role:' || (current_setting('app.authority')::jsonb ->> 'role')] end
$$;

-- Whether the caller, as caller_parties() names it, sees a notepad with these readers. All that shows notepads, or what happened to them,
-- asks this.
create or replace function sees_notepad(p_readers text[], p_caller text[]) returns boolean immutable parallel safe language sql
  return p_caller is null or p_readers && p_caller;
