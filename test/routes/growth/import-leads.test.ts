import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../crm.ts'
import { useImports } from '../importing.ts'

const crm = useCrm()
const { imported, uploaded, act, rows } = useImports(crm)
const leads = async (query = ''): Promise<Row[]> => found(await crm.ws.get(`/lead-gen/results?limit=100${query}`))
const byName = async () => new Map((await leads()).map((lead) => [lead.name, lead]))
const LEADS = { object: 'lead_results' }

test('a file of results is imported: each bad line is reported with its column, and takes no other along', async () => {
  const file = [
    'Name,Company,Email,Phone,Website,City,Country,Source,Source ID,Consent basis',
    'Ana Silva,Harbour Hotels,Ana@Harbour.example,0412 345 678,harbour.example,Newcastle,Australia,Trade fair,stand-214,consent',
    'Bo Lind,,bo@,,,,,,,',
    'Cy Berg,,,12,,,,,,',
    'Di Wong,,di@wong.example,,,,,,,perhaps',
    'Eve Noor,,eve@noor.example,+49 30 901820,,Berlin,DE,,,Published address',
    ',,,,,,,,,consent',
  ].join('\n')
  const made = await uploaded(file)
  expect(made).toMatchObject({ object: 'lead_results', unmapped_columns: [] })
  for (const action of ['check', 'start'] as const) {
    expect((await act(made.id, action)).progress, action).toMatchObject({ total: 6, created: 2, failed: 4 })
    const wrong = (await rows(made.id, '&status=failed')).map(({ line, errors }) => [line, errors[0].column ?? errors[0].field])
    expect(wrong, action).toEqual([
      [3, 'Email'],
      [4, 'Phone'],
      [5, 'Consent basis'],
      [7, 'Name'],
    ])
  }
  const found = await byName()
  expect(found.get('Ana Silva')).toMatchObject({
    company_name: 'Harbour Hotels',
    email: 'ana@harbour.example',
    phone: '+61412345678',
    website: 'https://harbour.example',
    city: 'Newcastle',
    country: 'Australia',
    source: 'Trade fair',
    source_id: 'stand-214',
    consent_basis: 'consent',
    status: 'new',
  })
  expect(found.get('Eve Noor')).toMatchObject({ phone: '+4930901820', country: 'Germany', consent_basis: 'published_address' })
  expect(found.size).toBe(2)
})

test('its lines are compared with contacts, with earlier results and with each other', async () => {
  const known = await crm.contact({ email: 'kim@known.example', phone: '+61412000001', first_name: 'Kim', last_name: 'Lee', city: 'Perth' })
  const first = created(
    await crm.ws.post('/lead-gen/results', { name: 'First', email: 'first@one.example', website: 'https://one.example' }),
  )
  const file = [
    'Name,Email,Phone,Website,City',
    'By address,FIRST@one.example,,,',
    'By website,,,www.one.example/about,',
    'Of the contact,kim@known.example,,,',
    'By number,,0412 000 001,,',
    'Kim Lee,,,,perth',
    'New,new@two.example,,https://two.example,Hobart',
    'new,,,,HOBART',
    'Again,new@two.example,,,',
  ].join('\n')
  expect((await imported(file, LEADS)).progress).toMatchObject({ created: 8, failed: 0 })
  const leads = await byName()
  const of = (name: string) => {
    const { status, matched_by, duplicate_of_id, contact_id } = leads.get(name) as Row
    return [status, matched_by, duplicate_of_id ?? contact_id]
  }
  const second = leads.get('New') as Row
  expect(['By address', 'By website', 'Of the contact', 'By number', 'Kim Lee', 'New', 'new', 'Again'].map(of)).toEqual([
    ['duplicate', 'email', first.id],
    ['duplicate', 'website', first.id],
    ['new', 'email', known.id],
    ['new', 'phone', known.id],
    ['new', 'name_and_city', known.id],
    ['new', null, null],
    ['duplicate', 'name_and_city', second.id],
    ['duplicate', 'email', second.id],
  ])
})

