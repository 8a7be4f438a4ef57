import { describe, expect, test } from 'vitest'
import { failed, found, type Row, refused, tripsOf } from './crm.ts'
import { is, useFilterSample } from './filter-sample.ts'

const sample = useFilterSample()
const ALL = ['Ana', 'Ben', 'Cleo', 'Dan']

describe('hostile filters:', () => {
  test.each<[string, unknown]>([
    ['a quote', "' or '1'='1"],
    ['a statement', "x'); drop table contacts; --"],
    ['a comment', '*/ or true /*'],
    ['a dollar quote', '$$ or true $$'],
    ['a backslash', '\\'],
    ['braces', '{"a"}'],
    ['an identifier', '"contacts"."city"'],
    ['a placeholder', '$1'],
  ])('%s is only text', async (_, value) => {
    for (const [name, op] of [
      ['city', 'eq'],
      ['city', 'not_in'],
      ['name', 'eq'],
      ['name', 'contains'],
      ['name', 'starts_with'],
      ['email', 'contains'],
      ['metadata.code', 'eq'],
      ['metadata.code', 'contains'],
      ['metadata.likes', 'in'],
      ['alternate_emails', 'in'],
    ]) {
      const list = op === 'in' || op === 'not_in'
      expect(await sample.names('contacts', is(name as string, op as string, list ? [value] : value)), `${name} ${op}`).toEqual(
        op === 'not_in' ? ALL : [],
      )
    }
    expect(await sample.names('opportunities', is('tags', 'in', [value]))).toEqual([])
    expect(await sample.names('opportunities', is('tags', 'not_in', [value]))).toEqual(['Deck', 'Roof', 'Shed'])
  })

  test('too many conditions and too deep a nesting are refused', async () => {
    const nested = (depth: number) => Array.from({ length: depth }).reduce((inner) => ({ all: [inner] }), is('city', 'is_empty') as unknown)
    expect(await sample.search('contacts', { filter: { all: Array(50).fill(is('city', 'is_empty')) } })).toMatchObject({ status: 200 })
    expect(await sample.search('contacts', { filter: { all: Array(51).fill(is('city', 'is_empty')) } })).toMatchObject(refused('filter'))
    expect(await sample.search('contacts', { filter: nested(5) })).toMatchObject({ status: 200 })
    expect(await sample.search('contacts', { filter: nested(6) })).toMatchObject(refused('filter.all.0.all.0.all.0.all.0.all.0'))
    expect(await sample.search('contacts', { filter: nested(2000) })).toMatchObject({ status: 400 })
  })

  test('all issues are reported together, with those of the rest of the body', async () => {
    const filter = { any: [is('city', 'gt', 1), { has: 'company', where: is('name', 'eq', '') }] }
    expect(await sample.search('contacts', { filter, sort: 'city', zork: 1 })).toMatchObject({
      status: 400,
      body: {
        error: {
          details: {
            issues: expect.arrayContaining(
              ['filter.any.0.op', 'filter.any.1.where.value', 'sort', 'zork'].map((path) => expect.objectContaining({ path })),
            ),
          },
        },
      },
    })
  })
})

