-- Buckets, supplier costs, billing parties, invoices, attachments and the timeline.

call tenant_table('opportunity_buckets');
call tenant_table('product_costs');
call tenant_table('billing_parties');
call tenant_table('invoices');
call tenant_table('attachments');
call tenant_table('opportunity_changes', 'select');
--> statement-breakpoint
call tenant_reference('opportunity_buckets', 'opportunity_id', 'opportunities', 'cascade');
call tenant_reference('product_costs', 'opportunity_id', 'opportunities', 'cascade');
call tenant_reference('billing_parties', 'opportunity_id', 'opportunities', 'cascade');
call tenant_reference('billing_parties', 'customer_id', 'companies', 'cascade');
call tenant_reference('invoices', 'customer_id', 'companies');
call tenant_reference('invoices', 'opportunity_id', 'opportunities', 'set null');
call tenant_reference('attachments', 'opportunity_id', 'opportunities', 'cascade');
call tenant_reference('attachments', 'uploaded_by', 'memberships');
--> statement-breakpoint
-- A bucket and its line items, a line item and its costs, are of one opportunity. They may move to another one in any order within a transaction.
alter table opportunity_products add constraint "opportunity_products.bucket_id" foreign key (workspace_id, opportunity_id, bucket_id)
  references opportunity_buckets (workspace_id, opportunity_id, id) on update cascade on delete set null (bucket_id) deferrable initially deferred;
alter table product_costs add constraint "product_costs.line_item_id" foreign key (workspace_id, opportunity_id, line_item_id)
  references opportunity_products (workspace_id, opportunity_id, id) on update cascade on delete cascade deferrable initially deferred;
--> statement-breakpoint
call tracked_table('opportunity_buckets', 'opportunity_bucket');
call tracked_table('product_costs', 'product_cost');
call tracked_table('billing_parties', 'billing_party');
call tracked_table('invoices', 'invoice');
call tracked_table('attachments', 'attachment');
--> statement-breakpoint
alter table attachments alter column uploaded_by set default current_user_id();
--> statement-breakpoint
-- The colour that the workspace's palette has for a tag.
create function palette_color(p_name text) returns text stable language sql as $$
  select t ->> 'color' from crm_settings s, jsonb_array_elements(s.tag_palette) with ordinality e(t, i)
  where s.workspace_id = current_workspace() and norm(t ->> 'name') = norm(p_name) order by i limit 1
$$;
--> statement-breakpoint
-- The tags with one more, or with the colour that is given for one that is there already, in whatever case. A tag without a colour gets the palette's.
create function with_tag(p_tags jsonb, p_name text, p_color text) returns jsonb stable language sql as $$
  select case when exists (select from jsonb_array_elements(p_tags) t where norm(t ->> 'name') = norm(p_name))
    then (select jsonb_agg(case when norm(t ->> 'name') <> norm(p_name) then t
        else t || jsonb_build_object('color', coalesce(p_color, t ->> 'color', palette_color(p_name))) end order by i)
      from jsonb_array_elements(p_tags) with ordinality e(t, i))
    else p_tags || jsonb_build_object('name', p_name, 'color', coalesce(p_color, palette_color(p_name))) end
$$;
--> statement-breakpoint
create function without_tag(p_tags jsonb, p_name text) returns jsonb immutable language sql as $$
  select coalesce(jsonb_agg(t order by i), '[]') from jsonb_array_elements(p_tags) with ordinality e(t, i) where norm(t ->> 'name') <> norm(p_name)
$$;
--> statement-breakpoint

-- As fail, for one field of the body.
create function fail_field(field text, message text) returns void language sql as $$
  select fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', field, 'message', message))))
$$;
--> statement-breakpoint
-- The states of an invoice, whatever changes it: draft, then sent, partially_paid and paid by its amounts; void from where nothing was paid.
create function settle_invoice() returns trigger language plpgsql as $$
declare
  was text := case tg_op when 'UPDATE' then old.status end;
