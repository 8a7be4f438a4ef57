import { eachOf } from '../../src/lib/each-of.ts'
import type { Client } from './client.ts'
import { levelsOf } from './hierarchy.ts'
import {
  type Found,
  type Ids,
  isNamedFor,
  lineItems,
  type Plan,
  type References,
  wantedCompany,
  wantedMember,
  wantedOpportunity,
  wantedProduct,
} from './plan.ts'
import type { Done, Note, Place } from './report.ts'
import { type Company, type Member, type Opportunity, PIPELINE, type Product, type StageName } from './sales.ts'
import { bringInBulk, bringSingly, byKey, type Job, QUIETLY, type Tally } from './send.ts'
import { normalise } from './values.ts'

const idsOf = (found: Map<string, Found>): Ids => new Map([...found].map(([key, { id }]) => [key, id]))

function noteAt(notes: Note[], { file, line }: Place, done: Done, why: string, value: string): void {
  notes.push({ file, line, field: '', done, why, value })
}

const sum = (tallies: Tally[]): Tally =>
  tallies.reduce(
    (a, b) => ({
      created: a.created + b.created,
      moved: a.moved + b.moved,
      changed: a.changed + b.changed,
      refused: a.refused + b.refused,
    }),
    { created: 0, moved: 0, changed: 0, refused: 0 },
  )

/** Parents come before the companies that belong to them. */
export async function bringCompanies(job: Job, companies: Company[]): Promise<{ ids: Ids; tally: Tally }> {
  const found = byKey(await job.client.list('/companies', { archived: 'all' }))
  const tallies: Tally[] = []
  for (const level of levelsOf(companies)) {
    const ids = idsOf(found)
    tallies.push(
      await bringInBulk(
        job,
        '/companies',
        level.map((company) => wantedCompany(company, ids)),
        found,
      ),
    )
  }
  return { ids: idsOf(found), tally: sum(tallies) }
}

export async function bringProducts(job: Job, products: Product[]): Promise<{ ids: Ids; tally: Tally }> {
  const { client } = job
  const found = byKey(await client.list('/products', { archived: 'all' }))
  const tally = await bringSingly(job, products.map(wantedProduct), found, {
    create: ({ fields }) => client.send('POST', '/products', { ...fields, ...QUIETLY }),
    find: async (key) => (await client.list('/products', { external_id: key, archived: 'all' }))[0],
    change: (id, patch) => client.send('PATCH', `/products/${id}`, { ...patch, ...QUIETLY }),
  })
  return { ids: idsOf(found), tally }
}

/** Managers come before those who report to them. Removed members are not invited again. */
export async function bringMembers(job: Job, members: Member[]): Promise<{ ids: Ids; tally: Tally }> {
  const { client, notes } = job
  const found = byKey(await client.list('/company/users'), 'email')
  const removed = byKey(await client.list('/company/users', { status: 'removed' }), 'email')
  const tallies: Tally[] = []
  for (const level of levelsOf(members)) {
    for (const { key, place } of level.filter(({ key }) => removed.has(key))) {
      noteAt(notes, place, 'skipped', 'was removed from the workspace: not invited again', key)
      tallies.push({ ...sum([]), refused: 1 })
    }
    const wanted = level.filter(({ key }) => !removed.has(key)).map((member) => wantedMember(member, idsOf(found)))
    tallies.push(
      await bringSingly(job, wanted, found, {
        create: ({ fields, first }) => client.send('POST', '/company/users/invite', { ...first, ...fields, ...QUIETLY }),
        find: async (key) => (await client.list('/company/users')).find(({ email }) => email === key),
        change: (id, patch) => client.send('PATCH', `/company/users/${id}/workspace-user-profile`, { ...patch, ...QUIETLY }),
      }),
    )
  }
  return { ids: idsOf(found), tally: sum(tallies) }
}

type Stage = { id: string; name: string; kind: string }

const isSame = (one: { name: string }, other: { name: string }) => normalise(one.name) === normalise(other.name)

