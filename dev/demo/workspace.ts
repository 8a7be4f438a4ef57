import type { Api, Body } from './api.ts'
import { addDelivery } from './delivery-records.ts'
import { addExportTemplate } from './exports.ts'
import { ACTIVITIES, COMPANIES, DEALS, PEOPLE, TASKS } from './people.ts'
import { addReputation } from './reputation.ts'
import { addServiceRequests } from './service-requests.ts'

const DAY = 86_400_000
const slug = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[^\w]+/g, '')
    .toLowerCase()

/**
 * Fills a new workspace with records of a believable small business, through the API alone: 12 companies, 40 contacts, 25 opportunities
 * over the stages, tasks, activities, and a write that waits for approval. Dates are relative to `now`.
 */
export async function fillDemoWorkspace(api: Api, now: Date): Promise<void> {
  const later = (days: number) => new Date(now.getTime() + days * DAY)
  const dayIn = (days: number) => later(days).toISOString().slice(0, 10)
  const create = async (path: string, records: object[]): Promise<string[]> => {
    const { data } = await api('POST', `/${path}/bulk-create`, { records, skip_automations: true })
    if (data.errors.length > 0) throw new Error(`The demo data was refused: ${JSON.stringify(data.errors[0])}`)
    return data.results.map(({ id }: Body) => id)
  }
  const { data: pipelines } = await api('GET', '/pipelines')
  const { id: pipeline_id, stages } = pipelines[0]

  const companies = await create(
    'companies',
    COMPANIES.map(([name, industry, city, state, site]) => ({
      name,
      industry,
      city,
      ...(state ? { state, country: 'Australia' } : { country: 'New Zealand' }),
      website_url: `https://${site}`,
      email: `hello@${site}`,
    })),
  )
  const people = await create(
    'contacts',
    PEOPLE.map(([first_name, last_name, job_title, at], n) => ({
      first_name,
      last_name,
      job_title,
      email: `${slug(first_name)}@${at === null ? `${slug(last_name)}.example` : COMPANIES[at]![4]}`,
      phone: `+614915700${String(n + 10).padStart(2, '0')}`,
      ...(at !== null && { customer_id: companies[at], city: COMPANIES[at]![2] }),
    })),
  )
  const deals = await create(
    'opportunities',
    DEALS.map(([name, value, company, stage, days]) => ({
      name,
      value,
      customer_id: companies[company],
      pipeline_id,
      stage_id: stages[stage].id,
      expected_close_date: dayIn(days),
      contacts: [{ contact_id: people[PEOPLE.findIndex(([, , , at]) => at === company)], is_primary: true }],
    })),
  )
  await create(
    'tasks',
    TASKS.map(([title, priority, days, deal]) => ({ title, priority, due_at: later(days).toISOString(), opportunity_id: deals[deal] })),
  )
  for (const [activity_type, subject, days, minutes, deal] of ACTIVITIES)
    await api('POST', '/activities', {
      activity_type,
      subject,
      occurred_at: later(-days).toISOString(),
      deal_id: deals[deal],
      ...(minutes > 0 && { duration_seconds: minutes * 60 }),
      ...(activity_type === 'call' && { direction: 'outbound' }),
    })
  await fillShop(api, companies)
  const won = stages.find(({ kind }: Body) => kind === 'won')
  await api('POST', `/opportunities/${deals[8]}/move`, { stage_id: won.id, require_approval: true })
  await addDelivery(api, { deals: [deals[3] as string, deals[5] as string], dayIn })
  await addProposal(api)
  await addBoard(api, deals[3] as string)
  await addNotes(api, deals[3] as string)
  await addReputation(api)
  await addServiceRequests(api)
  await addExportTemplate(api)
}

/** Notes about a deal, private ones too, and training with a card for each kind of page. */
async function addNotes(api: Api, deal: string): Promise<void> {
  const { data: minutes } = await api('POST', '/notepads', { title: 'Kick-off', content: MINUTES, opportunity_id: deal })
  await api('POST', `/notepads/${minutes.id}/append`, { content: '- Called: they confirm the date.' })
  await api('POST', '/notepads', { title: 'What I want to ask next time', content: '- Who decides?\n', visibility: 'private' })
  const { data: canvas } = await api('POST', '/training-canvases', { name: 'First week', template: 'getting_started' })
  const video = { resource_type: 'youtube', url: 'https://www.youtube.com/watch?v=aqz-KE-bpKQ', title: 'How we answer the phone' }
  for (const card of [video, { resource_type: 'notepad', url: minutes.id, title: 'Minutes, as we write them' }])
    await api('POST', `/training-canvases/${canvas.id}/cards`, card)
  await api('PUT', `/training-cards/${canvas.cards[0].id}/progress`, { status: 'done' })
}

