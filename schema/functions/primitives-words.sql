-- Search: exact identifiers first, then the words of names, then words that differ from them in at most two letters.

-- The searchable words of a text: letters and digits only, without accents.
create or replace function words_of(value text) returns text[] immutable parallel safe cost 200 language plpgsql as $$
begin
  return array_remove(regexp_split_to_array(translate(public.unaccent('public.unaccent'::regdictionary, coalesce(value, '')), '''’`', '')
      collate "default",
    '[^[:alnum:]]+'), '');
end $$;

-- The words of a text with their places, and its workspace after a #, so that one index serves all workspaces.
create or replace function chunk_lexemes(p_workspace uuid, p_text text)
  returns tsvector immutable parallel safe cost 1000 language plpgsql as $$
begin
  return (select coalesce(string_agg(format('''%s'':%s', left(w, 60), least(n, 16383)), ' '), '')
    from unnest(public.words_of(lower(normalize(p_text, NFKC) collate "default"))) with ordinality u(w, n))::tsvector
      || array_to_tsvector(array['#' || p_workspace]);
end $$;

-- Hashes, specific to the workspace, of a word without up to two of its first seven letters (of a short word without one).
create or replace function typo_keys(p_workspace uuid, p_word text) returns int[] immutable parallel safe cost 1000 language plpgsql as $$
declare
  start text := left(p_word, 7);
  once text;
  variants text[] := array[start];
begin
  for i in 1..length(start) loop
    once := left(start, i - 1) || substr(start, i + 1);
    variants := variants || once;
    if length(p_word) > 3 then
      for j in i..length(once) loop
        variants := variants || (left(once, j - 1) || substr(once, j + 1));
      end loop;
    end if;
  end loop;
  return array(select distinct (hashtextextended(p_workspace::text || v, 0) % 2147483647)::int from unnest(variants) v);
end $$;

-- A record's entries in the search index: the words of its name, the words of its address after an @, and its workspace after a #, which
-- makes the planner choose this index however frequent the words are.
create or replace function lexemes_of(workspace uuid, name text, address text)
  returns tsvector immutable parallel safe cost 1000 language plpgsql as $$
begin
  return array_to_tsvector(public.words_of(name) || array(select '@' || w from unnest(public.words_of(address)) w) || ('#' || workspace));
end $$;
