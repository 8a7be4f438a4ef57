-- What ends enrolments in initiatives: a reply, a bounce, an unsubscription, a booking, a conversion. In the transaction that writes it.

-- A received message of a contact: an email, an SMS or a message of WhatsApp. One that a machine has sent is none.
create or replace function end_by_reply() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  contact uuid;
begin
  if tg_table_name = 'sms_messages' then
    contact := (select c.contact_id from sms_conversations c where c.workspace_id = new.workspace_id and c.id = new.conversation_id);
  else
    contact := new.contact_id;
  end if;
  -- Only emails have the column, so that it must not be named beside the condition.
  if tg_table_name = 'email_messages' then
    if new.is_automatic then return null; end if;
  end if;
  if contact is not null then perform end_lead_enrolments(new.workspace_id, contact, 'replied', new.occurred_at); end if;
  return null;
end $$;
create or replace trigger end_by_email after insert on email_messages for each row
  when (new.direction = 'inbound') execute function end_by_reply();
create or replace trigger end_by_sms after insert on sms_messages for each row
  when (new.direction = 'inbound') execute function end_by_reply();
create or replace trigger end_by_whatsapp after insert on whatsapp_messages for each row
  when (new.direction = 'inbound' and new.contact_id is not null) execute function end_by_reply();

-- A contact who is archived or unsubscribes, a booking of a contact, or the conversion of a result. The argument is the reason.
create or replace function end_by_change() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform end_lead_enrolments(new.workspace_id, case when tg_table_name = 'contacts' then (to_jsonb(new) ->> 'id')::uuid
    else (to_jsonb(new) ->> 'contact_id')::uuid end, tg_argv[0], now());
  return null;
end $$;
create or replace trigger end_by_unsubscription after update of email_unsubscribed on contacts for each row
  when (new.email_unsubscribed and not old.email_unsubscribed) execute function end_by_change('unsubscribed');
create or replace trigger end_by_archiving after update of archived on contacts for each row
  when (new.archived and not old.archived) execute function end_by_change('archived');
create or replace trigger end_by_booking after insert on bookings for each row
  when (new.contact_id is not null) execute function end_by_change('booked');
create or replace trigger end_by_conversion after update of status on lead_results for each row
  when (new.status = 'converted' and old.status <> 'converted' and new.contact_id is not null) execute function end_by_change('converted');

-- An address that gets nothing any more, of whichever contacts have it.
create or replace function end_by_suppression() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  contact uuid;
begin
  for contact in select c.id from contacts c where new.channel = 'email' and c.workspace_id = new.workspace_id and c.email = new.address
  loop
    perform end_lead_enrolments(new.workspace_id, contact, case new.reason when 'hard_bounce' then 'bounced' else 'suppressed' end, now());
  end loop;
  return null;
end $$;
create or replace trigger end_by_suppression after insert on suppressions for each row execute function end_by_suppression();

revoke execute on function end_by_reply, end_by_change, end_by_suppression from public;
