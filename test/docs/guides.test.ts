import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkClient, makeAgency, recordPayment, recordRefund } from '../../dev/agency/agency.ts'
import { readDocument } from '../../dev/docs/document.ts'
import { readGuides } from '../../dev/docs/guides.ts'
import { root } from '../../dev/settings.ts'
import { STATUS_OF } from '../../src/errors.ts'
import { type Harness, start } from '../harness.ts'
import { run, runGuide } from './guide-runner.ts'

const guides = readGuides(join(root, 'guides'))

let app: Harness
beforeAll(async () => {
  app = await start({ ownServer: true, vars: { EVENT_STREAM_SECONDS: '300' } })
}, 120_000)
afterAll(() => app.close())

/** Does what the commands of the guide to agencies do, last month. Returns the client that the guide names. */
async function agencyOf({ owner, workspace }: Harness, id: string): Promise<Record<string, string>> {
  const [from, paidAt, refundedAt] = [2, 1, 1].map((months, n) => {
    const now = new Date()
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 10 + n)).toISOString()
  }) as [string, string, string]
  await owner.query("update workspaces set timezone = 'UTC' where id = $1", [id])
  await owner.query('update memberships set joined_at = $2 where workspace_id = $1', [id, from])
  await makeAgency(owner, id, { commission_percent: 20, currency: 'AUD', signup_url: null, from_month: `${from.slice(0, 7)}-01` })
  const { rows } = await owner.query('select u.email from memberships m join users u on u.id = m.user_id where m.workspace_id = $1', [id])
  const client = await workspace()
  await linkClient(owner, id, client.id, { brought_in_by: rows[0].email, plan: 'growth' })
  const payment = { kind: 'service', paid_at: paidAt, amount_cents: 10_020, currency: 'AUD', reference: 'Invoice 7' } as const
  await recordPayment(owner, id, { client_id: client.id, ...payment })
  await recordRefund(owner, id, { payment_reference: 'Invoice 7', refunded_at: refundedAt, amount_cents: 5_010, reference: 'Refund 1' })
  return { CLIENT: client.id, CLIENT_KEY: client.apiKey }
}

describe('the code of a guide runs, and receives what the guide says', () => {
  test.each(guides)('$title', async ({ text, url }) => {
    const { apiKey, id } = await app.workspace()
    await app.owner.query("select grant_credits($1, 500, 'guide')", [id])
    const base = new URL('/v1', await app.url()).href
    const env = { BASE: base, KEY: apiKey, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
    await runGuide(text, { ...env, ...(url === '/docs/guides/agencies' && (await agencyOf(app, id))) })
    await app.drain()
  })
})

test('the tour of the README shows what it promises when it is pasted at once', async () => {
  const { apiKey } = await app.workspace()
  const base = new URL('/v1', await app.url()).href
  const [, tour = ''] = /## A tour in five minutes[\s\S]*?```sh\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  const pasted = tour.replace(/^KEY=.*$/m, `KEY=${apiKey}`).replace(/^BASE=.*$/m, `BASE=${base}`)
  const { code, output } = await run('bash', ['-c', pasted], root, {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  })
  expect(code, output).toBe(0)
  const printed = output.split('\n').filter((line) => line.startsWith('{'))
  expect(printed.filter((line) => line.includes('"error":'))).toEqual([])
  const [me, pipelines, contact, held, approved, history, stages, events, , rows] = printed.map((line) => JSON.parse(line))
  expect([me.data.user.role, pipelines.data[0].stages.length, contact.data.phone]).toEqual(['client_admin', 5, '+61412345678'])
  // The dry run shows its changes alone, one in a line.
  expect(output).toMatch(/^opportunity status: open → won$/m)
  expect(output).toMatch(/^opportunity closed_at: {1,2}→ \d{4}-/m)
  expect(held).toEqual({ approval_id: expect.any(String), status: 'pending' })
  expect(approved.data.changes[0].fields.status).toEqual({ before: 'open', after: 'won' })
  expect(history.data).toMatchObject([
    { action: 'updated', cause_type: 'approval', cause_id: held.approval_id },
    { action: 'created', cause_type: 'request' },
  ])
  expect(stages.data.map(({ to_stage_name }: { to_stage_name: string }) => to_stage_name)).toEqual(['Won', 'New'])
  expect(events.data).toMatchObject([{ type: 'opportunity.won', entity_id: history.data[0].entity_id }])
  expect(output).toContain('"state":"finished","reason":null,"progress":{"phase":"run","total":2,"done":2,"created":1')
  expect(rows.data).toMatchObject([{ line: 3, errors: [{ field: 'email', value: 'cy@' }] }])
  expect(output).toContain('bo@example.com,+61412345679,Lighthouse Joinery')
  expect(printed.at(-1)).toMatch(/"state":"(?:undoing|undone)"/)
})

test('JSON in commands has one spelling, with a space after colons and commas', () => {
  const texts = [
    ...guides.map(({ title, text }) => [title, text] as const),
    ['README', readFileSync(join(root, 'README.md'), 'utf8')] as const,
  ]
  const compact = texts.flatMap(([title, text]) =>
    [...text.matchAll(/-d (?:'\{.*?\}'|"\{.*?\}"(?!\w))/g)]
      .map(([body]) => body.replaceAll('\\"', '"'))
      .filter((body) => /"\w+":\S|,"\w+":/.test(body))
      .map((body) => `${title}: ${body}`),
  )
  expect(compact).toEqual([])
})

test('the README is short enough for a first hour', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split(/\s+/).length).toBeLessThan(1_800)
})

test('the guide to errors has cause and remedy of every code, with its status', () => {
  const { text } = guides.find(({ url }) => url === '/docs/errors')!
  const sections = new Map(text.split(/^## /m).map((section) => [section.split('\n')[0], section]))
  for (const [code, status] of Object.entries(STATUS_OF)) {
    const section = sections.get(code)
    expect(section, `guides/errors.md lacks ${code}`).toBeDefined()
    expect(section, code).toContain(`**${status}**`)
    expect(section, code).toMatch(/\*\*Cause\.\*\* [\s\S]+\*\*Remedy\.\*\* /)
  }
})

test('guides name only operations that exist', () => {
  const { resources } = readDocument(readFileSync(join(root, 'openapi.json'), 'utf8'))
  const shape = (method: string, path: string) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`
  const known = new Set(resources.flatMap(({ operations }) => operations.map(({ method, path }) => shape(method, path))))
  const named = guides.flatMap(({ title, text }) =>
    [...text.matchAll(/`(GET|POST|PATCH|PUT|DELETE) (\/[^`?]*)`/g)].map(([, method, path]) => ({
      title,
      operation: shape(method as string, path as string),
    })),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(({ operation }) => !known.has(operation))).toEqual([])
})
