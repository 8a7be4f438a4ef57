import { RECORDS } from './dns-emulator.ts'
import type { Open } from './lenient-forms.ts'

const json = (body: unknown) => JSON.stringify(body)

/** What each provider's documentation leaves open, by the name of its emulator. PROVIDERS.md has the sources. */
export const LENIENCE = {
  email: {
    optional: ['Messages.Metadata', 'Messages.Tag', 'Suppressions.Message', 'MessageEvents.Details', 'Message', 'To', 'SubmittedAt'],
    ordered: ['$', 'Messages'],
    maps: ['Metadata', 'Details'],
    items: {
      MessageEvents: { Type: 'LinkPreviewed', ReceivedAt: '2026-11-02T08:00:00Z', Recipient: 'ana@example.com', Details: { Score: '7' } },
    },
    error: (status) => json({ ErrorCode: status === 401 ? 10 : status, Message: 'The request fails' }),
  },
  sms: {
    optional: [
      ...['locality', 'region', 'failure_reason', 'valid_until', 'object_field', 'requirement_friendly_name', 'message', 'more_info'],
      ...['num_segments', 'price', 'error_code', 'error_message', 'validated', 'invalid', 'valid', 'object_type'],
    ],
    ordered: ['messages'],
    maps: ['capabilities'],
    items: {
      messages: {
        sid: `SM${'0'.repeat(32)}`,
        from: null,
        to: null,
        body: null,
        date_created: null,
        status: 'canceled',
        direction: 'inbound',
      },
      available_phone_numbers: {
        phone_number: '+61491570999',
        friendly_name: '+61491570999',
        iso_country: 'AU',
        address_requirements: 'verified',
        capabilities: { voice: true, SMS: true, MMS: false, fax: null, RCS: { enabled: true } },
      },
    },
    error: (status) =>
      json({ code: 20000 + status, message: 'The request fails', more_info: 'https://www.twilio.com/docs/errors', status }),
  },
  voice: {
    optional: [
      ...['gender', 'accent', 'age', 'preview_audio_url', 'version_title', 'agent_name', 'default_dynamic_variables', 'has_more'],
      ...['pagination_key', 'title', 'url', 'begin_message', 'general_tools'],
    ],
    maps: ['default_dynamic_variables', 'headers', 'properties'],
    items: {
      knowledge_base_sources: { source_id: 'source_later', type: 'video', video_url: 'https://example.com/a.mp4' },
    },
    statuses: [
      { from: 422, to: 404, text: /Cannot find/ },
      { from: 201, to: 200 },
    ],
    error: () => json({ status: 'error', message: 'The request fails' }),
  },
  models: {
    events: [
      'event: ping\r\ndata: {"type":"ping"}',
      'event: added_later\r\ndata: {"type":"added_later","index":0,"delta":{"type":"text_delta","text":"not a text"}}',
      'data: {"type":"content_block_start","index":90,"content_block":{"type":"server_tool_use","id":"srv","name":"web_search"}}',
      'data: {"type":"content_block_delta","index":90,"delta":{"type":"input_json_delta","partial_json":"{}"}}',
      'data: {"type":"content_block_delta","index":91,"delta":{"type":"thinking_delta","thinking":"Let me see"}}',
      'data: {"id":"c","object":"chat.completion.chunk","choices":[]}',
    ],
    optional: ['system_fingerprint', 'service_tier', 'logprobs', 'stop_sequence', 'cache_creation_input_tokens', 'cache_read_input_tokens'],
    ordered: ['choices', 'tool_calls'],
    error: (status) =>
      json({ type: 'error', error: { type: status === 429 ? 'rate_limit_error' : 'api_error', message: 'The request fails' } }),
  },
  embeddings: {
    optional: ['usage', 'pooling', 'shape', 'messages', 'errors'],
    ordered: ['embedding', 'result.data', 'shape'],
    error: () => json({ error: { message: 'The request fails', type: 'server_error' } }),
  },
  site: {
    optional: ['body', 'html_url', 'before_cursor', 'links', 'outdated'],
    whenFalse: ['draft', 'outdated'],
    error: () => json({ error: 'InternalError', description: 'The request fails' }),
  },
  whatsapp: {
    optional: [
      ...['ownerJid', 'profileName', 'profilePicUrl', 'number', 'disconnectionReasonCode', 'disconnectionAt', 'token', 'pairingCode'],
      ...['desc', 'descId', 'fileName', 'hash', 'pushName'],
    ],
    ordered: ['records'],
    maps: ['message', 'settings'],
    items: {
      participants: { id: '99999@bot', admin: 'moderator', lid: null },
      events: 'ADDED_LATER',
    },
    values: { source: 'glasses' },
    statuses: [{ from: 201, to: 200 }],
    error: (status) => json({ status, error: 'Error', response: { message: ['The request fails'] } }),
  },
  notetaker: {
    optional: ['sub_code', 'message', 'participant.name', 'is_host', 'completed_at', 'started_at', 'platform'],
    maps: ['metadata'],
    ordered: ['words', '$'],
    items: { status_changes: { code: 'breakout_room_entered', sub_code: 'added_later', created_at: '2026-11-02T08:00:00Z' } },
    error: (status) => json({ code: `error_${status}`, detail: 'The request fails' }),
  },
  speech: {
    optional: ['err_msg'],
    error: (status) => json({ err_code: 'ERROR', err_msg: `The request fails with ${status}`, request_id: 'r' }),
  },
  google: {
    optional: [
      ...['$.name', 'picture', 'description', 'location', 'iCalUID', 'etag', 'transparency', 'hangoutLink', 'attendees.displayName'],
      ...['timeZone', 'displayName', 'messagesTotal', 'resultSizeEstimate', 'labelIds', 'snippet'],
      ...['errors.domain', 'isDefault', 'replyToAddress', 'partId'],
    ],
    whenFalse: ['primary', 'isPrimary', 'self'],
    pages: { field: 'nextPageToken', parameter: 'pageToken', lists: ['items', 'messages', 'history'] },
    ordered: ['history', 'messages', 'parts', 'headers', 'errors'],
    maps: ['private', 'calendars'],
    items: {
      entryPoints: { entryPointType: 'more', uri: 'https://tel.meet/abc', pin: '123' },
      sendAs: { sendAsEmail: 'new@example.com', verificationStatus: 'verificationStatusAddedLater' },
    },
    error: (status) =>
      json({ error: { code: status, message: 'The request fails', status: 'FAILED', errors: [{ reason: 'failed', domain: 'global' }] } }),
  },
  microsoft: {
    optional: [
      ...[
        'displayName',
        'mail',
        'timeZone',
        'iCalUId',
        'subject',
        'changeKey',
        'responseStatus',
        'onlineMeeting.conferenceId',
        '@odata.etag',
      ],
      ...['clientState', 'location', 'body', 'bodyPreview', 'onlineMeetingProvider', '@odata.context', 'innerError'],
    ],
    whenFalse: ['canEdit', 'isDefaultCalendar', 'isAllDay', 'isCancelled', 'isOnlineMeeting'],
    error: (status) => json({ error: { code: 'ErrorFails', message: 'The request fails', innerError: { status } } }),
  },
  stripe: {
    optional: ['customer_details', 'client_reference_id', 'customer_email', 'param', 'doc_url'],
    maps: ['metadata'],
    error: (status) => json({ error: { type: 'api_error', message: `The request fails with ${status}` } }),
  },
  turnstile: {
    optional: ['challenge_ts', 'messages', 'hostname', 'action', 'cdata', 'metadata'],
    error: () => json({ success: false, 'error-codes': ['internal-error'], messages: [] }),
  },
  dns: {
    optional: ['Comment', 'TTL'],
    items: { [RECORDS]: { name: 'example.com', type: 65, TTL: 60, data: '1 . alpn=h2' } },
    error: () => json({ Status: 2 }),
  },
} satisfies Record<string, Open>
