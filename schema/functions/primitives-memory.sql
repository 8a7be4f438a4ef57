-- What texts have in common that differ in spaces and in the case of letters only.
create or replace function memory_text_key(p_text text) returns text immutable strict parallel safe language plpgsql as $$
begin
  return encode(sha256(convert_to(
    lower(normalize(btrim(regexp_replace(p_text collate "default", '\s+', ' ', 'g')), NFKC)), 'UTF8')), 'hex');
end $$;
