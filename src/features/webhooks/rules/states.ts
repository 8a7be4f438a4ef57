export const WEBHOOK_STATUSES = ['enabled', 'disabled'] as const
/**
 * Why a webhook is disabled: by a request, because its receiver returned 410, because it failed for days, or because its key is no longer
 * valid.
 */
export const DISABLED_REASONS = ['request', 'gone', 'failing', 'key_invalid'] as const
/** A REST hook is a webhook that an integration platform has subscribed. */
export const WEBHOOK_SOURCES = ['api', 'rest_hook'] as const
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'skipped'] as const

export const INCOMING_ACTIONS = ['record_only', 'upsert_contact', 'create_opportunity', 'start_automation'] as const
export const INCOMING_STATES = ['received', 'done', 'held', 'failed'] as const
export const OUTGOING_STATES = ['pending', 'done', 'failed'] as const
export const OUTGOING_METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const
export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const

/** The most webhooks of a workspace, outgoing and incoming. */
export const MAX_WEBHOOKS = 100
export const MAX_INCOMING = 100
/** How long the log of deliveries and of incoming requests is kept, in days. */
export const DELIVERY_DAYS = 30
/** How long the former secret still signs after a rotation, in hours. */
export const ROTATION_HOURS = 24
/** The most events that one replay sends. */
export const MAX_REPLAYED = 10_000
/** The number of payloads that an incoming webhook keeps as samples. */
export const SAMPLES = 10
/** The largest body of an incoming request, in bytes. */
export const MAX_INCOMING_BODY = 262_144