describe('pages', () => {
  async function walk(body: Row): Promise<string[]> {
    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const answer = await sample.search('contacts', { archived: 'all', limit: 1, ...body, after })
      seen.push(...found(answer).map(({ first_name }: Row) => first_name))
      if (!answer.body.page.next) return seen
      after = answer.body.page.next
    }
  }

  test.each<[Row, string[]]>([
    [{ sort: 'name' }, ['Ana', 'Ben', 'Cleo', 'Dan']],
    [{ sort: '-created_at' }, ['Dan', 'Cleo', 'Ben', 'Ana']],
    [{ sort: 'metadata.score' }, ['Ben', 'Ana', 'Cleo', 'Dan']],
    [{ sort: '-metadata.score' }, ['Cleo', 'Ana', 'Ben', 'Dan']],
    [{ sort: 'metadata.since' }, ['Ana', 'Ben', 'Cleo', 'Dan']],
    [{ sort: '-custom.since' }, ['Ben', 'Ana', 'Dan', 'Cleo']],
    [{ sort: 'metadata.tier' }, ['Ana', 'Ben', 'Cleo', 'Dan']],
    [{ sort: '-metadata.tier', archived: 'false' }, ['Ben', 'Ana', 'Cleo']],
    [{ sort: 'metadata.vip', filter: is('city', 'is_not_empty') }, ['Ben', 'Ana', 'Dan']],
    [{ sort: 'metadata.story' }, []],
  ])('%j', async (body, expected) => {
    if (body.sort === 'metadata.story') expect(await sample.search('contacts', body)).toMatchObject(refused('sort'))
    else expect(await walk(body)).toEqual(expected)
  })

  test('a custom sort pages through equal values by id', async () => {
    for (const name of ['F1', 'F2', 'F3']) await sample.contact(name, { metadata: { score: 7 }, city: 'Ties' })
    for (const limit of [1, 2])
      expect(await walk({ sort: 'metadata.score', filter: is('city', 'eq', 'Ties'), limit })).toEqual(['F1', 'F2', 'F3'])
    for (const name of ['F1', 'F2', 'F3']) found(await sample.ws.delete(`/contacts/${sample.id[name]}`))
  })

  test('a cursor fits its own filter and sort alone', async () => {
    const first = await sample.search('contacts', { filter: is('city', 'is_not_empty'), limit: 1, sort: 'metadata.score' })
    const { next } = first.body.page
    for (const body of [
      { filter: is('city', 'is_empty'), sort: 'metadata.score' },
      { filter: is('city', 'is_not_empty'), sort: 'metadata.since' },
      { sort: '-created_at' },
    ])
      expect(await sample.search('contacts', { ...body, after: next })).toMatchObject(refused('after'))
    expect(await sample.search('contacts', { sort: 'metadata.score', after: 'zork' })).toMatchObject(refused('after'))
  })

  test('a search for words narrows the filter', async () => {
    expect(await sample.names('contacts', is('city', 'is_not_empty'), { search: 'brien' })).toEqual(['Ana'])
    expect(await sample.names('contacts', undefined, { search: 'ben' })).toEqual(['Ben'])
  })

  test('an unknown custom field to sort by is refused', async () => {
    for (const sort of ['metadata.nope', 'metadata.likes', 'city'])
      expect(await sample.search('contacts', { sort })).toMatchObject(refused('sort'))
  })

  test('returns the same as the lists', async () => {
    for (const object of ['contacts', 'companies', 'opportunities'] as const) {
      const [listed, searched] = [await sample.ws.get(`/${object}`), await sample.search(object, {})]
      expect(searched.body).toEqual(listed.body)
    }
    for (const [old, path] of [
      ['customers', 'companies'],
      ['deals', 'opportunities'],
    ]) {
      const answer = await sample.ws.post(`/${old}/search`, {})
      expect(answer.headers.get('deprecation')).toBe('true')
      expect(answer.body).toEqual((await sample.ws.get(`/${path}`)).body)
    }
  })
})

