import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../crm.ts'

/** By which values a lead result is the duplicate of an earlier one, and of which. */
const crm = useCrm()
let last = 0
const number = () => String(++last).padStart(5, '0')
const add = async (fields: Row) => created(await crm.ws.post('/lead-gen/results', { name: `Person ${number()}`, ...fields }))
/** From the surest value to the least sure one. */
const KEYS: Record<string, () => Row> = {
  email: () => ({ email: `person-${number()}@keys.example` }),
  phone: () => ({ phone: `+614120${number()}` }),
  website: () => ({ website: `https://keys-${number()}.example` }),
  name_and_city: () => ({ name: `Ana ${number()}`, city: 'Perth' }),
}
const NAMES = Object.keys(KEYS)
const value = (name: string) => KEYS[name]?.() as Row
const of = (lead: Row, matched_by: string) => ({ status: 'duplicate', duplicate_of_id: lead.id, matched_by })
const NEW = { status: 'new', duplicate_of_id: null, matched_by: null }
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const PAIRS = NAMES.flatMap((surer, at) => NAMES.slice(at + 1).map((other) => [surer, other] as const))

test.each(PAIRS)('the same %s decides before the same %s, and another one says that it is somebody else', async (surer, other) => {
  const [sure, same] = [value(surer), value(other)]
  await add(same)
  const first = await add(sure)
  expect(await add({ ...same, ...sure })).toMatchObject(of(first, surer))
  const known = { ...value(other), ...value(surer) }
  await add(known)
  expect(await add({ ...known, ...value(surer) })).toMatchObject(NEW)
})

test.each(NAMES)('of several with the same %s the earliest is the one, unless it is a duplicate itself', async (name) => {
  const same = value(name)
  await add(same)
  const early = await add(same)
  found(await crm.ws.patch(`/lead-gen/results/${early.id}`, { status: 'new' }))
  await crm.rewrite('lead_results', early.id, { created_at: daysAgo(1) })
  expect(await add(same)).toMatchObject(of(early, name))
  const [surest, hidden] = [name === 'email' ? 'phone' : 'email', value(name)]
  const known = value(surest)
  const first = await add(known)
  expect(await add({ ...known, ...hidden })).toMatchObject(of(first, surest))
  expect(await add(hidden)).toMatchObject(NEW)
})

test.each(NAMES)('one that gets the %s of a later one stays, and the later one is its duplicate', async (name) => {
  const same = value(name)
  const [early, late] = [await add({}), await add(same)]
  await crm.rewrite('lead_results', early.id, { created_at: daysAgo(9) })
  await crm.rewrite('lead_results', late.id, { created_at: daysAgo(5) })
  expect(found(await crm.ws.patch(`/lead-gen/results/${early.id}`, same))).toMatchObject(NEW)
  const changed = found(await crm.ws.patch(`/lead-gen/results/${late.id}`, { name: late.name.toUpperCase() }))
  expect(changed).toMatchObject(of(early, name))
})
