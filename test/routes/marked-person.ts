import { expect } from 'vitest'
import { tenantTables } from '../contract/state.ts'
import { type Crm, created, found, type Row } from './crm.ts'

let made = 0
/** A word of letters alone, and the end of a phone number, that no one else has. */
export function newMark() {
  const letter = (n: number) => 'abcdefghij'[n]
  const mark = `zyxwmarked${letter(Math.floor(made / 10))}${letter(made % 10)}`
  made += 1
  return { mark, number: `4123456${made + 10}`, marked: (name: string) => `${mark} ${name}` }
}
export type Mark = ReturnType<typeof newMark>

/** Every row of the database that has the mark anywhere, by table. */
export async function places(crm: Crm, mark: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const table of [...(await tenantTables(crm.app.owner)), 'users', 'workspaces']) {
    const { rows } = await crm.app.owner.query(`select r::text as row from ${table} r where r::text ilike $1`, [`%${mark}%`])
    if (rows.length > 0) found[table] = rows.map(({ row }) => row)
  }
  return found
}

/** The id of an approval, decided. */
export async function decided(crm: Crm, answer: { body: Row }, verdict: 'approve' | 'reject', body: Row = {}): Promise<string> {
  const { approval_id } = answer.body
  found(await crm.ws.post(`/approvals/${approval_id}/${verdict}`, body))
  await crm.app.drain()
  return approval_id
}

/**
 * A person with the mark in every text that the API takes, in records about them, in held and repeated requests, and in what was deleted
 * since.
 */
export async function markedPerson(crm: Crm, { mark, number, marked }: Mark) {
  const { ws } = crm
  created(await ws.post('/custom-fields', { object: 'contact', key: 'vat', label: 'VAT', type: 'text', unique: true }))
  const key = (name: string) => ({ 'idempotency-key': name })
  const body = {
    first_name: `${mark}first`,
    last_name: `${mark}last`,
    email: `${mark}@x.co`,
    alternate_emails: [`${mark}.other@x.co`],
    phone: `+61${number}`,
    alternate_phones: [`+61${number.slice(0, -2)}9${number.slice(-1)}`],
    landline: marked('1'),
    job_title: marked('job'),
    contact_type: marked('type'),
    notes: marked('notes'),
    address_line1: marked('1'),
    address_line2: marked('2'),
    city: marked('city'),
    state: marked('state'),
    postal_code: mark,
    country: 'Iceland',
    referrer_category: marked('tier'),
    external_id: marked('id'),
    metadata: { vat: marked('vat'), deep: { list: [marked('deep')] } },
  }
  const person = created(await ws.post('/contacts', body, key('create')))
  const { id } = person
  const deal = await crm.opportunity({ name: 'Workstations' })
  found(
    await ws.patch(`/contacts/${id}`, { first_name: `${mark}renamed`, email: `${mark}.new@x.co`, notes: marked('again') }, key('change')),
  )
  found(await ws.post(`/contacts/${id}/employers/${await crm.company()}`))
  expect((await ws.post(`/opportunities/${deal.id}/contacts`, { contact_id: id, role: marked('role') })).status).toBeLessThan(300)
  created(await ws.post('/deal-stakeholders', { deal_id: deal.id, contact_id: id, role: marked('role') }))
  const about = {
    contact_id: id,
    subject: marked('subject'),
    body: marked('body'),
    outcome: marked('outcome'),
    metadata: { a: marked('meta') },
  }
  created(await ws.post('/activities', { activity_type: 'note', ...about }, key('note')))
  const shared = created(await ws.post('/activities', { activity_type: 'call', ...about, deal_id: deal.id, duration_seconds: 60 }))
  found(await ws.patch(`/activities/${shared.id}`, { body: marked('later') }, key('later')))
  const gone = created(await ws.post('/activities', { activity_type: 'note', ...about }))
  found(await ws.delete(`/activities/${gone.id}`))
  created(await ws.post('/tasks', { title: marked('task'), description: marked('task'), contact_id: id }))
  const task = created(
    await ws.post('/tasks', { title: marked('task'), description: marked('task'), contact_id: id, opportunity_id: deal.id }),
  )
  await decided(crm, await ws.post('/contacts', { first_name: mark, email: `${mark}@x.co`, require_approval: true }), 'reject', {
    reason: marked('why'),
  })
  await decided(crm, await ws.patch(`/contacts/${id}`, { city: marked('approved'), require_approval: true }), 'approve')
  await decided(crm, await ws.patch(`/activities/${shared.id}`, { body: marked('approved'), require_approval: true }), 'approve')
  const waiting = (await ws.patch(`/contacts/${id}`, { notes: marked('waiting'), require_approval: true })).body.approval_id
  await ws.post('/contacts/upsert', { first_name: marked('upsert'), phone: `0${number}`, require_approval: true })
  return { id, deal, shared, task, waiting, body, key }
}
