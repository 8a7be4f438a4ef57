-- What people have decided about SMS to their numbers.

/*
  Records a decision about a number, with the contact who has it, and applies it unless a later one is known: a number that has opted out
  gets no messages. p: phone_number, decision, source, evidence, recorded_by, and optionally id and occurred_at.
*/
create or replace function record_sms_consent(p jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  number constant text := p ->> 'phone_number';
  decided constant timestamptz(3) := coalesce((p ->> 'occurred_at')::timestamptz, now());
begin
  perform pg_advisory_xact_lock(hashtext('sms_consent'), hashtext(w || number));
  insert into sms_consents (workspace_id, id, phone_number, contact_id, decision, source, evidence, recorded_by, occurred_at)
    values (w, coalesce((p ->> 'id')::uuid, uuidv7()), number, contact_of_phone(number), p ->> 'decision', p ->> 'source', p ->> 'evidence',
      (p ->> 'recorded_by')::uuid, decided);
  if exists (select from sms_consents c where c.workspace_id = w and c.phone_number = number and c.occurred_at > decided) then
    return;
  end if;
  if p ->> 'decision' = 'opt_out' then
    perform suppress_phone(w, number, 'unsubscribed', coalesce(p ->> 'evidence', p ->> 'source'));
  else
    update contacts set sms_unsubscribed = false where workspace_id = w and sms_unsubscribed
      and id = any (array(select c.id from contacts c where c.workspace_id = w and c.phone = number order by c.id limit 100));
    delete from suppressions where workspace_id = w and channel = 'sms' and address = number and reason = 'unsubscribed';
  end if;
end $$;
revoke execute on function record_sms_consent from public;
grant execute on function record_sms_consent to app;
