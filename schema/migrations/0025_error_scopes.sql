-- A message of the request log may quote values: what reading it takes.
alter table requests add column error_scopes text[];