test('a file that is imported twice, or at the same time as others are added, makes no second result that can be enrolled', async () => {
  const file = `Name,Email\n${Array.from({ length: 40 }, (_, n) => `Lead ${n},n${n}@twice.example`).join('\n')}\n`
  const made = await uploaded(file, LEADS)
  const added = Array.from({ length: 20 }, (_, n) => crm.ws.post('/lead-gen/results', { name: 'Other', email: `n${39 - n}@twice.example` }))
  await Promise.all([act(made.id, 'start'), ...added.map(async (answer) => created(await answer))])
  await imported(file, LEADS)
  expect(await leads('&status=new')).toHaveLength(40)
  expect(await leads('&status=duplicate')).toHaveLength(60)
})

test.each([
  ['German', 'Vorname;Nachname;Firma;E-Mail-Adresse;Telefonnummer;Webseite;Stadt;Land;Quelle;Rechtsgrundlage'],
  ['French', 'Prénom;Nom;Société;Adresse e-mail;Téléphone;Site web;Ville;Pays;Origine;Base légale'],
  ['Spanish', 'Nombre;Apellidos;Empresa;Correo electrónico;Teléfono;Sitio web;Ciudad;País;Fuente;Base legal'],
  ['Dutch', 'Voornaam;Achternaam;Bedrijf;E-mailadres;Telefoonnummer;Website;Plaats;Land;Bron;Grondslag'],
])('headers in %s are understood', async (_, header) => {
  const line = 'Zoë;Müller;Hôtel du Port;zoe@port.example;+33 1 42 68 53 00;port.example;Paris;FR;Salon;legitimate_interest'
  const made = await uploaded(`${header}\n${line}\n`)
  expect(made).toMatchObject({ object: 'lead_results', unmapped_columns: [] })
  await act(made.id, 'start')
  expect(await leads()).toMatchObject([
    {
      name: 'Zoë Müller',
      company_name: 'Hôtel du Port',
      email: 'zoe@port.example',
      phone: '+33142685300',
      website: 'https://port.example',
      city: 'Paris',
      country: 'France',
      source: 'Salon',
      consent_basis: 'legitimate_interest',
    },
  ])
})

test('a default holds for all lines, the business stands for a name, and the import is updated and undone by its ids', async () => {
  const file = 'Company,Website\nHarbour Hotels,harbour-two.example\nPort Hotels,port-two.example\n'
  const made = await imported(file, { ...LEADS, country: 'Canada', defaults: { consent_basis: 'published_address', source: 'Map' } })
  const all = await leads()
  expect(all.map(({ name }) => name).toSorted()).toEqual(['Harbour Hotels', 'Port Hotels'])
  for (const one of all) expect(one).toMatchObject({ country: 'Canada', source: 'Map', consent_basis: 'published_address' })
  const [first] = all as [Row]
  const more = await imported(`id,Email\n${first.id},info@port-two.example\n${made.id},x@port-two.example\n`, {
    ...LEADS,
    mode: 'update',
    match_by: 'id',
  })
  expect(more.progress).toMatchObject({ updated: 1, skipped: 1 })
  expect(found(await crm.ws.get(`/lead-gen/results/${first.id}`))).toMatchObject({ name: first.name, email: 'info@port-two.example' })
  expect((await act(more.id, 'undo')).progress).toMatchObject({ restored: 1 })
  expect((await act(made.id, 'undo')).progress).toMatchObject({ removed: 1, kept: 1 })
  expect((await leads()).map(({ id }) => id)).toEqual([first.id])
})

test('needs the scopes of lead generation', async () => {
  const made = await uploaded('Name\nAna\n', LEADS)
  const other = await crm.ws.key({ scopes: ['imports:write', 'imports:read', 'lead-gen:read', 'contacts:write'] })
  expect(await other.post(`/imports/${made.id}/start`, {})).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  const writer = await crm.ws.key({ scopes: ['imports:write', 'imports:read', 'lead-gen:read', 'lead-gen:write'] })
  expect((await act(made.id, 'start', writer)).progress).toMatchObject({ created: 1 })
})
