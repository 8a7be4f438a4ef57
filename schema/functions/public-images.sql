-- Images that visitors upload without a key. They are named by their content, and a limit counts the uploads of each source.

/*
  Notes an upload, unless one of its sources has reached the limit in the last 24 hours. The locks are taken in one order, and make the
  counts of simultaneous uploads exact. p: id, sha256, extension, size, context, sources. Returns the seconds until the next upload is
  possible, or null when the upload is noted.
*/
create or replace function record_public_image(p jsonb, p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  each_source text;
  freed timestamptz;
begin
  for each_source in select value from jsonb_array_elements_text(p -> 'sources') order by value loop
    perform pg_advisory_xact_lock(hashtextextended('public image ' || each_source, 0));
  end loop;
  -- The oldest of the last uploads that fill the limit: 24 hours after it another one is possible.
  select max(filled.at) into freed from jsonb_array_elements_text(p -> 'sources') s(source), lateral (select u.uploaded_at as at
    from public_image_uploads u where u.source = s.source and u.uploaded_at > clock_timestamp() - interval '24 hours'
    order by u.uploaded_at desc offset p_limit - 1 limit 1) filled;
  if freed is not null then
    return greatest(1, ceil(extract(epoch from freed + interval '24 hours' - clock_timestamp())));
  end if;
  insert into public_images (sha256, extension, size) values (p ->> 'sha256', p ->> 'extension', (p ->> 'size')::int)
    on conflict (sha256) do update set uploaded_at = now();
  insert into public_image_uploads (id, source, sha256, context)
    select (p ->> 'id')::uuid, value, p ->> 'sha256', p ->> 'context' from jsonb_array_elements_text(p -> 'sources');
  return null;
end $$;

-- Takes an upload back whose image could not be stored, so that it does not count.
create or replace function forget_public_image(p_id uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  delete from public_image_uploads where id = p_id
$$;

/*
  Deletes images whose last upload was more than p_days days ago and that no row refers to by a foreign key. One that is referred to is
  looked at again after a day. Returns the names of those that were deleted.
*/
create or replace function expire_public_images(p_days int, p_limit int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  image record;
  expired text[] := '{}';
begin
  delete from public_image_uploads where uploaded_at < now() - interval '1 day';
  for image in select sha256, extension from public_images
    where checked_at < now() - interval '1 day' and uploaded_at < now() - make_interval(days => p_days) order by checked_at limit p_limit
  loop
    begin
      delete from public_images where sha256 = image.sha256 and uploaded_at < now() - make_interval(days => p_days);
      if found then expired := expired || (image.sha256 || '.' || image.extension); end if;
    exception when foreign_key_violation then
      update public_images set checked_at = now() where sha256 = image.sha256;
    end;
  end loop;
  return to_jsonb(expired);
end $$;

-- Those of the images, by the digests of their content, that do not exist.
create or replace function unknown_public_images(p_sha256 text[])
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(s), '[]') from unnest(p_sha256) s where not exists (select from public_images i where i.sha256 = s)
$$;

revoke execute on function record_public_image, forget_public_image from public;
revoke execute on function expire_public_images, unknown_public_images from public, app;
grant execute on function record_public_image, forget_public_image to app;
grant execute on function expire_public_images, unknown_public_images to jobs;
