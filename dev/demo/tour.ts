import { Complaint } from '../settings.ts'
import type { Api, Body } from './api.ts'

type Say = (text: string) => void
type Stop = { title: string; visit: (api: Api, say: Say) => Promise<void> }

/** Demonstrates the API on the data of `npm run import:crm-sales`. Each stop leaves the workspace unchanged. */
export const TOUR: Stop[] = [
  { title: 'A search with a typo', visit: searchWithTypo },
  { title: 'A filter over related records', visit: filterOverRelations },
  { title: 'Two companies become one, and two again', visit: mergeAndUndo },
  { title: 'What would happen if', visit: tryOut },
  { title: 'A write that a person decides', visit: letAPersonDecide },
  { title: 'A file with faults, and as if it had never been', visit: importAndUndo },
]

const FILE = [
  'Company;Industry;Employees;E-mail',
  'Tour Bakery;retail;12;hello@tour-bakery.example',
  '"Tour & Sons; Builders";construction;40;',
  ';retail;3;nobody@tour.example',
  'Tour Labs;medical;a dozen;labs@tour.example',
].join('\r\n')

async function searchWithTypo(api: Api, say: Say): Promise<void> {
  const { data } = await api('GET', '/search?q=cancty&types=companies')
  const [first] = data.companies ?? []
  if (first?.title !== 'Cancity')
    throw new Complaint('Cancity is not here: load the data first, with "npm run import:crm-sales -- <folder>".')
  say(`"cancty" finds ${first.title} (by its ${first.matched_on})`)
}

async function filterOverRelations(api: Api, say: Say): Promise<void> {
  const filter = {
    all: [
      { field: 'employee_count', op: 'gte', value: 5000 },
      {
        has: 'opportunities',
        where: {
          all: [
            { field: 'status', op: 'eq', value: 'won' },
            { field: 'value', op: 'gte', value: 20000 },
          ],
        },
      },
    ],
  }
  const { data } = await api('POST', '/companies/search', { filter, sort: 'name', limit: 100 })
  say(
    `${data.length} companies of 5,000 people and more have won something worth 20,000: ${data
      .slice(0, 5)
      .map(({ name }: Body) => name)
      .join(', ')} …`,
  )
}

async function mergeAndUndo(api: Api, say: Say): Promise<void> {
  const kept = await companyNamed(api, 'Cancity')
  const { data: double } = await api('POST', '/companies', { name: 'Cancity Inc.', phone: '+61291234567', industry: 'Retail' })
  await api('POST', '/contacts', { first_name: 'Ana', last_name: 'Tour', customer_id: double.id })
  await api('POST', '/opportunities', { name: 'Tour: ten workstations', value: 4800, customer_id: double.id })
  const body = { winner_id: kept.id, loser_ids: [double.id] }
  const { data: preview } = await api('POST', '/companies/merge', { ...body, preview: true })
  say(`would move ${countsText(preview.moved)} and fill ${Object.keys(preview.field_changes).join(', ') || 'nothing'}`)
  const { data: merge } = await api('POST', '/companies/merge', body)
  const gone = await api('GET', `/companies/${double.id}`, undefined, 404)
  say(`the old id now answers with merged_into ${gone.error.details.merged_into}`)
  const { data: undone } = await api('POST', `/companies/merges/${merge.merge_id}/undo`, {})
  say(`undone; ${undone.changed_since.length} things had changed since`)
  await removeTraces(api, double.id)
}

async function removeTraces(api: Api, company: string): Promise<void> {
  for (const family of ['opportunities', 'contacts']) {
    const { data } = await api('GET', `/companies/${company}/${family}`)
    for (const { id } of data) await api('DELETE', `/${family}/${id}`)
  }
  await api('DELETE', `/companies/${company}`)
}

async function tryOut(api: Api, say: Say): Promise<void> {
  const { card, won } = await openCard(api)
  const { dry_run } = await api('POST', `/opportunities/${card.id}/move?dry_run=true`, { stage_id: won.id })
  for (const change of dry_run.changes) say(`${change.entity} ${change.action}: ${fieldsOf(change.fields)}`)
  say(`and would emit: ${dry_run.events.map(({ type }: Body) => type).join(', ')}`)
  const { data } = await api('GET', `/opportunities/${card.id}`)
  say(`nothing has happened: "${data.name}" is still ${data.status}`)
}

async function letAPersonDecide(api: Api, say: Say): Promise<void> {
  const { card, won } = await openCard(api)
  const { approval_id } = await api('POST', `/opportunities/${card.id}/move`, { stage_id: won.id, require_approval: true }, 202)
  const { data: waiting } = await api('GET', `/approvals/${approval_id}`)
  for (const { entity, fields } of waiting.changes) say(`would change the ${entity}: ${fieldsOf(fields)}`)
  await api('POST', `/approvals/${approval_id}/reject`, { reason: 'Only a tour' })
  const { data } = await api('GET', `/approvals/${approval_id}`)
  say(`${data.status}: ${data.reason}`)
}

async function importAndUndo(api: Api, say: Say): Promise<void> {
  const { data: made } = await api('POST', '/imports?object=companies&file_name=tour.csv', FILE)
  say(`columns: ${made.mapping.map(({ column, field }: Body) => `${column} → ${field}`).join(', ')}`)
  const followed = async (action: string) => {
    await api('POST', `/imports/${made.id}/${action}`, {})
    await api('GET', `/imports/${made.id}/events`)
    return (await api('GET', `/imports/${made.id}`)).data
  }
  const { progress: tried } = await followed('check')
  say(`would create ${tried.created} and refuse ${tried.failed}`)
  const { data: faults } = await api('GET', `/imports/${made.id}/rows?status=failed`)
  for (const { line, errors } of faults)
    say(`line ${line}: ${errors.map(({ column, message }: Body) => `${column ?? ''} ${message}`.trim()).join('; ')}`)
  const { progress: done } = await followed('start')
  say(`created ${done.created}, refused ${done.failed}`)
  const { progress: undone } = await followed('undo')
  say(`undone: ${undone.removed} removed, ${undone.kept} kept`)
  await api('DELETE', `/imports/${made.id}`)
}

async function companyNamed(api: Api, name: string): Promise<Body> {
  const { data } = await api('POST', '/companies/search', { filter: { field: 'name', op: 'eq', value: name } })
  return data[0]
}

/** An open opportunity on a board, and the won stage of that board. */
async function openCard(api: Api): Promise<{ card: Body; won: Body }> {
  const { data } = await api('GET', '/opportunities?status=open&limit=100')
  const card = data.find(({ pipeline_id }: Body) => pipeline_id)
  const { data: pipeline } = await api('GET', `/pipelines/${card.pipeline_id}`)
  return { card, won: pipeline.stages.find(({ kind }: Body) => kind === 'won') }
}

const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`)
    .join(', ')

const fieldsOf = (fields: Record<string, { before?: unknown; after?: unknown }>): string =>
  Object.entries(fields)
    .map(([name, { before, after }]) => `${name} ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}`)
    .join(', ')
