import type { Callback } from '../../dev/sms-emulator.ts'
import { type Crm, created, found, type Row } from './crm.ts'
import { registerAddress } from './texting.ts'

let last = 0
/** A number that no other test has. */
const unused = (prefix = '+6149') => `${prefix}${String(Date.now()).slice(-4)}${String(last++).padStart(3, '0')}`

/** What tests of telephony share: numbers, voice agents, and what the providers post. */
export function phoning(crm: Crm) {
  const get = async (path: string): Promise<Row> => found(await crm.ws.get(path))
  const phones = {
    unused,
    async number(workspace = crm.ws): Promise<Row> {
      await registerAddress(workspace)
      return created(await workspace.post('/phone/numbers/buy', { phone_number: unused() }))
    },
    async agent(provider_agent_id = `agent_${crypto.randomUUID().replaceAll('-', '')}`, workspace = crm.ws): Promise<Row> {
      return created(await workspace.post('/phone/voice-agents', { name: 'Receptionist', provider_agent_id }))
    },
    numberOf: (id: string) => get(`/phone/numbers/${id}`),
    /** The number as the voice provider has it, and as the provider of numbers does. */
    atVoice: (phone: string) => crm.app.voice.numbers.find(({ phone_number }) => phone_number === phone),
    atTwilio: (phone: string) => crm.app.sms.numbers.filter(({ phone_number }) => phone_number === phone),
    postTwilio: ({ url, init }: Callback) => crm.app.fetch(url.slice('http://api.test'.length), init),
    postRetell: (body: unknown, at?: number) => crm.app.fetch('/call-events/retell', crm.app.voice.event(body, at).init),
    /** Lets what waits be due, and the cron job and the queue do it. */
    async later() {
      for (const [table, column] of [
        ['phone_numbers', 'voice_sync_due_at'],
        ['phone_addresses', 'due_at'],
        ['phone_bundles', 'due_at'],
      ])
        await crm.app.owner.query(
          `update ${table} set ${column} = now() - interval '1 second' where workspace_id = $1 and ${column} is not null`,
          [crm.ws.id],
        )
      await crm.app.cron('* * * * *')
      await crm.app.drain()
    },
  }
  return phones
}
