-- The state that a transition leads to from a state, or null if it does not start there. The tables are generated from src/domain.
create or replace function state_after(p_machine text, p_transition text, p_state text) returns text immutable parallel safe language sql
  return transitions(p_machine) -> p_transition ->> p_state;

-- The states that a state can change to.
create or replace function states_after(p_machine text, p_state text) returns jsonb immutable parallel safe language sql
  return (select coalesce(jsonb_agg(distinct t.value -> p_state) filter (where t.value ? p_state), '[]')
    from jsonb_each(transitions(p_machine)) t);

-- Refuses a change of state that the machine does not have, on every path of the API. The owner of the database may repair a state.
create or replace function check_transition() returns trigger language plpgsql as $$
declare
  machine constant text := tg_argv[0];
  state_before constant text := to_jsonb(old) ->> tg_argv[1];
  state_after constant text := to_jsonb(new) ->> tg_argv[1];
begin
  if not states_after(machine, state_before) ? state_after
    and not pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'member') then
    perform fail('INVALID_STATE', format('This %s is %s and cannot become %s', machine, state_before, state_after),
      jsonb_build_object('state', state_before, 'allowed', states_after(machine, state_before)));
  end if;
  return new;
end $$;

-- The name makes it the last of a table's triggers before an update, so that it sees the state that the others have derived.
create or replace trigger zz_state before update of status on approvals for each row
  when (old.status is distinct from new.status) execute function check_transition('approval', 'status');
create or replace trigger zz_state before update on auto_queues for each row
  when (old.state is distinct from new.state) execute function check_transition('auto_queue', 'state');
create or replace trigger zz_state before update on automations for each row
  when (old.state is distinct from new.state) execute function check_transition('automation', 'state');
create or replace trigger zz_state before update on email_campaigns for each row
  when (old.status is distinct from new.status) execute function check_transition('email_campaign', 'status');
create or replace trigger zz_state before update on email_drafts for each row
  when (old.status is distinct from new.status) execute function check_transition('email_draft', 'status');
create or replace trigger zz_state before update on imports for each row
  when (old.state is distinct from new.state) execute function check_transition('import', 'state');
create or replace trigger zz_state before update on invoices for each row
  when (old.status is distinct from new.status) execute function check_transition('invoice', 'status');
create or replace trigger zz_state before update on messages for each row
  when (old.status is distinct from new.status) execute function check_transition('message', 'status');
create or replace trigger zz_state before update of state on booking_notices for each row
  when (old.state is distinct from new.state) execute function check_transition('booking_notice', 'state');
create or replace trigger zz_state before update of state on waiting_list_entries for each row
  when (old.state is distinct from new.state) execute function check_transition('waiting_list_entry', 'state');
create or replace trigger zz_state before update of state on booking_copies for each row
  when (old.state is distinct from new.state) execute function check_transition('booking_copy', 'state');
create or replace trigger zz_state before update on service_requests for each row
  when (old.status is distinct from new.status) execute function check_transition('service_request', 'status');
create or replace trigger zz_state before update on notetakers for each row
  when (old.state is distinct from new.state) execute function check_transition('notetaker', 'state');
create or replace trigger zz_state before update of status on bookings for each row
  when (old.status is distinct from new.status) execute function check_transition('booking', 'status');
create or replace trigger zz_state before update of status on reputation_reviews for each row
  when (old.status is distinct from new.status) execute function check_transition('reputation_review', 'status');
create or replace trigger zz_state before update of status on review_requests for each row
  when (old.status is distinct from new.status) execute function check_transition('review_request', 'status');
create or replace trigger zz_state before update of status on reputation_case_studies for each row
  when (old.status is distinct from new.status) execute function check_transition('reputation_case_study', 'status');