/** Finds or creates the pipeline with its four stages. Probabilities and colours of existing stages are not changed. */
export async function bringPipeline({ client }: Job): Promise<{ id: string; stages: Map<StageName, string>; tally: Tally }> {
  const find = async () => (await client.list('/pipelines', { archived: 'all' })).find((one) => isSame(one, PIPELINE))
  let created = 0
  const create = async () => {
    const made = await client.send('POST', '/pipelines', { ...PIPELINE, ...QUIETLY })
    created = 1
    return made
  }
  // If creating it fails, another client may have been faster.
  const { id, stages: there } =
    (await find()) ??
    (await create().catch(async (error) => {
      const other = await find()
      if (!other) throw error
      return other
    }))
  const stages = new Map<StageName, string>()
  let changed = 0
  for (const [position, wanted] of PIPELINE.stages.entries()) {
    const stage = (there as Stage[]).find((one) => isSame(one, wanted))
    if (stage?.kind === wanted.kind) stages.set(wanted.name, stage.id)
    else {
      stages.set(wanted.name, await putStage(client, id, stage?.id, { ...wanted, position }))
      changed = 1
    }
  }
  return { id, stages, tally: { ...sum([]), created, changed: created ? 0 : changed } }
}

/** Adds the stage, or sets the kind of the existing one. Returns its id. */
async function putStage(
  client: Client,
  pipelineId: string,
  id: string | undefined,
  stage: Omit<Stage, 'id'> & { position: number },
): Promise<string> {
  const path = `/pipelines/${pipelineId}/stages`
  if (id === undefined) return (await client.send('POST', path, { ...stage, ...QUIETLY })).id
  await client.send('PATCH', `${path}/${id}`, { kind: stage.kind, ...QUIETLY })
  return id
}

/** `others` counts the opportunities of the pipeline that are not from these files. */
export async function bringOpportunities(
  job: Job,
  pipelineId: string,
  all: Opportunity[],
  known: References,
): Promise<{ tally: Tally; others: number }> {
  const there: Found[] = await job.client.list('/opportunities', { archived: 'all', sort: 'created_at' })
  const keys = new Set<unknown>(all.map(({ key }) => key))
  const others = there.filter(({ pipeline_id, external_id }) => pipeline_id === pipelineId && !keys.has(external_id)).length
  const found = byKey(there)
  const wanted = all.map((opportunity) => wantedOpportunity(opportunity, known))
  const tally = await bringInBulk(job, '/opportunities', wanted, found, (plan) => mendLineItems(job, plan, found, all, known))
  return { tally, others }
}

/**
 * Lists have no line items, but the name shows the product. If it differs, the line item is corrected before the name, so that an
 * interrupted import finds the difference again.
 */
async function mendLineItems(
  { client, notes }: Job,
  { change }: Plan,
  found: Map<string, Found>,
  all: Opportunity[],
  known: References,
): Promise<void> {
  const byKey = new Map(all.map((opportunity) => [opportunity.key, opportunity]))
  const other = change.filter(({ wanted: { key } }) => !isNamedFor(byKey.get(key)!.product_name, found.get(key)?.name))
  await eachOf(4, other, async ({ id, wanted }) => {
    const [item] = lineItems(byKey.get(wanted.key)!, known)
    const { products } = await client.send('GET', `/opportunities/${id}`)
    const there = products as { id: string; product_id: string | null; name: string }[]
    if (!item || there.some(({ product_id, name }) => (item.product_id ? product_id === item.product_id : name === item.name))) return
    // If there are several, only a person knows which one corresponds to the file's.
    if (there.length > 1) noteAt(notes, wanted.place, 'kept as it is', 'has several line items: the product is added to them', wanted.key)
    if (there.length === 1) await client.send('DELETE', `/opportunities/${id}/products/${there[0]!.id}?skip_automations=true`)
    await client.send('POST', `/opportunities/${id}/products`, { ...item, ...QUIETLY })
  })
}
