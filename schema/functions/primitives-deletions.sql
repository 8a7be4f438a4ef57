-- The transaction that deleted rows name: that of their deletion, of which this one may be a batch.
create or replace function deletion_transaction() returns xid8 volatile language sql
  return coalesce(nullif(current_setting('app.deletion_xid', true), '')::xid8, pg_current_xact_id());

-- The records of this workspace that are being deleted, as the request has found them; and whether there are none.
create or replace function current_deletions() returns uuid[] stable parallel safe language sql
  return coalesce(nullif(current_setting('app.deleting', true), ''), '{}')::uuid[];
create or replace function deletes_nothing() returns boolean stable parallel safe language sql
  return coalesce(current_setting('app.deleting', true), '') = '';
