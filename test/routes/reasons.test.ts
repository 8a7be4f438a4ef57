import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { found, type Row, useCrm } from './crm.ts'

const crm = useCrm()

const LOST = ['Price', 'No budget', 'Über budget']
const WON = ['Relationship', 'Product fit']
let stages: Record<string, string>
beforeEach(async () => {
  await crm.offerReasons(LOST, WON)
  stages = (await crm.firstPipeline()).stages
})

const move = (id: string, stage: string, body: Row = {}) => crm.ws.post(`/opportunities/${id}/move`, { stage_id: stages[stage], ...body })
const read = async (id: string) => found(await crm.ws.get(`/opportunities/${id}`))

/** The ways to write reasons, each to a card that is lost (or won) then. */
const ways: Record<string, (stage: 'Lost' | 'Won', reasons: Row) => Promise<ApiResponse>> = {
  create: (stage, reasons) => crm.ws.post('/opportunities', { name: 'A', stage_id: stages[stage], ...reasons }),
  update: async (stage, reasons) => crm.ws.patch(`/opportunities/${(await crm.opportunity({ stage_id: stages[stage] })).id}`, reasons),
  move: async (stage, reasons) => move((await crm.opportunity()).id, stage, reasons),
  'bulk-create': (stage, reasons) =>
    crm.ws.post('/opportunities/bulk-create', { records: [{ name: 'A', stage_id: stages[stage], ...reasons }] }),
  'bulk-update': async (stage, reasons) =>
    crm.ws.post('/opportunities/bulk-update', { records: [{ id: (await crm.opportunity({ stage_id: stages[stage] })).id, ...reasons }] }),
  'bulk-move': async (stage, reasons) =>
    crm.ws.post('/opportunities/bulk-move', { records: [{ id: (await crm.opportunity()).id, stage_id: stages[stage], ...reasons }] }),
}
const recordOf = ({ body }: ApiResponse): Row => body.data.results?.[0] ?? body.data

test.each(Object.keys(ways))('%s: reasons on the list are saved as the list spells them', async (way) => {
  const lost = await ways[way]!('Lost', { lost_reasons: ['no  BUDGET', 'PRICE', ' über budget'] })
  expect(recordOf(lost)).toMatchObject({ status: 'lost', lost_reasons: ['No budget', 'Price', 'Über budget'] })
  expect(lost.body._warnings).toBeUndefined()
  expect((await read(recordOf(lost).id)).lost_reasons).toEqual(['No budget', 'Price', 'Über budget'])
  const won = await ways[way]!('Won', { won_reasons: ['product fit'] })
  expect(recordOf(won)).toMatchObject({ status: 'won', won_reasons: ['Product fit'], lost_reasons: null })
})

test.each(Object.keys(ways))('%s: a reason that is not on the list is not saved, and reported with the options', async (way) => {
  const prefix = way.startsWith('bulk') ? 'records.0.' : ''
  const lost = await ways[way]!('Lost', { lost_reasons: ['Weather', 'price', 'Relationship'] })
  expect(recordOf(lost).lost_reasons).toEqual(['Price'])
  expect(lost.body._warnings).toEqual([
    {
      code: expect.any(String),
      field: `${prefix}lost_reasons`,
      message: expect.stringContaining('Weather'),
      details: { dropped: ['Weather', 'Relationship'], options: LOST },
    },
  ])
  expect((await read(recordOf(lost).id)).lost_reasons).toEqual(['Price'])
  const won = await ways[way]!('Won', { won_reasons: ['Luck'] })
  expect(recordOf(won)).toMatchObject({ status: 'won', won_reasons: null })
  expect(won.body._warnings).toMatchObject([{ field: `${prefix}won_reasons`, details: { dropped: ['Luck'], options: WON } }])
})

test('a reason is saved once, however often it is sent', async () => {
  expect(recordOf(await ways.update!('Lost', { lost_reasons: ['Price', 'PRICE', 'No budget', 'price'] })).lost_reasons).toEqual([
    'Price',
    'No budget',
  ])
})

test('a list of reasons replaces the one before; null and an empty list clear it', async () => {
  const { id } = await crm.opportunity({ stage_id: stages.Lost, lost_reasons: ['Price', 'No budget'] })
  const update = async (lost_reasons: string[] | null) => found(await crm.ws.patch(`/opportunities/${id}`, { lost_reasons })).lost_reasons
  expect(await update(['Über budget'])).toEqual(['Über budget'])
  expect(await update(null)).toBeNull()
  expect(await update(['Price'])).toEqual(['Price'])
  expect((await update([])) ?? []).toEqual([])
  await update(['Price'])
  found(await crm.ws.patch(`/opportunities/${id}`, { value: 3 }))
  expect((await read(id)).lost_reasons, 'what is not sent stays').toEqual(['Price'])
})

test('a workspace without a list saves no reasons', async () => {
  await crm.offerReasons([])
  const answer = await ways.move!('Lost', { lost_reasons: ['Price'] })
  expect(recordOf(answer).lost_reasons).toBeNull()
  expect(answer.body._warnings).toMatchObject([{ details: { dropped: ['Price'], options: [] } }])
})