describe('permissions', () => {
  test('read-only keys, viewers and keys of level approval can search, without an approval and without a trace', async () => {
    const keys = [
      await sample.ws.key({ level: 'read_only' }),
      await sample.ws.key({ role: 'client_viewer' }),
      await sample.ws.key({ level: 'approval' }),
    ]
    for (const key of keys)
      expect(await key.post('/contacts/search', { filter: is('city', 'eq', 'Perth'), archived: 'true' })).toMatchObject({
        status: 200,
        body: { data: [{ first_name: 'Dan' }] },
      })
    expect(found(await sample.ws.get('/approvals'))).toEqual([])
    expect(await sample.search('contacts', { require_approval: true })).toMatchObject(refused('require_approval'))
    expect(await sample.ws.call('POST', '/contacts/search?dry_run=true', {})).toMatchObject(refused('dry_run'))
  })

  test('related records need their own scope', async () => {
    const key = await sample.ws.key({ scopes: ['contacts:read'] })
    expect((await key.post('/contacts/search', { filter: is('city', 'eq', 'Perth') })).status).toBe(200)
    for (const [filter, scope] of [
      [{ has: 'opportunities' }, 'opportunities:read'],
      [{ not: { has: 'company', where: is('name', 'eq', 'x') } }, 'companies:read'],
      [is('last_activity_at', 'is_empty'), 'activities:read'],
    ])
      expect(await key.post('/contacts/search', { filter })).toMatchObject({
        status: 403,
        body: { error: { code: 'INSUFFICIENT_SCOPE', details: { missing_scopes: [scope] } } },
      })
    expect(await key.post('/companies/search', {})).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  })

  test('it takes one round trip', async () => {
    const filter = { all: [is('metadata.score', 'gt', 0), { has: 'opportunities' }] }
    expect(await tripsOf(sample.app, () => sample.names('contacts', filter, { sort: 'metadata.score' }))).toBe(1)
  })
})

describe('the catalogue', () => {
  test('names fields with their operators, custom ones and relations', async () => {
    const { fields, relations, object } = found(await sample.ws.get('/filters/contacts')) as Row
    expect(object).toBe('contacts')
    const called = (name: string) => fields.find((one: Row) => one.field === name)
    expect(called('source')).toMatchObject({ kind: 'choice', options: expect.arrayContaining(['api']), custom: false })
    expect(called('created_at')).toMatchObject({ kind: 'instant', sortable: true, operators: { within_last: 'days', on: 'date' } })
    expect(called('contact_type')).toMatchObject({ exact: true })
    expect(called('metadata.tier')).toEqual({
      field: 'metadata.tier',
      label: 'Tier',
      kind: 'choice',
      operators: { eq: 'option', not_eq: 'option', in: 'option[]', not_in: 'option[]', is_empty: 'none', is_not_empty: 'none' },
      options: ['Gold', 'Silver'],
      exact: false,
      custom: true,
      sortable: true,
    })
    expect(called('metadata.story')).toMatchObject({ kind: null, sortable: false })
    expect(called('metadata.region')).toBeUndefined()
    expect(relations).toContainEqual({ relation: 'opportunities', object: 'opportunities' })
  })

  test.each(['contacts', 'companies', 'opportunities', 'activities'])(
    'each field of %s can be asked with each of its operators',
    async (object) => {
      const list = await sample.ws.post('/lists', {
        name: `Any ${object}`,
        object: object === 'activities' ? 'contacts' : object,
        kind: 'static',
      })
      const values: Row = {
        text: 'x',
        option: 'x',
        number: 1,
        date: '2026-01-01',
        moment: '2026-01-01T00:00:00Z',
        boolean: true,
        id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d',
        days: { days: 1 },
        'list id': list.body.data.id,
      }
      const sampleOf = (what: string, options: string[] | null): unknown => {
        if (what === 'none') return undefined
        if (what.startsWith('two ')) return [sampleOf(what.slice(4, -1), options), sampleOf(what.slice(4, -1), options)]
        if (what.endsWith('[]')) return [sampleOf(what.replace(/^text or |\[\]$/g, ''), options)]
        return what === 'option' && options ? options[0] : values[what]
      }
      const { fields } = found(await sample.ws.get(`/filters/${object}`)) as Row
      for (const { field, operators, options } of fields) {
        for (const [op, what] of Object.entries(operators as Record<string, string>)) {
          const value = sampleOf(what, options)
          const condition = is(field, op, value === 'x' && /phone|landline/.test(field) ? '123' : value)
          const filter = object === 'activities' ? { has: 'activities', where: condition } : condition
          const { status, body } = await sample.ws.post(`/${object === 'activities' ? 'contacts' : object}/search`, { filter })
          expect(status, JSON.stringify({ condition, body })).toBe(200)
        }
      }
    },
  )
})
