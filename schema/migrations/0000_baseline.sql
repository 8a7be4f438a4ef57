-- The tables, indexes, policies and privileges of the first release. Functions and triggers are in schema/functions.

create extension if not exists btree_gin;
create extension if not exists btree_gist;
create extension if not exists fuzzystrmatch;

grant usage on schema public to app;

CREATE TYPE authority AS (
	kind text,
	workspace_id uuid,
	key_id uuid,
	user_id uuid,
	scopes text[],
	role text,
	role_name text,
	role_scopes text[],
	level text,
	can_write boolean,
	admin boolean,
	expires_at timestamp(3) with time zone
);

CREATE TYPE search_match AS (
	id uuid,
	name text,
	matched_on text,
	score double precision
);

CREATE TABLE account_grants (
    workspace_id uuid DEFAULT current_workspace() CONSTRAINT calendar_grants_workspace_id_not_null NOT NULL,
    id uuid DEFAULT uuidv7() CONSTRAINT calendar_grants_id_not_null NOT NULL,
    connection_id uuid,
    sealed_access_token text CONSTRAINT calendar_grants_sealed_access_token_not_null NOT NULL,
    access_expires_at timestamp(3) with time zone,
    sealed_refresh_token text,
    refresh_claim_id uuid,
    refresh_claimed_until timestamp(3) with time zone,
    mailbox_id uuid,
    CONSTRAINT account_grants_of_one CHECK ((num_nonnulls(connection_id, mailbox_id) = 1))
);
ALTER TABLE ONLY account_grants ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY account_grants FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY account_grants ADD CONSTRAINT account_grants_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX account_grants_connection_key ON account_grants USING btree (workspace_id, connection_id);
CREATE UNIQUE INDEX account_grants_mailbox_key ON account_grants USING btree (workspace_id, mailbox_id);
ALTER TABLE account_grants ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE account_grants TO app;

CREATE TABLE activities (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    activity_type text NOT NULL,
    contact_id uuid,
    customer_id uuid,
    deal_id uuid,
    subject text,
    body text,
    direction text,
    duration_seconds integer,
    outcome text,
    occurred_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_by uuid DEFAULT current_user_id(),
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    contact_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    has_others boolean GENERATED ALWAYS AS ((cardinality(contact_ids) > num_nonnulls(contact_id))) STORED NOT NULL,
    private_to uuid,
    CONSTRAINT contact_id CHECK (((num_nonnulls(contact_id, customer_id, deal_id) > 0) OR has_others)),
    CONSTRAINT direction CHECK (((direction IS NULL) OR (activity_type = ANY (ARRAY['call'::text, 'email'::text, 'sms'::text, 'whatsapp'::text]))))
);
ALTER TABLE ONLY activities ALTER COLUMN workspace_id SET (n_distinct=1);
ALTER TABLE ONLY activities ALTER COLUMN private_to SET (n_distinct=4);

ALTER TABLE ONLY activities FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY activities ADD CONSTRAINT activities_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX activities_by_contact ON activities USING btree (workspace_id, contact_id, occurred_at, id);
CREATE INDEX activities_by_created ON activities USING btree (workspace_id, created_at, id, occurred_at);
CREATE INDEX activities_by_creator ON activities USING btree (workspace_id, created_by, occurred_at, id);
CREATE INDEX activities_by_customer ON activities USING btree (workspace_id, customer_id, occurred_at, id);
CREATE INDEX activities_by_deal ON activities USING btree (workspace_id, deal_id, occurred_at, id);
CREATE INDEX activities_by_metadata ON activities USING gin (terms_of(workspace_id, '{}'::text[], metadata)) WITH (fastupdate=off) WHERE (metadata <> '{}'::jsonb);
CREATE INDEX activities_by_occurred ON activities USING btree (workspace_id, occurred_at, id, created_at);
CREATE INDEX activities_by_type ON activities USING btree (workspace_id, activity_type, occurred_at, id);
CREATE INDEX activities_by_updated ON activities USING btree (workspace_id, updated_at, id);
CREATE INDEX activities_of_team ON activities USING btree (workspace_id, occurred_at, id) WHERE (private_to IS NULL);
CREATE INDEX activities_of_team_emails ON activities USING btree (workspace_id, occurred_at, id) WHERE ((private_to IS NULL) AND (activity_type = 'email'::text));
CREATE INDEX activities_own ON activities USING btree (workspace_id, private_to, occurred_at, id) WHERE (private_to IS NOT NULL);
ALTER TABLE activities ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE activities TO app;

CREATE TABLE activity_contacts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    activity_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    rank integer DEFAULT 0 NOT NULL,
    occurred_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY activity_contacts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY activity_contacts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY activity_contacts ADD CONSTRAINT activity_contacts_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX activity_contacts_by_activity ON activity_contacts USING btree (workspace_id, activity_id, rank, id);
CREATE INDEX activity_contacts_by_contact ON activity_contacts USING btree (workspace_id, contact_id, occurred_at, activity_id);
CREATE UNIQUE INDEX activity_contacts_pair_key ON activity_contacts USING btree (workspace_id, contact_id, activity_id);
ALTER TABLE activity_contacts ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE activity_contacts TO app;

