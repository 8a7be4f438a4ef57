import { expect, test } from 'vitest'
import { responding } from './auto-responders/responding.ts'
import { created, found, type Row, useCrm } from './crm.ts'
import { newMark, places } from './marked-person.ts'
import { skilling } from './models/skilling.ts'

const crm = useCrm({ own: true })
const { grant, inbound, later, marker, replies, responder, says } = responding(crm)
const { run, skill } = skilling(crm)
const purge = (id: string) => crm.ws.delete(`/contacts/${id}?purge=true`)

test('what a model has written about a purged person is gone, also where its words name nobody', async () => {
  const { mark, marked } = newMark()
  const person = await crm.contact({ first_name: 'Ana', notes: marked('notes') })
  const other = await crm.contact({ first_name: 'Bo' })
  await grant()
  const made = await skill({ tools: ['getContact', 'createTask'] })
  const reads = (contact: Row) => ({ calls: [{ name: 'getContact', arguments: { params: { contact_id: contact.id } } }] })
  const writes = { calls: [{ name: 'createTask', arguments: { body: { title: marked('title') } } }] }
  crm.app.models.script(made.marker, [reads(person), writes, { text: marked('output') }])
  const about = found(await run(made))
  crm.app.models.script(made.marker, [reads(other), { text: 'Bo is well.' }])
  found(await run(made))
  expect(Object.keys(await places(crm, mark))).toContain('skill_runs')
  found(await purge(person.id))
  await crm.app.drain()
  expect(await places(crm, mark)).toEqual({})
  const { rows } = await crm.app.owner.query('select output, tool_calls, status from skill_runs where workspace_id = $1 order by id', [
    crm.ws.id,
  ])
  expect(rows[0]).toMatchObject({ output: '', status: 'completed', tool_calls: [{ operation: 'getContact' }, { operation: 'createTask' }] })
  expect(rows[1]).toMatchObject({ output: 'Bo is well.', tool_calls: [{ input: { params: { contact_id: other.id } } }] })
  expect(about.output).toBe(marked('output'))
})

test('messages that were answered, held replies and transcripts go with the person', async () => {
  const { mark, number, marked } = newMark()
  const person = await crm.contact({ first_name: `${mark}first`, phone: `+61${number}` })
  const { number: own } = await responder({ mode: 'draft' })
  for (const text of ['one', 'two']) {
    const sign = marker()
    says(sign, { category: 'question', reply: marked(text), claims: [{ text: marked('claim'), source: marked('source') }] })
    await inbound(`+61${number}`, own, `${marked(text)} ${sign}`)
    await crm.app.drain()
    await later()
  }
  expect(await replies()).toMatchObject([{ outcome: 'held' }, { outcome: 'held' }])
  const deal = await crm.opportunity({ name: 'Workstations' })
  created(await crm.ws.post(`/opportunities/${deal.id}/contacts`, { contact_id: person.id, role: 'buyer' }))
  await crm.app.owner.query(
    "insert into transcripts (workspace_id, audio_url, contact_id, status, entries) values ($1, $2, $3, 'done', $4)",
    [
      crm.ws.id,
      `https://calls.example.com/${mark}`,
      person.id,
      JSON.stringify([{ speaker: 'Ana', text: marked('said'), start: 0, end: 1 }]),
    ],
  )
  expect(Object.keys(await places(crm, mark))).toEqual(expect.arrayContaining(['approvals', 'transcripts', 'sms_messages']))
  found(await purge(person.id))
  await crm.app.drain()
  expect(await places(crm, mark)).toEqual({})
  expect(await replies()).toEqual([])
})
