-- The colour of a tag in the workspace's palette.
create or replace function palette_color(p_name text) returns text stable language sql as $$
  select t ->> 'color' from crm_settings s, jsonb_array_elements(s.tag_palette) with ordinality e(t, i)
  where s.workspace_id = (select current_workspace()) and norm(t ->> 'name') = norm(p_name) order by i limit 1
$$;

-- Adds a tag, or sets the colour of an existing one (case-insensitive). A tag without a colour gets the palette's colour.
create or replace function with_tag(p_tags jsonb, p_name text, p_color text) returns jsonb stable language sql as $$
  select case when exists (select from jsonb_array_elements(p_tags) t where norm(t ->> 'name') = norm(p_name))
    then (select jsonb_agg(case when norm(t ->> 'name') <> norm(p_name) then t
        else t || jsonb_build_object('color', coalesce(p_color, t ->> 'color', palette_color(p_name))) end order by i)
      from jsonb_array_elements(p_tags) with ordinality e(t, i))
    else p_tags || jsonb_build_object('name', p_name, 'color', coalesce(p_color, palette_color(p_name))) end
$$;

create or replace function without_tag(p_tags jsonb, p_name text) returns jsonb immutable language sql as $$
  select coalesce(jsonb_agg(t order by i), '[]') from jsonb_array_elements(p_tags) with ordinality e(t, i)
    where norm(t ->> 'name') <> norm(p_name)
$$;

-- The tags of a record without those that p_remove names, and with those of p_add, each as with_tag. Changing them again has no effect.
create or replace function changed_tags(p_tags jsonb, p_add jsonb, p_remove jsonb) returns jsonb stable language plpgsql as $$
declare
  tags jsonb := p_tags;
  added jsonb;
begin
  select coalesce(jsonb_agg(t order by i), '[]') into tags from jsonb_array_elements(p_tags) with ordinality e(t, i)
    where norm(t ->> 'name') <> all (array(select norm(r) from jsonb_array_elements_text(p_remove) r))
      or norm(t ->> 'name') = any (tag_names(p_add));
  for added in select t from jsonb_array_elements(p_add) with ordinality e(t, i) order by i loop
    tags := with_tag(tags, added ->> 'name', added ->> 'color');
  end loop;
  return tags;
end $$;
