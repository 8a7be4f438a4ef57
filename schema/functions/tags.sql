-- The colour of a tag in the workspace's palette.
create or replace function palette_color(p_name text) returns text stable language plpgsql as $$
begin
  return (select t ->> 'color' from crm_settings s, jsonb_array_elements(s.tag_palette) with ordinality e(t, i)
    where s.workspace_id = (select current_workspace()) and norm(t ->> 'name') = norm(p_name) order by i limit 1);
end $$;

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
  removed constant text[] := array(select norm(r) from jsonb_array_elements_text(p_remove) r);
begin
  return (select coalesce(jsonb_agg(case when is_added
      then t || jsonb_build_object('color', coalesce(new_color, t ->> 'color', palette_color(t ->> 'name'))) else t end
      order by is_new, at), '[]')
    from (select (array_agg(t order by is_added, i))[1] as t, bool_or(is_added) as is_added, bool_and(is_added) as is_new,
        (array_agg(i order by is_added, i))[1] as at,
        (array_agg(t ->> 'color' order by i desc) filter (where is_added and t ->> 'color' is not null))[1] as new_color
      from (select t, i, false as is_added, norm(t ->> 'name') as name from jsonb_array_elements(p_tags) with ordinality e(t, i)
        union all select jsonb_build_object('name', t -> 'name', 'color', t -> 'color'), i, true, norm(t ->> 'name')
          from jsonb_array_elements(p_add) with ordinality e(t, i)) given
      group by name having bool_or(is_added) or name <> all (removed)) tags);
end $$;
