import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { deaths } from '../../deaths.ts'
import { limit } from '../../speed.ts'
import { responding } from '../auto-responders/responding.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { skilling } from '../models/skilling.ts'
import { phoning } from '../phoning.ts'

const { everywhere, vars } = await deaths(() => crm.app)
const crm = useCrm({ ownServer: true, vars })
const { atVoice, number } = phoning(crm)
const { base, credits, grant, inbound, marker, replies, responder, says, sentTo } = responding(crm)
const { balance, skill } = skilling(crm)

/** As if runs whose Worker has died had begun long ago. */
async function endLostRuns() {
  await crm.app.owner.query("update skill_runs set created_at = created_at - interval '2 hours' where status = 'running'")
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}
/** The balance is what the entries add up to, and nothing stays reserved. */
async function books() {
  const { rows } = await crm.app.owner.query('select coalesce(sum(amount), 0)::int as sum from credit_entries where workspace_id = $1', [
    crm.ws.id,
  ])
  expect(await balance()).toEqual({ balance: rows[0].sum, reserved: 0 })
}

test('a version is published once, there and here, and moves its number', { timeout: limit(240_000) }, async () => {
  await everywhere(
    {
      async prepare() {
        const { id } = created(
          await crm.ws.post('/agents', {
            type: 'voice',
            name: 'Receptionist',
            prompt: 'First.',
            voice_id: 'retell-Cimo',
            tools: ['end_call'],
          }),
        )
        const first = found(await crm.ws.post(`/agents/${id}/publish`))
        const phone = await number()
        found(await crm.ws.patch(`/phone/numbers/${phone.id}`, { inbound_voice_agent_config_id: id }))
        found(await crm.ws.patch(`/agents/${id}`, { prompt: 'Second.' }))
        return { id, there: first.provider_agent_id as string, phone }
      },
      act: ({ id }) => crm.ws.post(`/agents/${id}/publish`),
      async meanwhile({ id }) {
        expect([1, 2]).toContain(found(await crm.ws.get(`/agents/${id}`)).published_version)
      },
      again: ({ id }) => crm.ws.post(`/agents/${id}/publish`),
      async check({ id, there, phone }) {
        const agent = found(await crm.ws.get(`/agents/${id}`))
        expect(agent).toMatchObject({ status: 'published', published_version: 2, provider_agent_id: there, has_unpublished_changes: false })
        const versions = found(await crm.ws.get(`/agents/${id}/versions`)) as Row[]
        expect(versions).toMatchObject([
          { number: 2, status: 'published' },
          { number: 1, status: 'published' },
        ])
        const version = crm.app.voice.agents.version(there)
        expect(version && crm.app.voice.agents.engineOf(version)).toMatchObject({ general_prompt: 'Second.' })
        expect(atVoice(phone.phone_number)).toMatchObject({ inbound_agents: [{ agent_id: there, agent_version: version?.version }] })
        await crm.ws.delete(`/agents/${id}`)
      },
    },
    4,
  )
})

test('a message is answered once, and its credits are settled', { timeout: limit(240_000) }, async () => {
  const HOURS = 'We are open on Saturday from 9 to 13.'
  let people = 0
  await everywhere(
    {
      async prepare() {
        const { base: knowledge_base_id, entry } = await base(HOURS)
        const { number: own } = await responder({ knowledge_base_id })
        const person = `+6148${String(++people).padStart(7, '0')}`
        const sign = marker()
        // Each attempt asks the model anew.
        for (let attempt = 0; attempt < 4; attempt++)
          says(sign, { category: 'question', reply: HOURS, claims: [{ text: HOURS, source: entry }] })
        await inbound(person, own, `Are you open on Saturday? ${sign}`)
        await crm.app.drain()
        await crm.app.owner.query(
          "update auto_replies set due_at = now() - interval '1 second' where workspace_id = $1 and due_at is not null",
          [crm.ws.id],
        )
        return person
      },
      async act() {
        await crm.app.deliver('webhooks', [{ type: 'work.run', kind: 'auto_reply.run', workspace_id: crm.ws.id }])
        await crm.app.deliver('messages', [{ type: 'work.run', kind: 'messages.send', workspace_id: crm.ws.id }])
      },
      async check(person) {
        await endLostRuns()
        expect(sentTo(person)).toMatchObject([{ body: HOURS }])
        expect((await replies()).at(-1)).toMatchObject({ outcome: 'sent', due_at: null })
        expect(await credits()).toMatchObject({ reserved: 0 })
        await books()
      },
    },
    5,
  )
})

test('a run of a skill acts and is charged once, whatever its caller hears', { timeout: limit(240_000) }, async () => {
  await everywhere(
    {
      async prepare() {
        await grant(1_000)
        const made = await skill({ tools: ['createTask'] })
        const title = `Task ${randomUUID()}`
        crm.app.models.script(made.marker, [{ calls: [{ name: 'createTask', arguments: { body: { title } } }] }, { text: 'Done.' }])
        return { id: made.id, title, key: { 'idempotency-key': randomUUID() } }
      },
      act: ({ id, key }) => crm.ws.post('/skills/run', { skill_id: id, input: {} }, key),
      async again({ id, key }) {
        await endLostRuns()
        const run = found(await crm.ws.post('/skills/run', { skill_id: id, input: {} }, key))
        expect(['completed', 'failed']).toContain(run.status)
      },
      async check({ id, title }) {
        const tasks = (found(await crm.ws.get('/tasks')) as Row[]).filter((task) => task.title === title)
        const { rows } = await crm.app.owner.query('select status from skill_runs where workspace_id = $1 and skill_id = $2', [
          crm.ws.id,
          id,
        ])
        expect(rows).toHaveLength(1)
        expect(tasks.length).toBeLessThanOrEqual(1)
        if (rows[0].status === 'completed') expect(tasks).toHaveLength(1)
        await books()
      },
    },
    4,
  )
})
