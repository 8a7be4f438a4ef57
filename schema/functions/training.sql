/*
  What a training card shows, {id, name}, if the caller may read it; null otherwise, and if it was deleted. Runs as its caller, so that the
  policies of notepads decide.
*/
create or replace function training_target(p_type text, p_id uuid) returns json stable language sql as $$
  select case p_type
    when 'notepad' then (select json_build_object('id', n.id, 'name', n.title) from notepads n
      where n.id = p_id and has_scopes('{notepads:read}'))
    when 'document' then (select json_build_object('id', d.id, 'name', d.name) from documents d
      where d.id = p_id and has_scopes('{documents:read}'))
    when 'image' then (select json_build_object('id', f.id, 'name', f.name) from files f where f.id = p_id and f.type = 'image')
    when 'file' then (select json_build_object('id', f.id, 'name', f.name) from files f
      where f.id = p_id and f.type = 'secure' and has_scopes('{files:read}')) end
$$;

-- The address at which a card is shown: that of a page, of the player of a video, or of an image.
create or replace function training_shown_url(p_type text, p_url text) returns text stable language sql
  return case p_type when 'link' then p_url when 'html_embed' then p_url
    when 'youtube' then 'https://www.youtube-nocookie.com/embed/' || substring(p_url
      from '(?:[?&]v=|youtu\.be/|/embed/|/shorts/|/live/)([A-Za-z0-9_-]{11})')
    when 'image' then (handed('files_url') #>> '{}') || '/' || p_url end;

/*
  Asserts that a card may show this: what is new must be there, and the caller must be allowed to read it. A card that shows it already may
  keep it.
*/
create or replace function assert_training_target(p_card uuid, p_type text, p_url text, p_message text) returns void language plpgsql as $$
begin
  if exists (select from training_cards c where c.id = p_card and c.resource_type = p_type and c.url = p_url) then return; end if;
  if training_target(p_type, p_url::uuid) is null then perform fail_field('url', p_message); end if;
end $$;
