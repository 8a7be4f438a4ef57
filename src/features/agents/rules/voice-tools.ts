import type { AgentContent } from './agents.ts'

export type VoiceToolName = (typeof VOICE_TOOLS)[number]
export const VOICE_TOOLS = [
  'find_slots',
  'book',
  'reschedule_booking',
  'cancel_booking',
  'find_booking',
  'transfer_call',
  'end_call',
] as const

/** What a tool does and takes, without the format of a provider. `endpoint`: a tool that calls this API. */
export type VoiceTool =
  | { kind: 'end'; name: VoiceToolName; description: string }
  | { kind: 'transfer'; name: VoiceToolName; description: string; number: string }
  | { kind: 'endpoint'; name: VoiceToolName; description: string; path: string; parameters: Record<string, string>; required: string[] }

const DATE = 'The day: 2026-12-01, or words such as tomorrow or next Monday.'
const SLOT = 'The time, exactly as find_slots has it in brackets, such as 2026-12-01 09:30.'
const PHONE = 'The phone number of the caller, if it is not the one of this call.'
const PART = 'morning, afternoon or evening, if the caller has said so.'

type Definition = { description: string; path: (eventType: string) => string; parameters: Record<string, string>; required: string[] }
const ENDPOINTS: Partial<Record<VoiceToolName, Definition & { scope: 'scheduling:read' | 'scheduling:write' }>> = {
  find_slots: {
    description: 'Finds free times. Offer only times that it returns.',
    path: (eventType) => `/v1/scheduling/voice/${eventType}/slots`,
    parameters: { date: DATE, part_of_day: PART },
    required: ['date'],
    scope: 'scheduling:read',
  },
  book: {
    description: 'Books a time that the caller has agreed to.',
    path: (eventType) => `/v1/scheduling/voice/${eventType}/book`,
    parameters: { slot: SLOT, name: 'The full name of the caller.', phone: PHONE, email: 'The email address, if the caller gives one.' },
    required: ['slot', 'name'],
    scope: 'scheduling:write',
  },
  reschedule_booking: {
    description: 'Moves a booking of the caller to another free time.',
    path: () => '/v1/scheduling/voice/reschedule-booking',
    parameters: {
      slot: SLOT,
      phone: PHONE,
      name: 'The name of the caller, if asked for.',
      booking: 'The number of the booking in the list.',
    },
    required: ['slot'],
    scope: 'scheduling:write',
  },
  cancel_booking: {
    description: 'Cancels a booking of the caller, after the caller has confirmed it.',
    path: () => '/v1/scheduling/voice/cancel-booking',
    parameters: { phone: PHONE, name: 'The name of the caller, if asked for.', booking: 'The number of the booking in the list.' },
    required: [],
    scope: 'scheduling:write',
  },
  find_booking: {
    description: 'Finds the upcoming bookings of the caller.',
    path: () => '/v1/scheduling/voice/find-booking',
    parameters: { phone: PHONE, name: 'The name of the caller, if asked for.' },
    required: [],
    scope: 'scheduling:read',
  },
}

/** The scopes that the key of a voice agent needs for its tools. */
export const scopesOfVoiceTools = (tools: readonly string[]): string[] =>
  [...new Set(tools.flatMap((name) => ENDPOINTS[name as VoiceToolName]?.scope ?? []))].toSorted()

/** What is wrong with the tools of a voice agent: the field, and why. */
export function voiceToolFaults({
  tools,
  event_type_id,
  transfer_number,
}: Pick<AgentContent, 'tools' | 'event_type_id' | 'transfer_number'>) {
  const faults: { path: string; message: string }[] = []
  for (const [at, name] of tools.entries())
    if (!VOICE_TOOLS.some((known) => known === name))
      faults.push({ path: `tools.${at}`, message: `must be one of: ${VOICE_TOOLS.join(', ')}` })
  if (!event_type_id && tools.some((name) => name === 'find_slots' || name === 'book'))
    faults.push({ path: 'event_type_id', message: 'is required for the tools find_slots and book: the event type that is booked' })
  if (!transfer_number && tools.includes('transfer_call'))
    faults.push({ path: 'transfer_number', message: 'is required for the tool transfer_call: the number that calls are transferred to' })
  return faults
}

/** The tools of a voice agent with what they need. */
export function voiceToolsOf({ tools, event_type_id, transfer_number }: AgentContent): VoiceTool[] {
  return VOICE_TOOLS.filter((name) => tools.includes(name)).flatMap((name): VoiceTool[] => {
    if (name === 'end_call') return [{ kind: 'end', name, description: 'Ends the call when everything is said.' }]
    if (name === 'transfer_call')
      return transfer_number ? [{ kind: 'transfer', name, description: 'Transfers the caller to a person.', number: transfer_number }] : []
    const { path, scope: _, ...definition } = ENDPOINTS[name] as Definition & { scope: string }
    return [{ kind: 'endpoint', name, ...definition, path: path(event_type_id ?? '') }]
  })
}
