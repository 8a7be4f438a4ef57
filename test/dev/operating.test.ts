import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { faultsOfSecrets } from '../../dev/deployment-checks.ts'
import { blocksOf } from '../../dev/docs/markdown.ts'
import { root } from '../../dev/settings.ts'
import { SECRETS } from '../../dev/setup-cloudflare.ts'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { createServer } from '../database.ts'
import { start } from '../harness.ts'

const guide = readFileSync(join(root, 'guides/operating.md'), 'utf8')
/** The parts of wrangler.toml that are read. */
interface Deployment {
  images: { binding: string }
  vars: object
  queues: { producers: { binding: string; queue: string }[]; consumers: { queue: string; dead_letter_queue?: string }[] }
  triggers: { crons: string[] }
  r2_buckets: { binding: string }[]
  durable_objects: { bindings: { name: string }[] }
  ratelimits: { name: string }[]
  assets: { binding: string }
}
const config: Deployment = unstable_readConfig({ config: join(root, 'wrangler.toml') })

/** The rows of the table under a heading whose first column has this title, as the code in each cell. */
function table(first: string): string[][] {
  const found = blocksOf(guide).find((block) => 'lines' in block && block.lines[0]?.startsWith(`| ${first} |`)) as { lines: string[] }
  return found.lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => /`([^`]+)`/.exec(cell)?.[1] ?? cell.trim()),
  )
}
const firsts = (title: string) => table(title).map(([name]) => name as string)

test('the guide has every variable, secret, queue, binding and cron of the deployment, and no other', () => {
  const { vars, queues, triggers, r2_buckets, durable_objects, ratelimits, assets, images } = config
  expect(firsts('Variable').sort()).toEqual(Object.keys(vars).sort())
  expect(firsts('Secret').sort()).toEqual([...SECRETS].sort())
  const dead = new Map(queues.consumers.map(({ queue, dead_letter_queue }) => [queue, dead_letter_queue]))
  expect(table('Binding | Queue').map(([binding, queue, , deadLetters]) => [binding, queue, deadLetters])).toEqual(
    queues.producers.map(({ binding, queue }) => [binding, queue, dead.get(queue)]),
  )
  const others = [
    ...r2_buckets.map(({ binding }) => binding),
    images.binding,
    assets.binding,
    ...durable_objects.bindings.map(({ name }) => name),
    ...ratelimits.map(({ name }) => name),
  ]
  expect(table('Binding | Purpose').map(([name]) => name)).toEqual(others)
  expect(firsts('Cron')).toEqual(triggers.crons)
})

test('the guide names every setting that the Worker reads', () => {
  const settings = [...readFileSync(join(root, 'src/env.ts'), 'utf8').matchAll(/^ {2}([A-Z][A-Z0-9_]+)\??:/gm)].map(
    ([, name]) => name as string,
  )
  expect(settings.length).toBeGreaterThan(50)
  // The address of the local Neon endpoint, which only `npm run dev` and tests set.
  const local = ['NEON_PROXY']
  expect(settings.filter((name) => !local.includes(name) && !guide.includes(`\`${name}\``))).toEqual([])
})

test('a rotation of SEALING_KEYS: old values open, new ones have the new key, and the statement of the guide tells them apart', async () => {
  const [first, second] = ['first', 'second'].map((id, n) => `${id}:${Buffer.alloc(32, n + 1).toString('base64')}`) as [string, string]
  // What the guide says to pass is accepted.
  expect(await faultsOfSecrets({ SEALING_KEYS: `${second},${first}` })).toEqual([])
  const statement = blocksOf(guide).find((block) => 'code' in block && block.language === 'sql') as { code: string }
  const receiver = await startWebhookReceiver()
  const vars = { LOCAL_RECEIVERS: receiver.host }
  // Transactions of other test files would delay its events.
  const database = await createServer()
  const before = await start({ database, vars: { ...vars, SEALING_KEYS: first } })
  const after = await start({ database, vars: { ...vars, SEALING_KEYS: `${second},${first}` } })
  try {
    const keys = async () => (await before.owner.query(statement.code)).rows.map(({ key, sealed_values }) => [key, Number(sealed_values)])
    const { apiKey } = await before.workspace()
    const call = async (path: string, body: object = {}) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const sender = path === '/webhooks' ? before : after
      const response = await sender.fetch(`/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(response.status, path).toBeLessThan(300)
      return (await response.json()) as { data: { id: string; secret: string } }
    }
    const { data } = await call('/webhooks', { url: receiver.url, event_types: ['contact.*'] })
    expect(await keys()).toEqual([['first', 1]])

    receiver.secrets.push(data.secret)
    await call('/contacts', { first_name: 'Ana' })
    await Promise.all([before.drain(), after.drain()])
    expect(receiver.received.map(({ verified }) => verified)).toEqual([1])

    await call(`/webhooks/${data.id}/rotate-secret`)
    // The secret before the rotation is still in use for a while, sealed with the key before.
    expect(await keys()).toEqual([
      ['first', 1],
      ['second', 1],
    ])
  } finally {
    await after.close()
    await before.close()
    await database.stop()
    await receiver.close()
  }
})
