import { expect, test } from 'vitest'
import { created, found, refused, useCrm } from './crm.ts'

const crm = useCrm()

const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString()
const activity = async (fields: object, on: number) =>
  created(await crm.ws.post('/activities', { activity_type: 'note', subject: 'A', occurred_at: day(on), ...fields }))
const task = async (fields: object, due: number) => created(await crm.ws.post('/tasks', { title: 'T', due_at: day(due), ...fields }))

const KINDS = [
  { plural: 'contacts', link: 'contact_id', task_link: 'contact_id', make: async () => (await crm.contact()).id as string },
  { plural: 'companies', link: 'customer_id', task_link: 'customer_id', make: () => crm.company(`C${crypto.randomUUID()}`) },
  { plural: 'opportunities', link: 'deal_id', task_link: 'opportunity_id', make: async () => (await crm.opportunity()).id as string },
]

/** The ids of a plain list, page by page, and how many it counts. */
async function listed(path: string, limit = 1): Promise<{ ids: string[]; count: number }> {
  const ids: string[] = []
  for (let after = ''; ; ) {
    const { status, body } = await crm.ws.get(`${path}&limit=${limit}&count=true${after}`)
    expect([status, body]).toMatchObject([200, { page: { count_exact: true } }])
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    if (!body.page.next) return { ids, count: body.page.count }
    after = `&after=${body.page.next}`
  }
}

test.each(KINDS)('a plain list of $plural has both orders, beside its filters and the other parameters', async (kind) => {
  const { plural, link, task_link, make } = kind
  const [a, b, c, archived] = [await make(), await make(), await make(), await make()]
  for (const [id, on] of [
    [a, 2],
    [b, 4],
    [archived, 6],
  ] as const)
    await activity({ [link]: id }, on)
  for (const [id, on] of [
    [a, 9],
    [b, 3],
  ] as const)
    await task({ [task_link]: id }, on)
  found(await crm.ws.patch(`/${plural}/${archived}`, { archived: true }))
  expect(await listed(`/${plural}?sort=-last_activity_at`)).toEqual({ ids: [b, a, c], count: 3 })
  expect(await listed(`/${plural}?sort=next_task_due_at`)).toEqual({ ids: [b, a, c], count: 3 })
  expect(await listed(`/${plural}?sort=last_activity_at&archived=all`)).toEqual({ ids: [a, b, archived, c], count: 4 })
  expect(await listed(`/${plural}?sort=-last_activity_at&ids=${a},${c}`)).toEqual({ ids: [a, c], count: 2 })
  expect(await listed(`/${plural}?sort=-last_activity_at&external_id=none`)).toEqual({ ids: [], count: 0 })
  const list = created(await crm.ws.post('/lists', { name: 'Three', object: plural, kind: 'static' })).id
  found(await crm.ws.post(`/lists/${list}/members`, { ids: [a, b, c] }))
  expect(await listed(`/lists/${list}/members?sort=-last_activity_at`)).toEqual({ ids: [b, a, c], count: 3 })
  expect(await listed(`/lists/${list}/members?sort=-last_activity_at&ids=${c},${a}`)).toEqual({ ids: [a, c], count: 2 })
  const { body } = await crm.ws.get(`/${plural}?sort=-last_activity_at&fields=version&include=owner&limit=1`)
  expect(body.data).toEqual([{ id: b, version: expect.any(Number), owner: null }])
  const { body: file } = await crm.ws.get(`/${plural}/export?sort=-last_activity_at&fields=id&bom=false`)
  expect(file.trim().split('\r\n')).toEqual(['id', b, a, c])
  expect(await crm.ws.get(`/${plural}?sort=last_activity_at&after=${body.page.next}`)).toMatchObject(refused('after'))
  expect(await crm.ws.get(`/${plural}?sort=last_activity_at&updated_after=${day(1)}`)).toMatchObject(refused('sort'))
})

test('filters that cover more than one column do so in these orders too', async () => {
  const acme = created(await crm.ws.post('/companies', { name: 'Acme', domains: ['acme.example', 'acme-group.example'] })).id
  const other = await crm.company('Other')
  const main = await crm.contact({ customer_id: acme, email: 'main@example.com' })
  const second = await crm.contact({ customer_id: other, alternate_emails: ['main@example.com'], alternate_phones: ['+61412345678'] })
  const third = await crm.contact({ phone: '+61412345678', is_referrer: true })
  created(await crm.ws.post(`/contacts/${second.id}/employers/${acme}`))
  for (const [id, on] of [
    [main.id, 1],
    [second.id, 2],
    [third.id, 3],
  ] as const)
    await activity({ contact_id: id, customer_id: acme }, on)
  const by = async (query: string) => (await listed(`/contacts?sort=-last_activity_at&${query}`)).ids
  expect(await by(`customer_id=${acme}`)).toEqual([second.id, main.id])
  expect(await by('email=main@example.com')).toEqual([second.id, main.id])
  expect(await by('phone=%2B61412345678')).toEqual([third.id, second.id])
  expect(await by('is_referrer=true')).toEqual([third.id])
  expect(await by(`customer_id=${acme}&email=main@example.com&created_after=${day(1)}`)).toEqual([second.id, main.id])
  expect((await listed('/companies?sort=last_activity_at&domain=acme-group.example')).ids).toEqual([acme])
  const { id: deal } = await crm.opportunity()
  await crm.opportunity()
  created(await crm.ws.post(`/opportunities/${deal}/contacts`, { contact_id: third.id }))
  expect((await listed(`/opportunities?sort=next_task_due_at&contact_id=${third.id}`)).ids).toEqual([deal])
})
