import { fixed, half, id, type Load, one, oneOf, some } from './values.ts'

/** Calls, voice agents, and what regulators ask for. */
export const PHONE_LOADS: Load[] = [
  {
    table: 'voice_agent_configs',
    count: half,
    columns: fixed({ id: id('voiceAgentConfig', 'n'), name: `'Agent ' || n`, provider_agent_id: `'agent_' || gen_random_uuid()` }),
  },
  {
    table: 'transcripts',
    count: half,
    columns: {
      ...fixed({
        audio_url: `'https://files.example.com/' || n || '.mp3'`,
        status: oneOf('done', 'done', 'failed'),
        duration_seconds: '84',
        entries: `'[{"speaker": "Speaker 1", "started_seconds": 0, "ended_seconds": 2, "text": "Good morning."}]'`,
        due_at: 'null',
      }),
      contact_id: (size) => some(0.9, one('contact', size)),
      opportunity_id: (size) => some(0.5, one('opportunity', size)),
    },
  },
  {
    table: 'call_logs',
    count: half,
    unstamped: true,
    columns: {
      ...fixed({
        provider: oneOf('retell', 'twilio'),
        provider_call_id: `'call_' || n`,
        direction: oneOf('inbound', 'outbound'),
        status: oneOf('completed', 'completed', 'no_answer', 'busy'),
        phone_number: `'+6149157' || (1570 + n % 3)`,
        external_phone_number: `'+614' || lpad(n::text, 8, '0')`,
        voice_agent_config_id: id('voiceAgentConfig', '1 + n % 3'),
        started_at: 'created',
        created_at: 'created',
        duration_seconds: '84',
        transcript: `'Agent: Good morning.'`,
      }),
      contact_id: (size) => some(0.9, one('contact', size)),
    },
  },
  {
    table: 'phone_addresses',
    count: half,
    columns: fixed({
      customer_name: `'Harbour'`,
      street: `n || ' Bridge Street'`,
      city: `'Sydney'`,
      region: `'NSW'`,
      postal_code: `'2000'`,
      country: `'AU'`,
      status: `'active'`,
      provider_id: `'AD' || n`,
    }),
  },
  {
    table: 'phone_bundles',
    count: half,
    columns: fixed({
      friendly_name: `'Bundle ' || n`,
      email: `'compliance@example.com'`,
      country: `'AU'`,
      number_type: `'local'`,
      end_user_type: `'business'`,
      status: oneOf('draft', 'approved'),
      provider_id: `'BU' || n`,
    }),
  },
]