CREATE TABLE api_key_uses (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    key_id uuid NOT NULL,
    last_used_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY api_key_uses ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY api_key_uses FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY api_key_uses ADD CONSTRAINT api_key_uses_workspace_id_key_id_pk PRIMARY KEY (workspace_id, key_id);
ALTER TABLE api_key_uses ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE api_key_uses TO app;

CREATE TABLE api_keys (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    public_id text NOT NULL,
    key_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    level text DEFAULT 'execute'::text NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    first_expires_at timestamp(3) with time zone,
    previous_key_hash bytea,
    previous_expires_at timestamp(3) with time zone,
    allowed_ranges text[] DEFAULT '{}'::text[] NOT NULL
);
ALTER TABLE ONLY api_keys ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY api_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY api_keys ADD CONSTRAINT api_keys_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX api_keys_by_created ON api_keys USING btree (workspace_id, created_at, id);
CREATE UNIQUE INDEX api_keys_key_hash_key ON api_keys USING btree (key_hash);
CREATE UNIQUE INDEX api_keys_previous_key_hash_key ON api_keys USING btree (previous_key_hash);
CREATE UNIQUE INDEX api_keys_public_id_key ON api_keys USING btree (public_id);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
GRANT INSERT,UPDATE ON TABLE api_keys TO app;
GRANT SELECT(workspace_id) ON TABLE api_keys TO app;
GRANT SELECT(id) ON TABLE api_keys TO app;
GRANT SELECT(user_id) ON TABLE api_keys TO app;
GRANT SELECT(name) ON TABLE api_keys TO app;
GRANT SELECT(public_id) ON TABLE api_keys TO app;
GRANT SELECT(scopes) ON TABLE api_keys TO app;
GRANT SELECT(level) ON TABLE api_keys TO app;
GRANT SELECT(expires_at) ON TABLE api_keys TO app;
GRANT SELECT(revoked_at) ON TABLE api_keys TO app;
GRANT SELECT(version) ON TABLE api_keys TO app;
GRANT SELECT(created_at) ON TABLE api_keys TO app;
GRANT SELECT(updated_at) ON TABLE api_keys TO app;
GRANT SELECT(previous_expires_at) ON TABLE api_keys TO app;
GRANT SELECT(allowed_ranges) ON TABLE api_keys TO app;

CREATE TABLE approval_policies (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    description text,
    is_active boolean DEFAULT true NOT NULL,
    events text[] DEFAULT '{}'::text[] NOT NULL,
    scopes text[] DEFAULT '{}'::text[] NOT NULL,
    more_than integer,
    value_over numeric(14,2),
    currency text,
    requester_roles text[] DEFAULT '{}'::text[] NOT NULL,
    requester_key_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    approver_roles text[] DEFAULT '{}'::text[] NOT NULL,
    requester_may_approve boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT condition CHECK (((events <> '{}'::text[]) OR (scopes <> '{}'::text[])))
);
ALTER TABLE ONLY approval_policies ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY approval_policies FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY approval_policies ADD CONSTRAINT approval_policies_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX approval_policies_by_created ON approval_policies USING btree (workspace_id, created_at, id);
CREATE INDEX approval_policies_by_updated ON approval_policies USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX approval_policies_name_key ON approval_policies USING btree (workspace_id, name_norm);
ALTER TABLE approval_policies ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE approval_policies TO app;

CREATE TABLE approvals (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    resource text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    request jsonb NOT NULL,
    changes jsonb NOT NULL,
    key_id uuid NOT NULL,
    requested_by uuid NOT NULL,
    request_id text NOT NULL,
    expires_at timestamp(3) with time zone DEFAULT (now() + '30 days'::interval) NOT NULL,
    decided_by uuid,
    decided_at timestamp(3) with time zone,
    reason text,
    forced boolean DEFAULT false NOT NULL,
    executed_at timestamp(3) with time zone,
    answer jsonb,
    response_status integer,
    response_body jsonb,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    required_scopes text[],
    requires_admin boolean DEFAULT false NOT NULL,
    decided_key_id uuid,
    original jsonb,
    edited_by uuid,
    edited_key_id uuid,
    edited_at timestamp(3) with time zone,
    policy_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    stale_at timestamp(3) with time zone
);
ALTER TABLE ONLY approvals ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY approvals FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY approvals ADD CONSTRAINT approvals_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX approvals_by_created ON approvals USING btree (workspace_id, created_at, id);
CREATE INDEX approvals_by_mention ON approvals USING gin (mention_keys(((((((((COALESCE((request)::text, ''::text) || ' '::text) || COALESCE((changes)::text, ''::text)) || ' '::text) || COALESCE((answer)::text, ''::text)) || ' '::text) || COALESCE((response_body)::text, ''::text)) || ' '::text) || COALESCE((original)::text, ''::text)))) WITH (gin_pending_list_limit='256');
CREATE INDEX approvals_by_requester ON approvals USING btree (workspace_id, requested_by, created_at, id);
CREATE INDEX approvals_by_resource ON approvals USING btree (workspace_id, resource, created_at, id);
CREATE INDEX approvals_by_status ON approvals USING btree (workspace_id, status, created_at, id);
CREATE INDEX approvals_by_updated ON approvals USING btree (workspace_id, updated_at, id);
CREATE INDEX approvals_open ON approvals USING btree (status, expires_at) WHERE (status = ANY (ARRAY['pending'::text, 'approved'::text]));
ALTER TABLE approvals ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE approvals TO app;

CREATE TABLE attachments (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    opportunity_id uuid,
    name text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL,
    sha256 text NOT NULL,
    state text DEFAULT 'stored'::text NOT NULL,
    uploaded_by uuid DEFAULT current_user_id(),
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    contact_id uuid,
    customer_id uuid,
    CONSTRAINT one_record CHECK ((num_nonnulls(opportunity_id, contact_id, customer_id) = 1))
);
ALTER TABLE ONLY attachments ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY attachments FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY attachments ADD CONSTRAINT attachments_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX attachments_by_contact ON attachments USING btree (workspace_id, contact_id, created_at, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX attachments_by_customer ON attachments USING btree (workspace_id, customer_id, created_at, id) WHERE (customer_id IS NOT NULL);
CREATE INDEX attachments_by_opportunity ON attachments USING btree (workspace_id, opportunity_id, created_at, id);
ALTER TABLE attachments ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE attachments TO app;

CREATE TABLE auto_queue_list_enrolments (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    auto_queue_id uuid NOT NULL,
    list_id uuid,
    state text DEFAULT 'running'::text NOT NULL,
    key_id uuid DEFAULT current_key_id() NOT NULL,
    after_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    enrolled integer DEFAULT 0 NOT NULL,
    skipped jsonb DEFAULT '{}'::jsonb NOT NULL,
    error text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ended_at timestamp(3) with time zone
);
ALTER TABLE ONLY auto_queue_list_enrolments ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY auto_queue_list_enrolments FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY auto_queue_list_enrolments ADD CONSTRAINT auto_queue_list_enrolments_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX auto_queue_list_enrolments_by_list ON auto_queue_list_enrolments USING btree (workspace_id, list_id);
CREATE INDEX auto_queue_list_enrolments_by_mention ON auto_queue_list_enrolments USING gin (mention_keys((skipped)::text)) WITH (gin_pending_list_limit='256');
CREATE INDEX auto_queue_list_enrolments_by_queue ON auto_queue_list_enrolments USING btree (workspace_id, auto_queue_id, created_at, id);
CREATE INDEX auto_queue_list_enrolments_running ON auto_queue_list_enrolments USING btree (workspace_id, id) WHERE (state = 'running'::text);
ALTER TABLE auto_queue_list_enrolments ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auto_queue_list_enrolments TO app;

CREATE TABLE auto_queue_steps (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    auto_queue_id uuid NOT NULL,
    "position" integer NOT NULL,
    name text,
    delay jsonb NOT NULL,
    send_window jsonb,
    action jsonb,
    automation_id uuid,
    wait_id uuid DEFAULT uuidv7() NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT one_target CHECK ((num_nonnulls(action, automation_id) = 1))
);
ALTER TABLE ONLY auto_queue_steps ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY auto_queue_steps FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY auto_queue_steps ADD CONSTRAINT auto_queue_steps_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX auto_queue_steps_by_queue ON auto_queue_steps USING btree (workspace_id, auto_queue_id, "position", id);
ALTER TABLE auto_queue_steps ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auto_queue_steps TO app;

CREATE TABLE auto_queues (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    description text,
    state text DEFAULT 'draft'::text NOT NULL,
    inactive_reason text,
    exits jsonb NOT NULL,
    exit_types text[] NOT NULL,
    re_enrolment jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY auto_queues ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY auto_queues FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY auto_queues ADD CONSTRAINT auto_queues_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX auto_queues_by_created ON auto_queues USING btree (workspace_id, created_at, id);
CREATE INDEX auto_queues_by_state ON auto_queues USING btree (workspace_id, state, created_at, id);
CREATE INDEX auto_queues_by_updated ON auto_queues USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX auto_queues_name_key ON auto_queues USING btree (workspace_id, name_norm);
ALTER TABLE auto_queues ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auto_queues TO app;

CREATE TABLE auto_schedules (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    description text,
    is_active boolean DEFAULT true NOT NULL,
    cron_expression text NOT NULL,
    timezone text NOT NULL,
    time_of_day text,
    days_of_week integer[],
    audience_type text NOT NULL,
    audience_filter jsonb DEFAULT '{}'::jsonb NOT NULL,
    automation_id uuid NOT NULL,
    end_at timestamp(3) with time zone,
    max_runs integer,
    misfire_policy text DEFAULT 'run_latest'::text NOT NULL,
    grace_minutes integer DEFAULT 60 NOT NULL,
    spread_minutes integer DEFAULT 0 NOT NULL,
    deliver_at_local text,
    run_count integer DEFAULT 0 NOT NULL,
    next_run_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY auto_schedules ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY auto_schedules FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY auto_schedules ADD CONSTRAINT auto_schedules_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX auto_schedules_by_automation ON auto_schedules USING btree (workspace_id, automation_id, created_at, id);
CREATE INDEX auto_schedules_by_created ON auto_schedules USING btree (workspace_id, created_at, id);
CREATE INDEX auto_schedules_by_updated ON auto_schedules USING btree (workspace_id, updated_at, id);
CREATE INDEX auto_schedules_due ON auto_schedules USING btree (next_run_at, workspace_id, id) WHERE (next_run_at IS NOT NULL);
ALTER TABLE auto_schedules ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE auto_schedules TO app;

CREATE TABLE automation_counts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    automation_id uuid NOT NULL,
    step_id uuid NOT NULL,
    state text NOT NULL,
    total integer NOT NULL
);
ALTER TABLE ONLY automation_counts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY automation_counts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY automation_counts ADD CONSTRAINT automation_counts_workspace_id_automation_id_step_id_state_pk PRIMARY KEY (workspace_id, automation_id, step_id, state);
CREATE INDEX automation_counts_by_automation ON automation_counts USING btree (workspace_id, automation_id, step_id);
ALTER TABLE automation_counts ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE automation_counts TO app;

CREATE TABLE automation_incidents (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    automation_id uuid NOT NULL,
    run_id uuid NOT NULL,
    opened_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY automation_incidents ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY automation_incidents FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY automation_incidents ADD CONSTRAINT automation_incidents_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX automation_incidents_key ON automation_incidents USING btree (workspace_id, automation_id);
ALTER TABLE automation_incidents ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE automation_incidents TO app;

CREATE TABLE automation_runs (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    automation_id uuid NOT NULL,
    version_id uuid NOT NULL,
    state text NOT NULL,
    source text NOT NULL,
    source_id uuid,
    dedupe_key text NOT NULL,
    record_id uuid,
    contact_id uuid,
    customer_id uuid,
    opportunity_id uuid,
    trigger_data jsonb DEFAULT '{}'::jsonb NOT NULL,
    depth smallint DEFAULT 0 NOT NULL,
    place jsonb NOT NULL,
    moves integer DEFAULT 0 NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone,
    awaits text,
    error jsonb,
    ended_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    queue_step_id uuid GENERATED ALWAYS AS (((place ->> 'step'::text))::uuid) STORED,
    enrolment_state text GENERATED ALWAYS AS (
CASE
    WHEN (place ? 'step'::text) THEN
    CASE state
        WHEN 'paused'::text THEN 'paused'::text
        WHEN 'completed'::text THEN 'completed'::text
        WHEN 'failed'::text THEN 'failed'::text
        WHEN 'cancelled'::text THEN 'removed'::text
        WHEN 'stopped'::text THEN 'exited'::text
        ELSE 'active'::text
    END
    ELSE NULL::text
END) STORED,
    turn jsonb,
    CONSTRAINT ended CHECK (((ended_at IS NULL) OR ((due_at IS NULL) AND (awaits IS NULL))))
);
ALTER TABLE ONLY automation_runs ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY automation_runs FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY automation_runs ADD CONSTRAINT automation_runs_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX automation_runs_at_step ON automation_runs USING btree (workspace_id, automation_id, queue_step_id) WHERE (ended_at IS NULL);
CREATE INDEX automation_runs_awaiting ON automation_runs USING btree (workspace_id, awaits) WHERE (awaits IS NOT NULL);
CREATE INDEX automation_runs_by_automation ON automation_runs USING btree (workspace_id, automation_id, created_at, id);
CREATE INDEX automation_runs_by_contact ON automation_runs USING btree (workspace_id, contact_id, created_at, id);
CREATE INDEX automation_runs_by_created ON automation_runs USING btree (workspace_id, created_at, id);
CREATE INDEX automation_runs_by_customer ON automation_runs USING btree (workspace_id, customer_id, created_at, id);
CREATE INDEX automation_runs_by_mention ON automation_runs USING gin (mention_keys((((((trigger_data)::text || ' '::text) || (place)::text) || ' '::text) || COALESCE((error)::text, ''::text)))) WITH (gin_pending_list_limit='256');
CREATE INDEX automation_runs_by_opportunity ON automation_runs USING btree (workspace_id, opportunity_id, created_at, id);
CREATE INDEX automation_runs_by_record ON automation_runs USING btree (workspace_id, record_id, automation_id, created_at);
CREATE INDEX automation_runs_by_source ON automation_runs USING btree (workspace_id, source_id, created_at, id);
CREATE INDEX automation_runs_by_state ON automation_runs USING btree (workspace_id, state, created_at, id);
CREATE INDEX automation_runs_by_updated ON automation_runs USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX automation_runs_dedupe_key ON automation_runs USING btree (workspace_id, automation_id, dedupe_key);
CREATE INDEX automation_runs_due ON automation_runs USING btree (workspace_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX automation_runs_ended ON automation_runs USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX automation_runs_enrolled ON automation_runs USING btree (workspace_id, automation_id, enrolment_state, created_at, id) WHERE (enrolment_state IS NOT NULL);
CREATE INDEX automation_runs_open ON automation_runs USING btree (workspace_id, automation_id, record_id, id) WHERE (ended_at IS NULL);
ALTER TABLE automation_runs ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE automation_runs TO app;

CREATE TABLE automation_skips (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    automation_id uuid NOT NULL,
    event_id uuid NOT NULL,
    record_id uuid,
    reason text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY automation_skips ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY automation_skips FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY automation_skips ADD CONSTRAINT automation_skips_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX automation_skips_by_created ON automation_skips USING btree (created_at);
CREATE INDEX automation_skips_by_record ON automation_skips USING btree (workspace_id, automation_id, record_id, id);
ALTER TABLE automation_skips ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE automation_skips TO app;

CREATE TABLE automation_steps (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    run_id uuid NOT NULL,
    automation_id uuid NOT NULL,
    sequence integer NOT NULL,
    step_id uuid NOT NULL,
    type text NOT NULL,
    state text NOT NULL,
    place jsonb,
    input jsonb,
    output jsonb,
    answer jsonb,
    error jsonb,
    attempts smallint DEFAULT 1 NOT NULL,
    request_id uuid,
    duration_ms integer,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY automation_steps ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY automation_steps FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY automation_steps ADD CONSTRAINT automation_steps_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX automation_steps_by_mention ON automation_steps USING gin (mention_keys(((((((((COALESCE((place)::text, ''::text) || ' '::text) || COALESCE((input)::text, ''::text)) || ' '::text) || COALESCE((output)::text, ''::text)) || ' '::text) || COALESCE((answer)::text, ''::text)) || ' '::text) || COALESCE((error)::text, ''::text)))) WITH (gin_pending_list_limit='256');
CREATE UNIQUE INDEX automation_steps_sequence_key ON automation_steps USING btree (workspace_id, run_id, sequence);
ALTER TABLE automation_steps ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE automation_steps TO app;

CREATE TABLE automation_triggers (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    event_type text NOT NULL,
    automation_id uuid NOT NULL,
    starts boolean NOT NULL,
    since pg_snapshot DEFAULT pg_current_snapshot() NOT NULL
);
ALTER TABLE ONLY automation_triggers ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY automation_triggers FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY automation_triggers ADD CONSTRAINT automation_triggers_workspace_id_event_type_automation_id_pk PRIMARY KEY (workspace_id, event_type, automation_id);
CREATE INDEX automation_triggers_by_automation ON automation_triggers USING btree (workspace_id, automation_id);
ALTER TABLE automation_triggers ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE automation_triggers TO app;

CREATE TABLE automation_versions (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    automation_id uuid NOT NULL,
    number integer NOT NULL,
    definition jsonb NOT NULL,
    published_by uuid NOT NULL,
    key_id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY automation_versions ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY automation_versions FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY automation_versions ADD CONSTRAINT automation_versions_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX automation_versions_by_mention ON automation_versions USING gin (mention_keys((definition)::text)) WITH (gin_pending_list_limit='256');
CREATE UNIQUE INDEX automation_versions_number_key ON automation_versions USING btree (workspace_id, automation_id, number);
ALTER TABLE automation_versions ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE automation_versions TO app;

CREATE TABLE automations (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    description text,
    state text DEFAULT 'draft'::text NOT NULL,
    trigger jsonb NOT NULL,
    conditions jsonb NOT NULL,
    steps jsonb NOT NULL,
    enrolment jsonb NOT NULL,
    version_id uuid,
    version_number integer,
    has_changes boolean DEFAULT true NOT NULL,
    published_at timestamp(3) with time zone,
    published_by uuid,
    paused_reason text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    queue_id uuid
);
ALTER TABLE ONLY automations ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY automations FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY automations ADD CONSTRAINT automations_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX automations_by_created ON automations USING btree (workspace_id, created_at, id);
CREATE INDEX automations_by_queue ON automations USING btree (workspace_id, queue_id);
CREATE INDEX automations_by_state ON automations USING btree (workspace_id, state, created_at, id);
CREATE INDEX automations_by_updated ON automations USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX automations_name_key ON automations USING btree (workspace_id, name_norm);
ALTER TABLE automations ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE automations TO app;

CREATE TABLE availabilities (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    user_id uuid,
    timezone text,
    weekly_hours jsonb,
    date_overrides jsonb DEFAULT '[]'::jsonb NOT NULL,
    max_per_day integer,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    holiday_calendar_id uuid
);
ALTER TABLE ONLY availabilities ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY availabilities FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY availabilities ADD CONSTRAINT availabilities_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX availabilities_by_holiday_calendar ON availabilities USING btree (workspace_id, holiday_calendar_id);
ALTER TABLE availabilities ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE availabilities TO app;

CREATE TABLE billing_parties (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    opportunity_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    share_percent numeric(5,2),
    note text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY billing_parties ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY billing_parties FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY billing_parties ADD CONSTRAINT billing_parties_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX billing_parties_by_customer ON billing_parties USING btree (workspace_id, customer_id, id);
CREATE INDEX billing_parties_by_opportunity ON billing_parties USING btree (workspace_id, opportunity_id, id);
CREATE UNIQUE INDEX billing_parties_pair_key ON billing_parties USING btree (workspace_id, opportunity_id, customer_id);
ALTER TABLE billing_parties ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE billing_parties TO app;

CREATE TABLE birthday_counts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    day date NOT NULL,
    channel text NOT NULL,
    result text NOT NULL,
    contacts integer NOT NULL
);
ALTER TABLE ONLY birthday_counts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY birthday_counts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY birthday_counts ADD CONSTRAINT birthday_counts_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX birthday_counts_by_day ON birthday_counts USING btree (workspace_id, day, id);
CREATE UNIQUE INDEX birthday_counts_key ON birthday_counts USING btree (workspace_id, day, channel, result);
ALTER TABLE birthday_counts ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE birthday_counts TO app;

CREATE TABLE birthday_deliveries (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    contact_id uuid NOT NULL,
    year smallint NOT NULL,
    channel text NOT NULL,
    day date NOT NULL,
    result text NOT NULL,
    message_id uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY birthday_deliveries ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY birthday_deliveries FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY birthday_deliveries ADD CONSTRAINT birthday_deliveries_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX birthday_deliveries_by_created ON birthday_deliveries USING btree (workspace_id, created_at, id);
CREATE INDEX birthday_deliveries_by_day ON birthday_deliveries USING btree (workspace_id, day, created_at, id);
CREATE INDEX birthday_deliveries_by_message ON birthday_deliveries USING btree (workspace_id, message_id);
CREATE UNIQUE INDEX birthday_deliveries_key ON birthday_deliveries USING btree (workspace_id, contact_id, year, channel);
ALTER TABLE birthday_deliveries ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE birthday_deliveries TO app;

CREATE TABLE birthday_schedules (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    next_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY birthday_schedules ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY birthday_schedules FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY birthday_schedules ADD CONSTRAINT birthday_schedules_workspace_id_pk PRIMARY KEY (workspace_id);
CREATE INDEX birthday_schedules_due ON birthday_schedules USING btree (next_at);
ALTER TABLE birthday_schedules ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE birthday_schedules TO app;

CREATE TABLE booking_confirmations (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    event_type_id uuid NOT NULL,
    email_hash text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    form jsonb,
    booking_id uuid,
    expires_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY booking_confirmations ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY booking_confirmations FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY booking_confirmations ADD CONSTRAINT booking_confirmations_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX booking_confirmations_by_address ON booking_confirmations USING btree (workspace_id, email_hash, created_at);
CREATE INDEX booking_confirmations_by_age ON booking_confirmations USING btree (created_at, id);
CREATE INDEX booking_confirmations_by_booking ON booking_confirmations USING btree (workspace_id, booking_id) WHERE (booking_id IS NOT NULL);
CREATE INDEX booking_confirmations_by_event_type ON booking_confirmations USING btree (workspace_id, event_type_id, id);
CREATE INDEX booking_confirmations_by_mention ON booking_confirmations USING gin (mention_keys(COALESCE((form)::text, ''::text))) WITH (gin_pending_list_limit='256');
CREATE INDEX booking_confirmations_open ON booking_confirmations USING btree (expires_at, id) WHERE (form IS NOT NULL);
ALTER TABLE booking_confirmations ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE booking_confirmations TO app;

CREATE TABLE booking_copies (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    booking_id uuid,
    host_id uuid NOT NULL,
    calendar_id uuid,
    state text DEFAULT 'pending'::text NOT NULL,
    is_wanted boolean DEFAULT true NOT NULL,
    event_id text NOT NULL,
    outside_id text,
    outside_version text,
    written_starts_at timestamp(3) with time zone,
    written_ends_at timestamp(3) with time zone,
    written_at timestamp(3) with time zone,
    seen_at timestamp(3) with time zone,
    meeting text DEFAULT 'none'::text NOT NULL,
    meet_link text,
    requested_at timestamp(3) with time zone,
    flag text,
    flagged_at timestamp(3) with time zone,
    error text,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone DEFAULT now(),
    claim_id uuid,
    claimed_until timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY booking_copies ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY booking_copies FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY booking_copies ADD CONSTRAINT booking_copies_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX booking_copies_by_calendar ON booking_copies USING btree (workspace_id, calendar_id, outside_id);
CREATE INDEX booking_copies_by_host ON booking_copies USING btree (workspace_id, host_id);
CREATE INDEX booking_copies_due ON booking_copies USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX booking_copies_host_key ON booking_copies USING btree (workspace_id, booking_id, host_id);
CREATE INDEX booking_copies_waiting ON booking_copies USING btree (workspace_id, due_at, id) WHERE (due_at IS NOT NULL);
ALTER TABLE booking_copies ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE booking_copies TO app;

CREATE TABLE booking_counts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    subject_id uuid NOT NULL,
    period text NOT NULL,
    starts_on date NOT NULL,
    taken integer NOT NULL,
    CONSTRAINT booking_counts_taken CHECK ((taken >= 0))
);
ALTER TABLE ONLY booking_counts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY booking_counts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY booking_counts ADD CONSTRAINT booking_counts_workspace_id_subject_id_period_starts_on_pk PRIMARY KEY (workspace_id, subject_id, period, starts_on);
ALTER TABLE booking_counts ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE booking_counts TO app;

CREATE TABLE booking_holds (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    owner text NOT NULL,
    event_type_id uuid NOT NULL,
    state text DEFAULT 'held'::text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    host_ids uuid[] NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    booking_id uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    session_id uuid
);
ALTER TABLE ONLY booking_holds ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY booking_holds FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY booking_holds ADD CONSTRAINT booking_holds_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX booking_holds_by_event_type ON booking_holds USING btree (workspace_id, event_type_id, id);
CREATE INDEX booking_holds_due ON booking_holds USING btree (expires_at, id) WHERE (state = 'held'::text);
CREATE UNIQUE INDEX booking_holds_owner_key ON booking_holds USING btree (workspace_id, owner) WHERE (state = 'held'::text);
ALTER TABLE booking_holds ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE booking_holds TO app;

CREATE TABLE booking_notices (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    booking_id uuid NOT NULL,
    contact_id uuid,
    kind text NOT NULL,
    channel text NOT NULL,
    recipient text NOT NULL,
    is_booker boolean NOT NULL,
    offset_minutes integer DEFAULT 0 NOT NULL,
    resend integer DEFAULT 0 NOT NULL,
    state text DEFAULT 'due'::text NOT NULL,
    reason text,
    send_at timestamp(3) with time zone NOT NULL,
    wake_at timestamp(3) with time zone,
    message_id uuid,
    sent_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    sequence integer DEFAULT 0 NOT NULL
);
ALTER TABLE ONLY booking_notices ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY booking_notices FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY booking_notices ADD CONSTRAINT booking_notices_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX booking_notices_by_booking ON booking_notices USING btree (workspace_id, booking_id, send_at, id);
CREATE INDEX booking_notices_by_contact ON booking_notices USING btree (workspace_id, contact_id, id);
CREATE INDEX booking_notices_by_message ON booking_notices USING btree (workspace_id, message_id);
CREATE INDEX booking_notices_due ON booking_notices USING btree (wake_at, id) WHERE (wake_at IS NOT NULL);
CREATE UNIQUE INDEX booking_notices_key ON booking_notices USING btree (workspace_id, booking_id, kind, channel, recipient, offset_minutes, sequence, resend);
ALTER TABLE booking_notices ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE booking_notices TO app;

CREATE TABLE booking_proofs (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    booking_id uuid NOT NULL,
    decided_at timestamp(3) with time zone NOT NULL,
    checks jsonb NOT NULL,
    inputs jsonb NOT NULL
);
ALTER TABLE ONLY booking_proofs ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY booking_proofs FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY booking_proofs ADD CONSTRAINT booking_proofs_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX booking_proofs_booking_key ON booking_proofs USING btree (workspace_id, booking_id);
CREATE INDEX booking_proofs_by_mention ON booking_proofs USING gin (mention_keys((((checks)::text || ' '::text) || (inputs)::text))) WITH (gin_pending_list_limit='256');
ALTER TABLE booking_proofs ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE booking_proofs TO app;

CREATE TABLE booking_transcripts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    notetaker_id uuid NOT NULL,
    activity_id uuid NOT NULL,
    contact_id uuid,
    entries jsonb NOT NULL,
    is_truncated boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY booking_transcripts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY booking_transcripts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY booking_transcripts ADD CONSTRAINT booking_transcripts_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX booking_transcripts_by_activity ON booking_transcripts USING btree (workspace_id, activity_id);
CREATE INDEX booking_transcripts_by_contact ON booking_transcripts USING btree (workspace_id, contact_id);
CREATE INDEX booking_transcripts_by_mention ON booking_transcripts USING gin (mention_keys((entries)::text)) WITH (gin_pending_list_limit='256');
CREATE UNIQUE INDEX booking_transcripts_notetaker_key ON booking_transcripts USING btree (workspace_id, notetaker_id);
ALTER TABLE booking_transcripts ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE booking_transcripts TO app;

CREATE TABLE bookings (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    event_type_id uuid NOT NULL,
    status text DEFAULT 'confirmed'::text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    duration_minutes integer NOT NULL,
    timezone text NOT NULL,
    wall_start text NOT NULL,
    host_id uuid NOT NULL,
    host_ids uuid[] NOT NULL,
    contact_id uuid,
    deal_id uuid,
    name text NOT NULL,
    email text,
    phone text,
    attendees jsonb DEFAULT '[]'::jsonb NOT NULL,
    notes text,
    location text,
    video_meet_link text,
    uid text NOT NULL,
    sequence integer DEFAULT 0 NOT NULL,
    rescheduled_from_id uuid,
    series_id uuid,
    source text DEFAULT 'api'::text NOT NULL,
    cancelled_at timestamp(3) with time zone,
    cancellation_reason text,
    management_token uuid DEFAULT gen_random_uuid(),
    management_token_expires_at timestamp(3) with time zone,
    claimed jsonb,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    phone_end text GENERATED ALWAYS AS ("right"(phone, 4)) STORED,
    answers jsonb DEFAULT '[]'::jsonb NOT NULL,
    noted_changes jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT bookings_range CHECK ((starts_at < ends_at))
);
ALTER TABLE ONLY bookings ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY bookings FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY bookings ADD CONSTRAINT bookings_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX bookings_by_contact ON bookings USING btree (workspace_id, contact_id, starts_at, id);
CREATE INDEX bookings_by_created ON bookings USING btree (workspace_id, created_at, id);
CREATE INDEX bookings_by_deal ON bookings USING btree (workspace_id, deal_id, starts_at, id);
CREATE INDEX bookings_by_event_type ON bookings USING btree (workspace_id, event_type_id, starts_at, id);
CREATE INDEX bookings_by_host ON bookings USING btree (workspace_id, host_id, starts_at, id);
CREATE INDEX bookings_by_origin ON bookings USING btree (workspace_id, rescheduled_from_id) WHERE (rescheduled_from_id IS NOT NULL);
CREATE INDEX bookings_by_phone_end ON bookings USING btree (workspace_id, phone_end, starts_at, id) WHERE (phone_end IS NOT NULL);
CREATE INDEX bookings_by_series ON bookings USING btree (workspace_id, series_id, starts_at, id) WHERE (series_id IS NOT NULL);
CREATE INDEX bookings_by_start ON bookings USING btree (workspace_id, starts_at, id);
CREATE INDEX bookings_by_status ON bookings USING btree (workspace_id, status, starts_at, id);
CREATE INDEX bookings_by_updated ON bookings USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX bookings_management_token_key ON bookings USING btree (management_token);
ALTER TABLE bookings ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE bookings TO app;

CREATE TABLE busy_times (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    host_id uuid NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    source text NOT NULL,
    read_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    calendar_id uuid,
    CONSTRAINT busy_times_range CHECK (((starts_at < ends_at) AND (ends_at <= (starts_at + '24:00:00'::interval))))
);
ALTER TABLE ONLY busy_times ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY busy_times FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY busy_times ADD CONSTRAINT busy_times_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX busy_times_by_calendar ON busy_times USING btree (workspace_id, calendar_id, source);
CREATE INDEX busy_times_by_host ON busy_times USING btree (workspace_id, host_id, ends_at, starts_at);
CREATE INDEX busy_times_by_source ON busy_times USING btree (workspace_id, source, id);
ALTER TABLE busy_times ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE busy_times TO app;

CREATE TABLE calendar_connections (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    user_id uuid NOT NULL,
    provider text NOT NULL,
    account_id text NOT NULL,
    account_email text NOT NULL,
    status text DEFAULT 'connected'::text NOT NULL,
    error text,
    last_synced_at timestamp(3) with time zone,
    due_at timestamp(3) with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY calendar_connections ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY calendar_connections FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY calendar_connections ADD CONSTRAINT calendar_connections_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX calendar_connections_account_key ON calendar_connections USING btree (workspace_id, user_id, provider, account_id);
CREATE INDEX calendar_connections_by_account ON calendar_connections USING btree (provider, account_id);
CREATE INDEX calendar_connections_by_created ON calendar_connections USING btree (workspace_id, created_at, id);
CREATE INDEX calendar_connections_by_updated ON calendar_connections USING btree (workspace_id, updated_at, id);
CREATE INDEX calendar_connections_by_user ON calendar_connections USING btree (workspace_id, user_id, created_at, id);
CREATE INDEX calendar_connections_due ON calendar_connections USING btree (due_at) WHERE (due_at IS NOT NULL);
ALTER TABLE calendar_connections ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE calendar_connections TO app;

CREATE TABLE call_logs (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    provider text NOT NULL,
    provider_call_id text NOT NULL,
    direction text NOT NULL,
    status text NOT NULL,
    phone_number text NOT NULL,
    external_phone_number text,
    contact_id uuid,
    voice_agent_config_id uuid,
    started_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    duration_seconds integer,
    ended_reason text,
    recording_url text,
    transcript_url text,
    transcript text,
    summary text,
    sentiment text,
    is_successful boolean,
    stage integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY call_logs ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY call_logs FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY call_logs ADD CONSTRAINT call_logs_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX call_logs_by_agent ON call_logs USING btree (workspace_id, voice_agent_config_id, started_at, id);
CREATE INDEX call_logs_by_contact ON call_logs USING btree (workspace_id, contact_id, started_at, id);
CREATE INDEX call_logs_by_direction ON call_logs USING btree (workspace_id, direction, started_at, id);
CREATE INDEX call_logs_by_external ON call_logs USING btree (workspace_id, external_phone_number, started_at, id);
CREATE INDEX call_logs_by_number ON call_logs USING btree (workspace_id, phone_number, started_at, id);
CREATE INDEX call_logs_by_start ON call_logs USING btree (workspace_id, started_at, id);
CREATE INDEX call_logs_by_status ON call_logs USING btree (workspace_id, status, started_at, id);
CREATE UNIQUE INDEX call_logs_provider_key ON call_logs USING btree (workspace_id, provider, provider_call_id);
ALTER TABLE call_logs ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE call_logs TO app;

CREATE TABLE campaign_clicks (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    link_id uuid NOT NULL,
    recipient_id uuid NOT NULL,
    clicked_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY campaign_clicks ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY campaign_clicks FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY campaign_clicks ADD CONSTRAINT campaign_clicks_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX campaign_clicks_by_link ON campaign_clicks USING btree (workspace_id, link_id, created_at, id);
CREATE INDEX campaign_clicks_by_recipient ON campaign_clicks USING btree (workspace_id, recipient_id);
CREATE INDEX campaign_clicks_by_time ON campaign_clicks USING btree (workspace_id, link_id, clicked_at);
CREATE UNIQUE INDEX campaign_clicks_key ON campaign_clicks USING btree (workspace_id, link_id, recipient_id);
ALTER TABLE campaign_clicks ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE campaign_clicks TO app;

CREATE TABLE campaign_links (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    campaign_id uuid NOT NULL,
    url text NOT NULL,
    recipients integer DEFAULT 0 NOT NULL,
    first_clicked_at timestamp(3) with time zone,
    last_clicked_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY campaign_links ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY campaign_links FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY campaign_links ADD CONSTRAINT campaign_links_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX campaign_links_by_recipients ON campaign_links USING btree (workspace_id, campaign_id, recipients, id);
CREATE UNIQUE INDEX campaign_links_url_key ON campaign_links USING btree (workspace_id, campaign_id, md5(url));
ALTER TABLE campaign_links ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE campaign_links TO app;

CREATE TABLE campaign_recipients (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    campaign_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    batch_id uuid,
    reconciling boolean DEFAULT false NOT NULL,
    due_at timestamp(3) with time zone DEFAULT now(),
    provider_message_id text,
    error text,
    sent_at timestamp(3) with time zone,
    delivered_at timestamp(3) with time zone,
    opened_at timestamp(3) with time zone,
    clicked_at timestamp(3) with time zone,
    bounced_at timestamp(3) with time zone,
    complained_at timestamp(3) with time zone,
    unsubscribed_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    variant text
);
ALTER TABLE ONLY campaign_recipients ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY campaign_recipients FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY campaign_recipients ADD CONSTRAINT campaign_recipients_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX campaign_recipients_address_key ON campaign_recipients USING btree (workspace_id, campaign_id, email);
CREATE INDEX campaign_recipients_by_contact ON campaign_recipients USING btree (workspace_id, contact_id);
CREATE INDEX campaign_recipients_by_created ON campaign_recipients USING btree (workspace_id, campaign_id, created_at, id);
CREATE INDEX campaign_recipients_by_status ON campaign_recipients USING btree (workspace_id, campaign_id, status, created_at, id);
CREATE INDEX campaign_recipients_by_variant ON campaign_recipients USING btree (workspace_id, campaign_id, variant, created_at, id) WHERE (variant IS NOT NULL);
CREATE INDEX campaign_recipients_due ON campaign_recipients USING btree (workspace_id, campaign_id, due_at, id) WHERE ((due_at IS NOT NULL) AND (batch_id IS NULL));
CREATE INDEX campaign_recipients_open ON campaign_recipients USING btree (workspace_id, campaign_id, due_at, id) WHERE (batch_id IS NOT NULL);
CREATE INDEX campaign_recipients_waiting ON campaign_recipients USING btree (workspace_id, campaign_id, id) WHERE ((status = 'queued'::text) AND (due_at IS NULL) AND (variant IS NULL));
ALTER TABLE campaign_recipients ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE campaign_recipients TO app;

CREATE TABLE campaign_sends (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    campaign_id uuid NOT NULL,
    due_at timestamp(3) with time zone,
    last_id uuid,
    is_resolved boolean DEFAULT false NOT NULL,
    audience_size integer DEFAULT 0 NOT NULL,
    skipped jsonb DEFAULT '{}'::jsonb NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    decide_at timestamp(3) with time zone,
    decided_at timestamp(3) with time zone,
    winner text
);
ALTER TABLE ONLY campaign_sends ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY campaign_sends FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY campaign_sends ADD CONSTRAINT campaign_sends_workspace_id_campaign_id_pk PRIMARY KEY (workspace_id, campaign_id);
CREATE INDEX campaign_sends_by_campaign ON campaign_sends USING btree (workspace_id, campaign_id);
CREATE INDEX campaign_sends_by_mention ON campaign_sends USING gin (mention_keys((((skipped)::text || ' '::text) || (counts)::text))) WITH (gin_pending_list_limit='256');
CREATE INDEX campaign_sends_due ON campaign_sends USING btree (due_at, workspace_id, campaign_id) WHERE (due_at IS NOT NULL);
ALTER TABLE campaign_sends ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE campaign_sends TO app;

CREATE TABLE campaign_windows (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    campaign_id uuid NOT NULL,
    scope text NOT NULL,
    began_at timestamp(3) with time zone NOT NULL,
    taken integer DEFAULT 0 NOT NULL
);
ALTER TABLE ONLY campaign_windows ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY campaign_windows FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY campaign_windows ADD CONSTRAINT campaign_windows_workspace_id_campaign_id_scope_pk PRIMARY KEY (workspace_id, campaign_id, scope);
ALTER TABLE campaign_windows ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE campaign_windows TO app;

CREATE TABLE changes (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    request_id text,
    key_id uuid,
    user_id uuid,
    entity text NOT NULL,
    entity_id uuid NOT NULL,
    action text NOT NULL,
    fields jsonb NOT NULL,
    version integer NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    cause_type text,
    cause_id uuid,
    depth smallint DEFAULT 0 NOT NULL,
    private_to uuid
)
PARTITION BY RANGE (id);
ALTER TABLE ONLY changes ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY changes FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY changes ADD CONSTRAINT changes_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX changes_by_contact ON ONLY changes USING btree (workspace_id, ((fields #>> '{contact_id,after}'::text[]))) WHERE ((fields #>> '{contact_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_customer ON ONLY changes USING btree (workspace_id, ((fields #>> '{customer_id,after}'::text[]))) WHERE ((fields #>> '{customer_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_deal ON ONLY changes USING btree (workspace_id, ((fields #>> '{deal_id,after}'::text[]))) WHERE ((fields #>> '{deal_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_entity ON ONLY changes USING btree (workspace_id, entity, entity_id, id);
CREATE INDEX changes_by_linked_customer ON ONLY changes USING btree (workspace_id, ((fields #>> '{linked_customer_id,after}'::text[]))) WHERE ((fields #>> '{linked_customer_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_linked_deal ON ONLY changes USING btree (workspace_id, ((fields #>> '{linked_deal_id,after}'::text[]))) WHERE ((fields #>> '{linked_deal_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_opportunity ON ONLY changes USING btree (workspace_id, ((fields #>> '{opportunity_id,after}'::text[]))) WHERE ((fields #>> '{opportunity_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_parent ON ONLY changes USING btree (workspace_id, ((fields #>> '{parent_company_id,after}'::text[]))) WHERE ((fields #>> '{parent_company_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_referrer ON ONLY changes USING btree (workspace_id, ((fields #>> '{referrer_opportunity_id,after}'::text[]))) WHERE ((fields #>> '{referrer_opportunity_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_request ON ONLY changes USING btree (workspace_id, request_id, id);
ALTER TABLE changes ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE changes TO app;

CREATE TABLE changes_open (
    workspace_id uuid DEFAULT current_workspace() CONSTRAINT changes_workspace_id_not_null NOT NULL,
    id uuid DEFAULT uuidv7() CONSTRAINT changes_id_not_null NOT NULL,
    request_id text,
    key_id uuid,
    user_id uuid,
    entity text CONSTRAINT changes_entity_not_null NOT NULL,
    entity_id uuid CONSTRAINT changes_entity_id_not_null NOT NULL,
    action text CONSTRAINT changes_action_not_null NOT NULL,
    fields jsonb CONSTRAINT changes_fields_not_null NOT NULL,
    version integer CONSTRAINT changes_version_not_null NOT NULL,
    at timestamp(3) with time zone DEFAULT now() CONSTRAINT changes_at_not_null NOT NULL,
    cause_type text,
    cause_id uuid,
    depth smallint DEFAULT 0 CONSTRAINT changes_depth_not_null NOT NULL,
    private_to uuid
);
ALTER TABLE ONLY changes_open ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY changes_open FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY changes_open ADD CONSTRAINT changes_open_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX changes_open_workspace_id_entity_entity_id_id_idx ON changes_open USING btree (workspace_id, entity, entity_id, id);
CREATE INDEX changes_open_workspace_id_expr_idx ON changes_open USING btree (workspace_id, ((fields #>> '{contact_id,after}'::text[]))) WHERE ((fields #>> '{contact_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_open_workspace_id_expr_idx1 ON changes_open USING btree (workspace_id, ((fields #>> '{customer_id,after}'::text[]))) WHERE ((fields #>> '{customer_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_open_workspace_id_expr_idx2 ON changes_open USING btree (workspace_id, ((fields #>> '{deal_id,after}'::text[]))) WHERE ((fields #>> '{deal_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_open_workspace_id_expr_idx3 ON changes_open USING btree (workspace_id, ((fields #>> '{opportunity_id,after}'::text[]))) WHERE ((fields #>> '{opportunity_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_open_workspace_id_expr_idx4 ON changes_open USING btree (workspace_id, ((fields #>> '{parent_company_id,after}'::text[]))) WHERE ((fields #>> '{parent_company_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_open_workspace_id_expr_idx5 ON changes_open USING btree (workspace_id, ((fields #>> '{referrer_opportunity_id,after}'::text[]))) WHERE ((fields #>> '{referrer_opportunity_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_open_workspace_id_expr_idx6 ON changes_open USING btree (workspace_id, ((fields #>> '{linked_deal_id,after}'::text[]))) WHERE ((fields #>> '{linked_deal_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_open_workspace_id_expr_idx7 ON changes_open USING btree (workspace_id, ((fields #>> '{linked_customer_id,after}'::text[]))) WHERE ((fields #>> '{linked_customer_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_open_workspace_id_request_id_id_idx ON changes_open USING btree (workspace_id, request_id, id);
ALTER TABLE changes_open ENABLE ROW LEVEL SECURITY;

CREATE TABLE changes_past (
    workspace_id uuid DEFAULT current_workspace() CONSTRAINT changes_workspace_id_not_null NOT NULL,
    id uuid DEFAULT uuidv7() CONSTRAINT changes_id_not_null NOT NULL,
    request_id text,
    key_id uuid,
    user_id uuid,
    entity text CONSTRAINT changes_entity_not_null NOT NULL,
    entity_id uuid CONSTRAINT changes_entity_id_not_null NOT NULL,
    action text CONSTRAINT changes_action_not_null NOT NULL,
    fields jsonb CONSTRAINT changes_fields_not_null NOT NULL,
    version integer CONSTRAINT changes_version_not_null NOT NULL,
    at timestamp(3) with time zone DEFAULT now() CONSTRAINT changes_at_not_null NOT NULL,
    cause_type text,
    cause_id uuid,
    depth smallint DEFAULT 0 CONSTRAINT changes_depth_not_null NOT NULL,
    private_to uuid
);
ALTER TABLE ONLY changes_past ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY changes_past FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY changes_past ADD CONSTRAINT changes_workspace_id_id_pk_past PRIMARY KEY (workspace_id, id);
CREATE INDEX changes_by_contact_past ON changes_past USING btree (workspace_id, ((fields #>> '{contact_id,after}'::text[]))) WHERE ((fields #>> '{contact_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_customer_past ON changes_past USING btree (workspace_id, ((fields #>> '{customer_id,after}'::text[]))) WHERE ((fields #>> '{customer_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_deal_past ON changes_past USING btree (workspace_id, ((fields #>> '{deal_id,after}'::text[]))) WHERE ((fields #>> '{deal_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_entity_past ON changes_past USING btree (workspace_id, entity, entity_id, id);
CREATE INDEX changes_by_opportunity_past ON changes_past USING btree (workspace_id, ((fields #>> '{opportunity_id,after}'::text[]))) WHERE ((fields #>> '{opportunity_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_parent_past ON changes_past USING btree (workspace_id, ((fields #>> '{parent_company_id,after}'::text[]))) WHERE ((fields #>> '{parent_company_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_referrer_past ON changes_past USING btree (workspace_id, ((fields #>> '{referrer_opportunity_id,after}'::text[]))) WHERE ((fields #>> '{referrer_opportunity_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_by_request_past ON changes_past USING btree (workspace_id, request_id, id);
CREATE INDEX changes_past_workspace_id_expr_idx ON changes_past USING btree (workspace_id, ((fields #>> '{linked_deal_id,after}'::text[]))) WHERE ((fields #>> '{linked_deal_id,after}'::text[]) IS NOT NULL);
CREATE INDEX changes_past_workspace_id_expr_idx1 ON changes_past USING btree (workspace_id, ((fields #>> '{linked_customer_id,after}'::text[]))) WHERE ((fields #>> '{linked_customer_id,after}'::text[]) IS NOT NULL);
ALTER TABLE changes_past ENABLE ROW LEVEL SECURITY;

CREATE TABLE companies (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    search_text text GENERATED ALWAYS AS (search_form((((name || COALESCE((' '::text || email), ''::text)) || COALESCE((' '::text || website_url), ''::text)) || COALESCE((' '::text || phone), ''::text)))) STORED NOT NULL COLLATE pg_catalog."C",
    description text,
    email text,
    phone text,
    website_url text,
    industry text,
    account_type text,
    abn text,
    address_line1 text,
    address_line2 text,
    city text,
    state text,
    postal_code text,
    country text,
    timezone text,
    founded_year integer,
    annual_revenue numeric(14,2),
    employee_count integer,
    parent_company_id uuid,
    assigned_to uuid,
    notes text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    external_id text,
    archived boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    abn_key text GENERATED ALWAYS AS (abn_key(abn)) STORED COLLATE pg_catalog."C",
    website_domain text GENERATED ALWAYS AS (website_domain(website_url)) STORED COLLATE pg_catalog."C",
    tags jsonb DEFAULT '[]'::jsonb NOT NULL,
    domains text[] DEFAULT '{}'::text[] NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.1');
ALTER TABLE ONLY companies ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY companies FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY companies ADD CONSTRAINT companies_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX companies_by_abn ON companies USING btree (workspace_id, abn_key, archived, created_at, id) WHERE (abn_key IS NOT NULL);
CREATE INDEX companies_by_account_type ON companies USING btree (workspace_id, account_type, archived, created_at, id);
CREATE INDEX companies_by_created ON companies USING btree (workspace_id, archived, created_at, id) INCLUDE (search_text);
CREATE INDEX companies_by_domain ON companies USING btree (workspace_id, website_domain, archived, created_at, id) WHERE (website_domain IS NOT NULL);
CREATE INDEX companies_by_email ON companies USING btree (workspace_id, email, archived, created_at, id);
CREATE INDEX companies_by_industry ON companies USING btree (workspace_id, industry, archived, created_at, id);
CREATE INDEX companies_by_lexeme ON companies USING gin (lexemes_of(workspace_id, name_norm, (COALESCE((email || ' '::text), ''::text) || COALESCE(website_url, ''::text)))) WITH (fastupdate=off);
CREATE INDEX companies_by_name ON companies USING btree (workspace_id, archived, name_norm, id) INCLUDE (search_text);
CREATE INDEX companies_by_other_domain ON companies USING gin (workspace_id, domains) WITH (fastupdate=off) WHERE (domains <> '{}'::text[]);
CREATE INDEX companies_by_owner ON companies USING btree (workspace_id, assigned_to, archived, created_at, id);
CREATE INDEX companies_by_parent ON companies USING btree (workspace_id, parent_company_id, archived, created_at, id);
CREATE INDEX companies_by_phone ON companies USING btree (workspace_id, phone, archived, created_at, id) WHERE (phone IS NOT NULL);
CREATE INDEX companies_by_tag ON companies USING gin (workspace_id, tag_names(tags)) WITH (fastupdate=off) WHERE (tags <> '[]'::jsonb);
CREATE INDEX companies_by_term ON companies USING gin (terms_of(workspace_id, ARRAY[('description='::text || description), ('website_url='::text || website_url), ('industry='::text || industry), ('account_type='::text || account_type), ('abn='::text || abn), ('address_line1='::text || address_line1), ('address_line2='::text || address_line2), ('city='::text || city), ('state='::text || state), ('postal_code='::text || postal_code), ('country='::text || country), ('timezone='::text || timezone), ('founded_year='::text || founded_year), ('annual_revenue='::text || trim_scale(annual_revenue)), ('employee_count='::text || employee_count), ('notes='::text || notes),
CASE
    WHEN archived THEN 'archived=true'::text
    ELSE NULL::text
END], metadata)) WITH (gin_pending_list_limit='512');
CREATE INDEX companies_by_updated ON companies USING btree (workspace_id, archived, updated_at, id) INCLUDE (search_text);
CREATE INDEX companies_by_words ON companies USING gin (((workspace_id)::text), ((' '::text || search_text)) gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE UNIQUE INDEX companies_external_id_key ON companies USING btree (workspace_id, external_id);
CREATE INDEX companies_in_order_of_owner ON companies USING btree (workspace_id, archived, (
CASE
    WHEN (assigned_to IS NULL) THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    ELSE assigned_to
END), id);
CREATE INDEX companies_with_other_domains ON companies USING btree (workspace_id, id) WHERE ((domains <> '{}'::text[]) AND (NOT archived));
ALTER TABLE companies ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE companies TO app;

CREATE TABLE connection_calendars (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    connection_id uuid NOT NULL,
    user_id uuid NOT NULL,
    outside_id text NOT NULL,
    name text NOT NULL,
    timezone text,
    is_primary boolean NOT NULL,
    is_writable boolean NOT NULL,
    busy_from boolean DEFAULT false NOT NULL,
    busy_since timestamp(3) with time zone,
    write_to boolean DEFAULT false NOT NULL,
    cursor text,
    synced_at timestamp(3) with time zone,
    fully_synced_at timestamp(3) with time zone,
    stale_since timestamp(3) with time zone,
    error text,
    due_at timestamp(3) with time zone,
    claim_id uuid,
    claimed_until timestamp(3) with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    channel_state text,
    channel_id uuid,
    channel_resource text,
    channel_secret_hash bytea,
    channel_expires_at timestamp(3) with time zone,
    channel_due_at timestamp(3) with time zone,
    next_channel_id uuid,
    next_channel_secret_hash bytea,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY connection_calendars ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY connection_calendars FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY connection_calendars ADD CONSTRAINT connection_calendars_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX connection_calendars_by_age ON connection_calendars USING btree (COALESCE(synced_at, busy_since)) WHERE (busy_from AND (stale_since IS NULL));
CREATE INDEX connection_calendars_by_user ON connection_calendars USING btree (workspace_id, user_id) WHERE busy_from;
CREATE UNIQUE INDEX connection_calendars_channel_key ON connection_calendars USING btree (channel_id);
CREATE INDEX connection_calendars_due ON connection_calendars USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX connection_calendars_next_channel_key ON connection_calendars USING btree (next_channel_id);
CREATE UNIQUE INDEX connection_calendars_outside_key ON connection_calendars USING btree (workspace_id, connection_id, outside_id);
CREATE UNIQUE INDEX connection_calendars_write_key ON connection_calendars USING btree (workspace_id, user_id) WHERE write_to;
ALTER TABLE connection_calendars ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE connection_calendars TO app;

CREATE TABLE contacts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    first_name text NOT NULL,
    last_name text,
    name_norm text GENERATED ALWAYS AS (norm((first_name || COALESCE((' '::text || last_name), ''::text)))) STORED NOT NULL COLLATE pg_catalog."C",
    search_text text GENERATED ALWAYS AS (search_form((((((first_name || COALESCE((' '::text || last_name), ''::text)) || COALESCE((' '::text || email), ''::text)) || COALESCE((' '::text || phone), ''::text)) || COALESCE((' '::text || joined(alternate_emails)), ''::text)) || COALESCE((' '::text || joined(alternate_phones)), ''::text)))) STORED NOT NULL COLLATE pg_catalog."C",
    email text,
    alternate_emails text[] DEFAULT '{}'::text[] NOT NULL,
    phone text,
    landline text,
    job_title text,
    contact_type text,
    date_of_birth date,
    notes text,
    source text DEFAULT 'manual'::text NOT NULL,
    source_id uuid,
    address_line1 text,
    address_line2 text,
    city text,
    state text,
    postal_code text,
    country text DEFAULT 'Australia'::text,
    timezone text,
    is_primary boolean DEFAULT false NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    relationship_started_at timestamp(3) with time zone DEFAULT now(),
    email_unsubscribed boolean DEFAULT false NOT NULL,
    sms_unsubscribed boolean DEFAULT false NOT NULL,
    voice_unsubscribed boolean DEFAULT false NOT NULL,
    whatsapp_unsubscribed boolean DEFAULT false NOT NULL,
    is_referrer boolean DEFAULT false NOT NULL,
    referrer_category text,
    referrer_opportunity_id uuid,
    customer_id uuid,
    external_id text,
    archived boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    local_zone text,
    zone_basis jsonb,
    assigned_to uuid,
    tags jsonb DEFAULT '[]'::jsonb NOT NULL,
    alternate_phones text[] DEFAULT '{}'::text[] NOT NULL,
    birthday smallint GENERATED ALWAYS AS ((((EXTRACT(month FROM date_of_birth) * (100)::numeric) + EXTRACT(day FROM date_of_birth)))::smallint) STORED
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.1');
ALTER TABLE ONLY contacts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY contacts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY contacts ADD CONSTRAINT contacts_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX contacts_by_alternate_email ON contacts USING gin (workspace_id, alternate_emails) WITH (fastupdate=off) WHERE (alternate_emails <> '{}'::text[]);
CREATE INDEX contacts_by_alternate_phone ON contacts USING gin (workspace_id, alternate_phones) WITH (fastupdate=off) WHERE (alternate_phones <> '{}'::text[]);
CREATE INDEX contacts_by_anchor ON contacts USING btree (workspace_id, referrer_opportunity_id) WHERE (referrer_opportunity_id IS NOT NULL);
CREATE INDEX contacts_by_birthday ON contacts USING btree (workspace_id, birthday, id, local_zone) WHERE (birthday IS NOT NULL);
CREATE INDEX contacts_by_created ON contacts USING btree (workspace_id, archived, created_at, id) INCLUDE (search_text);
CREATE INDEX contacts_by_customer ON contacts USING btree (workspace_id, customer_id, archived, created_at, id) WHERE (customer_id IS NOT NULL);
CREATE INDEX contacts_by_email ON contacts USING btree (workspace_id, email, archived, created_at, id) WHERE (email IS NOT NULL);
CREATE INDEX contacts_by_landline ON contacts USING btree (workspace_id, landline, archived, created_at, id) WHERE (landline IS NOT NULL);
CREATE INDEX contacts_by_lead_source ON contacts USING btree (workspace_id, source_id, archived, created_at, id) WHERE (source_id IS NOT NULL);
CREATE INDEX contacts_by_lexeme ON contacts USING gin (lexemes_of(workspace_id, name_norm, email)) WITH (fastupdate=off);
CREATE INDEX contacts_by_name ON contacts USING btree (workspace_id, archived, name_norm, id) INCLUDE (search_text);
CREATE INDEX contacts_by_owner ON contacts USING btree (workspace_id, assigned_to, archived, created_at, id) WHERE (assigned_to IS NOT NULL);
CREATE INDEX contacts_by_phone ON contacts USING btree (workspace_id, phone, archived, created_at, id) WHERE (phone IS NOT NULL);
CREATE INDEX contacts_by_primary ON contacts USING btree (workspace_id, customer_id) WHERE is_primary;
CREATE INDEX contacts_by_referrer ON contacts USING btree (workspace_id, is_referrer, archived, created_at, id);
CREATE INDEX contacts_by_source ON contacts USING btree (workspace_id, source, archived, created_at, id);
CREATE INDEX contacts_by_tag ON contacts USING gin (workspace_id, tag_names(tags)) WITH (fastupdate=off) WHERE (tags <> '[]'::jsonb);
CREATE INDEX contacts_by_term ON contacts USING gin (terms_of(workspace_id, (ARRAY[('first_name='::text || first_name), ('last_name='::text || last_name), ('job_title='::text || job_title), ('contact_type='::text || contact_type), ('date_of_birth='::text || (date_of_birth - '1970-01-01'::date)), ('notes='::text || notes), ('source='::text || source), ('source_id='::text || source_id), ('address_line1='::text || address_line1), ('address_line2='::text || address_line2), ('city='::text || city), ('state='::text || state), ('postal_code='::text || postal_code), ('country='::text || country), ('timezone='::text || timezone), ('referrer_category='::text || referrer_category),
CASE
    WHEN is_primary THEN 'is_primary=true'::text
    ELSE NULL::text
END,
CASE
    WHEN email_unsubscribed THEN 'email_unsubscribed=true'::text
    ELSE NULL::text
END,
CASE
    WHEN sms_unsubscribed THEN 'sms_unsubscribed=true'::text
    ELSE NULL::text
END,
CASE
    WHEN voice_unsubscribed THEN 'voice_unsubscribed=true'::text
    ELSE NULL::text
END,
CASE
    WHEN whatsapp_unsubscribed THEN 'whatsapp_unsubscribed=true'::text
    ELSE NULL::text
END,
CASE
    WHEN is_referrer THEN 'is_referrer=true'::text
    ELSE NULL::text
END,
CASE
    WHEN archived THEN 'archived=true'::text
    ELSE NULL::text
END] || list_entries('alternate_emails'::text, alternate_emails)), metadata)) WITH (gin_pending_list_limit='512');
CREATE INDEX contacts_by_type ON contacts USING btree (workspace_id, contact_type, archived, created_at, id) WHERE (contact_type IS NOT NULL);
CREATE INDEX contacts_by_unresolved ON contacts USING btree (workspace_id, id) WHERE (local_zone IS NULL);
CREATE INDEX contacts_by_updated ON contacts USING btree (workspace_id, archived, updated_at, id) INCLUDE (search_text);
CREATE INDEX contacts_by_words ON contacts USING gin (((workspace_id)::text), ((' '::text || search_text)) gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE UNIQUE INDEX contacts_external_id_key ON contacts USING btree (workspace_id, external_id);
CREATE INDEX contacts_in_order_of_owner ON contacts USING btree (workspace_id, archived, (
CASE
    WHEN (assigned_to IS NULL) THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    ELSE assigned_to
END), id);
CREATE INDEX contacts_with_other_emails ON contacts USING btree (workspace_id, id) WHERE ((alternate_emails <> '{}'::text[]) AND (NOT archived));
CREATE INDEX contacts_with_other_phones ON contacts USING btree (workspace_id, id) WHERE ((alternate_phones <> '{}'::text[]) AND (NOT archived));
ALTER TABLE contacts ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE contacts TO app;

CREATE TABLE conversations (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    channel text NOT NULL,
    email_thread_id uuid GENERATED ALWAYS AS (
CASE channel
    WHEN 'email'::text THEN id
    ELSE NULL::uuid
END) STORED,
    sms_conversation_id uuid GENERATED ALWAYS AS (
CASE channel
    WHEN 'sms'::text THEN id
    ELSE NULL::uuid
END) STORED,
    contact_id uuid,
    title text NOT NULL,
    direction text NOT NULL,
    snippet text NOT NULL,
    unread boolean NOT NULL,
    message_count integer NOT NULL,
    last_message_at timestamp(3) with time zone NOT NULL,
    private_to uuid,
    status text DEFAULT 'open'::text NOT NULL,
    snoozed_until timestamp(3) with time zone,
    closed_at timestamp(3) with time zone,
    assigned_to uuid,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    is_group boolean DEFAULT false NOT NULL,
    whatsapp_conversation_id uuid GENERATED ALWAYS AS (
CASE
    WHEN ((channel = 'whatsapp'::text) AND (NOT is_group)) THEN id
    ELSE NULL::uuid
END) STORED,
    whatsapp_group_id uuid GENERATED ALWAYS AS (
CASE
    WHEN is_group THEN id
    ELSE NULL::uuid
END) STORED,
    CONSTRAINT conversations_group CHECK (((NOT is_group) OR ((channel = 'whatsapp'::text) AND (contact_id IS NULL)))),
    CONSTRAINT conversations_snooze CHECK (((status <> 'snoozed'::text) OR (snoozed_until IS NOT NULL)))
);
ALTER TABLE ONLY conversations ALTER COLUMN workspace_id SET (n_distinct=1);
ALTER TABLE ONLY conversations ALTER COLUMN private_to SET (n_distinct=4);

ALTER TABLE ONLY conversations FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY conversations ADD CONSTRAINT conversations_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX conversations_by_assignee ON conversations USING btree (workspace_id, channel, status, (
CASE
    WHEN (assigned_to IS NULL) THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    ELSE assigned_to
END), last_message_at, id);
CREATE INDEX conversations_by_contact ON conversations USING btree (workspace_id, contact_id, last_message_at, id);
CREATE INDEX conversations_by_email_thread ON conversations USING btree (workspace_id, email_thread_id) WHERE (email_thread_id IS NOT NULL);
CREATE INDEX conversations_by_group ON conversations USING btree (workspace_id, channel, is_group, last_message_at, id);
CREATE INDEX conversations_by_last_message ON conversations USING btree (workspace_id, channel, last_message_at, id, private_to);
CREATE INDEX conversations_by_sms_conversation ON conversations USING btree (workspace_id, sms_conversation_id) WHERE (sms_conversation_id IS NOT NULL);
CREATE INDEX conversations_by_status ON conversations USING btree (workspace_id, channel, status, last_message_at, id);
CREATE INDEX conversations_by_unread ON conversations USING btree (workspace_id, channel, unread, last_message_at, id);
CREATE INDEX conversations_by_updated ON conversations USING btree (workspace_id, channel, updated_at, id);
CREATE INDEX conversations_by_whatsapp_conversation ON conversations USING btree (workspace_id, whatsapp_conversation_id) WHERE (whatsapp_conversation_id IS NOT NULL);
CREATE INDEX conversations_by_whatsapp_group ON conversations USING btree (workspace_id, whatsapp_group_id) WHERE (whatsapp_group_id IS NOT NULL);
CREATE INDEX conversations_of_team ON conversations USING btree (workspace_id, last_message_at, id) WHERE ((private_to IS NULL) AND (channel = 'email'::text));
CREATE INDEX conversations_of_team_by_assignee ON conversations USING btree (workspace_id, status, (
CASE
    WHEN (assigned_to IS NULL) THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    ELSE assigned_to
END), last_message_at, id) WHERE ((private_to IS NULL) AND (channel = 'email'::text));
CREATE INDEX conversations_of_team_by_status ON conversations USING btree (workspace_id, status, last_message_at, id) WHERE ((private_to IS NULL) AND (channel = 'email'::text));
CREATE INDEX conversations_of_team_by_unread ON conversations USING btree (workspace_id, unread, last_message_at, id) WHERE ((private_to IS NULL) AND (channel = 'email'::text));
CREATE INDEX conversations_own ON conversations USING btree (workspace_id, private_to, last_message_at, id) WHERE ((private_to IS NOT NULL) AND (channel = 'email'::text));
CREATE INDEX conversations_own_by_assignee ON conversations USING btree (workspace_id, private_to, status, (
CASE
    WHEN (assigned_to IS NULL) THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    ELSE assigned_to
END), last_message_at, id) WHERE ((private_to IS NOT NULL) AND (channel = 'email'::text));
CREATE INDEX conversations_own_by_status ON conversations USING btree (workspace_id, private_to, status, last_message_at, id) WHERE ((private_to IS NOT NULL) AND (channel = 'email'::text));
CREATE INDEX conversations_own_by_unread ON conversations USING btree (workspace_id, private_to, unread, last_message_at, id) WHERE ((private_to IS NOT NULL) AND (channel = 'email'::text));
CREATE INDEX conversations_snoozed ON conversations USING btree (snoozed_until, id) WHERE (status = 'snoozed'::text);
ALTER TABLE conversations ENABLE ROW LEVEL SECURITY;
GRANT SELECT,UPDATE ON TABLE conversations TO app;

CREATE TABLE credit_accounts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    balance integer DEFAULT 0 NOT NULL,
    reserved integer DEFAULT 0 NOT NULL,
    CONSTRAINT credit_accounts_balance CHECK ((balance >= 0)),
    CONSTRAINT credit_accounts_reserved CHECK ((reserved >= 0))
);
ALTER TABLE ONLY credit_accounts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY credit_accounts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY credit_accounts ADD CONSTRAINT credit_accounts_workspace_id_pk PRIMARY KEY (workspace_id);
ALTER TABLE credit_accounts ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE credit_accounts TO app;

CREATE TABLE credit_entries (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    kind text NOT NULL,
    amount integer NOT NULL,
    balance integer NOT NULL,
    message_id uuid,
    channel text,
    units integer,
    reference text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY credit_entries ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY credit_entries FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY credit_entries ADD CONSTRAINT credit_entries_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX credit_entries_by_created ON credit_entries USING btree (workspace_id, created_at, id);
CREATE INDEX credit_entries_by_kind ON credit_entries USING btree (workspace_id, kind, created_at, id);
CREATE UNIQUE INDEX credit_entries_message_key ON credit_entries USING btree (workspace_id, message_id, kind);
CREATE UNIQUE INDEX credit_entries_reference_key ON credit_entries USING btree (workspace_id, reference);
ALTER TABLE credit_entries ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE credit_entries TO app;

CREATE TABLE credit_usage (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    month date NOT NULL,
    channel text NOT NULL,
    messages integer NOT NULL,
    units integer NOT NULL,
    credits integer NOT NULL
);
ALTER TABLE ONLY credit_usage ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY credit_usage FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY credit_usage ADD CONSTRAINT credit_usage_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX credit_usage_key ON credit_usage USING btree (workspace_id, month, channel);
ALTER TABLE credit_usage ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE credit_usage TO app;

CREATE TABLE crm_settings (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    lost_reasons text[] DEFAULT '{}'::text[] NOT NULL,
    won_reasons text[] DEFAULT '{}'::text[] NOT NULL,
    opportunity_types text[] DEFAULT '{}'::text[] NOT NULL,
    account_types text[] DEFAULT '{}'::text[] NOT NULL,
    contact_types text[] DEFAULT '{}'::text[] NOT NULL,
    transcript_settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    accounts_enabled boolean DEFAULT true NOT NULL,
    contacts_enabled boolean DEFAULT true NOT NULL,
    custom_fields_strict boolean DEFAULT true NOT NULL,
    enable_work_orders boolean DEFAULT false NOT NULL,
    form_completion_notify_emails text[] DEFAULT '{}'::text[] NOT NULL,
    automation_error_notify_emails text[] DEFAULT '{}'::text[] NOT NULL,
    automation_error_notify_phones text[] DEFAULT '{}'::text[] NOT NULL,
    birthday_messages jsonb DEFAULT '[]'::jsonb NOT NULL,
    tag_palette jsonb DEFAULT '[]'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    link_contacts_by_domain boolean DEFAULT false NOT NULL,
    quiet_hours jsonb DEFAULT '{"to": "08:00", "from": "20:00"}'::jsonb,
    booking_page_enabled boolean DEFAULT false NOT NULL,
    notetaker_enabled boolean DEFAULT false NOT NULL,
    booking_embed_origins text[] DEFAULT '{}'::text[] NOT NULL,
    campaign_open_tracking boolean DEFAULT false NOT NULL,
    campaign_click_tracking boolean DEFAULT false NOT NULL,
    whatsapp_read_receipts boolean DEFAULT true NOT NULL
);
ALTER TABLE ONLY crm_settings ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY crm_settings FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY crm_settings ADD CONSTRAINT crm_settings_workspace_id_pk PRIMARY KEY (workspace_id);
ALTER TABLE crm_settings ENABLE ROW LEVEL SECURITY;
GRANT SELECT,UPDATE ON TABLE crm_settings TO app;

CREATE TABLE custom_fields (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    object text NOT NULL,
    field_key text NOT NULL,
    label text NOT NULL,
    type text NOT NULL,
    options text[] DEFAULT '{}'::text[] NOT NULL,
    required boolean DEFAULT false NOT NULL,
    "unique" boolean DEFAULT false NOT NULL,
    help_text text,
    "position" integer DEFAULT 0 NOT NULL,
    archived boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    indexed boolean DEFAULT false NOT NULL,
    CONSTRAINT indexed CHECK (((NOT indexed) OR (type <> 'long_text'::text))),
    CONSTRAINT options CHECK (((type = ANY (ARRAY['select'::text, 'multi_select'::text])) = (cardinality(options) > 0))),
    CONSTRAINT "unique" CHECK (((NOT "unique") OR (type = ANY (ARRAY['text'::text, 'number'::text, 'date'::text, 'url'::text, 'email'::text, 'phone'::text]))))
);
ALTER TABLE ONLY custom_fields ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY custom_fields FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY custom_fields ADD CONSTRAINT custom_fields_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX custom_fields_by_created ON custom_fields USING btree (workspace_id, archived, created_at, id);
CREATE INDEX custom_fields_by_position ON custom_fields USING btree (workspace_id, archived, "position", id);
CREATE UNIQUE INDEX custom_fields_key ON custom_fields USING btree (workspace_id, object, field_key);
ALTER TABLE custom_fields ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE custom_fields TO app;

CREATE TABLE custom_indexes (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    field_id uuid NOT NULL,
    status text NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    total integer,
    cursor uuid,
    error text,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT custom_indexes_status CHECK ((status = ANY (ARRAY['building'::text, 'ready'::text, 'failed'::text, 'clearing'::text])))
);
ALTER TABLE ONLY custom_indexes ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY custom_indexes FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY custom_indexes ADD CONSTRAINT custom_indexes_workspace_id_field_id_pk PRIMARY KEY (workspace_id, field_id);
CREATE INDEX custom_indexes_unfinished ON custom_indexes USING btree (updated_at) WHERE (status = ANY (ARRAY['building'::text, 'clearing'::text]));
ALTER TABLE custom_indexes ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE custom_indexes TO app;

CREATE TABLE custom_values (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    field_id uuid NOT NULL,
    number double precision NOT NULL,
    text text NOT NULL COLLATE pg_catalog."C",
    record_id uuid NOT NULL,
    is_unique boolean NOT NULL
);
ALTER TABLE ONLY custom_values ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY custom_values FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY custom_values ADD CONSTRAINT custom_values_workspace_id_field_id_number_text_record_id_pk PRIMARY KEY (workspace_id, field_id, number, text, record_id);
CREATE INDEX custom_values_by_record ON custom_values USING btree (workspace_id, record_id, field_id);
CREATE UNIQUE INDEX custom_values_own_key ON custom_values USING btree (workspace_id, field_id, number, text) WHERE is_unique;
ALTER TABLE custom_values ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE custom_values TO app;

CREATE TABLE dead_letters (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    queue text NOT NULL,
    type text,
    message jsonb NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    attempts integer NOT NULL,
    last_error text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_failed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    replayed_at timestamp(3) with time zone
);
ALTER TABLE ONLY dead_letters ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY dead_letters FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY dead_letters ADD CONSTRAINT dead_letters_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX dead_letters_by_age ON dead_letters USING brin (id) WITH (pages_per_range='16', autosummarize='true');
CREATE INDEX dead_letters_by_created ON dead_letters USING btree (workspace_id, created_at, id);
CREATE INDEX dead_letters_by_mention ON dead_letters USING gin (mention_keys((message)::text)) WITH (gin_pending_list_limit='256');
CREATE INDEX dead_letters_by_queue ON dead_letters USING btree (workspace_id, queue, created_at, id);
CREATE INDEX dead_letters_by_queue_and_status ON dead_letters USING btree (workspace_id, queue, status, created_at, id);
CREATE INDEX dead_letters_by_status ON dead_letters USING btree (workspace_id, status, created_at, id);
CREATE UNIQUE INDEX dead_letters_open_key ON dead_letters USING btree (workspace_id, queue, message) WHERE (status = 'open'::text);
ALTER TABLE dead_letters ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE dead_letters TO app;

CREATE TABLE deal_stakeholders (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    deal_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    bucket_id uuid,
    role text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY deal_stakeholders ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY deal_stakeholders FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY deal_stakeholders ADD CONSTRAINT deal_stakeholders_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX deal_stakeholders_by_bucket ON deal_stakeholders USING btree (workspace_id, bucket_id, id);
CREATE INDEX deal_stakeholders_by_contact ON deal_stakeholders USING btree (workspace_id, contact_id, id);
CREATE INDEX deal_stakeholders_by_deal ON deal_stakeholders USING btree (workspace_id, deal_id, id);
ALTER TABLE deal_stakeholders ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE deal_stakeholders TO app;

CREATE TABLE deleted_rows (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    request_id text,
    table_name text NOT NULL,
    row_id uuid NOT NULL,
    action text NOT NULL,
    is_root boolean NOT NULL,
    before jsonb NOT NULL
);
ALTER TABLE ONLY deleted_rows ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY deleted_rows FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY deleted_rows ADD CONSTRAINT deleted_rows_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX deleted_rows_by_age ON deleted_rows USING brin (id) WITH (pages_per_range='16', autosummarize='true');
CREATE INDEX deleted_rows_by_mention ON deleted_rows USING gin (mention_keys((((row_id)::text || ' '::text) || (before)::text))) WITH (gin_pending_list_limit='256');
CREATE INDEX deleted_rows_by_row ON deleted_rows USING btree (workspace_id, row_id, id);
CREATE INDEX deleted_rows_by_transaction ON deleted_rows USING btree (workspace_id, xid);
CREATE INDEX deleted_rows_files ON deleted_rows USING btree (workspace_id, row_id) WHERE (table_name = 'attachments'::text);
ALTER TABLE deleted_rows ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE deleted_rows TO app;

CREATE TABLE dismissed_duplicates (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    object text NOT NULL,
    first_id uuid NOT NULL,
    second_id uuid NOT NULL,
    dismissed_by uuid DEFAULT current_user_id(),
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY dismissed_duplicates ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY dismissed_duplicates FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY dismissed_duplicates ADD CONSTRAINT dismissed_duplicates_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX dismissed_duplicates_by_created ON dismissed_duplicates USING btree (workspace_id, object, created_at, id);
CREATE INDEX dismissed_duplicates_by_second ON dismissed_duplicates USING btree (workspace_id, second_id);
CREATE INDEX dismissed_duplicates_by_updated ON dismissed_duplicates USING btree (workspace_id, object, updated_at, id);
CREATE UNIQUE INDEX dismissed_duplicates_pair_key ON dismissed_duplicates USING btree (workspace_id, first_id, second_id);
ALTER TABLE dismissed_duplicates ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE dismissed_duplicates TO app;

CREATE TABLE email_attachments (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    email_message_id uuid NOT NULL,
    name text NOT NULL,
    content_type text NOT NULL,
    size integer NOT NULL,
    rank integer NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    source_id uuid,
    private_to uuid
);
ALTER TABLE ONLY email_attachments ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY email_attachments FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_attachments ADD CONSTRAINT email_attachments_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX email_attachments_by_message ON email_attachments USING btree (workspace_id, email_message_id, rank, id);
CREATE INDEX email_attachments_by_source ON email_attachments USING btree (workspace_id, source_id) WHERE (source_id IS NOT NULL);
ALTER TABLE email_attachments ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE email_attachments TO app;

CREATE TABLE email_campaigns (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    subject text,
    body_html text,
    segment_filter jsonb,
    max_per_hour integer,
    status text DEFAULT 'draft'::text NOT NULL,
    scheduled_at timestamp(3) with time zone,
    started_at timestamp(3) with time zone,
    ended_at timestamp(3) with time zone,
    error jsonb,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ab_test jsonb,
    max_per_minute integer,
    max_per_domain integer
);
ALTER TABLE ONLY email_campaigns ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY email_campaigns FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_campaigns ADD CONSTRAINT email_campaigns_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX email_campaigns_by_created ON email_campaigns USING btree (workspace_id, created_at, id);
CREATE INDEX email_campaigns_by_status ON email_campaigns USING btree (workspace_id, status, created_at, id);
CREATE INDEX email_campaigns_by_updated ON email_campaigns USING btree (workspace_id, updated_at, id);
ALTER TABLE email_campaigns ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE email_campaigns TO app;

CREATE TABLE email_configs (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    from_email_handle text NOT NULL,
    from_email text NOT NULL,
    from_name text NOT NULL,
    staff_email text NOT NULL,
    mailbox_sender_alias text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY email_configs ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY email_configs FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_configs ADD CONSTRAINT email_configs_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX email_configs_by_created ON email_configs USING btree (workspace_id, created_at, id);
CREATE INDEX email_configs_by_updated ON email_configs USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX email_configs_handle_key ON email_configs USING btree (from_email_handle);
ALTER TABLE email_configs ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE email_configs TO app;

CREATE TABLE email_drafts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    thread_id uuid,
    "to" text,
    subject text,
    cc text[] DEFAULT '{}'::text[] NOT NULL,
    bcc text[] DEFAULT '{}'::text[] NOT NULL,
    text text,
    html text,
    template_id uuid,
    append_signature boolean DEFAULT false NOT NULL,
    attachment_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    config_id uuid,
    contact_id uuid,
    deal_id uuid,
    customer_id uuid,
    send_at timestamp(3) with time zone,
    scheduled_by uuid,
    message_id uuid,
    error jsonb,
    created_by uuid,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    mode text DEFAULT 'company'::text NOT NULL,
    sender_user_id uuid,
    private_to uuid
);
ALTER TABLE ONLY email_drafts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY email_drafts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_drafts ADD CONSTRAINT email_drafts_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX email_drafts_by_config ON email_drafts USING btree (workspace_id, config_id) WHERE (config_id IS NOT NULL);
CREATE INDEX email_drafts_by_contact ON email_drafts USING btree (workspace_id, contact_id, created_at, id);
CREATE INDEX email_drafts_by_created ON email_drafts USING btree (workspace_id, created_at, id);
CREATE INDEX email_drafts_by_customer ON email_drafts USING btree (workspace_id, customer_id) WHERE (customer_id IS NOT NULL);
CREATE INDEX email_drafts_by_deal ON email_drafts USING btree (workspace_id, deal_id) WHERE (deal_id IS NOT NULL);
CREATE INDEX email_drafts_by_message ON email_drafts USING btree (workspace_id, message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX email_drafts_by_sender ON email_drafts USING btree (workspace_id, sender_user_id) WHERE (sender_user_id IS NOT NULL);
CREATE INDEX email_drafts_by_status ON email_drafts USING btree (workspace_id, status, created_at, id);
CREATE INDEX email_drafts_by_template ON email_drafts USING btree (workspace_id, template_id) WHERE (template_id IS NOT NULL);
CREATE INDEX email_drafts_by_thread ON email_drafts USING btree (workspace_id, thread_id) WHERE (thread_id IS NOT NULL);
CREATE INDEX email_drafts_by_updated ON email_drafts USING btree (workspace_id, updated_at, id);
CREATE INDEX email_drafts_due ON email_drafts USING btree (send_at, workspace_id, id) WHERE (status = 'scheduled'::text);
ALTER TABLE email_drafts ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE email_drafts TO app;

CREATE TABLE email_inboxes (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY email_inboxes ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY email_inboxes FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_inboxes ADD CONSTRAINT email_inboxes_workspace_id_pk PRIMARY KEY (workspace_id);
CREATE UNIQUE INDEX email_inboxes_token ON email_inboxes USING btree (token_hash);
ALTER TABLE email_inboxes ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE email_inboxes TO app;

CREATE TABLE email_messages (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    thread_id uuid NOT NULL,
    direction text NOT NULL,
    message_id uuid,
    contact_id uuid,
    internet_id text NOT NULL,
    in_reply_to text,
    reference_ids text[] DEFAULT '{}'::text[] NOT NULL,
    from_email text NOT NULL,
    from_name text,
    reply_to text,
    to_emails text[] DEFAULT '{}'::text[] NOT NULL,
    cc_emails text[] DEFAULT '{}'::text[] NOT NULL,
    subject text,
    body_text text,
    body_html text,
    occurred_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    private_to uuid
);
ALTER TABLE ONLY email_messages ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY email_messages FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_messages ADD CONSTRAINT email_messages_internet_key UNIQUE NULLS NOT DISTINCT (workspace_id, internet_id, private_to);
ALTER TABLE ONLY email_messages ADD CONSTRAINT email_messages_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX email_messages_by_contact ON email_messages USING btree (workspace_id, contact_id);
CREATE INDEX email_messages_by_message ON email_messages USING btree (workspace_id, message_id);
CREATE INDEX email_messages_by_thread ON email_messages USING btree (workspace_id, thread_id, occurred_at, id);
ALTER TABLE email_messages ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE email_messages TO app;

CREATE TABLE email_participants (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    thread_id uuid NOT NULL,
    email text NOT NULL,
    last_message_at timestamp(3) with time zone NOT NULL,
    private_to uuid
);
ALTER TABLE ONLY email_participants ALTER COLUMN workspace_id SET (n_distinct=1);
ALTER TABLE ONLY email_participants ALTER COLUMN private_to SET (n_distinct=4);

ALTER TABLE ONLY email_participants FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_participants ADD CONSTRAINT email_participants_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX email_participants_by_email ON email_participants USING btree (workspace_id, email, last_message_at, thread_id);
CREATE UNIQUE INDEX email_participants_key ON email_participants USING btree (workspace_id, thread_id, email);
CREATE INDEX email_participants_of_team ON email_participants USING btree (workspace_id, email, last_message_at, thread_id) WHERE (private_to IS NULL);
CREATE INDEX email_participants_own ON email_participants USING btree (workspace_id, private_to, email, last_message_at, thread_id) WHERE (private_to IS NOT NULL);
ALTER TABLE email_participants ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE email_participants TO app;

CREATE TABLE email_signatures (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    user_id uuid NOT NULL,
    body_html text NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY email_signatures ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY email_signatures FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_signatures ADD CONSTRAINT email_signatures_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX email_signatures_key ON email_signatures USING btree (workspace_id, user_id);
ALTER TABLE email_signatures ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE email_signatures TO app;

CREATE TABLE email_templates (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    subject text NOT NULL,
    body_html text NOT NULL,
    body_text text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY email_templates ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY email_templates FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_templates ADD CONSTRAINT email_templates_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX email_templates_by_created ON email_templates USING btree (workspace_id, created_at, id);
CREATE INDEX email_templates_by_updated ON email_templates USING btree (workspace_id, updated_at, id);
ALTER TABLE email_templates ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE email_templates TO app;

CREATE TABLE email_thread_links (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    thread_id uuid NOT NULL,
    contact_id uuid,
    deal_id uuid,
    customer_id uuid,
    last_message_at timestamp(3) with time zone NOT NULL,
    private_to uuid
);
ALTER TABLE ONLY email_thread_links ALTER COLUMN workspace_id SET (n_distinct=1);
ALTER TABLE ONLY email_thread_links ALTER COLUMN private_to SET (n_distinct=4);

ALTER TABLE ONLY email_thread_links FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_thread_links ADD CONSTRAINT email_thread_links_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX email_thread_links_by_contact ON email_thread_links USING btree (workspace_id, contact_id, last_message_at, thread_id);
CREATE INDEX email_thread_links_by_customer ON email_thread_links USING btree (workspace_id, customer_id, last_message_at, thread_id);
CREATE INDEX email_thread_links_by_deal ON email_thread_links USING btree (workspace_id, deal_id, last_message_at, thread_id);
CREATE INDEX email_thread_links_by_thread ON email_thread_links USING btree (workspace_id, thread_id, id);
CREATE UNIQUE INDEX email_thread_links_contact_key ON email_thread_links USING btree (workspace_id, contact_id, thread_id);
CREATE UNIQUE INDEX email_thread_links_customer_key ON email_thread_links USING btree (workspace_id, customer_id, thread_id);
CREATE UNIQUE INDEX email_thread_links_deal_key ON email_thread_links USING btree (workspace_id, deal_id, thread_id);
CREATE INDEX email_thread_links_of_team_by_contact ON email_thread_links USING btree (workspace_id, contact_id, last_message_at, thread_id) WHERE ((private_to IS NULL) AND (contact_id IS NOT NULL));
CREATE INDEX email_thread_links_of_team_by_customer ON email_thread_links USING btree (workspace_id, customer_id, last_message_at, thread_id) WHERE ((private_to IS NULL) AND (customer_id IS NOT NULL));
CREATE INDEX email_thread_links_of_team_by_deal ON email_thread_links USING btree (workspace_id, deal_id, last_message_at, thread_id) WHERE ((private_to IS NULL) AND (deal_id IS NOT NULL));
CREATE INDEX email_thread_links_own_by_contact ON email_thread_links USING btree (workspace_id, private_to, contact_id, last_message_at, thread_id) WHERE ((private_to IS NOT NULL) AND (contact_id IS NOT NULL));
CREATE INDEX email_thread_links_own_by_customer ON email_thread_links USING btree (workspace_id, private_to, customer_id, last_message_at, thread_id) WHERE ((private_to IS NOT NULL) AND (customer_id IS NOT NULL));
CREATE INDEX email_thread_links_own_by_deal ON email_thread_links USING btree (workspace_id, private_to, deal_id, last_message_at, thread_id) WHERE ((private_to IS NOT NULL) AND (deal_id IS NOT NULL));
ALTER TABLE email_thread_links ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE email_thread_links TO app;

CREATE TABLE email_threads (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    subject text NOT NULL,
    search_text text GENERATED ALWAYS AS (search_form(subject)) STORED NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'active'::text NOT NULL,
    is_read boolean DEFAULT true NOT NULL,
    direction text NOT NULL,
    snippet text DEFAULT ''::text NOT NULL,
    message_count integer DEFAULT 0 NOT NULL,
    last_message_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    contact_id uuid,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    private_to uuid,
    outside_thread_id text
);
ALTER TABLE ONLY email_threads ALTER COLUMN workspace_id SET (n_distinct=1);
ALTER TABLE ONLY email_threads ALTER COLUMN private_to SET (n_distinct=4);

ALTER TABLE ONLY email_threads FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY email_threads ADD CONSTRAINT email_threads_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX email_threads_by_contact ON email_threads USING btree (workspace_id, contact_id);
CREATE INDEX email_threads_by_created ON email_threads USING btree (workspace_id, created_at, id, last_message_at);
CREATE INDEX email_threads_by_direction ON email_threads USING btree (workspace_id, direction, last_message_at, id);
CREATE INDEX email_threads_by_last_message ON email_threads USING btree (workspace_id, last_message_at, id, created_at);
CREATE INDEX email_threads_by_outside ON email_threads USING btree (workspace_id, private_to, outside_thread_id) WHERE (private_to IS NOT NULL);
CREATE INDEX email_threads_by_read ON email_threads USING btree (workspace_id, is_read, last_message_at, id);
CREATE INDEX email_threads_by_status ON email_threads USING btree (workspace_id, status, last_message_at, id);
CREATE INDEX email_threads_by_updated ON email_threads USING btree (workspace_id, updated_at, id);
CREATE INDEX email_threads_by_words ON email_threads USING gin (((workspace_id)::text), ((' '::text || search_text)) gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX email_threads_of_team ON email_threads USING btree (workspace_id, last_message_at, id) WHERE (private_to IS NULL);
CREATE INDEX email_threads_of_team_by_direction ON email_threads USING btree (workspace_id, direction, last_message_at, id) WHERE (private_to IS NULL);
CREATE INDEX email_threads_of_team_by_read ON email_threads USING btree (workspace_id, is_read, last_message_at, id) WHERE (private_to IS NULL);
CREATE INDEX email_threads_of_team_by_status ON email_threads USING btree (workspace_id, status, last_message_at, id) WHERE (private_to IS NULL);
CREATE INDEX email_threads_own ON email_threads USING btree (workspace_id, private_to, last_message_at, id) WHERE (private_to IS NOT NULL);
CREATE INDEX email_threads_own_by_direction ON email_threads USING btree (workspace_id, private_to, direction, last_message_at, id) WHERE (private_to IS NOT NULL);
CREATE INDEX email_threads_own_by_read ON email_threads USING btree (workspace_id, private_to, is_read, last_message_at, id) WHERE (private_to IS NOT NULL);
CREATE INDEX email_threads_own_by_status ON email_threads USING btree (workspace_id, private_to, status, last_message_at, id) WHERE (private_to IS NOT NULL);
ALTER TABLE email_threads ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE email_threads TO app;

CREATE TABLE employers (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    contact_id uuid NOT NULL,
    customer_id uuid NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY employers ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY employers FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY employers ADD CONSTRAINT employers_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX employers_by_customer ON employers USING btree (workspace_id, customer_id, id, contact_id);
CREATE UNIQUE INDEX employers_pair_key ON employers USING btree (workspace_id, contact_id, customer_id);
ALTER TABLE employers ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE employers TO app;

CREATE TABLE exchange_rates (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    base_currency text NOT NULL,
    quote_currency text NOT NULL,
    rate numeric(20,10) NOT NULL,
    effective_on date NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY exchange_rates ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY exchange_rates FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY exchange_rates ADD CONSTRAINT exchange_rates_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX exchange_rates_by_base ON exchange_rates USING btree (workspace_id, base_currency, created_at, id);
CREATE INDEX exchange_rates_by_created ON exchange_rates USING btree (workspace_id, created_at, id);
CREATE INDEX exchange_rates_by_date ON exchange_rates USING btree (workspace_id, effective_on, id);
CREATE INDEX exchange_rates_by_quote ON exchange_rates USING btree (workspace_id, quote_currency, created_at, id);
CREATE INDEX exchange_rates_by_updated ON exchange_rates USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX exchange_rates_date_key ON exchange_rates USING btree (workspace_id, base_currency, quote_currency, effective_on);
ALTER TABLE exchange_rates ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE exchange_rates TO app;

CREATE TABLE feed_followers (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    follower text NOT NULL,
    xid xid8 NOT NULL,
    event_id uuid NOT NULL
);
ALTER TABLE ONLY feed_followers ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY feed_followers FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY feed_followers ADD CONSTRAINT feed_followers_workspace_id_follower_pk PRIMARY KEY (workspace_id, follower);
ALTER TABLE feed_followers ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE feed_followers TO app;

CREATE TABLE followers (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    contact_id uuid,
    customer_id uuid,
    opportunity_id uuid,
    user_id uuid NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT one_record CHECK ((num_nonnulls(contact_id, customer_id, opportunity_id) = 1))
);
ALTER TABLE ONLY followers ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY followers FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY followers ADD CONSTRAINT followers_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX followers_by_contact ON followers USING btree (workspace_id, contact_id, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX followers_by_customer ON followers USING btree (workspace_id, customer_id, id) WHERE (customer_id IS NOT NULL);
CREATE INDEX followers_by_opportunity ON followers USING btree (workspace_id, opportunity_id, id) WHERE (opportunity_id IS NOT NULL);
CREATE UNIQUE INDEX followers_contact_key ON followers USING btree (workspace_id, contact_id, user_id) WHERE (contact_id IS NOT NULL);
CREATE INDEX followers_contacts_by_user ON followers USING btree (workspace_id, user_id, contact_id) WHERE (contact_id IS NOT NULL);
CREATE UNIQUE INDEX followers_customer_key ON followers USING btree (workspace_id, customer_id, user_id) WHERE (customer_id IS NOT NULL);
CREATE INDEX followers_customers_by_user ON followers USING btree (workspace_id, user_id, customer_id) WHERE (customer_id IS NOT NULL);
CREATE INDEX followers_opportunities_by_user ON followers USING btree (workspace_id, user_id, opportunity_id) WHERE (opportunity_id IS NOT NULL);
CREATE UNIQUE INDEX followers_opportunity_key ON followers USING btree (workspace_id, opportunity_id, user_id) WHERE (opportunity_id IS NOT NULL);
ALTER TABLE followers ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE followers TO app;

CREATE TABLE grant_requests (
    workspace_id uuid DEFAULT current_workspace() CONSTRAINT calendar_grant_requests_workspace_id_not_null NOT NULL,
    id uuid DEFAULT uuidv7() CONSTRAINT calendar_grant_requests_id_not_null NOT NULL,
    user_id uuid CONSTRAINT calendar_grant_requests_user_id_not_null NOT NULL,
    provider text CONSTRAINT calendar_grant_requests_provider_not_null NOT NULL,
    state_hash bytea CONSTRAINT calendar_grant_requests_state_hash_not_null NOT NULL,
    sealed_verifier text CONSTRAINT calendar_grant_requests_sealed_verifier_not_null NOT NULL,
    expires_at timestamp(3) with time zone CONSTRAINT calendar_grant_requests_expires_at_not_null NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() CONSTRAINT calendar_grant_requests_created_at_not_null NOT NULL,
    purpose text DEFAULT 'calendars'::text NOT NULL
);
ALTER TABLE ONLY grant_requests ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY grant_requests FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY grant_requests ADD CONSTRAINT grant_requests_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX grant_requests_by_expiry ON grant_requests USING btree (expires_at, id);
CREATE UNIQUE INDEX grant_requests_state_key ON grant_requests USING btree (state_hash);
ALTER TABLE grant_requests ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE grant_requests TO app;

CREATE TABLE holiday_calendars (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    holidays jsonb DEFAULT '[]'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY holiday_calendars ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY holiday_calendars FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY holiday_calendars ADD CONSTRAINT holiday_calendars_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX holiday_calendars_by_created ON holiday_calendars USING btree (workspace_id, created_at, id);
CREATE INDEX holiday_calendars_by_updated ON holiday_calendars USING btree (workspace_id, updated_at, id);
ALTER TABLE holiday_calendars ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE holiday_calendars TO app;

CREATE TABLE host_claims (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    host_id uuid NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    booking_id uuid,
    session_id uuid,
    hold_id uuid,
    expires_at timestamp(3) with time zone,
    during tstzrange GENERATED ALWAYS AS (tstzrange(starts_at, ends_at)) STORED NOT NULL,
    CONSTRAINT host_claims_of CHECK ((num_nonnulls(booking_id, session_id, hold_id) = 1)),
    CONSTRAINT host_claims_range CHECK (((starts_at < ends_at) AND (ends_at <= (starts_at + '24:00:00'::interval))))
);
ALTER TABLE ONLY host_claims ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY host_claims FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY host_claims ADD CONSTRAINT host_claims_apart EXCLUDE USING gist (workspace_id WITH =, host_id WITH =, during WITH &&);
ALTER TABLE ONLY host_claims ADD CONSTRAINT host_claims_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX host_claims_by_booking ON host_claims USING btree (workspace_id, booking_id) WHERE (booking_id IS NOT NULL);
CREATE INDEX host_claims_by_hold ON host_claims USING btree (workspace_id, hold_id) WHERE (hold_id IS NOT NULL);
CREATE INDEX host_claims_by_host ON host_claims USING btree (workspace_id, host_id, ends_at, starts_at);
CREATE INDEX host_claims_by_session ON host_claims USING btree (workspace_id, session_id) WHERE (session_id IS NOT NULL);
ALTER TABLE host_claims ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE host_claims TO app;

CREATE TABLE host_shares (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    event_type_id uuid NOT NULL,
    host_id uuid NOT NULL,
    booked integer NOT NULL,
    last_booked_at timestamp(3) with time zone
);
ALTER TABLE ONLY host_shares ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY host_shares FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY host_shares ADD CONSTRAINT host_shares_workspace_id_host_id_event_type_id_pk PRIMARY KEY (workspace_id, host_id, event_type_id);
CREATE INDEX host_shares_by_event_type ON host_shares USING btree (workspace_id, event_type_id, host_id);
ALTER TABLE host_shares ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE host_shares TO app;

CREATE TABLE idempotency (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    key_id uuid NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    outcome jsonb,
    at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY idempotency ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY idempotency FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY idempotency ADD CONSTRAINT idempotency_workspace_id_key_id_key_pk PRIMARY KEY (workspace_id, key_id, key);
CREATE INDEX idempotency_by_age ON idempotency USING btree (at);
CREATE INDEX idempotency_by_mention ON idempotency USING gin (mention_keys(COALESCE((outcome)::text, ''::text))) WITH (gin_pending_list_limit='256');
ALTER TABLE idempotency ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE idempotency TO app;

CREATE TABLE import_files (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    import_id uuid NOT NULL,
    encoding text NOT NULL,
    delimiter text NOT NULL,
    has_header boolean NOT NULL,
    columns jsonb NOT NULL,
    suggestions jsonb NOT NULL,
    preview jsonb NOT NULL,
    total integer NOT NULL,
    first_byte integer NOT NULL,
    first_line integer NOT NULL,
    phase text,
    next_byte integer NOT NULL,
    next_line integer NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    created integer DEFAULT 0 NOT NULL,
    updated integer DEFAULT 0 NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    removed integer DEFAULT 0 NOT NULL,
    restored integer DEFAULT 0 NOT NULL,
    kept integer DEFAULT 0 NOT NULL,
    undo_before uuid,
    touched_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    format text,
    type text DEFAULT 'csv'::text NOT NULL,
    warned integer DEFAULT 0 NOT NULL,
    previewed jsonb DEFAULT '[]'::jsonb NOT NULL,
    stored_size integer DEFAULT 0 NOT NULL,
    sheet text,
    sheets jsonb DEFAULT '[]'::jsonb NOT NULL
);
ALTER TABLE ONLY import_files ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY import_files FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY import_files ADD CONSTRAINT import_files_workspace_id_import_id_pk PRIMARY KEY (workspace_id, import_id);
CREATE INDEX import_files_by_mention ON import_files USING gin (mention_keys((((((columns)::text || ' '::text) || (suggestions)::text) || ' '::text) || (preview)::text))) WITH (gin_pending_list_limit='256');
ALTER TABLE import_files ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE import_files TO app;

CREATE TABLE import_rows (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    import_id uuid NOT NULL,
    line integer NOT NULL,
    status text NOT NULL,
    record_id uuid,
    errors jsonb DEFAULT '[]'::jsonb NOT NULL,
    "values" jsonb,
    undone text,
    undo_reason text,
    has_warnings boolean DEFAULT false NOT NULL
);
ALTER TABLE ONLY import_rows ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY import_rows FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY import_rows ADD CONSTRAINT import_rows_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX import_rows_by_mention ON import_rows USING gin (mention_keys((((errors)::text || ' '::text) || COALESCE(("values")::text, ''::text)))) WITH (gin_pending_list_limit='256') WHERE (("values" IS NOT NULL) OR (errors <> '[]'::jsonb));
CREATE INDEX import_rows_by_record ON import_rows USING btree (workspace_id, record_id) WHERE (record_id IS NOT NULL);
CREATE INDEX import_rows_by_status ON import_rows USING btree (workspace_id, import_id, status, line, id);
CREATE INDEX import_rows_by_undone ON import_rows USING btree (workspace_id, import_id, undone, line, id) WHERE (undone IS NOT NULL);
CREATE INDEX import_rows_by_warnings ON import_rows USING btree (workspace_id, import_id, line, id) WHERE has_warnings;
CREATE UNIQUE INDEX import_rows_line_key ON import_rows USING btree (workspace_id, import_id, line);
ALTER TABLE import_rows ENABLE ROW LEVEL SECURITY;
GRANT SELECT,DELETE ON TABLE import_rows TO app;

CREATE TABLE imports (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    state text DEFAULT 'ready'::text NOT NULL,
    object text NOT NULL,
    file_name text NOT NULL,
    size integer NOT NULL,
    sha256 text NOT NULL,
    mapping jsonb NOT NULL,
    mode text DEFAULT 'create'::text NOT NULL,
    match_by text,
    defaults jsonb DEFAULT '{}'::jsonb NOT NULL,
    date_format text NOT NULL,
    country text,
    clear_empty boolean DEFAULT false NOT NULL,
    skip_automations boolean DEFAULT false NOT NULL,
    reason text,
    created_by uuid DEFAULT current_user_id(),
    run_key_id uuid,
    undo_id uuid,
    started_at timestamp(3) with time zone,
    finished_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ignored_columns jsonb DEFAULT '[]'::jsonb NOT NULL,
    replacements jsonb DEFAULT '[]'::jsonb NOT NULL,
    external_id_prefix text,
    unknown_companies text DEFAULT 'create'::text NOT NULL,
    unknown_lead_sources text DEFAULT 'report'::text NOT NULL,
    unknown_owners text DEFAULT 'report'::text NOT NULL,
    run_automations boolean,
    unknown_contacts text DEFAULT 'fail'::text NOT NULL,
    unknown_opportunities text DEFAULT 'fail'::text NOT NULL,
    run_approval_id uuid,
    list_id uuid
);
ALTER TABLE ONLY imports ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY imports FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY imports ADD CONSTRAINT imports_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX imports_active ON imports USING btree (id) WHERE (state = ANY (ARRAY['checking'::text, 'running'::text, 'undoing'::text]));
CREATE INDEX imports_by_created ON imports USING btree (workspace_id, created_at, id);
CREATE INDEX imports_by_digest ON imports USING btree (workspace_id, sha256, started_at);
CREATE INDEX imports_by_list ON imports USING btree (workspace_id, list_id) WHERE (list_id IS NOT NULL);
CREATE INDEX imports_by_object ON imports USING btree (workspace_id, object, created_at, id);
CREATE INDEX imports_by_state ON imports USING btree (workspace_id, state, created_at, id);
CREATE INDEX imports_by_updated ON imports USING btree (workspace_id, updated_at, id);
ALTER TABLE imports ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE imports TO app;

CREATE TABLE inbound_emails (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    provider_message_id text NOT NULL,
    state text DEFAULT 'received'::text NOT NULL,
    error text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ended_at timestamp(3) with time zone
);
ALTER TABLE ONLY inbound_emails ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY inbound_emails FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY inbound_emails ADD CONSTRAINT inbound_emails_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX inbound_emails_by_age ON inbound_emails USING brin (id) WITH (pages_per_range='16', autosummarize='true');
CREATE UNIQUE INDEX inbound_emails_key ON inbound_emails USING btree (workspace_id, provider_message_id);
CREATE INDEX inbound_emails_waiting ON inbound_emails USING btree (created_at) WHERE (state = 'received'::text);
ALTER TABLE inbound_emails ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE inbound_emails TO app;

CREATE TABLE incoming_requests (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    webhook_id uuid NOT NULL,
    message_id text,
    payload jsonb,
    state text DEFAULT 'received'::text NOT NULL,
    result_id uuid,
    error_code text,
    error_message text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ended_at timestamp(3) with time zone
);
ALTER TABLE ONLY incoming_requests ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY incoming_requests FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY incoming_requests ADD CONSTRAINT incoming_requests_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX incoming_requests_by_age ON incoming_requests USING brin (id) WITH (pages_per_range='16', autosummarize='true');
CREATE INDEX incoming_requests_by_mention ON incoming_requests USING gin (mention_keys(COALESCE((payload)::text, ''::text))) WITH (gin_pending_list_limit='256');
CREATE INDEX incoming_requests_by_webhook ON incoming_requests USING btree (workspace_id, webhook_id, created_at, id);
CREATE UNIQUE INDEX incoming_requests_message_key ON incoming_requests USING btree (workspace_id, webhook_id, message_id);
CREATE INDEX incoming_requests_samples ON incoming_requests USING btree (workspace_id, webhook_id, id) WHERE ((payload IS NOT NULL) AND (state <> 'received'::text));
CREATE INDEX incoming_requests_waiting ON incoming_requests USING btree (created_at) WHERE (state = 'received'::text);
ALTER TABLE incoming_requests ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE incoming_requests TO app;

CREATE TABLE incoming_webhooks (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    description text,
    action text NOT NULL,
    automation_id uuid,
    mapping jsonb DEFAULT '{}'::jsonb NOT NULL,
    match_on text[],
    id_path text,
    signature_header text,
    signature_encoding text DEFAULT 'hex'::text NOT NULL,
    signature_secret text,
    status text DEFAULT 'enabled'::text NOT NULL,
    key_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY incoming_webhooks ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY incoming_webhooks FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY incoming_webhooks ADD CONSTRAINT incoming_webhooks_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX incoming_webhooks_by_automation ON incoming_webhooks USING btree (workspace_id, automation_id);
CREATE INDEX incoming_webhooks_by_created ON incoming_webhooks USING btree (workspace_id, created_at, id);
CREATE INDEX incoming_webhooks_by_updated ON incoming_webhooks USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX incoming_webhooks_token ON incoming_webhooks USING btree (token_hash);
ALTER TABLE incoming_webhooks ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE incoming_webhooks TO app;

CREATE TABLE invitation_counts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    day date NOT NULL,
    sent integer NOT NULL
);
ALTER TABLE ONLY invitation_counts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY invitation_counts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY invitation_counts ADD CONSTRAINT invitation_counts_workspace_id_pk PRIMARY KEY (workspace_id);
ALTER TABLE invitation_counts ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE invitation_counts TO app;

CREATE TABLE invitations (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    user_id uuid NOT NULL,
    invited_by uuid,
    expires_at timestamp(3) with time zone DEFAULT (now() + '7 days'::interval) NOT NULL,
    status text DEFAULT 'waiting'::text NOT NULL,
    token_hash bytea,
    attempt_id uuid,
    attempted_at timestamp(3) with time zone,
    sent_at timestamp(3) with time zone,
    message_id text,
    error text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY invitations ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY invitations FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY invitations ADD CONSTRAINT invitations_workspace_id_user_id_pk PRIMARY KEY (workspace_id, user_id);
CREATE UNIQUE INDEX invitations_token_key ON invitations USING btree (token_hash);
ALTER TABLE invitations ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE invitations TO app;

CREATE TABLE invoices (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    invoice_number text NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    customer_id uuid,
    opportunity_id uuid,
    currency text DEFAULT 'AUD'::text NOT NULL,
    total numeric(14,2) DEFAULT 0 NOT NULL,
    amount_paid numeric(14,2) DEFAULT 0 NOT NULL,
    amount_due numeric(14,2) GENERATED ALWAYS AS ((total - amount_paid)) STORED NOT NULL,
    issue_date date,
    due_date date,
    notes text,
    external_id text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY invoices ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY invoices FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY invoices ADD CONSTRAINT invoices_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX invoices_by_created ON invoices USING btree (workspace_id, created_at, id);
CREATE INDEX invoices_by_customer ON invoices USING btree (workspace_id, customer_id, created_at, id);
CREATE INDEX invoices_by_number ON invoices USING btree (workspace_id, invoice_number, id);
CREATE INDEX invoices_by_opportunity ON invoices USING btree (workspace_id, opportunity_id, created_at, id);
CREATE INDEX invoices_by_status ON invoices USING btree (workspace_id, status, created_at, id);
CREATE INDEX invoices_by_updated ON invoices USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX invoices_external_id_key ON invoices USING btree (workspace_id, external_id);
CREATE UNIQUE INDEX invoices_number_key ON invoices USING btree (workspace_id, invoice_number);
ALTER TABLE invoices ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE invoices TO app;

CREATE TABLE lead_sources (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED COLLATE pg_catalog."C",
    is_active boolean DEFAULT true NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY lead_sources ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY lead_sources FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY lead_sources ADD CONSTRAINT lead_sources_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX lead_sources_by_created ON lead_sources USING btree (workspace_id, created_at, id);
CREATE INDEX lead_sources_by_updated ON lead_sources USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX lead_sources_name_key ON lead_sources USING btree (workspace_id, name_norm);
ALTER TABLE lead_sources ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE lead_sources TO app;

CREATE TABLE list_members (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    list_id uuid NOT NULL,
    contact_id uuid,
    customer_id uuid,
    opportunity_id uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT one_record CHECK ((num_nonnulls(contact_id, customer_id, opportunity_id) = 1))
);
ALTER TABLE ONLY list_members ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY list_members FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY list_members ADD CONSTRAINT list_members_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX list_members_by_list ON list_members USING btree (workspace_id, list_id, contact_id, customer_id, opportunity_id);
CREATE UNIQUE INDEX list_members_contact_key ON list_members USING btree (workspace_id, contact_id, list_id) WHERE (contact_id IS NOT NULL);
CREATE UNIQUE INDEX list_members_customer_key ON list_members USING btree (workspace_id, customer_id, list_id) WHERE (customer_id IS NOT NULL);
CREATE UNIQUE INDEX list_members_opportunity_key ON list_members USING btree (workspace_id, opportunity_id, list_id) WHERE (opportunity_id IS NOT NULL);
ALTER TABLE list_members ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE list_members TO app;

CREATE TABLE list_touches (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    object text NOT NULL,
    record_id uuid NOT NULL,
    origin text NOT NULL
);
ALTER TABLE ONLY list_touches ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY list_touches FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY list_touches ADD CONSTRAINT list_touches_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
ALTER TABLE list_touches ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE list_touches TO app;

CREATE TABLE lists (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED COLLATE pg_catalog."C",
    description text,
    object text NOT NULL,
    kind text NOT NULL,
    filter jsonb,
    search text,
    visibility text DEFAULT 'private'::text NOT NULL,
    owner_id uuid,
    name_scope uuid GENERATED ALWAYS AS (
CASE visibility
    WHEN 'shared'::text THEN '00000000-0000-0000-0000-000000000000'::uuid
    ELSE COALESCE(owner_id, id)
END) STORED NOT NULL,
    archived boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    tracks_membership boolean DEFAULT false NOT NULL,
    tracked_since timestamp(3) with time zone,
    tracking_error text,
    CONSTRAINT lists_kind CHECK (
CASE kind
    WHEN 'static'::text THEN (num_nonnulls(filter, search) = 0)
    ELSE (num_nonnulls(filter, search) > 0)
END)
);
ALTER TABLE ONLY lists ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY lists FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY lists ADD CONSTRAINT lists_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX lists_by_created ON lists USING btree (workspace_id, archived, created_at, id);
CREATE INDEX lists_by_name ON lists USING btree (workspace_id, archived, name_norm, id);
CREATE INDEX lists_by_updated ON lists USING btree (workspace_id, archived, updated_at, id);
CREATE INDEX lists_live ON lists USING btree (workspace_id, object, created_at, id) WHERE ((kind = 'live'::text) AND (NOT archived));
CREATE UNIQUE INDEX lists_name_key ON lists USING btree (workspace_id, object, name_scope, name_norm);
CREATE INDEX lists_tracked ON lists USING btree (workspace_id, id) WHERE tracks_membership;
ALTER TABLE lists ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE lists TO app;

CREATE TABLE mailboxes (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    user_id uuid NOT NULL,
    provider text NOT NULL,
    account_id text NOT NULL,
    account_email text NOT NULL,
    status text DEFAULT 'connected'::text NOT NULL,
    error text,
    aliases jsonb DEFAULT '[]'::jsonb NOT NULL,
    sender_email text,
    cursor text,
    synced_at timestamp(3) with time zone,
    sync_error text,
    due_at timestamp(3) with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    claim_id uuid,
    claimed_until timestamp(3) with time zone,
    watch_expires_at timestamp(3) with time zone,
    watch_due_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY mailboxes ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY mailboxes FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY mailboxes ADD CONSTRAINT mailboxes_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX mailboxes_by_account ON mailboxes USING btree (provider, account_email);
CREATE INDEX mailboxes_by_account_id ON mailboxes USING btree (provider, account_id);
CREATE INDEX mailboxes_by_created ON mailboxes USING btree (workspace_id, created_at, id);
CREATE INDEX mailboxes_by_updated ON mailboxes USING btree (workspace_id, updated_at, id);
CREATE INDEX mailboxes_due ON mailboxes USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX mailboxes_user_key ON mailboxes USING btree (workspace_id, user_id);
ALTER TABLE mailboxes ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE mailboxes TO app;

CREATE TABLE member_connections (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    user_id uuid NOT NULL,
    platform_type text NOT NULL,
    platform_account_name text NOT NULL,
    status text DEFAULT 'connected'::text NOT NULL,
    calendar_synced boolean DEFAULT false NOT NULL,
    mailbox_aliases jsonb DEFAULT '[]'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY member_connections ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY member_connections FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY member_connections ADD CONSTRAINT member_connections_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX member_connections_by_mention ON member_connections USING gin (mention_keys((((user_id)::text || ' '::text) || (mailbox_aliases)::text))) WITH (gin_pending_list_limit='256');
CREATE INDEX member_connections_by_user ON member_connections USING btree (workspace_id, user_id, id);
ALTER TABLE member_connections ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE member_connections TO app;

CREATE TABLE memberships (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    user_id uuid NOT NULL,
    role text DEFAULT 'client_editor'::text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    phone text,
    job_title text,
    department text,
    office text,
    manager_user_id uuid,
    default_pipeline_id uuid,
    joined_at timestamp(3) with time zone DEFAULT now(),
    invite_name text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT manager_user_id CHECK ((manager_user_id <> user_id))
);
ALTER TABLE ONLY memberships ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY memberships FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY memberships ADD CONSTRAINT memberships_workspace_id_user_id_pk PRIMARY KEY (workspace_id, user_id);
CREATE INDEX memberships_by_created ON memberships USING btree (workspace_id, created_at, user_id);
CREATE INDEX memberships_by_default_pipeline ON memberships USING btree (workspace_id, default_pipeline_id) WHERE (default_pipeline_id IS NOT NULL);
CREATE INDEX memberships_by_manager ON memberships USING btree (workspace_id, manager_user_id) WHERE (manager_user_id IS NOT NULL);
CREATE INDEX memberships_by_role ON memberships USING btree (workspace_id, role, created_at, user_id);
CREATE INDEX memberships_by_updated ON memberships USING btree (workspace_id, updated_at, user_id);
CREATE INDEX memberships_by_user ON memberships USING btree (user_id);
ALTER TABLE memberships ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE memberships TO app;

CREATE TABLE merge_entries (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    merge_id uuid NOT NULL,
    table_name text NOT NULL,
    row_id uuid NOT NULL,
    action text CONSTRAINT merge_entries_fate_not_null NOT NULL,
    category text,
    place integer NOT NULL,
    survivor uuid,
    before jsonb NOT NULL,
    after jsonb NOT NULL,
    outcome text
);
ALTER TABLE ONLY merge_entries ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY merge_entries FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY merge_entries ADD CONSTRAINT merge_entries_workspace_id_merge_id_table_name_row_id_pk PRIMARY KEY (workspace_id, merge_id, table_name, row_id);
CREATE INDEX merge_entries_by_loser ON merge_entries USING btree (workspace_id, row_id) WHERE (action = 'merged'::text);
CREATE INDEX merge_entries_by_mention ON merge_entries USING gin (mention_keys((((((((row_id)::text || ' '::text) || COALESCE((survivor)::text, ''::text)) || ' '::text) || (before)::text) || ' '::text) || (after)::text))) WITH (gin_pending_list_limit='256');
ALTER TABLE merge_entries ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE merge_entries TO app;

CREATE TABLE merges (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    entity text NOT NULL,
    winner_id uuid NOT NULL,
    losers jsonb DEFAULT '[]'::jsonb NOT NULL,
    moved jsonb DEFAULT '{}'::jsonb NOT NULL,
    dropped jsonb DEFAULT '{}'::jsonb NOT NULL,
    left_behind jsonb DEFAULT '{}'::jsonb NOT NULL,
    forced_categories text[] DEFAULT '{}'::text[] NOT NULL,
    field_changes jsonb DEFAULT '{}'::jsonb NOT NULL,
    request_id text,
    merged_by uuid,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    undone boolean DEFAULT false NOT NULL,
    undoable boolean DEFAULT true NOT NULL,
    undone_at timestamp(3) with time zone,
    undone_by uuid,
    changed_since jsonb DEFAULT '[]'::jsonb NOT NULL
);
ALTER TABLE ONLY merges ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY merges FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY merges ADD CONSTRAINT merges_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX merges_by_created ON merges USING btree (workspace_id, entity, created_at, id);
CREATE INDEX merges_by_undone ON merges USING btree (workspace_id, entity, undone, created_at, id);
CREATE INDEX merges_by_winner ON merges USING btree (workspace_id, winner_id, created_at, id);
CREATE INDEX merges_undoable ON merges USING btree (created_at) WHERE undoable;
ALTER TABLE merges ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE merges TO app;

CREATE TABLE message_media (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    sms_message_id uuid,
    whatsapp_message_id uuid,
    rank integer DEFAULT 0 NOT NULL,
    status text DEFAULT 'waiting'::text NOT NULL,
    source text DEFAULT ''::text NOT NULL,
    source_id uuid,
    name text,
    content_type text,
    size integer,
    error text,
    due_at timestamp(3) with time zone DEFAULT now(),
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT message_media_of_one CHECK ((num_nonnulls(sms_message_id, whatsapp_message_id) = 1))
);
ALTER TABLE ONLY message_media ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY message_media FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY message_media ADD CONSTRAINT message_media_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX message_media_by_sms ON message_media USING btree (workspace_id, sms_message_id, rank, id) WHERE (sms_message_id IS NOT NULL);
CREATE INDEX message_media_by_source ON message_media USING btree (workspace_id, source_id) WHERE (source_id IS NOT NULL);
CREATE INDEX message_media_by_whatsapp ON message_media USING btree (workspace_id, whatsapp_message_id, rank, id) WHERE (whatsapp_message_id IS NOT NULL);
CREATE INDEX message_media_due ON message_media USING btree (due_at, workspace_id) WHERE (due_at IS NOT NULL);
CREATE INDEX message_media_due_of ON message_media USING btree (workspace_id, due_at, id) WHERE (due_at IS NOT NULL);
ALTER TABLE message_media ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE message_media TO app;

CREATE TABLE messages (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    channel text NOT NULL,
    purpose text NOT NULL,
    contact_id uuid,
    recipient text NOT NULL,
    subject text,
    body_text text NOT NULL,
    body_html text,
    dedupe_key text NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone DEFAULT now(),
    expires_at timestamp(3) with time zone,
    provider_message_id text,
    error text,
    sent_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    provider text,
    sender_email text,
    sender_name text,
    sender_user_id uuid,
    reply_to text,
    cc text[] DEFAULT '{}'::text[] NOT NULL,
    bcc text[] DEFAULT '{}'::text[] NOT NULL,
    thread_id uuid,
    deal_id uuid,
    customer_id uuid,
    sender_phone text,
    segments integer,
    credits integer DEFAULT 0 NOT NULL,
    delivery_status text,
    private_to uuid,
    outside_account_id text
);
ALTER TABLE ONLY messages ALTER COLUMN workspace_id SET (n_distinct=1);
ALTER TABLE ONLY messages ALTER COLUMN private_to SET (n_distinct=4);

ALTER TABLE ONLY messages FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY messages ADD CONSTRAINT messages_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX messages_by_channel ON messages USING btree (workspace_id, channel, created_at, id);
CREATE INDEX messages_by_contact ON messages USING btree (workspace_id, contact_id, created_at, id);
CREATE INDEX messages_by_created ON messages USING btree (workspace_id, created_at, id);
CREATE INDEX messages_by_customer ON messages USING btree (workspace_id, customer_id) WHERE (customer_id IS NOT NULL);
CREATE INDEX messages_by_deal ON messages USING btree (workspace_id, deal_id, created_at, id) WHERE (deal_id IS NOT NULL);
CREATE INDEX messages_by_provider ON messages USING btree (workspace_id, provider, created_at, id) WHERE (provider IS NOT NULL);
CREATE INDEX messages_by_provider_id ON messages USING btree (workspace_id, provider_message_id) WHERE (provider = 'gmail'::text);
CREATE INDEX messages_by_purpose ON messages USING btree (workspace_id, purpose, created_at, id);
CREATE INDEX messages_by_status ON messages USING btree (workspace_id, status, created_at, id);
CREATE INDEX messages_by_thread ON messages USING btree (workspace_id, thread_id) WHERE (thread_id IS NOT NULL);
CREATE INDEX messages_by_updated ON messages USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX messages_dedupe_key ON messages USING btree (workspace_id, dedupe_key);
CREATE INDEX messages_due ON messages USING btree (workspace_id, due_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX messages_due_by_sender ON messages USING btree (workspace_id, sender_user_id) WHERE ((provider = 'gmail'::text) AND (due_at IS NOT NULL));
CREATE INDEX messages_of_team ON messages USING btree (workspace_id, created_at, id) WHERE ((private_to IS NULL) AND (channel = 'email'::text));
CREATE INDEX messages_of_team_by_status ON messages USING btree (workspace_id, status, created_at, id) WHERE ((private_to IS NULL) AND (channel = 'email'::text));
CREATE INDEX messages_own ON messages USING btree (workspace_id, private_to, created_at, id) WHERE ((private_to IS NOT NULL) AND (channel = 'email'::text));
CREATE INDEX messages_own_by_status ON messages USING btree (workspace_id, private_to, status, created_at, id) WHERE ((private_to IS NOT NULL) AND (channel = 'email'::text));
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE messages TO app;

CREATE TABLE notetakers (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    booking_id uuid,
    state text DEFAULT 'requested'::text NOT NULL,
    meeting_url text NOT NULL,
    join_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    limit_minutes integer NOT NULL,
    stop_requested_at timestamp(3) with time zone,
    recording_started_at timestamp(3) with time zone,
    recording_ended_at timestamp(3) with time zone,
    recorded_minutes integer DEFAULT 0 NOT NULL,
    credits integer DEFAULT 0 NOT NULL,
    credits_charged integer DEFAULT 0 NOT NULL,
    transcript_status text DEFAULT 'none'::text NOT NULL,
    error text,
    bot_id text,
    bot_join_at timestamp(3) with time zone,
    bot_meeting_url text,
    bot_requested_at timestamp(3) with time zone,
    is_bot_gone boolean DEFAULT false NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone DEFAULT now(),
    claim_id uuid,
    claimed_until timestamp(3) with time zone,
    webhook_ids text[] DEFAULT '{}'::text[] NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT notetakers_charged CHECK (((credits_charged >= 0) AND (credits_charged <= credits)))
);
ALTER TABLE ONLY notetakers ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY notetakers FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY notetakers ADD CONSTRAINT notetakers_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX notetakers_booking_key ON notetakers USING btree (workspace_id, booking_id) WHERE (state <> ALL (ARRAY['failed'::text, 'cancelled'::text]));
CREATE INDEX notetakers_by_booking ON notetakers USING btree (workspace_id, booking_id, id);
CREATE INDEX notetakers_due ON notetakers USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX notetakers_unpaid ON notetakers USING btree (workspace_id, id) WHERE (credits_charged < credits);
ALTER TABLE notetakers ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE notetakers TO app;

CREATE TABLE opportunities (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    search_text text GENERATED ALWAYS AS (search_form((name || COALESCE((' '::text || external_id), ''::text)))) STORED NOT NULL COLLATE pg_catalog."C",
    description text,
    value numeric(14,2) DEFAULT 0 NOT NULL,
    value_minor bigint GENERATED ALWAYS AS (((value * (100)::numeric))::bigint) STORED NOT NULL,
    currency text DEFAULT 'AUD'::text NOT NULL,
    pipeline_id uuid,
    stage_id uuid,
    stage_entered_at timestamp(3) with time zone,
    status text DEFAULT 'open'::text NOT NULL,
    probability numeric(5,2) DEFAULT 0 NOT NULL,
    assigned_to uuid,
    customer_id uuid,
    opportunity_type text,
    lead_source text,
    lost_reasons text[],
    won_reasons text[],
    tags jsonb DEFAULT '[]'::jsonb NOT NULL,
    notes text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    opened_at timestamp(3) with time zone DEFAULT now(),
    expected_close_date date,
    closed_at timestamp(3) with time zone,
    next_action_type text,
    next_action_note text,
    next_action_at timestamp(3) with time zone,
    external_id text,
    archived boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    value_source text DEFAULT 'manual'::text NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.1');
ALTER TABLE ONLY opportunities ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY opportunities FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY opportunities ADD CONSTRAINT opportunities_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX opportunities_by_created ON opportunities USING btree (workspace_id, archived, created_at, id) INCLUDE (search_text);
CREATE INDEX opportunities_by_customer ON opportunities USING btree (workspace_id, customer_id, archived, created_at, id);
CREATE INDEX opportunities_by_expected_close ON opportunities USING btree (workspace_id, archived, (
CASE
    WHEN (expected_close_date IS NULL) THEN 'infinity'::date
    ELSE expected_close_date
END), id, created_at);
CREATE INDEX opportunities_by_lead_source ON opportunities USING btree (workspace_id, lead_source, archived, created_at, id);
CREATE INDEX opportunities_by_lexeme ON opportunities USING gin (lexemes_of(workspace_id, name_norm, external_id)) WITH (fastupdate=off);
CREATE INDEX opportunities_by_lost_reason ON opportunities USING gin (workspace_id, lower_all(lost_reasons)) WITH (fastupdate=off) WHERE (lost_reasons IS NOT NULL);
CREATE INDEX opportunities_by_name ON opportunities USING btree (workspace_id, archived, name_norm, id);
CREATE INDEX opportunities_by_owner ON opportunities USING btree (workspace_id, assigned_to, archived, created_at, id);
CREATE INDEX opportunities_by_pipeline ON opportunities USING btree (workspace_id, pipeline_id, archived, created_at, id);
CREATE INDEX opportunities_by_stage ON opportunities USING btree (workspace_id, stage_id, archived, created_at, id);
CREATE INDEX opportunities_by_stage_and_owner ON opportunities USING btree (workspace_id, stage_id, assigned_to, created_at, id) WHERE ((NOT archived) AND (assigned_to IS NOT NULL));
CREATE INDEX opportunities_by_stage_entered ON opportunities USING btree (workspace_id, archived, (
CASE
    WHEN (stage_entered_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE stage_entered_at
END), id);
CREATE INDEX opportunities_by_status ON opportunities USING btree (workspace_id, status, archived, created_at, id);
CREATE INDEX opportunities_by_tag ON opportunities USING gin (workspace_id, tag_names(tags)) WITH (fastupdate=off);
CREATE INDEX opportunities_by_term ON opportunities USING gin (terms_of(workspace_id, (((ARRAY[('description='::text || description), ('currency='::text || currency), ('status='::text || status), ('probability='::text || trim_scale(probability)), ('opportunity_type='::text || opportunity_type), ('lead_source='::text || lead_source), ('notes='::text || notes), ('expected_close_date='::text || (expected_close_date - '1970-01-01'::date)), ('next_action_type='::text || next_action_type), ('next_action_note='::text || next_action_note),
CASE
    WHEN archived THEN 'archived=true'::text
    ELSE NULL::text
END] || list_entries('lost_reasons'::text, lost_reasons)) || list_entries('won_reasons'::text, won_reasons)) || list_entries('tags'::text, tag_names(tags))), metadata)) WITH (gin_pending_list_limit='512');
CREATE INDEX opportunities_by_type ON opportunities USING btree (workspace_id, opportunity_type, archived, created_at, id);
CREATE INDEX opportunities_by_updated ON opportunities USING btree (workspace_id, archived, updated_at, id) INCLUDE (search_text);
CREATE INDEX opportunities_by_value ON opportunities USING btree (workspace_id, archived, value_minor, id);
CREATE INDEX opportunities_by_won_reason ON opportunities USING gin (workspace_id, lower_all(won_reasons)) WITH (fastupdate=off) WHERE (won_reasons IS NOT NULL);
CREATE INDEX opportunities_by_words ON opportunities USING gin (((workspace_id)::text), ((' '::text || search_text)) gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE UNIQUE INDEX opportunities_external_id_key ON opportunities USING btree (workspace_id, external_id);
CREATE INDEX opportunities_in_order_of_owner ON opportunities USING btree (workspace_id, archived, (
CASE
    WHEN (assigned_to IS NULL) THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    ELSE assigned_to
END), id);
ALTER TABLE opportunities ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE opportunities TO app;

CREATE TABLE opportunity_buckets (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    opportunity_id uuid NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY opportunity_buckets ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY opportunity_buckets FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY opportunity_buckets ADD CONSTRAINT opportunity_buckets_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX opportunity_buckets_by_position ON opportunity_buckets USING btree (workspace_id, opportunity_id, "position", id);
CREATE UNIQUE INDEX opportunity_buckets_name_key ON opportunity_buckets USING btree (workspace_id, opportunity_id, name_norm);
CREATE UNIQUE INDEX opportunity_buckets_pair_key ON opportunity_buckets USING btree (workspace_id, opportunity_id, id);
ALTER TABLE opportunity_buckets ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE opportunity_buckets TO app;

CREATE TABLE opportunity_contacts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    opportunity_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    role text,
    is_primary boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY opportunity_contacts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY opportunity_contacts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY opportunity_contacts ADD CONSTRAINT opportunity_contacts_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX opportunity_contacts_by_contact ON opportunity_contacts USING btree (workspace_id, contact_id, opportunity_id);
CREATE UNIQUE INDEX opportunity_contacts_one_primary ON opportunity_contacts USING btree (workspace_id, opportunity_id) WHERE is_primary;
CREATE UNIQUE INDEX opportunity_contacts_pair_key ON opportunity_contacts USING btree (workspace_id, opportunity_id, contact_id);
ALTER TABLE opportunity_contacts ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE opportunity_contacts TO app;

CREATE TABLE opportunity_deltas (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    pipeline_id uuid NOT NULL,
    stage_id uuid NOT NULL,
    currency text NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    assigned_to uuid,
    archived boolean NOT NULL,
    created_on date NOT NULL,
    opened_on date,
    closed_on date,
    count integer NOT NULL,
    without_company integer NOT NULL,
    value numeric(30,2) NOT NULL,
    weighted_value numeric(30,2) NOT NULL,
    won_ms bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
ALTER TABLE ONLY opportunity_deltas ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY opportunity_deltas FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY opportunity_deltas ADD CONSTRAINT opportunity_deltas_workspace_id_pipeline_id_id_pk PRIMARY KEY (workspace_id, pipeline_id, id);
ALTER TABLE opportunity_deltas ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE opportunity_deltas TO app;

CREATE TABLE opportunity_periods (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    pipeline_id uuid NOT NULL,
    stage_id uuid NOT NULL,
    currency text NOT NULL,
    assigned_to uuid,
    date_field text NOT NULL,
    period text NOT NULL,
    starts_on date NOT NULL,
    count bigint NOT NULL,
    without_company bigint NOT NULL,
    value numeric(30,2) NOT NULL,
    weighted_value numeric(30,2) NOT NULL,
    won_ms bigint NOT NULL
)
WITH (fillfactor='80');
ALTER TABLE ONLY opportunity_periods ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY opportunity_periods FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY opportunity_periods ADD CONSTRAINT opportunity_periods_key UNIQUE NULLS NOT DISTINCT (workspace_id, pipeline_id, assigned_to, date_field, period, starts_on, stage_id, currency);
ALTER TABLE opportunity_periods ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE opportunity_periods TO app;

CREATE TABLE opportunity_products (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    opportunity_id uuid NOT NULL,
    product_id uuid,
    bucket_id uuid,
    name text NOT NULL,
    description text,
    quantity numeric(14,4) DEFAULT 1 NOT NULL,
    unit_price numeric(14,2) DEFAULT 0 NOT NULL,
    discount_percent numeric(5,2) DEFAULT 0 NOT NULL,
    tax_percent numeric(5,2) DEFAULT 0 NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    subtotal numeric(14,2) GENERATED ALWAYS AS (round((((quantity * unit_price) * ((100)::numeric - discount_percent)) / (100)::numeric), 2)) STORED NOT NULL,
    total numeric(14,2) GENERATED ALWAYS AS (round(((round((((quantity * unit_price) * ((100)::numeric - discount_percent)) / (100)::numeric), 2) * ((100)::numeric + tax_percent)) / (100)::numeric), 2)) STORED NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY opportunity_products ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY opportunity_products FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY opportunity_products ADD CONSTRAINT opportunity_products_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX opportunity_products_by_bucket ON opportunity_products USING btree (workspace_id, bucket_id);
CREATE INDEX opportunity_products_by_opportunity ON opportunity_products USING btree (workspace_id, opportunity_id, "position", id);
CREATE INDEX opportunity_products_by_product ON opportunity_products USING btree (workspace_id, product_id);
CREATE UNIQUE INDEX opportunity_products_pair_key ON opportunity_products USING btree (workspace_id, opportunity_id, id);
ALTER TABLE opportunity_products ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE opportunity_products TO app;

CREATE TABLE opportunity_totals (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    pipeline_id uuid NOT NULL,
    stage_id uuid NOT NULL,
    currency text NOT NULL,
    assigned_to uuid,
    archived boolean NOT NULL,
    count bigint NOT NULL,
    without_company bigint NOT NULL,
    value numeric(30,2) NOT NULL,
    weighted_value numeric(30,2) NOT NULL,
    won_ms bigint NOT NULL
)
WITH (fillfactor='70');
ALTER TABLE ONLY opportunity_totals ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY opportunity_totals FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY opportunity_totals ADD CONSTRAINT opportunity_totals_key UNIQUE NULLS NOT DISTINCT (workspace_id, pipeline_id, assigned_to, archived, stage_id, currency);
ALTER TABLE opportunity_totals ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE opportunity_totals TO app;

CREATE TABLE opportunity_users (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    opportunity_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY opportunity_users ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY opportunity_users FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY opportunity_users ADD CONSTRAINT opportunity_users_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX opportunity_users_by_user ON opportunity_users USING btree (workspace_id, user_id, opportunity_id);
CREATE UNIQUE INDEX opportunity_users_pair_key ON opportunity_users USING btree (workspace_id, opportunity_id, user_id);
ALTER TABLE opportunity_users ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE opportunity_users TO app;

CREATE TABLE outbox (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    type text NOT NULL,
    entity text NOT NULL,
    entity_id uuid NOT NULL,
    payload jsonb NOT NULL,
    skip_automations boolean DEFAULT false NOT NULL,
    request_id text,
    key_id uuid,
    user_id uuid,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    claimed_at timestamp(3) with time zone,
    delivered_at timestamp(3) with time zone,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    cause_type text,
    cause_id uuid,
    depth smallint DEFAULT 0 NOT NULL,
    xid xid8 DEFAULT event_position() NOT NULL,
    needs_delivery boolean DEFAULT false NOT NULL,
    private_to uuid
)
PARTITION BY RANGE (id);
ALTER TABLE ONLY outbox ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY outbox FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY outbox ADD CONSTRAINT outbox_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX outbox_by_entity ON ONLY outbox USING btree (workspace_id, entity_id, id);
CREATE INDEX outbox_by_request ON ONLY outbox USING btree (workspace_id, request_id, id);
CREATE INDEX outbox_by_transaction ON ONLY outbox USING btree (workspace_id, xid, id);
CREATE INDEX outbox_by_type ON ONLY outbox USING btree (workspace_id, type, id);
CREATE INDEX outbox_undelivered ON ONLY outbox USING btree (workspace_id, id) WHERE (needs_delivery AND (delivered_at IS NULL));
ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE outbox TO app;

CREATE TABLE outbox_open (
    workspace_id uuid DEFAULT current_workspace() CONSTRAINT outbox_workspace_id_not_null NOT NULL,
    id uuid DEFAULT uuidv7() CONSTRAINT outbox_id_not_null NOT NULL,
    type text CONSTRAINT outbox_type_not_null NOT NULL,
    entity text CONSTRAINT outbox_entity_not_null NOT NULL,
    entity_id uuid CONSTRAINT outbox_entity_id_not_null NOT NULL,
    payload jsonb CONSTRAINT outbox_payload_not_null NOT NULL,
    skip_automations boolean DEFAULT false CONSTRAINT outbox_skip_automations_not_null NOT NULL,
    request_id text,
    key_id uuid,
    user_id uuid,
    attempts integer DEFAULT 0 CONSTRAINT outbox_attempts_not_null NOT NULL,
    last_error text,
    claimed_at timestamp(3) with time zone,
    delivered_at timestamp(3) with time zone,
    at timestamp(3) with time zone DEFAULT now() CONSTRAINT outbox_at_not_null NOT NULL,
    cause_type text,
    cause_id uuid,
    depth smallint DEFAULT 0 CONSTRAINT outbox_depth_not_null NOT NULL,
    xid xid8 DEFAULT event_position() CONSTRAINT outbox_xid_not_null NOT NULL,
    needs_delivery boolean DEFAULT false CONSTRAINT outbox_needs_delivery_not_null NOT NULL,
    private_to uuid
);
ALTER TABLE ONLY outbox_open ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY outbox_open FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY outbox_open ADD CONSTRAINT outbox_open_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX outbox_open_workspace_id_entity_id_id_idx ON outbox_open USING btree (workspace_id, entity_id, id);
CREATE INDEX outbox_open_workspace_id_id_idx ON outbox_open USING btree (workspace_id, id) WHERE (needs_delivery AND (delivered_at IS NULL));
CREATE INDEX outbox_open_workspace_id_request_id_id_idx ON outbox_open USING btree (workspace_id, request_id, id);
CREATE INDEX outbox_open_workspace_id_type_id_idx ON outbox_open USING btree (workspace_id, type, id);
CREATE INDEX outbox_open_workspace_id_xid_id_idx ON outbox_open USING btree (workspace_id, xid, id);
ALTER TABLE outbox_open ENABLE ROW LEVEL SECURITY;

CREATE TABLE outbox_past (
    workspace_id uuid DEFAULT current_workspace() CONSTRAINT outbox_workspace_id_not_null NOT NULL,
    id uuid DEFAULT uuidv7() CONSTRAINT outbox_id_not_null NOT NULL,
    type text CONSTRAINT outbox_type_not_null NOT NULL,
    entity text CONSTRAINT outbox_entity_not_null NOT NULL,
    entity_id uuid CONSTRAINT outbox_entity_id_not_null NOT NULL,
    payload jsonb CONSTRAINT outbox_payload_not_null NOT NULL,
    skip_automations boolean DEFAULT false CONSTRAINT outbox_skip_automations_not_null NOT NULL,
    request_id text,
    key_id uuid,
    user_id uuid,
    attempts integer DEFAULT 0 CONSTRAINT outbox_attempts_not_null NOT NULL,
    last_error text,
    claimed_at timestamp(3) with time zone,
    delivered_at timestamp(3) with time zone,
    at timestamp(3) with time zone DEFAULT now() CONSTRAINT outbox_at_not_null NOT NULL,
    cause_type text,
    cause_id uuid,
    depth smallint DEFAULT 0 CONSTRAINT outbox_depth_not_null NOT NULL,
    xid xid8 DEFAULT event_position() CONSTRAINT outbox_xid_not_null NOT NULL,
    needs_delivery boolean DEFAULT false CONSTRAINT outbox_needs_delivery_not_null NOT NULL,
    private_to uuid
);
ALTER TABLE ONLY outbox_past ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY outbox_past FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY outbox_past ADD CONSTRAINT outbox_workspace_id_id_pk_past PRIMARY KEY (workspace_id, id);
CREATE INDEX outbox_by_entity_past ON outbox_past USING btree (workspace_id, entity_id, id);
CREATE INDEX outbox_by_request_past ON outbox_past USING btree (workspace_id, request_id, id);
CREATE INDEX outbox_by_transaction_past ON outbox_past USING btree (workspace_id, xid, id);
CREATE INDEX outbox_by_type_past ON outbox_past USING btree (workspace_id, type, id);
CREATE INDEX outbox_undelivered_past ON outbox_past USING btree (workspace_id, id) WHERE (needs_delivery AND (delivered_at IS NULL));
ALTER TABLE outbox_past ENABLE ROW LEVEL SECURITY;

CREATE TABLE outgoing_requests (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    method text NOT NULL,
    url text NOT NULL,
    headers jsonb NOT NULL,
    body text,
    webhook_id uuid,
    dedupe_key text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    due_at timestamp(3) with time zone DEFAULT now(),
    claim_id uuid,
    attempts integer DEFAULT 0 NOT NULL,
    response jsonb,
    error jsonb,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ended_at timestamp(3) with time zone
);
ALTER TABLE ONLY outgoing_requests ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY outgoing_requests FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY outgoing_requests ADD CONSTRAINT outgoing_requests_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX outgoing_requests_by_age ON outgoing_requests USING brin (id) WITH (pages_per_range='16', autosummarize='true');
CREATE INDEX outgoing_requests_by_created ON outgoing_requests USING btree (workspace_id, created_at, id);
CREATE INDEX outgoing_requests_by_mention ON outgoing_requests USING gin (mention_keys((((((headers)::text || ' '::text) || COALESCE((response)::text, ''::text)) || ' '::text) || COALESCE((error)::text, ''::text)))) WITH (gin_pending_list_limit='256');
CREATE INDEX outgoing_requests_by_state ON outgoing_requests USING btree (workspace_id, state, created_at, id);
CREATE UNIQUE INDEX outgoing_requests_dedupe_key ON outgoing_requests USING btree (workspace_id, dedupe_key);
CREATE INDEX outgoing_requests_due ON outgoing_requests USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX outgoing_requests_of_workspace_due ON outgoing_requests USING btree (workspace_id, due_at, id) WHERE (due_at IS NOT NULL);
ALTER TABLE outgoing_requests ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT ON TABLE outgoing_requests TO app;

CREATE TABLE phone_addresses (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    customer_name text NOT NULL,
    street text NOT NULL,
    street_secondary text,
    city text NOT NULL,
    region text NOT NULL,
    postal_code text NOT NULL,
    country text NOT NULL,
    status text DEFAULT 'creating'::text NOT NULL,
    provider_id text,
    validated boolean DEFAULT false NOT NULL,
    due_at timestamp(3) with time zone,
    attempts integer DEFAULT 1 NOT NULL,
    error text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY phone_addresses ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY phone_addresses FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY phone_addresses ADD CONSTRAINT phone_addresses_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX phone_addresses_by_created ON phone_addresses USING btree (workspace_id, created_at, id);
CREATE INDEX phone_addresses_by_updated ON phone_addresses USING btree (workspace_id, updated_at, id);
CREATE INDEX phone_addresses_due ON phone_addresses USING btree (workspace_id, due_at) WHERE (due_at IS NOT NULL);
ALTER TABLE phone_addresses ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE phone_addresses TO app;

CREATE TABLE phone_bundles (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    friendly_name text NOT NULL,
    email text NOT NULL,
    country text NOT NULL,
    number_type text NOT NULL,
    end_user_type text NOT NULL,
    status text DEFAULT 'creating'::text NOT NULL,
    provider_id text,
    items jsonb,
    submitted_at timestamp(3) with time zone,
    failure_reason text,
    due_at timestamp(3) with time zone,
    attempts integer DEFAULT 1 NOT NULL,
    error text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    address_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL
);
ALTER TABLE ONLY phone_bundles ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY phone_bundles FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY phone_bundles ADD CONSTRAINT phone_bundles_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX phone_bundles_by_address ON phone_bundles USING gin (address_ids) WITH (fastupdate='false');
CREATE INDEX phone_bundles_by_created ON phone_bundles USING btree (workspace_id, created_at, id);
CREATE INDEX phone_bundles_by_updated ON phone_bundles USING btree (workspace_id, updated_at, id);
CREATE INDEX phone_bundles_due ON phone_bundles USING btree (workspace_id, due_at) WHERE (due_at IS NOT NULL);
ALTER TABLE phone_bundles ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE phone_bundles TO app;

CREATE TABLE phone_numbers (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    phone_number text NOT NULL,
    friendly_name text NOT NULL,
    status text NOT NULL,
    provider_id text,
    sms_enabled boolean DEFAULT false NOT NULL,
    mms_enabled boolean DEFAULT false NOT NULL,
    voice_enabled boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    transfer_number text,
    inbound_voice_agent_config_id uuid,
    outbound_voice_agent_config_id uuid,
    voice_provider_last_synced_at timestamp(3) with time zone,
    voice_provider_last_sync_error text,
    voice_sync_due_at timestamp(3) with time zone,
    voice_sync_attempts integer DEFAULT 0 NOT NULL,
    voice_sync_turn integer DEFAULT 0 NOT NULL
);
ALTER TABLE ONLY phone_numbers ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY phone_numbers FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY phone_numbers ADD CONSTRAINT phone_numbers_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX phone_numbers_by_created ON phone_numbers USING btree (workspace_id, created_at, id);
CREATE INDEX phone_numbers_by_inbound_agent ON phone_numbers USING btree (workspace_id, inbound_voice_agent_config_id);
CREATE INDEX phone_numbers_by_outbound_agent ON phone_numbers USING btree (workspace_id, outbound_voice_agent_config_id);
CREATE INDEX phone_numbers_by_updated ON phone_numbers USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX phone_numbers_number_key ON phone_numbers USING btree (phone_number);
CREATE INDEX phone_numbers_sync_due ON phone_numbers USING btree (workspace_id, voice_sync_due_at) WHERE (voice_sync_due_at IS NOT NULL);
ALTER TABLE phone_numbers ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE phone_numbers TO app;

CREATE TABLE pipelines (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    description text,
    is_default boolean DEFAULT false NOT NULL,
    archived boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY pipelines ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY pipelines FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY pipelines ADD CONSTRAINT pipelines_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX pipelines_by_created ON pipelines USING btree (workspace_id, archived, created_at, id);
CREATE UNIQUE INDEX pipelines_name_key ON pipelines USING btree (workspace_id, name_norm);
CREATE UNIQUE INDEX pipelines_one_default ON pipelines USING btree (workspace_id) WHERE is_default;
ALTER TABLE pipelines ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pipelines TO app;

CREATE TABLE product_costs (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    opportunity_id uuid NOT NULL,
    line_item_id uuid NOT NULL,
    description text,
    supplier_name text,
    quantity numeric(14,4) DEFAULT 1 NOT NULL,
    unit_cost numeric(14,2) NOT NULL,
    cost numeric(14,2) GENERATED ALWAYS AS (round((quantity * unit_cost), 2)) STORED NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY product_costs ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY product_costs FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY product_costs ADD CONSTRAINT product_costs_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX product_costs_by_line_item ON product_costs USING btree (workspace_id, line_item_id, id);
CREATE INDEX product_costs_by_opportunity ON product_costs USING btree (workspace_id, opportunity_id, id);
ALTER TABLE product_costs ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE product_costs TO app;

CREATE TABLE products (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    search_text text GENERATED ALWAYS AS (search_form((name || COALESCE((' '::text || sku), ''::text)))) STORED NOT NULL COLLATE pg_catalog."C",
    sku text,
    category text,
    description text,
    price numeric(14,2) DEFAULT 0 NOT NULL,
    cost numeric(14,2),
    currency text DEFAULT 'AUD'::text NOT NULL,
    unit text,
    tax_percent numeric(5,2) DEFAULT 0 NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    external_id text,
    archived boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.1');
ALTER TABLE ONLY products ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY products FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY products ADD CONSTRAINT products_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX products_by_active ON products USING btree (workspace_id, is_active, archived, created_at, id);
CREATE INDEX products_by_category ON products USING btree (workspace_id, category, archived, created_at, id);
CREATE INDEX products_by_created ON products USING btree (workspace_id, archived, created_at, id) INCLUDE (search_text);
CREATE INDEX products_by_metadata ON products USING gin (terms_of(workspace_id, '{}'::text[], metadata)) WITH (fastupdate=off) WHERE (metadata <> '{}'::jsonb);
CREATE INDEX products_by_name ON products USING btree (workspace_id, archived, name_norm, id) INCLUDE (search_text);
CREATE INDEX products_by_updated ON products USING btree (workspace_id, archived, updated_at, id);
CREATE INDEX products_by_words ON products USING gin (((workspace_id)::text), ((' '::text || search_text)) gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE UNIQUE INDEX products_external_id_key ON products USING btree (workspace_id, external_id);
CREATE UNIQUE INDEX products_sku_key ON products USING btree (workspace_id, sku);
ALTER TABLE products ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE products TO app;

CREATE TABLE purged_records (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid NOT NULL,
    entity text NOT NULL,
    purged_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    purged_by uuid,
    key_id uuid,
    request_id text
);
ALTER TABLE ONLY purged_records ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY purged_records FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY purged_records ADD CONSTRAINT purged_records_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX purged_records_by_purged ON purged_records USING btree (workspace_id, entity, purged_at, id);
ALTER TABLE purged_records ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE purged_records TO app;

CREATE TABLE record_time_checks (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    sort text NOT NULL,
    record_id uuid NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
);
ALTER TABLE ONLY record_time_checks ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY record_time_checks FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY record_time_checks ADD CONSTRAINT record_time_checks_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX record_time_checks_by_xid ON record_time_checks USING btree (xid);
ALTER TABLE record_time_checks ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE record_time_checks TO app;

CREATE TABLE record_times (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    sort text NOT NULL,
    number double precision NOT NULL,
    record_id uuid NOT NULL
);
ALTER TABLE ONLY record_times ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY record_times FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY record_times ADD CONSTRAINT record_times_workspace_id_sort_number_record_id_pk PRIMARY KEY (workspace_id, sort, number, record_id);
CREATE INDEX record_times_by_record ON record_times USING btree (workspace_id, record_id, sort);
ALTER TABLE record_times ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE record_times TO app;

CREATE TABLE requests (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid NOT NULL,
    key_id uuid NOT NULL,
    user_id uuid NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    endpoint text,
    status smallint NOT NULL,
    outcome text NOT NULL,
    error_code text,
    error_message text,
    approval_id uuid,
    replay_of uuid,
    duration_ms integer,
    status_class smallint GENERATED ALWAYS AS (((status / 100))::smallint) STORED NOT NULL,
    at timestamp(3) with time zone GENERATED ALWAYS AS (uuid_extract_timestamp(id)),
    isolate text,
    sequence integer,
    more_ids uuid[],
    more_paths text[],
    more_durations integer[],
    more_sequences integer[],
    error_scopes text[]
)
PARTITION BY RANGE (id);
ALTER TABLE ONLY requests ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY requests FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY requests ADD CONSTRAINT requests_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX requests_by_endpoint ON ONLY requests USING btree (workspace_id, endpoint, id);
CREATE INDEX requests_by_key ON ONLY requests USING btree (workspace_id, key_id, id);
CREATE INDEX requests_by_status ON ONLY requests USING btree (workspace_id, status_class, id) WHERE (status_class <> 2);
ALTER TABLE requests ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE requests TO app;

CREATE TABLE requests_open (
    workspace_id uuid DEFAULT current_workspace() CONSTRAINT requests_workspace_id_not_null NOT NULL,
    id uuid CONSTRAINT requests_id_not_null NOT NULL,
    key_id uuid CONSTRAINT requests_key_id_not_null NOT NULL,
    user_id uuid CONSTRAINT requests_user_id_not_null NOT NULL,
    method text CONSTRAINT requests_method_not_null NOT NULL,
    path text CONSTRAINT requests_path_not_null NOT NULL,
    endpoint text,
    status smallint CONSTRAINT requests_status_not_null NOT NULL,
    outcome text CONSTRAINT requests_outcome_not_null NOT NULL,
    error_code text,
    error_message text,
    approval_id uuid,
    replay_of uuid,
    duration_ms integer,
    status_class smallint GENERATED ALWAYS AS (((status / 100))::smallint) STORED CONSTRAINT requests_status_class_not_null NOT NULL,
    at timestamp(3) with time zone GENERATED ALWAYS AS (uuid_extract_timestamp(id)),
    isolate text,
    sequence integer,
    more_ids uuid[],
    more_paths text[],
    more_durations integer[],
    more_sequences integer[],
    error_scopes text[]
);
ALTER TABLE ONLY requests_open ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY requests_open FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY requests_open ADD CONSTRAINT requests_open_pkey PRIMARY KEY (workspace_id, id);
CREATE INDEX requests_open_workspace_id_endpoint_id_idx ON requests_open USING btree (workspace_id, endpoint, id);
CREATE INDEX requests_open_workspace_id_key_id_id_idx ON requests_open USING btree (workspace_id, key_id, id);
CREATE INDEX requests_open_workspace_id_status_class_id_idx ON requests_open USING btree (workspace_id, status_class, id) WHERE (status_class <> 2);
ALTER TABLE requests_open ENABLE ROW LEVEL SECURITY;

CREATE TABLE requests_past (
    workspace_id uuid DEFAULT current_workspace() CONSTRAINT requests_workspace_id_not_null NOT NULL,
    id uuid CONSTRAINT requests_id_not_null NOT NULL,
    key_id uuid CONSTRAINT requests_key_id_not_null NOT NULL,
    user_id uuid CONSTRAINT requests_user_id_not_null NOT NULL,
    method text CONSTRAINT requests_method_not_null NOT NULL,
    path text CONSTRAINT requests_path_not_null NOT NULL,
    endpoint text,
    status smallint CONSTRAINT requests_status_not_null NOT NULL,
    outcome text CONSTRAINT requests_outcome_not_null NOT NULL,
    error_code text,
    error_message text,
    approval_id uuid,
    replay_of uuid,
    duration_ms integer,
    status_class smallint GENERATED ALWAYS AS (((status / 100))::smallint) STORED CONSTRAINT requests_status_class_not_null NOT NULL,
    at timestamp(3) with time zone GENERATED ALWAYS AS (uuid_extract_timestamp(id)),
    isolate text,
    sequence integer,
    more_ids uuid[],
    more_paths text[],
    more_durations integer[],
    more_sequences integer[],
    error_scopes text[]
);
ALTER TABLE ONLY requests_past ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY requests_past FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY requests_past ADD CONSTRAINT requests_workspace_id_id_pk_past PRIMARY KEY (workspace_id, id);
CREATE INDEX requests_by_endpoint_past ON requests_past USING btree (workspace_id, endpoint, id);
CREATE INDEX requests_by_key_past ON requests_past USING btree (workspace_id, key_id, id);
CREATE INDEX requests_by_status_past ON requests_past USING btree (workspace_id, status_class, id) WHERE (status_class <> 2);
ALTER TABLE requests_past ENABLE ROW LEVEL SECURITY;

CREATE TABLE roles (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    role_key text NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    description text,
    scopes text[] NOT NULL,
    can_write boolean DEFAULT true NOT NULL,
    built_in boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY roles ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY roles FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY roles ADD CONSTRAINT roles_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX roles_by_created ON roles USING btree (workspace_id, created_at, id);
CREATE INDEX roles_by_kind ON roles USING btree (workspace_id, built_in, created_at, id);
CREATE UNIQUE INDEX roles_key_key ON roles USING btree (workspace_id, role_key);
CREATE UNIQUE INDEX roles_name_key ON roles USING btree (workspace_id, name_norm);
ALTER TABLE roles ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE roles TO app;

CREATE TABLE schedule_runs (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    schedule_id uuid NOT NULL,
    due_at timestamp(3) with time zone,
    fired_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    settings jsonb NOT NULL,
    last_id uuid,
    audience_size integer DEFAULT 0 NOT NULL,
    runs_triggered integer DEFAULT 0 NOT NULL,
    runs_skipped integer DEFAULT 0 NOT NULL,
    runs_failed integer DEFAULT 0 NOT NULL,
    status text,
    error jsonb,
    touched_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ended_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ended CHECK (((status IS NULL) = (ended_at IS NULL)))
);
ALTER TABLE ONLY schedule_runs ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY schedule_runs FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY schedule_runs ADD CONSTRAINT schedule_runs_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX schedule_runs_by_age ON schedule_runs USING btree (fired_at);
CREATE INDEX schedule_runs_by_fired ON schedule_runs USING btree (workspace_id, schedule_id, fired_at, id);
CREATE INDEX schedule_runs_by_mention ON schedule_runs USING gin (mention_keys((((settings)::text || ' '::text) || COALESCE((error)::text, ''::text)))) WITH (gin_pending_list_limit='256');
CREATE UNIQUE INDEX schedule_runs_due_key ON schedule_runs USING btree (workspace_id, schedule_id, due_at);
CREATE INDEX schedule_runs_open ON schedule_runs USING btree (touched_at, workspace_id, id) WHERE (ended_at IS NULL);
ALTER TABLE schedule_runs ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE schedule_runs TO app;

CREATE TABLE schedule_skips (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    schedule_run_id uuid NOT NULL,
    record_id uuid NOT NULL,
    reason text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY schedule_skips ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY schedule_skips FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY schedule_skips ADD CONSTRAINT schedule_skips_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX schedule_skips_by_run ON schedule_skips USING btree (workspace_id, schedule_run_id, created_at, id);
ALTER TABLE schedule_skips ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE schedule_skips TO app;

CREATE TABLE scheduled_event_types (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL,
    description text,
    location text,
    meeting_link text,
    hosts jsonb DEFAULT '[]'::jsonb NOT NULL,
    assignment text DEFAULT 'round_robin'::text NOT NULL,
    duration_minutes integer DEFAULT 30 NOT NULL,
    other_durations integer[] DEFAULT '{}'::integer[] NOT NULL,
    step_minutes integer DEFAULT 30 NOT NULL,
    buffer_before_minutes integer DEFAULT 0 NOT NULL,
    buffer_after_minutes integer DEFAULT 0 NOT NULL,
    minimum_notice_minutes integer DEFAULT 0 NOT NULL,
    horizon_days integer DEFAULT 60 NOT NULL,
    seats integer DEFAULT 1 NOT NULL,
    max_per_day integer,
    max_per_week integer,
    max_per_month integer,
    locked_timezone text,
    requires_confirmation boolean DEFAULT false NOT NULL,
    pipeline_id uuid,
    reuse_open_opportunity boolean DEFAULT false NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    questions jsonb DEFAULT '[]'::jsonb NOT NULL,
    notices jsonb DEFAULT '[]'::jsonb NOT NULL,
    create_video_meeting boolean DEFAULT false NOT NULL,
    on_external_change text DEFAULT 'follow'::text NOT NULL,
    confirm_email boolean DEFAULT false NOT NULL,
    waiting_list boolean DEFAULT false NOT NULL,
    waiting_list_offer_minutes integer DEFAULT 120 NOT NULL
);
ALTER TABLE ONLY scheduled_event_types ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY scheduled_event_types FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY scheduled_event_types ADD CONSTRAINT scheduled_event_types_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX scheduled_event_types_by_active ON scheduled_event_types USING btree (workspace_id, is_active, created_at, id);
CREATE INDEX scheduled_event_types_by_created ON scheduled_event_types USING btree (workspace_id, created_at, id);
CREATE INDEX scheduled_event_types_by_pipeline ON scheduled_event_types USING btree (workspace_id, pipeline_id);
CREATE INDEX scheduled_event_types_by_updated ON scheduled_event_types USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX scheduled_event_types_name_key ON scheduled_event_types USING btree (workspace_id, name_norm);
CREATE UNIQUE INDEX scheduled_event_types_slug_key ON scheduled_event_types USING btree (workspace_id, slug);
ALTER TABLE scheduled_event_types ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE scheduled_event_types TO app;

CREATE TABLE search_words (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    word text NOT NULL COLLATE pg_catalog."C",
    typo_keys integer[] NOT NULL
);
ALTER TABLE ONLY search_words ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY search_words FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY search_words ADD CONSTRAINT search_words_workspace_id_word_pk PRIMARY KEY (workspace_id, word);
CREATE INDEX search_words_by_typo ON search_words USING gin (typo_keys) WITH (fastupdate='false');
ALTER TABLE search_words ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE search_words TO app;

CREATE TABLE seat_sessions (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    event_type_id uuid NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    host_ids uuid[] NOT NULL,
    capacity integer NOT NULL,
    taken integer NOT NULL,
    CONSTRAINT seat_sessions_taken CHECK (((taken >= 0) AND (taken <= capacity)))
);
ALTER TABLE ONLY seat_sessions ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY seat_sessions FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY seat_sessions ADD CONSTRAINT seat_sessions_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX seat_sessions_start_key ON seat_sessions USING btree (workspace_id, event_type_id, starts_at);
ALTER TABLE seat_sessions ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE seat_sessions TO app;

CREATE TABLE sms_consents (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    phone_number text NOT NULL,
    contact_id uuid,
    decision text NOT NULL,
    source text NOT NULL,
    evidence text,
    recorded_by uuid,
    occurred_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY sms_consents ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY sms_consents FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY sms_consents ADD CONSTRAINT sms_consents_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX sms_consents_by_contact ON sms_consents USING btree (workspace_id, contact_id, occurred_at, id);
CREATE INDEX sms_consents_by_decision ON sms_consents USING btree (workspace_id, decision, occurred_at, id);
CREATE INDEX sms_consents_by_number ON sms_consents USING btree (workspace_id, phone_number, occurred_at, id);
CREATE INDEX sms_consents_by_occurred ON sms_consents USING btree (workspace_id, occurred_at, id);
ALTER TABLE sms_consents ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE sms_consents TO app;

CREATE TABLE sms_conversations (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    phone_number text NOT NULL,
    external_phone_number text NOT NULL,
    contact_id uuid,
    unread boolean DEFAULT false NOT NULL,
    direction text NOT NULL,
    snippet text NOT NULL,
    message_count integer DEFAULT 1 NOT NULL,
    last_message_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY sms_conversations ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY sms_conversations FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY sms_conversations ADD CONSTRAINT sms_conversations_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX sms_conversations_by_contact ON sms_conversations USING btree (workspace_id, contact_id, last_message_at, id);
CREATE INDEX sms_conversations_by_external ON sms_conversations USING btree (workspace_id, external_phone_number, last_message_at, id);
CREATE INDEX sms_conversations_by_last_message ON sms_conversations USING btree (workspace_id, last_message_at, id);
CREATE INDEX sms_conversations_by_number ON sms_conversations USING btree (workspace_id, phone_number, last_message_at, id);
CREATE INDEX sms_conversations_by_unread ON sms_conversations USING btree (workspace_id, unread, last_message_at, id);
CREATE UNIQUE INDEX sms_conversations_key ON sms_conversations USING btree (workspace_id, external_phone_number, phone_number);
ALTER TABLE sms_conversations ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE sms_conversations TO app;

CREATE TABLE sms_messages (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    conversation_id uuid NOT NULL,
    direction text NOT NULL,
    message_id uuid,
    provider_message_id text,
    body text,
    media_count integer DEFAULT 0 NOT NULL,
    occurred_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    keyword text
);
ALTER TABLE ONLY sms_messages ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY sms_messages FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY sms_messages ADD CONSTRAINT sms_messages_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX sms_messages_by_conversation ON sms_messages USING btree (workspace_id, conversation_id, occurred_at, id);
CREATE INDEX sms_messages_by_message ON sms_messages USING btree (workspace_id, message_id);
CREATE UNIQUE INDEX sms_messages_provider_key ON sms_messages USING btree (workspace_id, provider_message_id);
ALTER TABLE sms_messages ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE sms_messages TO app;

CREATE TABLE stage_moves (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    opportunity_id uuid NOT NULL,
    from_pipeline_id uuid,
    from_stage_id uuid,
    from_stage_name text,
    to_pipeline_id uuid,
    to_stage_id uuid,
    to_stage_name text,
    seconds_in_stage bigint,
    moved_by uuid,
    moved_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY stage_moves ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY stage_moves FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY stage_moves ADD CONSTRAINT stage_moves_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX stage_moves_by_opportunity ON stage_moves USING btree (workspace_id, opportunity_id, id);
ALTER TABLE stage_moves ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stage_moves TO app;

CREATE TABLE stages (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    pipeline_id uuid NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    kind text DEFAULT 'open'::text NOT NULL,
    probability numeric(5,2) DEFAULT 0 NOT NULL,
    color text,
    "position" integer NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    required_fields text[] DEFAULT '{}'::text[] NOT NULL,
    rotting_days integer
);
ALTER TABLE ONLY stages ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY stages FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY stages ADD CONSTRAINT stages_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX stages_by_position ON stages USING btree (workspace_id, pipeline_id, "position", id);
CREATE UNIQUE INDEX stages_name_key ON stages USING btree (workspace_id, pipeline_id, name_norm);
ALTER TABLE stages ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stages TO app;

CREATE TABLE stakeholder_members (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    type_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY stakeholder_members ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY stakeholder_members FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY stakeholder_members ADD CONSTRAINT stakeholder_members_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX stakeholder_members_by_type ON stakeholder_members USING btree (workspace_id, type_id, id);
CREATE UNIQUE INDEX stakeholder_members_pair_key ON stakeholder_members USING btree (workspace_id, contact_id, type_id);
ALTER TABLE stakeholder_members ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stakeholder_members TO app;

CREATE TABLE stakeholder_types (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    name_norm text GENERATED ALWAYS AS (norm(name)) STORED NOT NULL COLLATE pg_catalog."C",
    colour text,
    portal_eligible boolean DEFAULT false NOT NULL,
    commission_eligible boolean DEFAULT false NOT NULL,
    assignable_to_work_orders boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY stakeholder_types ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY stakeholder_types FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY stakeholder_types ADD CONSTRAINT stakeholder_types_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX stakeholder_types_by_created ON stakeholder_types USING btree (workspace_id, created_at, id);
CREATE UNIQUE INDEX stakeholder_types_name_key ON stakeholder_types USING btree (workspace_id, name_norm);
ALTER TABLE stakeholder_types ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE stakeholder_types TO app;

CREATE TABLE stream_leases (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    key_id uuid NOT NULL,
    slot integer NOT NULL,
    stream_id uuid NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY stream_leases ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY stream_leases FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY stream_leases ADD CONSTRAINT stream_leases_workspace_id_key_id_slot_pk PRIMARY KEY (workspace_id, key_id, slot);
ALTER TABLE stream_leases ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE stream_leases TO app;

CREATE TABLE suppressions (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    channel text NOT NULL,
    address text NOT NULL,
    reason text NOT NULL,
    note text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY suppressions ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY suppressions FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY suppressions ADD CONSTRAINT suppressions_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX suppressions_address_key ON suppressions USING btree (workspace_id, channel, address);
CREATE INDEX suppressions_by_address ON suppressions USING btree (workspace_id, address, created_at, id);
CREATE INDEX suppressions_by_channel ON suppressions USING btree (workspace_id, channel, created_at, id);
CREATE INDEX suppressions_by_created ON suppressions USING btree (workspace_id, created_at, id);
CREATE INDEX suppressions_by_reason ON suppressions USING btree (workspace_id, reason, created_at, id);
CREATE INDEX suppressions_by_updated ON suppressions USING btree (workspace_id, updated_at, id);
ALTER TABLE suppressions ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE suppressions TO app;

CREATE TABLE task_stakeholders (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    task_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY task_stakeholders ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY task_stakeholders FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY task_stakeholders ADD CONSTRAINT task_stakeholders_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX task_stakeholders_by_task ON task_stakeholders USING btree (workspace_id, task_id, id);
CREATE UNIQUE INDEX task_stakeholders_pair_key ON task_stakeholders USING btree (workspace_id, contact_id, task_id);
ALTER TABLE task_stakeholders ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE task_stakeholders TO app;

CREATE TABLE tasks (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    title text NOT NULL,
    search_text text GENERATED ALWAYS AS (search_form((title || COALESCE((' '::text || external_id), ''::text)))) STORED NOT NULL COLLATE pg_catalog."C",
    description text,
    status text DEFAULT 'open'::text NOT NULL,
    priority text DEFAULT 'normal'::text NOT NULL,
    due_at timestamp(3) with time zone,
    all_day boolean DEFAULT false NOT NULL,
    completed_at timestamp(3) with time zone,
    assigned_to uuid,
    created_by uuid DEFAULT current_user_id(),
    contact_id uuid,
    customer_id uuid,
    opportunity_id uuid,
    external_id text,
    archived boolean DEFAULT false NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    task_type text DEFAULT 'to_do'::text NOT NULL,
    reminder_at timestamp(3) with time zone,
    reminded_at timestamp(3) with time zone,
    recurrence jsonb,
    series_id uuid,
    occurrence integer,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    series_values jsonb
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_vacuum_scale_factor='0.1');
ALTER TABLE ONLY tasks ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY tasks FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY tasks ADD CONSTRAINT tasks_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX tasks_by_assignee ON tasks USING btree (workspace_id, assigned_to, archived, created_at, id);
CREATE INDEX tasks_by_contact ON tasks USING btree (workspace_id, contact_id, archived, created_at, id);
CREATE INDEX tasks_by_created ON tasks USING btree (workspace_id, archived, created_at, id, (
CASE
    WHEN (due_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE due_at
END)) INCLUDE (search_text);
CREATE INDEX tasks_by_creator ON tasks USING btree (workspace_id, created_by, archived, created_at, id);
CREATE INDEX tasks_by_customer ON tasks USING btree (workspace_id, customer_id, archived, created_at, id);
CREATE INDEX tasks_by_due ON tasks USING btree (workspace_id, archived, (
CASE
    WHEN (due_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE due_at
END), id, created_at);
CREATE INDEX tasks_by_metadata ON tasks USING gin (terms_of(workspace_id, '{}'::text[], metadata)) WITH (fastupdate=off) WHERE (metadata <> '{}'::jsonb);
CREATE INDEX tasks_by_opportunity ON tasks USING btree (workspace_id, opportunity_id, created_at, id);
CREATE INDEX tasks_by_priority ON tasks USING btree (workspace_id, priority, archived, created_at, id);
CREATE INDEX tasks_by_rank ON tasks USING btree (workspace_id, archived, (
CASE priority
    WHEN 'low'::text THEN 1
    WHEN 'normal'::text THEN 2
    WHEN 'high'::text THEN 3
    ELSE 4
END), id, created_at, (
CASE
    WHEN (due_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE due_at
END));
CREATE INDEX tasks_by_series ON tasks USING btree (workspace_id, series_id, archived, created_at, id) WHERE (series_id IS NOT NULL);
CREATE INDEX tasks_by_status ON tasks USING btree (workspace_id, status, archived, created_at, id);
CREATE INDEX tasks_by_type ON tasks USING btree (workspace_id, task_type, archived, created_at, id);
CREATE INDEX tasks_by_updated ON tasks USING btree (workspace_id, archived, updated_at, id, (
CASE
    WHEN (due_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE due_at
END)) INCLUDE (search_text);
CREATE INDEX tasks_by_words ON tasks USING gin (((workspace_id)::text), ((' '::text || search_text)) gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE UNIQUE INDEX tasks_external_id_key ON tasks USING btree (workspace_id, external_id);
CREATE INDEX tasks_next_of_contact ON tasks USING btree (workspace_id, contact_id, due_at) WHERE ((status <> 'completed'::text) AND (NOT archived) AND (due_at IS NOT NULL) AND (contact_id IS NOT NULL));
CREATE INDEX tasks_next_of_customer ON tasks USING btree (workspace_id, customer_id, due_at) WHERE ((status <> 'completed'::text) AND (NOT archived) AND (due_at IS NOT NULL) AND (customer_id IS NOT NULL));
CREATE INDEX tasks_next_of_opportunity ON tasks USING btree (workspace_id, opportunity_id, due_at) WHERE ((status <> 'completed'::text) AND (NOT archived) AND (due_at IS NOT NULL) AND (opportunity_id IS NOT NULL));
CREATE INDEX tasks_reminders ON tasks USING btree (reminder_at, id) WHERE ((reminder_at IS NOT NULL) AND (reminded_at IS NULL) AND (status <> 'completed'::text) AND (NOT archived));
CREATE UNIQUE INDEX tasks_series_key ON tasks USING btree (workspace_id, series_id, occurrence) WHERE (series_id IS NOT NULL);
CREATE INDEX tasks_unfinished ON tasks USING btree (workspace_id, archived, (
CASE
    WHEN (due_at IS NULL) THEN 'infinity'::timestamp with time zone
    ELSE due_at
END), id, created_at) WHERE (status <> 'completed'::text);
ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tasks TO app;

CREATE TABLE time_off (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    user_id uuid,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    reason text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT time_off_range CHECK (((starts_at < ends_at) AND (ends_at <= (starts_at + '366 days'::interval))))
);
ALTER TABLE ONLY time_off ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY time_off FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY time_off ADD CONSTRAINT time_off_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX time_off_by_created ON time_off USING btree (workspace_id, created_at, id);
CREATE INDEX time_off_by_start ON time_off USING btree (workspace_id, starts_at, id);
CREATE INDEX time_off_by_updated ON time_off USING btree (workspace_id, updated_at, id);
CREATE INDEX time_off_by_user ON time_off USING btree (workspace_id, user_id, ends_at, id);
ALTER TABLE time_off ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE time_off TO app;

CREATE TABLE timeline_changes (
    workspace_id uuid DEFAULT current_workspace() CONSTRAINT opportunity_changes_workspace_id_not_null NOT NULL,
    record_id uuid CONSTRAINT opportunity_changes_opportunity_id_not_null NOT NULL,
    at timestamp(3) with time zone CONSTRAINT opportunity_changes_at_not_null NOT NULL,
    change_id uuid CONSTRAINT opportunity_changes_change_id_not_null NOT NULL
);
ALTER TABLE ONLY timeline_changes ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY timeline_changes FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY timeline_changes ADD CONSTRAINT timeline_changes_workspace_id_record_id_at_change_id_pk PRIMARY KEY (workspace_id, record_id, at, change_id);
CREATE INDEX timeline_changes_by_age ON timeline_changes USING brin (change_id) WITH (pages_per_range='16', autosummarize='on');
ALTER TABLE timeline_changes ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE timeline_changes TO app;

CREATE TABLE timeline_moves (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    record_id uuid NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    move_id uuid NOT NULL
);
ALTER TABLE ONLY timeline_moves ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY timeline_moves FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY timeline_moves ADD CONSTRAINT timeline_moves_workspace_id_record_id_at_move_id_pk PRIMARY KEY (workspace_id, record_id, at, move_id);
ALTER TABLE timeline_moves ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE timeline_moves TO app;

CREATE TABLE tracked_lists (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    list_id uuid NOT NULL,
    is_ready boolean DEFAULT false NOT NULL,
    members integer DEFAULT 0 NOT NULL,
    walk_from uuid,
    walk_origin text,
    walk_at timestamp(3) with time zone
);
ALTER TABLE ONLY tracked_lists ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY tracked_lists FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY tracked_lists ADD CONSTRAINT tracked_lists_workspace_id_list_id_pk PRIMARY KEY (workspace_id, list_id);
ALTER TABLE tracked_lists ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE tracked_lists TO app;

CREATE TABLE tracked_members (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    list_id uuid NOT NULL,
    record_id uuid NOT NULL
);
ALTER TABLE ONLY tracked_members ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY tracked_members FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY tracked_members ADD CONSTRAINT tracked_members_workspace_id_list_id_record_id_pk PRIMARY KEY (workspace_id, list_id, record_id);
ALTER TABLE tracked_members ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE tracked_members TO app;

CREATE TABLE unsubscribes (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    email text NOT NULL,
    contact_id uuid,
    campaign_id uuid,
    reason text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY unsubscribes ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY unsubscribes FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY unsubscribes ADD CONSTRAINT unsubscribes_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX unsubscribes_by_campaign ON unsubscribes USING btree (workspace_id, campaign_id, created_at, id);
CREATE INDEX unsubscribes_by_contact ON unsubscribes USING btree (workspace_id, contact_id);
CREATE INDEX unsubscribes_by_created ON unsubscribes USING btree (workspace_id, created_at, id);
CREATE INDEX unsubscribes_by_reason ON unsubscribes USING btree (workspace_id, reason, created_at, id);
CREATE UNIQUE INDEX unsubscribes_key ON unsubscribes USING btree (workspace_id, email, campaign_id, reason);
ALTER TABLE unsubscribes ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE unsubscribes TO app;

CREATE TABLE users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    full_name text,
    phone text,
    avatar_url text,
    job_title text,
    department text,
    status text DEFAULT 'active'::text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY users FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX users_email_key ON users USING btree (email);
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE users TO app;

CREATE TABLE voice_agent_configs (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    provider_agent_id text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY voice_agent_configs ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY voice_agent_configs FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY voice_agent_configs ADD CONSTRAINT voice_agent_configs_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX voice_agent_configs_by_created ON voice_agent_configs USING btree (workspace_id, created_at, id);
CREATE INDEX voice_agent_configs_by_updated ON voice_agent_configs USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX voice_agent_configs_provider_key ON voice_agent_configs USING btree (provider_agent_id);
ALTER TABLE voice_agent_configs ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE voice_agent_configs TO app;

CREATE TABLE voice_providers (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    provider text NOT NULL,
    sealed_secret text NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY voice_providers ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY voice_providers FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY voice_providers ADD CONSTRAINT voice_providers_workspace_id_provider_pk PRIMARY KEY (workspace_id, provider);
ALTER TABLE voice_providers ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE voice_providers TO app;

CREATE TABLE voice_results (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    call_key text NOT NULL,
    call_id text,
    booking_id uuid,
    outcome text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY voice_results ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY voice_results FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY voice_results ADD CONSTRAINT voice_results_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX voice_results_by_age ON voice_results USING btree (created_at, id);
CREATE INDEX voice_results_by_call ON voice_results USING btree (workspace_id, call_id, created_at, id) WHERE (call_id IS NOT NULL);
CREATE UNIQUE INDEX voice_results_key ON voice_results USING btree (workspace_id, call_key);
ALTER TABLE voice_results ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE voice_results TO app;

CREATE TABLE waiting_list_entries (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    event_type_id uuid NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    duration_minutes integer NOT NULL,
    timezone text NOT NULL,
    contact_id uuid NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    phone text,
    notes text,
    answers jsonb DEFAULT '[]'::jsonb NOT NULL,
    source text DEFAULT 'api'::text NOT NULL,
    offered_at timestamp(3) with time zone,
    offer_expires_at timestamp(3) with time zone,
    booking_id uuid,
    due_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY waiting_list_entries ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY waiting_list_entries FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY waiting_list_entries ADD CONSTRAINT waiting_list_entries_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX waiting_list_entries_by_booking ON waiting_list_entries USING btree (workspace_id, booking_id) WHERE (booking_id IS NOT NULL);
CREATE INDEX waiting_list_entries_by_contact ON waiting_list_entries USING btree (workspace_id, contact_id, starts_at, id);
CREATE INDEX waiting_list_entries_by_created ON waiting_list_entries USING btree (workspace_id, created_at, id);
CREATE INDEX waiting_list_entries_by_event_type ON waiting_list_entries USING btree (workspace_id, event_type_id, starts_at, id);
CREATE INDEX waiting_list_entries_by_start ON waiting_list_entries USING btree (workspace_id, starts_at, id);
CREATE INDEX waiting_list_entries_by_state ON waiting_list_entries USING btree (workspace_id, state, starts_at, id);
CREATE INDEX waiting_list_entries_by_updated ON waiting_list_entries USING btree (workspace_id, updated_at, id);
CREATE INDEX waiting_list_entries_due ON waiting_list_entries USING btree (due_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX waiting_list_entries_line ON waiting_list_entries USING btree (workspace_id, event_type_id, starts_at, created_at, id) WHERE (state = 'waiting'::text);
ALTER TABLE waiting_list_entries ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE waiting_list_entries TO app;

CREATE TABLE webhook_deliveries (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid,
    event_type text NOT NULL,
    record_id uuid,
    replay_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    due_at timestamp(3) with time zone,
    claim_id uuid,
    attempts integer DEFAULT 0 NOT NULL,
    log jsonb DEFAULT '[]'::jsonb NOT NULL,
    response jsonb,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ended_at timestamp(3) with time zone
);
ALTER TABLE ONLY webhook_deliveries ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY webhook_deliveries FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY webhook_deliveries ADD CONSTRAINT webhook_deliveries_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries USING brin (id) WITH (pages_per_range='16', autosummarize='true');
CREATE INDEX webhook_deliveries_by_mention ON webhook_deliveries USING gin (mention_keys((((log)::text || ' '::text) || COALESCE((response)::text, ''::text)))) WITH (gin_pending_list_limit='256');
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries USING btree (workspace_id, webhook_id, state, created_at, id);
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries USING btree (workspace_id, webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries USING btree (workspace_id, claim_id) WHERE (claim_id IS NOT NULL);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (workspace_id, webhook_id, due_at, id) WHERE (state = 'pending'::text);
CREATE UNIQUE INDEX webhook_deliveries_event_key ON webhook_deliveries USING btree (workspace_id, webhook_id, event_id, replay_id);
CREATE INDEX webhook_deliveries_of_record ON webhook_deliveries USING btree (workspace_id, webhook_id, record_id, id) WHERE (state = 'pending'::text);
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE webhook_deliveries TO app;

CREATE TABLE webhook_states (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    webhook_id uuid NOT NULL,
    due_at timestamp(3) with time zone,
    leased_until timestamp(3) with time zone,
    failing_since timestamp(3) with time zone,
    last_delivered_at timestamp(3) with time zone,
    last_failed_at timestamp(3) with time zone,
    since_xid xid8 NOT NULL,
    replay_id uuid,
    replay_xid xid8,
    replay_event_id uuid,
    replay_until_xid xid8,
    replay_until_id uuid,
    replayed integer DEFAULT 0 NOT NULL
);
ALTER TABLE ONLY webhook_states ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY webhook_states FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY webhook_states ADD CONSTRAINT webhook_states_workspace_id_webhook_id_pk PRIMARY KEY (workspace_id, webhook_id);
CREATE INDEX webhook_states_due ON webhook_states USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_states_replaying ON webhook_states USING btree (workspace_id, webhook_id) WHERE (replay_id IS NOT NULL);
ALTER TABLE webhook_states ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE webhook_states TO app;

CREATE TABLE webhooks (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    url text NOT NULL,
    description text,
    event_types text[] NOT NULL,
    filter jsonb,
    ordered boolean DEFAULT false NOT NULL,
    scopes text[],
    status text DEFAULT 'enabled'::text NOT NULL,
    disabled_reason text,
    disabled_at timestamp(3) with time zone,
    source text DEFAULT 'api'::text NOT NULL,
    key_id uuid NOT NULL,
    sealed_secret text NOT NULL,
    sealed_previous_secret text,
    previous_expires_at timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY webhooks ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY webhooks FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY webhooks ADD CONSTRAINT webhooks_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX webhooks_by_created ON webhooks USING btree (workspace_id, created_at, id);
CREATE INDEX webhooks_by_updated ON webhooks USING btree (workspace_id, updated_at, id);
CREATE INDEX webhooks_enabled ON webhooks USING btree (workspace_id, id) WHERE (status = 'enabled'::text);
ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE webhooks TO app;

CREATE TABLE whatsapp_conversations (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    external_phone_number text,
    lid text,
    name text,
    contact_id uuid,
    status text DEFAULT 'active'::text NOT NULL,
    unread boolean DEFAULT false NOT NULL,
    unread_count integer DEFAULT 0 NOT NULL,
    direction text,
    snippet text DEFAULT ''::text NOT NULL,
    message_count integer DEFAULT 0 NOT NULL,
    last_message_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY whatsapp_conversations ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY whatsapp_conversations FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY whatsapp_conversations ADD CONSTRAINT whatsapp_conversations_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX whatsapp_conversations_by_contact ON whatsapp_conversations USING btree (workspace_id, contact_id, last_message_at, id);
CREATE INDEX whatsapp_conversations_by_created ON whatsapp_conversations USING btree (workspace_id, created_at, id, last_message_at);
CREATE INDEX whatsapp_conversations_by_last_message ON whatsapp_conversations USING btree (workspace_id, last_message_at, id, created_at);
CREATE INDEX whatsapp_conversations_by_status ON whatsapp_conversations USING btree (workspace_id, status, last_message_at, id);
CREATE INDEX whatsapp_conversations_by_unread ON whatsapp_conversations USING btree (workspace_id, unread, last_message_at, id);
CREATE INDEX whatsapp_conversations_by_updated ON whatsapp_conversations USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX whatsapp_conversations_lid_key ON whatsapp_conversations USING btree (workspace_id, lid);
CREATE UNIQUE INDEX whatsapp_conversations_number_key ON whatsapp_conversations USING btree (workspace_id, external_phone_number);
ALTER TABLE whatsapp_conversations ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE whatsapp_conversations TO app;

CREATE TABLE whatsapp_events (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    event jsonb,
    state text DEFAULT 'received'::text NOT NULL,
    error text,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ended_at timestamp(3) with time zone
);
ALTER TABLE ONLY whatsapp_events ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY whatsapp_events FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY whatsapp_events ADD CONSTRAINT whatsapp_events_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX whatsapp_events_by_age ON whatsapp_events USING brin (id) WITH (pages_per_range='16', autosummarize='true');
CREATE INDEX whatsapp_events_by_mention ON whatsapp_events USING gin (mention_keys(COALESCE((event)::text, ''::text))) WITH (gin_pending_list_limit='256');
CREATE INDEX whatsapp_events_waiting ON whatsapp_events USING btree (created_at) WHERE (state = 'received'::text);
ALTER TABLE whatsapp_events ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE whatsapp_events TO app;

CREATE TABLE whatsapp_groups (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    jid text NOT NULL,
    name text NOT NULL,
    description text,
    members jsonb DEFAULT '[]'::jsonb NOT NULL,
    member_count integer DEFAULT 0 NOT NULL,
    members_updated_at timestamp(3) with time zone,
    is_left boolean DEFAULT false NOT NULL,
    linked_deal_id uuid,
    linked_customer_id uuid,
    unlinked boolean GENERATED ALWAYS AS (((linked_deal_id IS NULL) AND (linked_customer_id IS NULL))) STORED NOT NULL,
    snippet text DEFAULT ''::text NOT NULL,
    message_count integer DEFAULT 0 NOT NULL,
    last_message_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    unread boolean DEFAULT false NOT NULL,
    unread_count integer DEFAULT 0 NOT NULL,
    direction text
);
ALTER TABLE ONLY whatsapp_groups ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY whatsapp_groups FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY whatsapp_groups ADD CONSTRAINT whatsapp_groups_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX whatsapp_groups_by_created ON whatsapp_groups USING btree (workspace_id, created_at, id, last_message_at);
CREATE INDEX whatsapp_groups_by_customer ON whatsapp_groups USING btree (workspace_id, linked_customer_id, last_message_at, id) WHERE (linked_customer_id IS NOT NULL);
CREATE INDEX whatsapp_groups_by_deal ON whatsapp_groups USING btree (workspace_id, linked_deal_id, last_message_at, id) WHERE (linked_deal_id IS NOT NULL);
CREATE INDEX whatsapp_groups_by_last_message ON whatsapp_groups USING btree (workspace_id, last_message_at, id, created_at);
CREATE INDEX whatsapp_groups_by_unlinked ON whatsapp_groups USING btree (workspace_id, unlinked, last_message_at, id);
CREATE INDEX whatsapp_groups_by_updated ON whatsapp_groups USING btree (workspace_id, updated_at, id);
CREATE UNIQUE INDEX whatsapp_groups_jid_key ON whatsapp_groups USING btree (workspace_id, jid);
ALTER TABLE whatsapp_groups ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE whatsapp_groups TO app;

CREATE TABLE whatsapp_messages (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    conversation_id uuid,
    group_id uuid,
    direction text NOT NULL,
    message_id uuid,
    key_id text,
    contact_id uuid,
    sender_phone text,
    sender_name text,
    type text DEFAULT 'text'::text NOT NULL,
    body_text text NOT NULL,
    media_type text,
    media_name text,
    media_size integer,
    quoted_key_id text,
    status text NOT NULL,
    is_deleted boolean DEFAULT false NOT NULL,
    occurred_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    sender_jid text
);
ALTER TABLE ONLY whatsapp_messages ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY whatsapp_messages FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY whatsapp_messages ADD CONSTRAINT whatsapp_messages_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX whatsapp_messages_by_contact ON whatsapp_messages USING btree (workspace_id, contact_id);
CREATE INDEX whatsapp_messages_by_conversation ON whatsapp_messages USING btree (workspace_id, conversation_id, occurred_at, id);
CREATE INDEX whatsapp_messages_by_group ON whatsapp_messages USING btree (workspace_id, group_id, occurred_at, id);
CREATE INDEX whatsapp_messages_by_key ON whatsapp_messages USING btree (workspace_id, key_id);
CREATE INDEX whatsapp_messages_by_message ON whatsapp_messages USING btree (workspace_id, message_id);
CREATE UNIQUE INDEX whatsapp_messages_conversation_key ON whatsapp_messages USING btree (workspace_id, conversation_id, key_id);
CREATE UNIQUE INDEX whatsapp_messages_group_key ON whatsapp_messages USING btree (workspace_id, group_id, key_id);
CREATE INDEX whatsapp_messages_reactions ON whatsapp_messages USING btree (workspace_id, quoted_key_id, occurred_at, id) WHERE (type = 'reaction'::text);
ALTER TABLE whatsapp_messages ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE whatsapp_messages TO app;

CREATE TABLE whatsapp_pairings (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    instance_name text NOT NULL,
    sealed_token text,
    token_hash bytea,
    status text DEFAULT 'connecting'::text NOT NULL,
    qr_image text,
    qr_number integer DEFAULT 0 NOT NULL,
    qr_expires_at timestamp(3) with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    phone_number text,
    display_name text,
    connected_at timestamp(3) with time zone,
    error text,
    due_at timestamp(3) with time zone DEFAULT now(),
    compared_until timestamp(3) with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY whatsapp_pairings ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY whatsapp_pairings FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY whatsapp_pairings ADD CONSTRAINT whatsapp_pairings_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX whatsapp_pairings_due ON whatsapp_pairings USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX whatsapp_pairings_key ON whatsapp_pairings USING btree (workspace_id);
CREATE UNIQUE INDEX whatsapp_pairings_token ON whatsapp_pairings USING btree (token_hash);
ALTER TABLE whatsapp_pairings ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE whatsapp_pairings TO app;

CREATE TABLE whatsapp_reactions (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    whatsapp_message_id uuid NOT NULL,
    emoji text NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    reacted_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    due_at timestamp(3) with time zone DEFAULT now(),
    attempts integer DEFAULT 0 NOT NULL,
    claim_id uuid,
    turn integer DEFAULT 0 NOT NULL,
    error text
);
ALTER TABLE ONLY whatsapp_reactions ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY whatsapp_reactions FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY whatsapp_reactions ADD CONSTRAINT whatsapp_reactions_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX whatsapp_reactions_due ON whatsapp_reactions USING btree (due_at, workspace_id) WHERE (due_at IS NOT NULL);
CREATE INDEX whatsapp_reactions_due_of ON whatsapp_reactions USING btree (workspace_id, due_at, id) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX whatsapp_reactions_key ON whatsapp_reactions USING btree (workspace_id, whatsapp_message_id);
ALTER TABLE whatsapp_reactions ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE whatsapp_reactions TO app;

CREATE TABLE whatsapp_reads (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    conversation_id uuid NOT NULL,
    unread integer NOT NULL,
    until_at timestamp(3) with time zone NOT NULL,
    until_id uuid,
    due_at timestamp(3) with time zone DEFAULT now(),
    attempts integer DEFAULT 0 NOT NULL,
    claim_id uuid,
    turn integer DEFAULT 0 NOT NULL,
    error text
);
ALTER TABLE ONLY whatsapp_reads ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY whatsapp_reads FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY whatsapp_reads ADD CONSTRAINT whatsapp_reads_workspace_id_id_pk PRIMARY KEY (workspace_id, id);
CREATE INDEX whatsapp_reads_due ON whatsapp_reads USING btree (due_at, workspace_id) WHERE (due_at IS NOT NULL);
CREATE INDEX whatsapp_reads_due_of ON whatsapp_reads USING btree (workspace_id, due_at, id) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX whatsapp_reads_key ON whatsapp_reads USING btree (workspace_id, conversation_id);
ALTER TABLE whatsapp_reads ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE whatsapp_reads TO app;

CREATE TABLE whatsapp_receipts (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    key_id text NOT NULL,
    status text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY whatsapp_receipts ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY whatsapp_receipts FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY whatsapp_receipts ADD CONSTRAINT whatsapp_receipts_workspace_id_key_id_pk PRIMARY KEY (workspace_id, key_id);
CREATE INDEX whatsapp_receipts_by_age ON whatsapp_receipts USING btree (created_at);
ALTER TABLE whatsapp_receipts ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE whatsapp_receipts TO app;

CREATE TABLE workspaces (
    id uuid DEFAULT uuidv7() NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    description text,
    contact_name text,
    contact_email text,
    phone text,
    logo_url text,
    primary_color text,
    secondary_color text,
    address text,
    timezone text DEFAULT 'Australia/Sydney'::text NOT NULL,
    industry text,
    website_url text,
    abn text,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    allowed_origins text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT slug_is_clean CHECK ((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text))
);

ALTER TABLE ONLY workspaces FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY workspaces ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX workspaces_slug_key ON workspaces USING btree (slug);
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
GRANT SELECT,UPDATE ON TABLE workspaces TO app;

CREATE TABLE zone_work (
    workspace_id uuid DEFAULT current_workspace() NOT NULL,
    walk_from uuid,
    walk_at timestamp(3) with time zone,
    due_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE ONLY zone_work ALTER COLUMN workspace_id SET (n_distinct=1);

ALTER TABLE ONLY zone_work FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY zone_work ADD CONSTRAINT zone_work_workspace_id_pk PRIMARY KEY (workspace_id);
ALTER TABLE zone_work ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON TABLE zone_work TO app;

-- Everything that is older than today belongs to <table>_past; rotate_partitions cuts further partitions off <table>_open.
do $$
declare
  bound constant uuid := id_at(date_trunc('day', now(), 'UTC'));
  name text;
begin
  foreach name in array array['changes', 'outbox', 'requests'] loop
    execute format('alter table only %I attach partition %I for values from (minvalue) to (%L)', name, name || '_past', bound);
    execute format('alter table only %I attach partition %I for values from (%L) to (maxvalue)', name, name || '_open', bound);
  end loop;
end $$;

-- Policies and references may name any table.
CREATE POLICY colleagues ON users FOR SELECT USING ((EXISTS ( SELECT 1
   FROM memberships m
  WHERE (m.user_id = users.id))));
CREATE POLICY hides_queues ON automations AS RESTRICTIVE USING ((queue_id IS NULL));
CREATE POLICY personal ON activities AS RESTRICTIVE USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON changes AS RESTRICTIVE FOR SELECT USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON conversations AS RESTRICTIVE USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON email_attachments AS RESTRICTIVE USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON email_drafts AS RESTRICTIVE USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON email_messages AS RESTRICTIVE USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON email_participants AS RESTRICTIVE USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON email_thread_links AS RESTRICTIVE USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON email_threads AS RESTRICTIVE USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON messages AS RESTRICTIVE USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY personal ON outbox AS RESTRICTIVE FOR SELECT USING (((private_to IS NULL) OR (private_to = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_personal_email() AS sees_personal_email)));
CREATE POLICY seen ON calendar_connections AS RESTRICTIVE USING (((user_id = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_all_calendars() AS sees_all_calendars)));
CREATE POLICY seen ON changes AS RESTRICTIVE FOR SELECT USING (((entity <> 'list'::text) OR ( SELECT sees_private_lists() AS sees_private_lists) OR (EXISTS ( SELECT
   FROM lists l
  WHERE ((l.workspace_id = changes.workspace_id) AND (l.id = changes.entity_id))))));
CREATE POLICY seen ON connection_calendars AS RESTRICTIVE USING (((user_id = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_all_calendars() AS sees_all_calendars)));
CREATE POLICY seen ON lists AS RESTRICTIVE USING (((visibility = 'shared'::text) OR (owner_id = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_private_lists() AS sees_private_lists)));
CREATE POLICY seen ON mailboxes AS RESTRICTIVE USING (((user_id = ( SELECT current_user_id() AS current_user_id)) OR ( SELECT sees_all_calendars() AS sees_all_calendars)));
CREATE POLICY seen ON outbox AS RESTRICTIVE FOR SELECT USING (((entity <> 'list'::text) OR (type = 'list.deleted'::text) OR ( SELECT sees_private_lists() AS sees_private_lists) OR (EXISTS ( SELECT
   FROM lists l
  WHERE ((l.workspace_id = outbox.workspace_id) AND (l.id = outbox.entity_id))))));
CREATE POLICY tenant ON account_grants USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON activities USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON activity_contacts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON api_key_uses USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON api_keys USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON approval_policies USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON approvals USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON attachments USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON auto_queue_list_enrolments USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON auto_queue_steps USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON auto_queues USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON auto_schedules USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON automation_counts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON automation_incidents USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON automation_runs USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON automation_skips USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON automation_steps USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON automation_triggers USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON automation_versions USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON automations USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON availabilities USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON billing_parties USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON birthday_counts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON birthday_deliveries USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON birthday_schedules USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON booking_confirmations USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON booking_copies USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON booking_counts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON booking_holds USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON booking_notices USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON booking_proofs USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON booking_transcripts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON bookings USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON busy_times USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON calendar_connections USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON call_logs USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON campaign_clicks USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON campaign_links USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON campaign_recipients USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON campaign_sends USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON campaign_windows USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON changes USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON changes_open USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON changes_past USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON companies USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON connection_calendars USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON contacts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON conversations USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON credit_accounts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON credit_entries USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON credit_usage USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON crm_settings USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON custom_fields USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON custom_indexes USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON custom_values USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON dead_letters USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON deal_stakeholders USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON deleted_rows USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON dismissed_duplicates USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_attachments USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_campaigns USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_configs USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_drafts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_inboxes USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_messages USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_participants USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_signatures USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_templates USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_thread_links USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON email_threads USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON employers USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON exchange_rates USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON feed_followers USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON followers USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON grant_requests USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON holiday_calendars USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON host_claims USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON host_shares USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON idempotency USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON import_files USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON import_rows USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON imports USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON inbound_emails USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON incoming_requests USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON incoming_webhooks USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON invitation_counts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON invitations USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON invoices USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON lead_sources USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON list_members USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON list_touches USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON lists USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON mailboxes USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON member_connections USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON memberships USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON merge_entries USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON merges USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON message_media USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON messages USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON notetakers USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON opportunities USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON opportunity_buckets USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON opportunity_contacts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON opportunity_deltas USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON opportunity_periods USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON opportunity_products USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON opportunity_totals USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON opportunity_users USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON outbox USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON outbox_open USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON outbox_past USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON outgoing_requests USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON phone_addresses USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON phone_bundles USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON phone_numbers USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON pipelines USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON product_costs USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON products USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON purged_records USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON record_time_checks USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON record_times USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON requests USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON requests_open USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON requests_past USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON roles USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON schedule_runs USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON schedule_skips USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON scheduled_event_types USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON search_words USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON seat_sessions USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON sms_consents USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON sms_conversations USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON sms_messages USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON stage_moves USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON stages USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON stakeholder_members USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON stakeholder_types USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON stream_leases USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON suppressions USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON task_stakeholders USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON tasks USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON time_off USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON timeline_changes USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON timeline_moves USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON tracked_lists USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON tracked_members USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON unsubscribes USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON voice_agent_configs USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON voice_providers USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON voice_results USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON waiting_list_entries USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON webhook_deliveries USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON webhook_states USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON webhooks USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON whatsapp_conversations USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON whatsapp_events USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON whatsapp_groups USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON whatsapp_messages USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON whatsapp_pairings USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON whatsapp_reactions USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON whatsapp_reads USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON whatsapp_receipts USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON workspaces USING ((id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((id = ( SELECT current_workspace() AS current_workspace)));
CREATE POLICY tenant ON zone_work USING ((workspace_id = ( SELECT current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT current_workspace() AS current_workspace)));

ALTER INDEX changes_by_contact ATTACH PARTITION changes_by_contact_past;
ALTER INDEX changes_by_customer ATTACH PARTITION changes_by_customer_past;
ALTER INDEX changes_by_deal ATTACH PARTITION changes_by_deal_past;
ALTER INDEX changes_by_entity ATTACH PARTITION changes_by_entity_past;
ALTER INDEX changes_by_opportunity ATTACH PARTITION changes_by_opportunity_past;
ALTER INDEX changes_by_parent ATTACH PARTITION changes_by_parent_past;
ALTER INDEX changes_by_referrer ATTACH PARTITION changes_by_referrer_past;
ALTER INDEX changes_by_request ATTACH PARTITION changes_by_request_past;
ALTER INDEX changes_workspace_id_id_pk ATTACH PARTITION changes_open_pkey;
ALTER INDEX changes_by_entity ATTACH PARTITION changes_open_workspace_id_entity_entity_id_id_idx;
ALTER INDEX changes_by_contact ATTACH PARTITION changes_open_workspace_id_expr_idx;
ALTER INDEX changes_by_customer ATTACH PARTITION changes_open_workspace_id_expr_idx1;
ALTER INDEX changes_by_deal ATTACH PARTITION changes_open_workspace_id_expr_idx2;
ALTER INDEX changes_by_opportunity ATTACH PARTITION changes_open_workspace_id_expr_idx3;
ALTER INDEX changes_by_parent ATTACH PARTITION changes_open_workspace_id_expr_idx4;
ALTER INDEX changes_by_referrer ATTACH PARTITION changes_open_workspace_id_expr_idx5;
ALTER INDEX changes_by_linked_deal ATTACH PARTITION changes_open_workspace_id_expr_idx6;
ALTER INDEX changes_by_linked_customer ATTACH PARTITION changes_open_workspace_id_expr_idx7;
ALTER INDEX changes_by_request ATTACH PARTITION changes_open_workspace_id_request_id_id_idx;
ALTER INDEX changes_by_linked_deal ATTACH PARTITION changes_past_workspace_id_expr_idx;
ALTER INDEX changes_by_linked_customer ATTACH PARTITION changes_past_workspace_id_expr_idx1;
ALTER INDEX changes_workspace_id_id_pk ATTACH PARTITION changes_workspace_id_id_pk_past;
ALTER INDEX outbox_by_entity ATTACH PARTITION outbox_by_entity_past;
ALTER INDEX outbox_by_request ATTACH PARTITION outbox_by_request_past;
ALTER INDEX outbox_by_transaction ATTACH PARTITION outbox_by_transaction_past;
ALTER INDEX outbox_by_type ATTACH PARTITION outbox_by_type_past;
ALTER INDEX outbox_workspace_id_id_pk ATTACH PARTITION outbox_open_pkey;
ALTER INDEX outbox_by_entity ATTACH PARTITION outbox_open_workspace_id_entity_id_id_idx;
ALTER INDEX outbox_undelivered ATTACH PARTITION outbox_open_workspace_id_id_idx;
ALTER INDEX outbox_by_request ATTACH PARTITION outbox_open_workspace_id_request_id_id_idx;
ALTER INDEX outbox_by_type ATTACH PARTITION outbox_open_workspace_id_type_id_idx;
ALTER INDEX outbox_by_transaction ATTACH PARTITION outbox_open_workspace_id_xid_id_idx;
ALTER INDEX outbox_undelivered ATTACH PARTITION outbox_undelivered_past;
ALTER INDEX outbox_workspace_id_id_pk ATTACH PARTITION outbox_workspace_id_id_pk_past;
ALTER INDEX requests_by_endpoint ATTACH PARTITION requests_by_endpoint_past;
ALTER INDEX requests_by_key ATTACH PARTITION requests_by_key_past;
ALTER INDEX requests_by_status ATTACH PARTITION requests_by_status_past;
ALTER INDEX requests_workspace_id_id_pk ATTACH PARTITION requests_open_pkey;
ALTER INDEX requests_by_endpoint ATTACH PARTITION requests_open_workspace_id_endpoint_id_idx;
ALTER INDEX requests_by_key ATTACH PARTITION requests_open_workspace_id_key_id_id_idx;
ALTER INDEX requests_by_status ATTACH PARTITION requests_open_workspace_id_status_class_id_idx;
ALTER INDEX requests_workspace_id_id_pk ATTACH PARTITION requests_workspace_id_id_pk_past;

ALTER TABLE ONLY account_grants ADD CONSTRAINT "account_grants.connection_id" FOREIGN KEY (workspace_id, connection_id) REFERENCES calendar_connections(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY account_grants ADD CONSTRAINT "account_grants.mailbox_id" FOREIGN KEY (workspace_id, mailbox_id) REFERENCES mailboxes(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY activities ADD CONSTRAINT "activities.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE SET NULL (contact_id);
ALTER TABLE ONLY activities ADD CONSTRAINT "activities.created_by" FOREIGN KEY (workspace_id, created_by) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY activities ADD CONSTRAINT "activities.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE SET NULL (customer_id);
ALTER TABLE ONLY activities ADD CONSTRAINT "activities.deal_id" FOREIGN KEY (workspace_id, deal_id) REFERENCES opportunities(workspace_id, id) ON DELETE SET NULL (deal_id);
ALTER TABLE ONLY activity_contacts ADD CONSTRAINT "activity_contacts.activity_id" FOREIGN KEY (workspace_id, activity_id) REFERENCES activities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY activity_contacts ADD CONSTRAINT "activity_contacts.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY api_key_uses ADD CONSTRAINT "api_key_uses.key_id" FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY api_keys ADD CONSTRAINT "api_keys.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY attachments ADD CONSTRAINT "attachments.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY attachments ADD CONSTRAINT "attachments.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY attachments ADD CONSTRAINT "attachments.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY attachments ADD CONSTRAINT "attachments.uploaded_by" FOREIGN KEY (workspace_id, uploaded_by) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY auto_queue_list_enrolments ADD CONSTRAINT "auto_queue_list_enrolments.auto_queue_id" FOREIGN KEY (workspace_id, auto_queue_id) REFERENCES auto_queues(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY auto_queue_list_enrolments ADD CONSTRAINT "auto_queue_list_enrolments.list_id" FOREIGN KEY (workspace_id, list_id) REFERENCES lists(workspace_id, id) ON DELETE SET NULL (list_id);
ALTER TABLE ONLY auto_queue_steps ADD CONSTRAINT "auto_queue_steps.auto_queue_id" FOREIGN KEY (workspace_id, auto_queue_id) REFERENCES auto_queues(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY auto_schedules ADD CONSTRAINT "auto_schedules.automation_id" FOREIGN KEY (workspace_id, automation_id) REFERENCES automations(workspace_id, id);
ALTER TABLE ONLY automation_counts ADD CONSTRAINT "automation_counts.automation_id" FOREIGN KEY (workspace_id, automation_id) REFERENCES automations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY automation_incidents ADD CONSTRAINT "automation_incidents.automation_id" FOREIGN KEY (workspace_id, automation_id) REFERENCES automations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY automation_runs ADD CONSTRAINT "automation_runs.automation_id" FOREIGN KEY (workspace_id, automation_id) REFERENCES automations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY automation_runs ADD CONSTRAINT "automation_runs.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE SET NULL (contact_id);
ALTER TABLE ONLY automation_runs ADD CONSTRAINT "automation_runs.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE SET NULL (customer_id);
ALTER TABLE ONLY automation_runs ADD CONSTRAINT "automation_runs.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE SET NULL (opportunity_id);
ALTER TABLE ONLY automation_skips ADD CONSTRAINT "automation_skips.automation_id" FOREIGN KEY (workspace_id, automation_id) REFERENCES automations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY automation_steps ADD CONSTRAINT "automation_steps.run_id" FOREIGN KEY (workspace_id, run_id) REFERENCES automation_runs(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY automation_triggers ADD CONSTRAINT "automation_triggers.automation_id" FOREIGN KEY (workspace_id, automation_id) REFERENCES automations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY automation_versions ADD CONSTRAINT "automation_versions.automation_id" FOREIGN KEY (workspace_id, automation_id) REFERENCES automations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY automations ADD CONSTRAINT "automations.queue_id" FOREIGN KEY (workspace_id, queue_id) REFERENCES auto_queues(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY availabilities ADD CONSTRAINT "availabilities.holiday_calendar_id" FOREIGN KEY (workspace_id, holiday_calendar_id) REFERENCES holiday_calendars(workspace_id, id) ON DELETE SET NULL (holiday_calendar_id);
ALTER TABLE ONLY availabilities ADD CONSTRAINT "availabilities.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY billing_parties ADD CONSTRAINT "billing_parties.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY billing_parties ADD CONSTRAINT "billing_parties.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY birthday_deliveries ADD CONSTRAINT "birthday_deliveries.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY birthday_deliveries ADD CONSTRAINT "birthday_deliveries.message_id" FOREIGN KEY (workspace_id, message_id) REFERENCES messages(workspace_id, id) ON DELETE SET NULL (message_id);
ALTER TABLE ONLY birthday_schedules ADD CONSTRAINT birthday_schedules_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_confirmations ADD CONSTRAINT "booking_confirmations.booking_id" FOREIGN KEY (workspace_id, booking_id) REFERENCES bookings(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_confirmations ADD CONSTRAINT "booking_confirmations.event_type_id" FOREIGN KEY (workspace_id, event_type_id) REFERENCES scheduled_event_types(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_copies ADD CONSTRAINT "booking_copies.booking_id" FOREIGN KEY (workspace_id, booking_id) REFERENCES bookings(workspace_id, id) ON DELETE SET NULL (booking_id);
ALTER TABLE ONLY booking_copies ADD CONSTRAINT "booking_copies.calendar_id" FOREIGN KEY (workspace_id, calendar_id) REFERENCES connection_calendars(workspace_id, id) ON DELETE SET NULL (calendar_id);
ALTER TABLE ONLY booking_copies ADD CONSTRAINT "booking_copies.host_id" FOREIGN KEY (workspace_id, host_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_holds ADD CONSTRAINT "booking_holds.event_type_id" FOREIGN KEY (workspace_id, event_type_id) REFERENCES scheduled_event_types(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_notices ADD CONSTRAINT "booking_notices.booking_id" FOREIGN KEY (workspace_id, booking_id) REFERENCES bookings(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_notices ADD CONSTRAINT "booking_notices.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_notices ADD CONSTRAINT "booking_notices.message_id" FOREIGN KEY (workspace_id, message_id) REFERENCES messages(workspace_id, id) ON DELETE SET NULL (message_id);
ALTER TABLE ONLY booking_proofs ADD CONSTRAINT "booking_proofs.booking_id" FOREIGN KEY (workspace_id, booking_id) REFERENCES bookings(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_transcripts ADD CONSTRAINT "booking_transcripts.activity_id" FOREIGN KEY (workspace_id, activity_id) REFERENCES activities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_transcripts ADD CONSTRAINT "booking_transcripts.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY booking_transcripts ADD CONSTRAINT "booking_transcripts.notetaker_id" FOREIGN KEY (workspace_id, notetaker_id) REFERENCES notetakers(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY bookings ADD CONSTRAINT "bookings.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE SET NULL (contact_id);
ALTER TABLE ONLY bookings ADD CONSTRAINT "bookings.deal_id" FOREIGN KEY (workspace_id, deal_id) REFERENCES opportunities(workspace_id, id) ON DELETE SET NULL (deal_id);
ALTER TABLE ONLY bookings ADD CONSTRAINT "bookings.event_type_id" FOREIGN KEY (workspace_id, event_type_id) REFERENCES scheduled_event_types(workspace_id, id);
ALTER TABLE ONLY bookings ADD CONSTRAINT "bookings.host_id" FOREIGN KEY (workspace_id, host_id) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY busy_times ADD CONSTRAINT "busy_times.calendar_id" FOREIGN KEY (workspace_id, calendar_id) REFERENCES connection_calendars(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY busy_times ADD CONSTRAINT "busy_times.host_id" FOREIGN KEY (workspace_id, host_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY calendar_connections ADD CONSTRAINT "calendar_connections.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY call_logs ADD CONSTRAINT "call_logs.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY call_logs ADD CONSTRAINT "call_logs.voice_agent_config_id" FOREIGN KEY (workspace_id, voice_agent_config_id) REFERENCES voice_agent_configs(workspace_id, id) ON DELETE SET NULL (voice_agent_config_id);
ALTER TABLE ONLY campaign_clicks ADD CONSTRAINT "campaign_clicks.link_id" FOREIGN KEY (workspace_id, link_id) REFERENCES campaign_links(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY campaign_clicks ADD CONSTRAINT "campaign_clicks.recipient_id" FOREIGN KEY (workspace_id, recipient_id) REFERENCES campaign_recipients(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY campaign_links ADD CONSTRAINT "campaign_links.campaign_id" FOREIGN KEY (workspace_id, campaign_id) REFERENCES email_campaigns(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY campaign_recipients ADD CONSTRAINT "campaign_recipients.campaign_id" FOREIGN KEY (workspace_id, campaign_id) REFERENCES email_campaigns(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY campaign_recipients ADD CONSTRAINT "campaign_recipients.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY campaign_sends ADD CONSTRAINT "campaign_sends.campaign_id" FOREIGN KEY (workspace_id, campaign_id) REFERENCES email_campaigns(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY campaign_windows ADD CONSTRAINT "campaign_windows.campaign_id" FOREIGN KEY (workspace_id, campaign_id) REFERENCES email_campaigns(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY companies ADD CONSTRAINT "companies.assigned_to" FOREIGN KEY (workspace_id, assigned_to) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY companies ADD CONSTRAINT "companies.parent_company_id" FOREIGN KEY (workspace_id, parent_company_id) REFERENCES companies(workspace_id, id);
ALTER TABLE ONLY connection_calendars ADD CONSTRAINT "connection_calendars.connection_id" FOREIGN KEY (workspace_id, connection_id) REFERENCES calendar_connections(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY connection_calendars ADD CONSTRAINT "connection_calendars.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY contacts ADD CONSTRAINT "contacts.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE SET NULL (customer_id);
ALTER TABLE ONLY contacts ADD CONSTRAINT "contacts.referrer_opportunity_id" FOREIGN KEY (workspace_id, referrer_opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE SET NULL (referrer_opportunity_id);
ALTER TABLE ONLY contacts ADD CONSTRAINT "contacts.source_id" FOREIGN KEY (workspace_id, source_id) REFERENCES lead_sources(workspace_id, id);
ALTER TABLE ONLY conversations ADD CONSTRAINT "conversations.assigned_to" FOREIGN KEY (workspace_id, assigned_to) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY conversations ADD CONSTRAINT "conversations.email_thread_id" FOREIGN KEY (workspace_id, email_thread_id) REFERENCES email_threads(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY conversations ADD CONSTRAINT "conversations.sms_conversation_id" FOREIGN KEY (workspace_id, sms_conversation_id) REFERENCES sms_conversations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY conversations ADD CONSTRAINT "conversations.whatsapp_conversation_id" FOREIGN KEY (workspace_id, whatsapp_conversation_id) REFERENCES whatsapp_conversations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY conversations ADD CONSTRAINT "conversations.whatsapp_group_id" FOREIGN KEY (workspace_id, whatsapp_group_id) REFERENCES whatsapp_groups(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY crm_settings ADD CONSTRAINT crm_settings_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY deal_stakeholders ADD CONSTRAINT "deal_stakeholders.bucket_id" FOREIGN KEY (workspace_id, bucket_id) REFERENCES stakeholder_types(workspace_id, id) ON DELETE SET NULL (bucket_id);
ALTER TABLE ONLY deal_stakeholders ADD CONSTRAINT "deal_stakeholders.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY deal_stakeholders ADD CONSTRAINT "deal_stakeholders.deal_id" FOREIGN KEY (workspace_id, deal_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_attachments ADD CONSTRAINT "email_attachments.email_message_id" FOREIGN KEY (workspace_id, email_message_id) REFERENCES email_messages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_attachments ADD CONSTRAINT "email_attachments.source_id" FOREIGN KEY (workspace_id, source_id) REFERENCES attachments(workspace_id, id) ON DELETE SET NULL (source_id);
ALTER TABLE ONLY email_drafts ADD CONSTRAINT "email_drafts.config_id" FOREIGN KEY (workspace_id, config_id) REFERENCES email_configs(workspace_id, id) ON DELETE SET NULL (config_id);
ALTER TABLE ONLY email_drafts ADD CONSTRAINT "email_drafts.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_drafts ADD CONSTRAINT "email_drafts.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE SET NULL (customer_id);
ALTER TABLE ONLY email_drafts ADD CONSTRAINT "email_drafts.deal_id" FOREIGN KEY (workspace_id, deal_id) REFERENCES opportunities(workspace_id, id) ON DELETE SET NULL (deal_id);
ALTER TABLE ONLY email_drafts ADD CONSTRAINT "email_drafts.message_id" FOREIGN KEY (workspace_id, message_id) REFERENCES messages(workspace_id, id) ON DELETE SET NULL (message_id);
ALTER TABLE ONLY email_drafts ADD CONSTRAINT "email_drafts.sender_user_id" FOREIGN KEY (workspace_id, sender_user_id) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY email_drafts ADD CONSTRAINT "email_drafts.template_id" FOREIGN KEY (workspace_id, template_id) REFERENCES email_templates(workspace_id, id) ON DELETE SET NULL (template_id);
ALTER TABLE ONLY email_drafts ADD CONSTRAINT "email_drafts.thread_id" FOREIGN KEY (workspace_id, thread_id) REFERENCES email_threads(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_messages ADD CONSTRAINT "email_messages.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_messages ADD CONSTRAINT "email_messages.message_id" FOREIGN KEY (workspace_id, message_id) REFERENCES messages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_messages ADD CONSTRAINT "email_messages.thread_id" FOREIGN KEY (workspace_id, thread_id) REFERENCES email_threads(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_participants ADD CONSTRAINT "email_participants.thread_id" FOREIGN KEY (workspace_id, thread_id) REFERENCES email_threads(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_signatures ADD CONSTRAINT "email_signatures.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY email_thread_links ADD CONSTRAINT "email_thread_links.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_thread_links ADD CONSTRAINT "email_thread_links.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_thread_links ADD CONSTRAINT "email_thread_links.deal_id" FOREIGN KEY (workspace_id, deal_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_thread_links ADD CONSTRAINT "email_thread_links.thread_id" FOREIGN KEY (workspace_id, thread_id) REFERENCES email_threads(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY email_threads ADD CONSTRAINT "email_threads.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY employers ADD CONSTRAINT "employers.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY employers ADD CONSTRAINT "employers.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY feed_followers ADD CONSTRAINT feed_followers_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY followers ADD CONSTRAINT "followers.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY followers ADD CONSTRAINT "followers.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY followers ADD CONSTRAINT "followers.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY followers ADD CONSTRAINT "followers.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY grant_requests ADD CONSTRAINT "grant_requests.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY host_shares ADD CONSTRAINT "host_shares.event_type_id" FOREIGN KEY (workspace_id, event_type_id) REFERENCES scheduled_event_types(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY import_files ADD CONSTRAINT "import_files.import_id" FOREIGN KEY (workspace_id, import_id) REFERENCES imports(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY import_rows ADD CONSTRAINT "import_rows.import_id" FOREIGN KEY (workspace_id, import_id) REFERENCES imports(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY imports ADD CONSTRAINT "imports.created_by" FOREIGN KEY (workspace_id, created_by) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY imports ADD CONSTRAINT "imports.list_id" FOREIGN KEY (workspace_id, list_id) REFERENCES lists(workspace_id, id) ON DELETE SET NULL (list_id);
ALTER TABLE ONLY imports ADD CONSTRAINT "imports.run_key_id" FOREIGN KEY (workspace_id, run_key_id) REFERENCES api_keys(workspace_id, id);
ALTER TABLE ONLY incoming_webhooks ADD CONSTRAINT "incoming_webhooks.automation_id" FOREIGN KEY (workspace_id, automation_id) REFERENCES automations(workspace_id, id) ON DELETE SET NULL (automation_id);
ALTER TABLE ONLY invitation_counts ADD CONSTRAINT invitation_counts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY invitations ADD CONSTRAINT "invitations.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY invoices ADD CONSTRAINT "invoices.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id);
ALTER TABLE ONLY invoices ADD CONSTRAINT "invoices.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE SET NULL (opportunity_id);
ALTER TABLE ONLY list_members ADD CONSTRAINT "list_members.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY list_members ADD CONSTRAINT "list_members.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY list_members ADD CONSTRAINT "list_members.list_id" FOREIGN KEY (workspace_id, list_id) REFERENCES lists(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY list_members ADD CONSTRAINT "list_members.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY lists ADD CONSTRAINT "lists.owner_id" FOREIGN KEY (workspace_id, owner_id) REFERENCES memberships(workspace_id, user_id) ON DELETE SET NULL (owner_id);
ALTER TABLE ONLY mailboxes ADD CONSTRAINT "mailboxes.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY member_connections ADD CONSTRAINT "member_connections.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY memberships ADD CONSTRAINT "memberships.default_pipeline_id" FOREIGN KEY (workspace_id, default_pipeline_id) REFERENCES pipelines(workspace_id, id) ON DELETE SET NULL (default_pipeline_id);
ALTER TABLE ONLY memberships ADD CONSTRAINT "memberships.manager_user_id" FOREIGN KEY (workspace_id, manager_user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE SET NULL (manager_user_id);
ALTER TABLE ONLY memberships ADD CONSTRAINT "memberships.role" FOREIGN KEY (workspace_id, role) REFERENCES roles(workspace_id, role_key);
ALTER TABLE ONLY memberships ADD CONSTRAINT memberships_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE ONLY memberships ADD CONSTRAINT memberships_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY message_media ADD CONSTRAINT "message_media.sms_message_id" FOREIGN KEY (workspace_id, sms_message_id) REFERENCES sms_messages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY message_media ADD CONSTRAINT "message_media.source_id" FOREIGN KEY (workspace_id, source_id) REFERENCES attachments(workspace_id, id) ON DELETE SET NULL (source_id);
ALTER TABLE ONLY message_media ADD CONSTRAINT "message_media.whatsapp_message_id" FOREIGN KEY (workspace_id, whatsapp_message_id) REFERENCES whatsapp_messages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY messages ADD CONSTRAINT "messages.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY messages ADD CONSTRAINT "messages.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE SET NULL (customer_id);
ALTER TABLE ONLY messages ADD CONSTRAINT "messages.deal_id" FOREIGN KEY (workspace_id, deal_id) REFERENCES opportunities(workspace_id, id) ON DELETE SET NULL (deal_id);
ALTER TABLE ONLY messages ADD CONSTRAINT "messages.thread_id" FOREIGN KEY (workspace_id, thread_id) REFERENCES email_threads(workspace_id, id) ON DELETE SET NULL (thread_id);
ALTER TABLE ONLY notetakers ADD CONSTRAINT "notetakers.booking_id" FOREIGN KEY (workspace_id, booking_id) REFERENCES bookings(workspace_id, id) ON DELETE SET NULL (booking_id);
ALTER TABLE ONLY opportunities ADD CONSTRAINT "opportunities.assigned_to" FOREIGN KEY (workspace_id, assigned_to) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY opportunities ADD CONSTRAINT "opportunities.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id);
ALTER TABLE ONLY opportunities ADD CONSTRAINT "opportunities.pipeline_id" FOREIGN KEY (workspace_id, pipeline_id) REFERENCES pipelines(workspace_id, id);
ALTER TABLE ONLY opportunities ADD CONSTRAINT "opportunities.stage_id" FOREIGN KEY (workspace_id, stage_id) REFERENCES stages(workspace_id, id);
ALTER TABLE ONLY opportunity_buckets ADD CONSTRAINT "opportunity_buckets.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY opportunity_contacts ADD CONSTRAINT "opportunity_contacts.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY opportunity_contacts ADD CONSTRAINT "opportunity_contacts.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY opportunity_products ADD CONSTRAINT "opportunity_products.bucket_id" FOREIGN KEY (workspace_id, opportunity_id, bucket_id) REFERENCES opportunity_buckets(workspace_id, opportunity_id, id) ON UPDATE CASCADE ON DELETE SET NULL (bucket_id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY opportunity_products ADD CONSTRAINT "opportunity_products.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY opportunity_products ADD CONSTRAINT "opportunity_products.product_id" FOREIGN KEY (workspace_id, product_id) REFERENCES products(workspace_id, id);
ALTER TABLE ONLY opportunity_users ADD CONSTRAINT "opportunity_users.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY opportunity_users ADD CONSTRAINT "opportunity_users.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY phone_numbers ADD CONSTRAINT "phone_numbers.inbound_voice_agent_config_id" FOREIGN KEY (workspace_id, inbound_voice_agent_config_id) REFERENCES voice_agent_configs(workspace_id, id);
ALTER TABLE ONLY phone_numbers ADD CONSTRAINT "phone_numbers.outbound_voice_agent_config_id" FOREIGN KEY (workspace_id, outbound_voice_agent_config_id) REFERENCES voice_agent_configs(workspace_id, id);
ALTER TABLE ONLY product_costs ADD CONSTRAINT "product_costs.line_item_id" FOREIGN KEY (workspace_id, opportunity_id, line_item_id) REFERENCES opportunity_products(workspace_id, opportunity_id, id) ON UPDATE CASCADE ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY product_costs ADD CONSTRAINT "product_costs.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY schedule_skips ADD CONSTRAINT "schedule_skips.schedule_run_id" FOREIGN KEY (workspace_id, schedule_run_id) REFERENCES schedule_runs(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY scheduled_event_types ADD CONSTRAINT "scheduled_event_types.pipeline_id" FOREIGN KEY (workspace_id, pipeline_id) REFERENCES pipelines(workspace_id, id) ON DELETE SET NULL (pipeline_id);
ALTER TABLE ONLY seat_sessions ADD CONSTRAINT "seat_sessions.event_type_id" FOREIGN KEY (workspace_id, event_type_id) REFERENCES scheduled_event_types(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY sms_consents ADD CONSTRAINT "sms_consents.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY sms_consents ADD CONSTRAINT "sms_consents.recorded_by" FOREIGN KEY (workspace_id, recorded_by) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY sms_conversations ADD CONSTRAINT "sms_conversations.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY sms_messages ADD CONSTRAINT "sms_messages.conversation_id" FOREIGN KEY (workspace_id, conversation_id) REFERENCES sms_conversations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY sms_messages ADD CONSTRAINT "sms_messages.message_id" FOREIGN KEY (workspace_id, message_id) REFERENCES messages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY stage_moves ADD CONSTRAINT "stage_moves.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY stages ADD CONSTRAINT "stages.pipeline_id" FOREIGN KEY (workspace_id, pipeline_id) REFERENCES pipelines(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY stakeholder_members ADD CONSTRAINT "stakeholder_members.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY stakeholder_members ADD CONSTRAINT "stakeholder_members.type_id" FOREIGN KEY (workspace_id, type_id) REFERENCES stakeholder_types(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY stream_leases ADD CONSTRAINT "stream_leases.key_id" FOREIGN KEY (workspace_id, key_id) REFERENCES api_keys(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY task_stakeholders ADD CONSTRAINT "task_stakeholders.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY task_stakeholders ADD CONSTRAINT "task_stakeholders.task_id" FOREIGN KEY (workspace_id, task_id) REFERENCES tasks(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY tasks ADD CONSTRAINT "tasks.assigned_to" FOREIGN KEY (workspace_id, assigned_to) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY tasks ADD CONSTRAINT "tasks.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE SET NULL (contact_id);
ALTER TABLE ONLY tasks ADD CONSTRAINT "tasks.created_by" FOREIGN KEY (workspace_id, created_by) REFERENCES memberships(workspace_id, user_id);
ALTER TABLE ONLY tasks ADD CONSTRAINT "tasks.customer_id" FOREIGN KEY (workspace_id, customer_id) REFERENCES companies(workspace_id, id) ON DELETE SET NULL (customer_id);
ALTER TABLE ONLY tasks ADD CONSTRAINT "tasks.opportunity_id" FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities(workspace_id, id) ON DELETE SET NULL (opportunity_id);
ALTER TABLE ONLY time_off ADD CONSTRAINT "time_off.user_id" FOREIGN KEY (workspace_id, user_id) REFERENCES memberships(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY tracked_lists ADD CONSTRAINT "tracked_lists.list_id" FOREIGN KEY (workspace_id, list_id) REFERENCES lists(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY tracked_members ADD CONSTRAINT "tracked_members.list_id" FOREIGN KEY (workspace_id, list_id) REFERENCES lists(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY unsubscribes ADD CONSTRAINT "unsubscribes.campaign_id" FOREIGN KEY (workspace_id, campaign_id) REFERENCES email_campaigns(workspace_id, id) ON DELETE SET NULL (campaign_id);
ALTER TABLE ONLY unsubscribes ADD CONSTRAINT "unsubscribes.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY waiting_list_entries ADD CONSTRAINT "waiting_list_entries.booking_id" FOREIGN KEY (workspace_id, booking_id) REFERENCES bookings(workspace_id, id) ON DELETE SET NULL (booking_id);
ALTER TABLE ONLY waiting_list_entries ADD CONSTRAINT "waiting_list_entries.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY waiting_list_entries ADD CONSTRAINT "waiting_list_entries.event_type_id" FOREIGN KEY (workspace_id, event_type_id) REFERENCES scheduled_event_types(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook_states ADD CONSTRAINT "webhook_states.webhook_id" FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY whatsapp_conversations ADD CONSTRAINT "whatsapp_conversations.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY whatsapp_groups ADD CONSTRAINT "whatsapp_groups.linked_customer_id" FOREIGN KEY (workspace_id, linked_customer_id) REFERENCES companies(workspace_id, id) ON DELETE SET NULL (linked_customer_id);
ALTER TABLE ONLY whatsapp_groups ADD CONSTRAINT "whatsapp_groups.linked_deal_id" FOREIGN KEY (workspace_id, linked_deal_id) REFERENCES opportunities(workspace_id, id) ON DELETE SET NULL (linked_deal_id);
ALTER TABLE ONLY whatsapp_messages ADD CONSTRAINT "whatsapp_messages.contact_id" FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY whatsapp_messages ADD CONSTRAINT "whatsapp_messages.conversation_id" FOREIGN KEY (workspace_id, conversation_id) REFERENCES whatsapp_conversations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY whatsapp_messages ADD CONSTRAINT "whatsapp_messages.group_id" FOREIGN KEY (workspace_id, group_id) REFERENCES whatsapp_groups(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY whatsapp_messages ADD CONSTRAINT "whatsapp_messages.message_id" FOREIGN KEY (workspace_id, message_id) REFERENCES messages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY whatsapp_reactions ADD CONSTRAINT "whatsapp_reactions.whatsapp_message_id" FOREIGN KEY (workspace_id, whatsapp_message_id) REFERENCES whatsapp_messages(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY whatsapp_reads ADD CONSTRAINT "whatsapp_reads.conversation_id" FOREIGN KEY (workspace_id, conversation_id) REFERENCES whatsapp_conversations(workspace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY zone_work ADD CONSTRAINT zone_work_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
