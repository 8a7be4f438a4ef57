import { expect, test } from 'vitest'
import { TRIGGER_TYPES } from '../../src/features/automations/rules/triggers.ts'
import { created, found, type Row, stagesByName, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

const crm = useCrm({ ownServer: true })
const { published, runs } = useAutomations(crm)
/** What something else than an event starts, and what any event does, have tests of their own. */
const ELSEWHERE = ['event', 'manual', 'schedule', 'incoming_webhook']

test('each type of trigger is started by what it is about, and by nothing else', { timeout: 60_000 }, async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  const repairs = created(await crm.ws.post('/pipelines', { name: 'Repairs', stages: [{ name: 'Open' }, { name: 'Done' }] }))
  const list = async (name: string) =>
    created(await crm.ws.post('/lists', { name, object: 'contacts', kind: 'static', tracks_membership: true }))
  const [club, other] = [await list('Club'), await list('Other')]
  const firm = created(await crm.ws.post('/companies', { name: 'Mill' }))
  const person = await crm.contact()
  const deal = await crm.opportunity({ stage_id: stages.New })
  await crm.app.drain()
  const triggers: Record<string, Row> = {
    'a contact': { type: 'contact_created' },
    'a company': { type: 'record_created', record: 'company' },
    'a change of a company': { type: 'record_updated', record: 'company' },
    'a city': { type: 'field_changed', record: 'company', field: 'city' },
    'an archived company': { type: 'record_archived', record: 'company' },
    'to Qualified': { type: 'stage_entered', stage_id: stages.Qualified },
    'to repairs': { type: 'stage_entered', pipeline_id: repairs.id },
    'from New': { type: 'stage_left', stage_id: stages.New },
    'from the first pipeline': { type: 'stage_left', pipeline_id: pipeline },
    'from repairs': { type: 'stage_left', pipeline_id: repairs.id },
    won: { type: 'opportunity_won' },
    lost: { type: 'opportunity_lost' },
    'vip came': { type: 'tag_added', record: 'contact', tag: 'VIP' },
    'vip went': { type: 'tag_removed', record: 'contact', tag: 'VIP' },
    'old went': { type: 'tag_removed', record: 'contact', tag: 'old' },
    'to the club': { type: 'list_entered', list_id: club.id },
    'from the club': { type: 'list_left', list_id: club.id },
    'from the other list': { type: 'list_left', list_id: other.id },
  }
  expect([...new Set(Object.values(triggers).map(({ type }) => type))].toSorted()).toEqual(
    TRIGGER_TYPES.filter((type) => !ELSEWHERE.includes(type)).toSorted(),
  )
  const automations = new Map<string, string>()
  for (const [name, trigger] of Object.entries(triggers)) automations.set(name, (await published({ trigger, steps: [] })).id)
  const counts = async () => {
    await crm.app.drain()
    return Promise.all([...automations].map(async ([name, id]) => [name, (await runs(id)).length] as const))
  }
  let before = new Map(await counts())
  const started = async () => {
    const now = new Map(await counts())
    const more = [...now].filter(([name, count]) => count !== before.get(name)).map(([name]) => name)
    before = now
    return more
  }
  const move = async (stage_id: string) => found(await crm.ws.post(`/opportunities/${deal.id}/move`, { stage_id }))
  const patch = async (fields: Row) => found(await crm.ws.patch(`/companies/${firm.id}`, fields))
  const tags = async (names: string[]) => found(await crm.ws.patch(`/contacts/${person.id}`, { tags: names.map((name) => ({ name })) }))
  const members = async ({ id }: Row, verb = '') => found(await crm.ws.post(`/lists/${id}/members${verb}`, { ids: [person.id] }))
  const steps: [string, () => Promise<unknown>, string[]][] = [
    ['another contact', () => crm.contact(), ['a contact']],
    ['another company', () => crm.ws.post('/companies', { name: 'Bakery' }), ['a company']],
    ['a city', () => patch({ city: 'Perth' }), ['a change of a company', 'a city']],
    ['archived', () => patch({ archived: true }), ['a change of a company', 'an archived company']],
    ['back again', () => patch({ archived: false }), ['a change of a company']],
    ['New to Qualified', () => move(stages.Qualified as string), ['to Qualified', 'from New', 'from the first pipeline']],
    ['to another pipeline', () => move(stagesByName(repairs).Open as string), ['to repairs', 'from the first pipeline']],
    ['within it', () => move(stagesByName(repairs).Done as string), ['to repairs', 'from repairs']],
    ['to Won', () => move(stages.Won as string), ['from repairs', 'won']],
    ['to Lost', () => move(stages.Lost as string), ['from the first pipeline', 'lost']],
    ['two tags', () => tags(['VIP', 'old']), ['vip came']],
    ['one of them', () => tags(['VIP']), ['old went']],
    ['none', () => tags([]), ['vip went']],
    ['to the other list', () => members(other), []],
    ['to the club', () => members(club), ['to the club']],
    ['from the club', () => members(club, '/remove'), ['from the club']],
    ['from the other list', () => members(other, '/remove'), ['from the other list']],
  ]
  for (const [name, act, expected] of steps) {
    await act()
    expect(await started(), name).toEqual(expected)
  }
})
