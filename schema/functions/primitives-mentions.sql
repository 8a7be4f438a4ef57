-- Mentions: by what a purge finds a record in texts that others wrote.

-- The numbers in a text, however spaces, hyphens, dots and brackets group their digits: the digits, after a + if there is one.
create or replace function grouped_digits(p_text text) returns text[] immutable parallel safe strict language plpgsql as $$
begin
  return array(select translate(m[1], ' ().-', '')
    from regexp_matches(replace(p_text, '(0)', ''), '\+?\(?[0-9][0-9 ().-]{5,}[0-9]', 'g') m);
end $$;

-- The numbers in a text that may have escapes. No part of an id is a number.
create or replace function numbers_in(p_text text) returns text[] immutable parallel safe strict language plpgsql as $$
begin
  return public.grouped_digits(regexp_replace(lower(p_text collate "default"),
    '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\\(u[0-9a-f]{4}|.)', ';', 'g'));
end $$;

-- Hashes of the ids, email addresses and numbers that a text mentions, and of the last seven digits of each number, which all of its
-- spellings share. Log tables are indexed by them, so that a purge finds the rows about a record. A text without digits and @ has none.
-- Each match of a pattern costs some 7 microseconds, so ids are matched once, and then replaced as plain text.
create or replace function mention_keys(p_text text) returns int[] immutable parallel safe strict language plpgsql as $$
declare
  content text collate "default" := lower(p_text collate "default");
  keys text[];
  key text;
begin
  if content !~ '[0-9@]' then return '{}'; end if;
  if strpos(content, '\') > 0 then content := regexp_replace(content, '\\(u[0-9a-f]{4}|.)', ';', 'g'); end if;
  keys := array(select m[1] from regexp_matches(content,
    '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[[:alnum:]_][[:alnum:].!$%*+^_`~-]*@[[:alnum:].-]*[[:alnum:]]|\+?[0-9]{6,}', 'g') m);
  foreach key in array keys loop
    if key like '________-____-____-____-____________' then
      content := replace(content, key, ';');
    elsif key like '%-____-____-____-%' then
      content := regexp_replace(content, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', ';', 'g');
    end if;
  end loop;
  return (select coalesce(array_agg(distinct hashtext(k)), '{}') from (select unnest(keys) as k
    union all select '#' || right(n, 7) from unnest(public.grouped_digits(content)) n where length(n) >= 7) found);
end $$;

-- The texts of a row of the request log that may mention a record, without the escapes that addresses and numbers have in a path.
create or replace function request_text(p_path text, p_more_paths text[], p_message text)
  returns text immutable parallel safe language plpgsql as $$
begin
  return replace(replace(replace(lower(array_to_string(array[p_path] || p_more_paths || array[p_message], ' ; ') collate "default"),
    '%40', '@'), '%2b', '+'), '%20', ' ');
end $$;

create or replace function unescape_path(p_path text) returns text immutable parallel safe strict language sql
  return request_text(p_path, null, null);

-- An Idempotency-Key as it is stored. It may contain an address or a number, which a purge would otherwise have to find.
create or replace function digest_idempotency_key(p_key_id uuid, p_key text) returns text immutable strict language sql
  return encode(sha256(convert_to(p_key_id || ' ' || p_key, 'UTF8')), 'hex');
