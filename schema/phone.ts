import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { AGENT_STATUSES, AGENT_TYPES, type AgentContent, VERSION_STATUSES } from '../src/features/agents/rules/agents.ts'
import { CALL_DIRECTIONS, CALL_PROVIDERS, CALL_SENTIMENTS, CALL_STATUSES } from '../src/features/phone/rules/calls.ts'
import {
  ADDRESS_STATUSES,
  BUNDLE_STATUSES,
  type BundleItems,
  END_USER_TYPES,
  NUMBER_TYPES,
} from '../src/features/phone/rules/phone-records.ts'
import { amount, dueIndexes, identity, instant, reference, timestamps, work } from './columns.ts'
import { contacts } from './contacts.ts'
import { scheduledEventTypes } from './scheduling.ts'

/**
 * Agents: their drafts are the columns, and what was published is in agent_versions. One that was added by its id at the voice provider
 * (`is_external`) has its content there. An agent belongs to one workspace of the deployment.
 */
export const voiceAgentConfigs = pgTable(
  'voice_agent_configs',
  {
    ...identity,
    name: text().notNull(),
    /** Null until the voice provider has it, and for text agents. */
    provider_agent_id: text(),
    type: text({ enum: AGENT_TYPES }).notNull().default('voice'),
    is_external: boolean().notNull().default(true),
    language: text().notNull().default('en-AU'),
    prompt: text().notNull().default(''),
    /** The first sentence of a call. */
    greeting: text(),
    voice_id: text(),
    model: text(),
    tools: text().array().notNull().default([]),
    /** The scopes that the tools need. */
    tool_scopes: text().array().notNull().default([]),
    /** What the tools find_slots and book are about. */
    event_type_id: uuid(),
    transfer_number: text(),
    status: text({ enum: AGENT_STATUSES }).notNull().default('published'),
    published_version: integer(),
    published_at: instant(),
    publish_error: text(),
    /** The number of the published version at the voice provider. */
    provider_version: integer(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('voice_agent_configs_by_created').on(t.workspace_id, t.created_at, t.id),
    index('voice_agent_configs_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('voice_agent_configs_by_type').on(t.workspace_id, t.type, t.created_at, t.id),
    index('voice_agent_configs_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('voice_agent_configs_by_event_type').on(t.workspace_id, t.event_type_id),
    uniqueIndex('voice_agent_configs_provider_key').on(t.provider_agent_id),
    reference(t.event_type_id, scheduledEventTypes, 'set null'),
  ],
)

/** The versions of agents: what was published, and never changes. Only the latest one may be `publishing`. */
export const agentVersions = pgTable(
  'agent_versions',
  {
    ...identity,
    agent_id: uuid().notNull(),
    number: integer().notNull(),
    content: jsonb().$type<AgentContent>().notNull(),
    tool_scopes: text().array().notNull().default([]),
    status: text({ enum: VERSION_STATUSES }).notNull(),
    error: text(),
    /** The version number at the voice provider. */
    provider_version: integer(),
    published_at: instant(),
    published_by: uuid().default(sql`current_user_id()`),
    ...work,
    /** The request makes the first call itself. */
    attempts: integer().notNull().default(1),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('agent_versions_number_key').on(t.workspace_id, t.agent_id, t.number),
    ...dueIndexes('agent_versions', t, t.id),
    reference(t.agent_id, voiceAgentConfigs, 'cascade'),
  ],
)

/** The keys with which the tools of agents call this API, and their secrets for the voice provider. A deleted agent loses its key. */
export const agentToolKeys = pgTable(
  'agent_tool_keys',
  {
    ...identity,
    agent_id: uuid().notNull(),
    key_id: uuid().notNull(),
    sealed_key: text().notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('agent_tool_keys_key').on(t.workspace_id, t.agent_id),
    reference(t.agent_id, voiceAgentConfigs, 'cascade'),
  ],
)

/** Calls from and to the numbers of the workspace, as the providers report them. */
export const callLogs = pgTable(
  'call_logs',
  {
    ...identity,
    provider: text({ enum: CALL_PROVIDERS }).notNull(),
    provider_call_id: text().notNull(),
    direction: text({ enum: CALL_DIRECTIONS }).notNull(),
    status: text({ enum: CALL_STATUSES }).notNull(),
    phone_number: text().notNull(),
    /** Null when the caller hides it. */
    external_phone_number: text(),
    /** The contact who has the other number: the call is deleted with the contact. */
    contact_id: uuid(),
    voice_agent_config_id: uuid(),
    /** The version of the agent that was on the line, its tool calls in their order, and what the provider charges. */
    agent_version: integer(),
    tool_calls: text().array().notNull().default([]),
    cost_cents: amount(),
    started_at: instant().notNull(),
    ended_at: instant(),
    duration_seconds: integer(),
    ended_reason: text(),
    recording_url: text(),
    transcript_url: text(),
    transcript: text(),
    summary: text(),
    sentiment: text({ enum: CALL_SENTIMENTS }),
    is_successful: boolean(),
    /** How much the reports so far have known: the rank among CALL_STAGES. */
    stage: integer().notNull().default(0),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('call_logs_provider_key').on(t.workspace_id, t.provider, t.provider_call_id),
    index('call_logs_by_start').on(t.workspace_id, t.started_at, t.id),
    index('call_logs_by_contact').on(t.workspace_id, t.contact_id, t.started_at, t.id),
    index('call_logs_by_number').on(t.workspace_id, t.phone_number, t.started_at, t.id),
    index('call_logs_by_external').on(t.workspace_id, t.external_phone_number, t.started_at, t.id),
    index('call_logs_by_direction').on(t.workspace_id, t.direction, t.started_at, t.id),
    index('call_logs_by_status').on(t.workspace_id, t.status, t.started_at, t.id),
    index('call_logs_by_agent').on(t.workspace_id, t.voice_agent_config_id, t.started_at, t.id),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.voice_agent_config_id, voiceAgentConfigs, 'set null'),
  ],
)

/** Addresses that regulators ask for, with their id at the provider. */
export const phoneAddresses = pgTable(
  'phone_addresses',
  {
    ...identity,
    customer_name: text().notNull(),
    street: text().notNull(),
    street_secondary: text(),
    city: text().notNull(),
    region: text().notNull(),
    postal_code: text().notNull(),
    country: text().notNull(),
    status: text({ enum: ADDRESS_STATUSES }).notNull().default('creating'),
    provider_id: text(),
    validated: boolean().notNull().default(false),
    ...work,
    /** The request makes the first call itself. */
    attempts: integer().notNull().default(1),
    error: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('phone_addresses_by_created').on(t.workspace_id, t.created_at, t.id),
    index('phone_addresses_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('phone_addresses_by_country').on(t.workspace_id, t.country, t.created_at, t.id),
    ...dueIndexes('phone_addresses', t, t.id),
  ],
)

/** Regulatory bundles: who uses the numbers of a country and kind, with the documents that prove it. */
export const phoneBundles = pgTable(
  'phone_bundles',
  {
    ...identity,
    friendly_name: text().notNull(),
    email: text().notNull(),
    country: text().notNull(),
    number_type: text({ enum: NUMBER_TYPES }).notNull(),
    end_user_type: text({ enum: END_USER_TYPES }).notNull(),
    status: text({ enum: BUNDLE_STATUSES }).notNull().default('creating'),
    provider_id: text(),
    /** The addresses that its documents name. */
    address_ids: uuid().array().notNull().default([]),
    /** Erased as soon as the provider has them. */
    items: jsonb().$type<BundleItems>(),
    submitted_at: instant(),
    failure_reason: text(),
    ...work,
    /** The request makes the first call itself. */
    attempts: integer().notNull().default(1),
    error: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('phone_bundles_by_created').on(t.workspace_id, t.created_at, t.id),
    index('phone_bundles_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('phone_bundles_by_country').on(t.workspace_id, t.country, t.created_at, t.id),
    index('phone_bundles_by_address').using('gin', t.address_ids).with({ fastupdate: false }),
    ...dueIndexes('phone_bundles', t, t.id),
  ],
)
