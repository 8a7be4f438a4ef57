-- The web pages that may call the API with keys of the workspace: none, unless a workspace allows them.
alter table workspaces add column allowed_origins text[] not null default '{}';
