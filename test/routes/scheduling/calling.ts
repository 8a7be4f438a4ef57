import type { Crm, Row } from '../crm.ts'

export const PHONE = '+61412345678'

/** Calls a tool of a voice agent. */
export const voiceOf =
  (crm: Pick<Crm, 'app' | 'ws'>) =>
  async (path: string, body: unknown, key = crm.ws.apiKey): Promise<{ status: number; type: string; text: string }> => {
    const response = await crm.app.fetch(`/v1/scheduling/voice${path}`, {
      method: 'POST',
      headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() }
  }

export const retell = (args: Row, call: Row = {}) => ({
  name: 'tool',
  call: { call_id: 'call_1', direction: 'inbound', from_number: PHONE, to_number: '+61280000002', ...call },
  args,
})
export const vapi = (...tools: [id: string, args: unknown][]) => ({
  message: {
    type: 'tool-calls',
    call: { id: 'vc_1' },
    customer: { number: PHONE },
    toolCallList: tools.map(([id, parameters]) => ({ id, name: 'tool', parameters })),
  },
})
