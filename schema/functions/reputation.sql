/*
  Reputation: the figures of a profile, and its slugs. Whoever changes a review locks the profile first, so that changes of many reviews at the same
  time wait for each other in one order.
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
