-- Members of a workspace: invitations and removal.
select 1;