const MINUTES = '# Kick-off\n\nThey want to start in March.\n\n## Open points\n\n- Access to the site\n\n## Log\n\n- First call\n'

/** A template of a proposal, and documents whose files are still to come. */
async function addProposal(api: Api): Promise<void> {
  const { data: template } = await api('POST', '/document-templates', { name: 'Proposal', document_type: 'proposal' })
  for (const [type, content] of PROPOSAL) await api('POST', `/document-templates/${template.id}/sections`, { type, content })
  for (const [name, folder] of DOCUMENTS) await api('POST', '/documents', { name, folder })
}

/** A board of a deal: how the work goes, from the first visit to the handover. */
async function addBoard(api: Api, opportunity_id: string): Promise<void> {
  const { data } = await api('POST', '/whiteboards', { name: 'How the work goes', description: 'Drawn with the client.', opportunity_id })
  const steps = ['Site visit', 'Offer', 'Order', 'Installation', 'Handover']
  const shapes = steps.map((text, at) => ({
    id: `step-${at}`,
    type: at === 1 ? 'diamond' : 'rectangle',
    x: at * 260,
    y: at === 1 ? -20 : 0,
    width: 160,
    height: at === 1 ? 120 : 80,
    backgroundColor: at === steps.length - 1 ? '#b2f2bb' : 'transparent',
    label: { text },
  }))
  const arrows = steps.slice(1).map((_, at) => ({ type: 'arrow', start: { id: `step-${at}` }, end: { id: `step-${at + 1}` } }))
  const note = { type: 'text', x: 260, y: 160, text: 'The client wants the work done before summer.' }
  await api('PUT', `/whiteboards/${data.id}/content`, { elements: [...shapes, ...arrows, note] })
}

const PROPOSAL: [type: string, content: object][] = [
  [
    'cover-page',
    { heading: '{{opportunity.name | Proposal}}', prepared_for: 'For {{contact.full_name | you}}', prepared_by: '{{workspace.name}}' },
  ],
  ['dynamic-executive-summary', { heading: 'In short', text: 'Thank you for the conversation, {{contact.first_name | and welcome}}.' }],
  ['dynamic-products', { heading: 'What you get' }],
  ['dynamic-pricing', { heading: 'Price' }],
  ['terms-conditions', { heading: 'Terms', clauses: ['This proposal is valid for 30 days.', 'Invoices are due within 14 days.'] }],
  ['signature-block', { signer_role: 'client', label: 'Accepted by' }],
]
const DOCUMENTS = [
  ['Master services agreement', 'Contracts'],
  ['Certificate of insurance', 'Compliance'],
] as const

/** A product with the prices of two suppliers, and a page on which it can be ordered. */
async function fillShop(api: Api, [first, second]: string[]): Promise<void> {
  const { data } = await api('POST', '/products', { name: 'Site inspection', price: 180, tax_percent: 10, unit: 'visit' })
  const prices = [
    { supplier_id: first, supplier_price: 95, is_preferred: true, lead_time_days: 3 },
    { supplier_id: second, supplier_price: 80, min_quantity: 5, valid_to: '2099-12-31' },
  ]
  for (const price of prices) await api('POST', '/supplier-catalog', { product_id: data.id, ...price })
  await api('POST', '/order-forms', {
    name: 'Book a site inspection',
    description: 'We come within a week, and you have our report two days later.',
    items: [
      { product_id: data.id, quantity_min: 1, quantity_max: 5 },
      { label: 'Photos by drone', unit_price: 60, quantity_max: 1, tax_rate: 10 },
    ],
    contact_fields: [
      { field: 'phone', required: true },
      { field: 'address_line1', required: true },
      { field: 'city', required: true },
      { field: 'notes' },
    ],
    success_message: 'Thank you! We call you to agree on a day.',
  })
}