begin
  if new.amount_paid < 0 or new.amount_paid > new.total then
    perform fail_field('amount_paid', 'must be from 0 to the total');
  end if;
  if was = 'void' and (new.status, new.total, new.amount_paid) is distinct from (old.status, old.total, old.amount_paid) then
    perform fail('INVALID_STATE', 'A void invoice stays as it is', jsonb_build_object('state', was, 'allowed', '[]'::jsonb));
  end if;
  if new.status = 'draft' then
    if was <> 'draft' then
      perform fail('INVALID_STATE', 'This invoice is no draft any more: make it void, and write another', jsonb_build_object('state', was, 'allowed', array['sent', 'void']));
    end if;
    if new.amount_paid > 0 then perform fail_field('amount_paid', 'A draft has no payments: set status to sent'); end if;
  elsif new.status = 'void' then
    if new.amount_paid > 0 then
      perform fail('INVALID_STATE', 'Only an invoice without payments can be made void', jsonb_build_object('state', coalesce(was, 'sent'), 'allowed', array['draft', 'sent']));
    end if;
  else
    new.status := case when new.amount_paid = 0 then 'sent' when new.amount_paid < new.total then 'partially_paid' else 'paid' end;
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger settle before insert or update on invoices for each row execute function settle_invoice();
--> statement-breakpoint
create function keep_invoice() returns trigger language plpgsql as $$
begin
  perform fail('INVALID_STATE', 'Only a draft can be deleted: make this invoice void instead', jsonb_build_object('state', old.status, 'allowed', array['draft']));
  return old;
end $$;
--> statement-breakpoint
create trigger keep before delete on invoices for each row when (old.status <> 'draft') execute function keep_invoice();
--> statement-breakpoint

-- Links a change to the opportunity that it is about; one that takes a record from an opportunity to another is about both.
-- Left out is what a timeline shows by itself: that an attachment, activity or task was made, and what only a stage move changed.
create function link_change() returns trigger language plpgsql as $$
declare
  part text[] := case new.entity
    when 'opportunity_product' then '{opportunity_products,opportunity_id}'
    when 'opportunity_contact' then '{opportunity_contacts,opportunity_id}'
    when 'opportunity_user' then '{opportunity_users,opportunity_id}'
    when 'opportunity_bucket' then '{opportunity_buckets,opportunity_id}'
    when 'product_cost' then '{product_costs,opportunity_id}'
    when 'billing_party' then '{billing_parties,opportunity_id}'
    when 'invoice' then '{invoices,opportunity_id}'
    when 'attachment' then '{attachments,opportunity_id}'
    when 'task' then '{tasks,opportunity_id}'
    when 'activity' then '{activities,deal_id}'
    when 'deal_stakeholder' then '{deal_stakeholders,deal_id}'
  end;
  about uuid[];
begin
  if new.entity = 'opportunity' then
    if new.action = 'updated' and new.fields - array['stage_id', 'pipeline_id', 'stage_entered_at', 'status', 'probability', 'closed_at'] = '{}' then return null; end if;
    about := array[new.entity_id];
  elsif new.action = 'created' and new.entity in ('attachment', 'activity', 'task') then
    return null;
  elsif new.fields ? part[2] then
    about := array[(new.fields #>> array[part[2], 'before'])::uuid, (new.fields #>> array[part[2], 'after'])::uuid];
  elsif new.action = 'updated' then
    execute format('select array[%I] from %I where workspace_id = $1 and id = $2', part[2], part[1]) into about using new.workspace_id, new.entity_id;
  end if;
  insert into opportunity_changes (workspace_id, opportunity_id, at, change_id)
    select new.workspace_id, a, new.at, new.id from unnest(about) a where a is not null;
  return null;
end $$;
--> statement-breakpoint
create trigger link_change after insert on changes for each row when (new.entity in ('opportunity', 'opportunity_product', 'opportunity_contact', 'opportunity_user',
  'opportunity_bucket', 'product_cost', 'billing_party', 'invoice', 'attachment', 'task', 'activity', 'deal_stakeholder')) execute function link_change();
--> statement-breakpoint

-- For the sweep of files: the next rows in the order of their objects' keys, of every workspace.
create function files_after(p_workspace uuid, p_id uuid, p_limit int) returns table (workspace_id uuid, id uuid, state text) stable security definer set search_path = public language sql as $$
  select workspace_id, id, state from attachments where (workspace_id, id) > (p_workspace, p_id) order by workspace_id, id limit p_limit
$$;
--> statement-breakpoint
-- What the sweep found of files: their objects are gone, or there again.
create function settle_files(p_found jsonb) returns void security definer set search_path = public language sql as $$
  update attachments a set state = f.state from jsonb_to_recordset(p_found) f(workspace_id uuid, id uuid, state text)
  where a.workspace_id = f.workspace_id and a.id = f.id and a.state <> f.state
$$;
--> statement-breakpoint
revoke execute on function files_after, settle_files from public;
grant execute on function files_after, settle_files to app;
