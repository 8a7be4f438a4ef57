import { type Plan, read } from '../../../data/plan.ts'
import { constant } from '../../../data/query.ts'
import type { SimulateCall, SimulatedCall } from '../schemas/voice.ts'

const PATHS: Record<SimulateCall['tool'], string> = {
  slots: '/scheduling/voice/:event_type_id/slots',
  book: '/scheduling/voice/:event_type_id/book',
  cancel: '/scheduling/voice/cancel-booking',
  reschedule: '/scheduling/voice/reschedule-booking',
  find: '/scheduling/voice/find-booking',
}

type Sent = { params: Record<string, string>; query: Record<string, string>; body: unknown }
/** Sends a request to an endpoint, and rolls it back. */
type Send = (target: { method: string; path: string }, request: Sent) => Promise<SimulatedCall>

/** The exact text that a tool would send for an envelope. Nothing is written. */
export async function simulateCall({ tool, event_type_id, envelope }: SimulateCall, send: Send): Promise<Plan<SimulatedCall>> {
  const params: Record<string, string> = event_type_id ? { event_type_id } : {}
  return read(constant(await send({ method: 'POST', path: PATHS[tool] }, { params, query: {}, body: envelope })))
}
