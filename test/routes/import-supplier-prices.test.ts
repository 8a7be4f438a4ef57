import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { imported, upload, uploaded, act, rows } = useImports(crm)

const catalog = async (more = ''): Promise<Row[]> => found(await crm.ws.get(`/supplier-catalog?limit=100${more}`))
const company = async (name: string) => created(await crm.ws.post('/companies', { name }))
const product = async (fields: Row) => created(await crm.ws.post('/products', { price: 1, ...fields }))
const HEAD = 'Supplier,Product,Price,Currency,Min quantity,Valid from,Valid to,Preferred'

describe('an import of the prices of suppliers', () => {
  test('is recognised, finds supplier and product by any of their names, and reports each line that it cannot take', async () => {
    const northern = await company('Northern Parts')
    const card = await product({ name: 'Graphics card', sku: 'GC-1', currency: 'EUR' })
    const fan = await product({ name: 'Case fan', external_id: 'shop-7' })
    const lines = [
      'northern parts,GC-1,"1,890.50",USD,10,2026-01-01,2026-12-31,yes',
      'Northern Parts,shop-7,12.5,,,,,no',
      'Northern Parts,graphics card,1900,,,,,',
      'Nobody,GC-1,5,,,,,',
      'Northern Parts,Unknown thing,5,,,,,',
      'Northern Parts,GC-1,,,,,,',
      'Northern Parts,GC-1,-5,,,,,',
      'Northern Parts,GC-1,1000000000000,,,,,',
      'Northern Parts,GC-1,5,,0,,,',
      'Northern Parts,GC-1,5,ZZZ,,,,',
      'Northern Parts,GC-1,5,,,2026-02-01,2026-01-31,',
      ',GC-1,5,,,,,',
      'Northern Parts,,7,,,,,',
    ]
    const made = await uploaded(`${HEAD}\n${lines.join('\n')}\n`)
    expect(made).toMatchObject({ object: 'supplier_catalog_entries', unmapped_columns: [] })
    for (const action of ['check', 'start'] as const) {
      const { progress } = await act(made.id, action)
      expect(progress, action).toMatchObject({ total: 13, done: 13, created: 4, failed: 9 })
      const wrong = (await rows(made.id, '&status=failed')).map(({ line, errors }) => [line, errors[0].field, errors[0].column])
      expect(wrong, action).toEqual([
        [5, 'supplier', 'Supplier'],
        [6, 'product', 'Product'],
        [7, 'supplier_price', 'Price'],
        [8, 'supplier_price', 'Price'],
        [9, 'supplier_price', 'Price'],
        [10, 'min_quantity', 'Min quantity'],
        [11, 'currency', 'Currency'],
        [12, 'valid_to', 'Valid to'],
        [13, 'supplier', 'Supplier'],
      ])
    }
    const [unknown] = await rows(made.id, '&status=failed')
    expect(unknown?.errors[0].message).toContain(
      'No company "Nobody" found by its name, external_id or id: import the suppliers as companies',
    )
    const entries = await catalog()
    expect(entries).toHaveLength(4)
    const of = (product_id: string | null) => entries.filter((entry) => entry.product_id === product_id)
    expect(of(card.id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          supplier_id: northern.id,
          supplier_price: 1890.5,
          currency: 'USD',
          min_quantity: 10,
          valid_from: '2026-01-01',
          valid_to: '2026-12-31',
          is_preferred: true,
        }),
        expect.objectContaining({ supplier_price: 1900, currency: 'EUR', min_quantity: 1, is_preferred: false }),
      ]),
    )
    expect(of(fan.id)).toMatchObject([{ supplier_price: 12.5, currency: 'AUD' }])
    expect(of(null)).toMatchObject([{ supplier_price: 7 }])
    expect(await crm.count('companies')).toBe(1)
  })

  test('prefers the last supplier of a product that it names, also where another one was preferred before', async () => {
    for (const name of ['A', 'B', 'C']) await company(name)
    await product({ name: 'Cable', sku: 'K' })
    const file = (...preferred: string[]) =>
      'Supplier,SKU,Price,Preferred,external_id\n' +
      `${['A', 'B', 'C'].map((name, n) => `${name},K,${n + 1},${preferred[n]},p-${n}`).join('\n')}\n`
    const preferred = async () => (await catalog('&is_preferred=true')).map(({ external_id }) => external_id)
    const first = await imported(file('yes', 'yes', ''), { object: 'supplier_catalog_entries' })
    expect(first).toMatchObject({ state: 'finished', progress: { created: 3, failed: 0 } })
    expect(await preferred()).toEqual(['p-1'])
    // The preferred one is a later line, and is empty, refused or named as well.
    for (const [cells, holds] of [
      [['yes', '', ''], 'p-0'],
      [['', 'yes', 'no'], 'p-1'],
      [['yes', 'yes', 'no'], 'p-1'],
      [['no', 'no', 'yes'], 'p-2'],
    ] as const) {
      const { progress } = await imported(file(...cells), { object: 'supplier_catalog_entries' })
      expect(progress, cells.join()).toMatchObject({ updated: 3, failed: 0, created: 0 })
      expect(await preferred(), cells.join()).toEqual([holds])
    }
    expect(crm.app.logs.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  test('keeps the price and its preference of a line that it refuses, has the prices in the history, and is undone', async () => {
    for (const name of ['A', 'B']) await company(name)
    await product({ name: 'Cable', sku: 'K' })
    const head = 'Supplier,SKU,Price,Preferred,external_id,valid_from\n'
    await imported(`${head}A,K,1,yes,a,\nB,K,2,no,b,2026-05-01\n`, { object: 'supplier_catalog_entries' })
    const update = await imported(`${head.replace('from', 'to')}A,K,1.5,,a,\nB,K,3,yes,b,2026-04-30\nB,K,9,no,c,\n`, {
      object: 'supplier_catalog_entries',
    })
    expect(update.progress).toMatchObject({ updated: 1, created: 1, failed: 1 })
    const priceOf = async (id: string) => (await catalog()).find(({ external_id }) => external_id === id)
    expect(await priceOf('b')).toMatchObject({ supplier_price: 2, is_preferred: false })
    const a = await priceOf('a')
    expect(a).toMatchObject({ supplier_price: 1.5, is_preferred: true })
    const [change] = found(await crm.ws.get(`/supplier-catalog/${a?.id}/history`))
    expect(change).toMatchObject({ fields: { supplier_price: { before: 1, after: 1.5 } } })
    expect(await act(update.id, 'undo')).toMatchObject({ state: 'undone', progress: { removed: 1, restored: 1, kept: 0 } })
    expect(await priceOf('a')).toMatchObject({ supplier_price: 1, is_preferred: true })
    expect(await priceOf('c')).toBeUndefined()
  })

  test('needs products:write, with which it is also undone', async () => {
    await company('A')
    const text = 'Supplier,Price\nA,1\n'
    const made = await uploaded(text, { object: 'supplier_catalog_entries' })
    const reader = await crm.ws.key({ scopes: ['imports:write', 'imports:read', 'products:read', 'companies:read'] })
    expect(await reader.post(`/imports/${made.id}/start`, {})).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    const writer = await crm.ws.key({ scopes: ['imports:write', 'imports:read', 'products:write', 'products:read', 'companies:read'] })
    expect((await act(made.id, 'start', writer)).progress).toMatchObject({ created: 1 })
    expect((await act(made.id, 'undo', writer)).progress).toMatchObject({ removed: 1 })
    expect(await catalog()).toEqual([])
  })

  test('takes an exported file unchanged: by the ids here, and as new prices in another workspace', async () => {
    for (const name of ['Parts; Ltd', 'B']) await company(name)
    await product({ name: 'Cable', sku: 'K' })
    const file =
      '﻿Supplier,SKU,Price,Min quantity,Valid to,Preferred,Notes\nParts; ' + 'Ltd,K,1.25,10,2027-01-31,yes,=1+1\nB,K,2,,,,\nB,,3,,,,\n'
    expect((await imported(file, { object: 'supplier_catalog_entries' })).progress).toMatchObject({ created: 3 })
    const exported = async (query = '', key = crm.ws) => String((await key.get(`/supplier-catalog/export?bom=false${query}`)).body)
    const text = await exported()
    expect(text.split('\r\n')[0]).toBe(
      'id,supplier,product,supplier_price,currency,supplier_sku,min_quantity,lead_time_days,valid_from,valid_to,is_preferred,notes,' +
        'external_id,created_at,updated_at',
    )
    const again = await imported(text)
    expect(again).toMatchObject({ object: 'supplier_catalog_entries', progress: { updated: 3, failed: 0, created: 0 } })
    const other = await crm.app.workspace()
    for (const name of ['Parts; Ltd', 'B']) created(await other.post('/companies', { name }))
    created(await other.post('/products', { name: 'Cable', sku: 'K', price: 1 }))
    const moved = created(await upload(text, '', other))
    found(await other.post(`/imports/${moved.id}/start`, {}))
    await crm.app.drain()
    const columns = '&fields=supplier,product,supplier_price,min_quantity,valid_to,is_preferred,notes'
    const lines = (await exported(columns)).split('\r\n').toSorted()
    expect(lines).toContain(`"Parts; Ltd",K,1.25,10,2027-01-31,true,'=1+1`)
    expect((await exported(columns, other)).split('\r\n').toSorted()).toEqual(lines)
    expect((await exported('&fields=supplier&is_preferred=true')).split('\r\n')).toEqual(['supplier', '"Parts; Ltd"', ''])
    const reader = await crm.ws.key({ scopes: ['products:read'] })
    expect(await exported('&fields=supplier&is_preferred=true', reader)).toMatch(/^supplier\r\n[0-9a-f-]{36}\r\n$/)
    expect(await crm.ws.get('/supplier-catalog/export?fields=metadata.tier')).toMatchObject(refused('fields'))
    expect(await crm.ws.post('/supplier-catalog/export', { fields: ['id'], is_preferred: true })).toMatchObject({ status: 200 })
  })
})
