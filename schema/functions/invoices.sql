/*
  Derives and guards an invoice's status on every path: a trigger, because an update sends some of status, total and amount_paid, and the
  others are those of the row. Once an invoice is sent, its amounts decide. The transitions are those of
  src/features/billing/rules/invoices.ts.
*/
create or replace function derive_invoice_status() returns trigger language plpgsql as $$
declare
  was constant text := case tg_op when 'UPDATE' then old.status end;
begin
  if new.amount_paid < 0 or new.amount_paid > new.total then
    perform fail_field('amount_paid', 'must be from 0 to the total');
  end if;
  if was = 'void' and (new.status, new.total, new.amount_paid) is distinct from (old.status, old.total, old.amount_paid) then
    perform fail('INVALID_STATE', 'A void invoice stays as it is',
      jsonb_build_object('state', was, 'allowed', states_after('invoice', was)));
  end if;
  if new.status = 'draft' then
    if was <> 'draft' then
      perform fail('INVALID_STATE', 'This invoice is no longer a draft: make it void, and write another',
        jsonb_build_object('state', was, 'allowed', states_after('invoice', was)));
    end if;
    if new.amount_paid > 0 then perform fail_field('amount_paid', 'A draft has no payments: set status to sent'); end if;
  elsif new.status = 'void' then
    if new.amount_paid > 0 then
      perform fail('INVALID_STATE', 'Only an invoice without payments can be made void',
        jsonb_build_object('state', coalesce(was, 'sent'), 'allowed', array['draft', 'sent']));
    end if;
  else
    new.status := case when new.amount_paid = 0 then 'sent' when new.amount_paid < new.total then 'partially_paid' else 'paid' end;
  end if;
  return new;
end $$;
create or replace trigger settle before insert or update on invoices for each row execute function derive_invoice_status();

create or replace function protect_invoice() returns trigger language plpgsql as $$
begin
  perform fail('INVALID_STATE', 'Only a draft can be deleted: make this invoice void instead',
    jsonb_build_object('state', old.status, 'allowed', array['draft']));
  return old;
end $$;
create or replace trigger keep before delete on invoices for each row when (old.status <> 'draft') execute function protect_invoice();
