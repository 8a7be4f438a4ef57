/*
  Reputation: the figures of a profile, its slugs, and its pages. Whoever changes a review locks the profile first, so that changes of many
  reviews at the same time wait for each other in one order.
*/

-- Counts a review in its profile: p_before and p_after are the stars with which it is shown, null while it is not.
create or replace function count_review(p_profile uuid, p_more int, p_before int, p_after int) returns void language sql as $$
  update reputation_profiles p set review_count = p.review_count + p_more,
    rating_counts = array(select c + (p_after is not distinct from i)::int - (p_before is not distinct from i)::int
      from unnest(p.rating_counts) with ordinality u(c, i) order by i)
    where p.id = p_profile and (p_more <> 0 or p_before is distinct from p_after)
$$;

create or replace function count_reviews() returns trigger language plpgsql as $$
declare
  stars_before constant int := case when tg_op <> 'INSERT' then case when old.status = 'published' then old.rating end end;
  stars_after constant int := case when tg_op <> 'DELETE' then case when new.status = 'published' then new.rating end end;
begin
  perform count_review(case tg_op when 'DELETE' then old.profile_id else new.profile_id end,
    case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end, stars_before, stars_after);
  return null;
end $$;

create or replace trigger count_reviews after insert or delete or update of status, rating on reputation_reviews
  for each row execute function count_reviews();

-- Keeps each slug of a profile, so that its former addresses lead to it. No two workspaces share one.
create or replace function keep_slug() returns trigger language plpgsql as $$
begin
  insert into reputation_slugs (slug, profile_id) values (new.slug, new.id) on conflict (slug) do nothing;
  if not exists (select from reputation_slugs s where s.slug = new.slug and s.profile_id = new.id) then
    perform fail('CONFLICT', 'Another page has this slug, or had it before: choose another one', '{"field": "slug"}');
  end if;
  if (select count(*) from reputation_slugs s where s.profile_id = new.id) > max_reputation_slugs() then
    perform fail_field('slug', format('A profile has at most %s slugs, and all of them lead to its page: choose one that it had before',
      max_reputation_slugs()));
  end if;
  return null;
end $$;

create or replace trigger keep_slug_of_new after insert on reputation_profiles for each row execute function keep_slug();
create or replace trigger keep_slug after update of slug on reputation_profiles for each row
  when (old.slug is distinct from new.slug) execute function keep_slug();

-- The number of published case studies, and of those in the other states; a workspace has few.
create or replace function case_study_counts() returns jsonb stable language sql as $$
  select jsonb_build_object('draft', count(*) filter (where c.status = 'draft'), 'approved', count(*) filter (where c.status = 'approved'),
      'published', count(*) filter (where c.status = 'published')) from reputation_case_studies c
$$;

-- What the address of a page grants: nothing but the workspace. Null for an unknown address.
create or replace function reputation_grant(p_slug text) returns jsonb stable security definer set search_path = public, pg_temp
  language sql as $$
  select jsonb_build_object('workspace_id', s.workspace_id, 'scopes', '[]'::jsonb) from reputation_slugs s where s.slug = p_slug
$$;

revoke execute on function reputation_grant from public;
grant execute on function reputation_grant to app;

-- The next published reviews after the one with this id, or the first ones: featured ones, then the latest.
create or replace function shown_reviews(p_profile uuid, p_after uuid, p_limit int) returns setof reputation_reviews stable
  language sql as $$
  select r.* from reputation_reviews r where r.profile_id = p_profile and r.status = 'published' and (p_after is null
      or (r.featured, r.published_at, r.id) < (select a.featured, a.published_at, a.id from reputation_reviews a where a.id = p_after))
    order by r.featured desc, r.published_at desc, r.id desc limit p_limit
$$;

-- The same as JSON, in their order.
create or replace function shown_reviews_json(p_profile uuid, p_after uuid, p_limit int) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(to_jsonb(r) - 'workspace_id' - 'form_hash' order by r.featured desc, r.published_at desc, r.id desc), '[]')
    from shown_reviews(p_profile, p_after, p_limit) r
$$;

-- A published case study; null for any other.
create or replace function shown_case_study(p_case_study uuid) returns jsonb stable language sql as $$
  select to_jsonb(c) - 'workspace_id' from reputation_case_studies c where c.id = p_case_study and c.status = 'published'
$$;

-- The titles of the published case studies, in their order.
create or replace function shown_case_studies(p_profile uuid) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'title', c.title, 'client_name', c.client_name) order by c.position, c.id), '[]')
    from reputation_case_studies c where c.profile_id = p_profile and c.status = 'published'
$$;

/*
  A page of the workspace as visitors see it; null for one that is not published, and for an unknown case study. With p_case_study, that
  one in place of the reviews.
*/
create or replace function reputation_page(p_slug text, p_after uuid, p_case_study uuid, p_limit int) returns jsonb stable
  language sql as $$
  select jsonb_build_object('workspace', jsonb_build_object('name', w.name,
        'color', case when p.primary_color is null then w.primary_color else p.primary_color end),
      'profile', jsonb_build_object('slug', p.slug, 'display_name', p.display_name, 'description', p.description, 'category', p.category,
        'logo_url', p.logo_url, 'website', p.website, 'rating_counts', to_jsonb(p.rating_counts), 'accepts_reviews', p.accepts_reviews),
      'case_study', shown_case_study(p_case_study),
      'reviews', case when p_case_study is null then shown_reviews_json(p.id, p_after, p_limit) else '[]' end,
      'case_studies', shown_case_studies(p.id))
    from reputation_slugs s join reputation_profiles p on p.id = s.profile_id cross join workspaces w
    where s.slug = p_slug and p.is_published and (p_case_study is null or shown_case_study(p_case_study) is not null)
$$;
