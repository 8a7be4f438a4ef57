import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { blocksOf } from '../../dev/docs/markdown.ts'
import { root } from '../../dev/settings.ts'
import { SECRETS } from '../../dev/setup-cloudflare.ts'
import { guide } from './runbooks.ts'

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