test('leaving the outcome clears its reasons', async () => {
  const { id } = await crm.opportunity({ stage_id: stages.Lost, lost_reasons: ['Price'] })
  expect(found(await move(id, 'Won', { won_reasons: ['Relationship'] }))).toMatchObject({
    lost_reasons: null,
    won_reasons: ['Relationship'],
  })
  expect(found(await move(id, 'New'))).toMatchObject({ lost_reasons: null, won_reasons: null })
  const lost = found(await move(id, 'Lost'))
  expect(lost.lost_reasons, 'the old ones do not come back').toBeNull()
})

test('among stages of one outcome the reasons stay, unless others are sent', async () => {
  const { stages: others } = await crm.pipeline({ stages: [{ name: 'Gone', kind: 'lost' }] })
  const { id } = await crm.opportunity({ stage_id: stages.Lost, lost_reasons: ['Price'] })
  const there = found(await crm.ws.post(`/opportunities/${id}/move`, { stage_id: others[0].id }))
  expect(there.lost_reasons).toEqual(['Price'])
  expect(found(await move(id, 'Lost', { lost_reasons: ['No budget'] })).lost_reasons).toEqual(['No budget'])
  expect(found(await move(id, 'Lost', { lost_reasons: null })).lost_reasons).toBeNull()
})

const otherOutcomes: [string, string][] = [
  ['New', 'Won'],
  ['New', 'Qualified'],
  ['Won', 'Also won'],
  ['Lost', 'New'],
]
test.each(otherOutcomes)('from %s to %s lost reasons are not saved, and that is said', async (from, to) => {
  const { stages: others } = await crm.pipeline({ stages: [{ name: 'Also won', kind: 'won' }] })
  const stage_id = stages[to] ?? others[0].id
  const record = async () => ({ id: (await crm.opportunity({ stage_id: stages[from] })).id, stage_id, lost_reasons: ['Price'] })
  const { id, ...body } = await record()
  const answers = [
    await crm.ws.post(`/opportunities/${id}/move`, body),
    await crm.ws.post('/opportunities/bulk-move', { records: [await record()] }),
  ]
  for (const answer of answers) {
    expect(recordOf(answer)).toMatchObject({ stage_id, lost_reasons: null })
    expect(answer.body._warnings).toMatchObject([{ field: expect.stringMatching(/(^|\.)lost_reasons$/), details: { dropped: ['Price'] } }])
  }
})

test('the warnings of a bulk call name their records', async () => {
  const [one, two] = [await crm.opportunity(), await crm.opportunity()]
  const answer = await crm.ws.post('/opportunities/bulk-move', {
    records: [
      { id: one.id, stage_id: stages.Lost, lost_reasons: ['Price'] },
      { id: 'one', stage_id: stages.Lost },
      { id: two.id, stage_id: stages.Lost, lost_reasons: ['Weather'] },
    ],
  })
  expect(found(answer).results).toMatchObject([{ lost_reasons: ['Price'] }, { lost_reasons: null }])
  expect(answer.body._warnings).toMatchObject([{ field: 'records.2.lost_reasons', details: { dropped: ['Weather'], options: LOST } }])
})

test('a reason is saved if and only if no warning says otherwise, in any script and spelling', async () => {
  const names = ['ΟΔΟΣ', 'Straße', 'İstanbul', 'ısı', 'Ａｎａ', 'cafe\u0301', 'ﬁne', 'ǅemal', 'K\u212A', 'a\u00a0b', 'ſo']
  const spellings = fc
    .sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), 40)
    .filter((text) => /^[\p{L}\p{N}\p{M}]+$/u.test(text))
  const offered = [...names, ...spellings]
  await crm.offerReasons(offered)
  const variants = offered
    .flatMap((name) => [name.toLowerCase(), name.toUpperCase(), name.normalize('NFD'), name.normalize('NFKC'), ` ${name}`])
    .slice(0, 300)
  for (let from = 0; from < variants.length; from += 100) {
    const sent = variants.slice(from, from + 100)
    const records = sent.map((reason) => ({ name: 'A', stage_id: stages.Lost, lost_reasons: [reason] }))
    const { body } = await crm.ws.post('/opportunities/bulk-create', { records })
    const warned = new Set((body._warnings ?? []).map(({ field }: Row) => field))
    const saved = body.data.results.map(({ lost_reasons }: Row) => lost_reasons !== null)
    expect(saved).toEqual(sent.map((_, i) => !warned.has(`records.${i}.lost_reasons`)))
  }
  const own = offered.slice(0, 20)
  const { body } = await crm.ws.post('/opportunities', { name: 'A', stage_id: stages.Lost, lost_reasons: own })
  expect(body._warnings, 'every name matches itself').toBeUndefined()
})

test('names differ in case only if their letters do in lower case: ß and ss, final sigma and sigma are different letters', async () => {
  const names = ['In Maßen', 'In Massen', 'οδος', 'οδοσ']
  await crm.offerReasons(names)
  for (const [index, reason] of ['IN MAßEN', 'IN MASSEN', 'ΟΔΟς', 'ΟΔΟΣ'].entries()) {
    const { body } = await crm.ws.post('/opportunities', { name: 'A', stage_id: stages.Lost, lost_reasons: [reason] })
    expect([body.data.lost_reasons, body._warnings]).toEqual([[names[index]], undefined])
  }
})
