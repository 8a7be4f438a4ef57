import { join } from 'node:path'
import type { RequestInit } from 'miniflare'
import { Client, type Fetch } from '../../dev/import/client.ts'
import { readFolder, type Texts } from '../../dev/import/folder.ts'
import { progressOn } from '../../dev/import/progress.ts'
import { importSales } from '../../dev/import/run.ts'
import { FILES } from '../../dev/import/sales.ts'
import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'

const BASE = 'http://crm.test'

/** Written by hand, with every kind of dirt. */
export const { texts } = readFolder(join(import.meta.dirname, 'fixture'))

/** The least that has a bit of everything, where the same is done many times. */
export const few: Texts = {
  'accounts.csv': `${FILES['accounts.csv']}\nAcme,retail,1996,1100.04,2822,Japan,\nBluth,retail,1993,5,3,Japan,Acme\n`,
  'products.csv': `${FILES['products.csv']}\nGTX Pro,GTX,4821\n`,
  'sales_teams.csv': `${FILES['sales_teams.csv']}\nAnna Snelling,Dustin Brinkmann,Central\n`,
  'sales_pipeline.csv':
    `${FILES['sales_pipeline.csv']}\nA1,Anna Snelling,GTXPro,Bluth,Won,10/20/2016,3/1/2017,1054\nA2,Anna ` +
    'Snelling,GTXPro,,Engaging,3/2/2017,,\n',
}

/** The answer to request number `at` is lost, and the import stops there or not. */
interface Mishap {
  at: number
  stops: boolean
}

/** Something that happens once, before the first request of this kind is sent. */
interface Meanwhile {
  before: string
  work: () => Promise<unknown>
}

/** Imports into the workspace, and tells the requests by method and path. */
export async function bring(app: Harness, workspace: TestWorkspace, files: Texts = texts, mishap?: Mishap, meanwhile?: Meanwhile) {
  const stopping = new AbortController()
  const sent: string[] = []
  const fetch: Fetch = async (url, { signal: _, ...init }) => {
    sent.push(`${init.method} ${url.slice(`${BASE}/v1`.length)}`.replace(/\?.*/, ''))
    if (meanwhile && sent.indexOf(meanwhile.before) === sent.length - 1) await meanwhile.work()
    const response = await app.fetch(url.slice(BASE.length), init as RequestInit)
    if (mishap?.at === sent.length) {
      if (mishap.stops) stopping.abort(new Error('Stopped'))
      throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
    }
    return response
  }
  let shown = ''
  const progress = progressOn({ write: (text: string) => (shown += text) })
  const client = new Client({ base: BASE, key: workspace.apiKey, fetch, stopping: stopping.signal, pause: async () => {} })
  const outcome = await importSales(files, { client, progress, notes: [] })
  return { ...outcome, client, sent, shown: () => shown }
}

/** All that the workspace holds, without what differs from one import to the next. */
export async function contentOf(workspace: TestWorkspace) {
  const all = async (path: string, order: string) =>
    (await workspace.get(path)).body.data.toSorted((a: never, b: never) => (a[order] < b[order] ? -1 : 1))
  const names = new Map<string, string>()
  const [companies, products, members, opportunities] = [
    await all('/companies?limit=100&archived=all', 'external_id'),
    await all('/products?limit=100&archived=all', 'external_id'),
    (await all('/company/users?limit=100', 'email')).filter(({ email }: { email: string }) => email.endsWith('@crm-sales.example')),
    await all('/opportunities?limit=100&archived=all', 'external_id'),
  ]
  const [pipeline] = (await workspace.get('/pipelines')).body.data.filter(({ name }: { name: string }) => name === 'CRM sales')
  for (const { id, name, email } of [...companies, ...products, ...members, pipeline, ...pipeline.stages]) names.set(id, name ?? email)
  const items = await Promise.all(
    opportunities.map(async ({ id }: { id: string }) => (await workspace.get(`/opportunities/${id}/products`)).body.data),
  )
  const plain = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (field, part) => {
      if (['id', 'version', 'invitation', 'opportunity_id'].includes(field) || /^(created|updated|stage_entered)_at$/.test(field))
        return undefined
      // Closed when it was imported.
      if (field === 'closed_at' && part > '2020') return 'now'
      return typeof part === 'string' ? (names.get(part) ?? part) : part
    })
  return plain({ companies, products, members, pipeline, opportunities, items }) as Record<string, Record<string, unknown>[]>
}
