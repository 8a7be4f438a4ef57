import { describe, expect, test } from 'vitest'
import { SECTION_TYPES, type SectionType } from '../../../src/features/documents/rules/section-types.ts'
import { created, failed, found, ids, type Row, refused, useCrm } from '../crm.ts'
import { pngOf, useForms } from './forms.ts'

const crm = useCrm()
const { upload, uploaded } = useForms(crm)
const template = async (name = 'Proposal') => created(await crm.ws.post('/document-templates', { name }))
const sections = (id: string) => `/document-templates/${id}/sections`
const add = async (id: string, type: string, content: object, more = {}) =>
  created(await crm.ws.post(sections(id), { type, content, ...more }))
const text = (value: string) => ({ text: value })

/** A content of each type, with a word that its page shows. */
const CONTENTS: Record<Exclude<SectionType, 'image-block'>, [content: object, shown: string]> = {
  'cover-page': [{ heading: 'Cover', prepared_for: 'For {{contact.first_name}}' }, '<p>For Ana</p>'],
  'text-block': [{ heading: 'About', text: 'One\ntwo\n\nthree' }, '<p>One<br>two</p><p>three</p>'],
  'two-column': [{ left: 'Left', right: 'Right' }, '<p>Right</p>'],
  table: [{ columns: ['A'], rows: [['cell']] }, '<td>cell</td>'],
  'product-table': [{ items: [{ name: 'Deck', quantity: 3, unit_price: 0.1 }] }, 'Total AUD 0.30'],
  'product-showcase': [{ name: 'GTX', price: 10 }, 'AUD 10.00'],
  'signature-block': [{ signer_role: 'client' }, 'client'],
  'signer-input': [{ signer_role: 'client', label: 'Initials', input_type: 'initials' }, 'Initials'],
  divider: [{ style: 'dashed' }, '<hr class="dashed">'],
  'page-break': [{}, 'page-break'],
  'quote-callout': [{ quote: 'Great', author: 'Bo' }, '<blockquote><p>Great</p><footer>Bo</footer></blockquote>'],
  'terms-conditions': [{ clauses: ['Pay in 14 days'] }, '<li><p>Pay in 14 days</p></li>'],
  guarantee: [{ heading: 'Promise', text: 'It works', period: 'Two years' }, 'Two years'],
  'doc-header': [{ text: '{{workspace.name}}' }, '<header>'],
  'doc-footer': [{ text: 'End', show_page_numbers: true }, '<footer class="numbered">'],
  'dynamic-pricing': [{ heading: 'Price' }, 'AUD 22.00'],
  'dynamic-products': [{ heading: 'Items' }, '<td>Hardwood'],
  'dynamic-timeline': [{ milestones: [{ label: 'Start', days_after: 0 }] }, '<td>Start</td>'],
  'dynamic-executive-summary': [{ text: 'In short' }, '<p>A new deck</p>'],
  'dynamic-needs-solutions': [{ pairs: [{ need: 'Shade', solution: 'A roof' }] }, 'A roof'],
  'dynamic-recommendations': [{ recommendations: ['Oil it'] }, 'Oil it'],
  'dynamic-callout': [{ callout: 'Hurry' }, '<aside><p>Hurry</p></aside>'],
  'dynamic-guarantee': [{ heading: 'Big', text: 'For large deals', min_value: 10 }, 'For large deals'],
  'rich-content': [
    { html: '<p onclick="x()">Rich <b>{{company.name}}</b></p><script>alert(1)</script>' },
    '<p>Rich <b>Acme &lt;b&gt;</b></p>',
  ],
  'product-brochure': [{ name: 'Decking', features: ['Hard'] }, '<li>Hard</li>'],
}

async function subject(): Promise<Row> {
  const company = await crm.company('Acme <b>')
  const contact = await crm.contact({ customer_id: company, last_name: '<script>alert(2)</script>' })
  const opportunity = await crm.opportunity({ name: 'Deck', description: 'A new deck', currency: 'AUD', value: 20 })
  const item = { name: 'Hardwood', quantity: 2, unit_price: 10, tax_percent: 10 }
  created(await crm.ws.post(`/opportunities/${opportunity.id}/products`, item))
  return { company, contact: contact.id, opportunity: opportunity.id }
}
const page = async (id: string, query = '', ws = crm.ws) => {
  const response = await crm.app.fetch(`/v1/document-templates/${id}/preview${query}`, {
    headers: { authorization: `Bearer ${ws.apiKey}` },
  })
  return { status: response.status, headers: response.headers, html: await response.text() }
}

describe('a template', () => {
  test('has sections in order, is copied with them, and goes and comes back with them', async () => {
    const { id } = await template()
    const [one, three] = [await add(id, 'text-block', text('One')), await add(id, 'text-block', text('Three'))]
    const two = await add(id, 'divider', {}, { position: 1, title: 'Line' })
    const whole = found(await crm.ws.get(`/document-templates/${id}`))
    expect(ids(whole.sections)).toEqual([one.id, two.id, three.id])
    expect(whole.sections[1]).toEqual(found(await crm.ws.get(`${sections(id)}/${two.id}`)))
    expect(ids(found(await crm.ws.get(sections(id))))).toEqual(ids(whole.sections))
    expect(whole.revision).toBe(4)

    const copy = created(await crm.ws.post(`/document-templates/${id}/duplicate`, {}))
    expect(copy).toMatchObject({ name: 'Copy of Proposal', revision: 1 })
    expect(copy.sections.map(({ content, position, title }: Row) => ({ content, position, title }))).toEqual(
      whole.sections.map(({ content, position, title }: Row) => ({ content, position, title })),
    )
    expect(created(await crm.ws.post(`/document-templates/${id}/duplicate`, { name: 'Mine' }))).toMatchObject({ name: 'Mine' })
    found(await crm.ws.delete(`/document-templates/${id}`))
    found(await crm.ws.post(`/document-templates/${id}/restore`))
    expect(ids(found(await crm.ws.get(sections(id))))).toEqual(ids(whole.sections))
  })

  test('a section is changed, deleted and restored, each a revision of the template', async () => {
    const { id } = await template()
    const section = await add(id, 'text-block', text('One'))
    const path = `${sections(id)}/${section.id}`
    const changed = found(await crm.ws.patch(path, { content: text('Two'), title: 'Intro' }))
    expect(changed).toMatchObject({ title: 'Intro', content: text('Two'), type: 'text-block', version: 2 })
    expect(changed.content_sha256).not.toBe(section.content_sha256)
    found(await crm.ws.delete(path))
    expect(found(await crm.ws.get(`/document-templates/${id}`))).toMatchObject({ sections: [], revision: 4 })
    found(await crm.ws.post(`${path}/restore`))
    expect(found(await crm.ws.get(path))).toMatchObject({ content: text('Two') })
    const [event] = (await crm.events(section.id)).slice(1)
    expect(event?.payload).not.toHaveProperty('content')
    expect(JSON.stringify(found(await crm.ws.get(`/requests?limit=5`)))).not.toContain('Two')
  })

  test('a section stays in its template, and takes no image of another workspace', async () => {
    const [{ id }, other] = [await template(), await template()]
    const section = await add(id, 'divider', {})
    for (const answer of [
      await crm.ws.get(`${sections(other.id)}/${section.id}`),
      await crm.ws.patch(`${sections(other.id)}/${section.id}`, { title: 'Moved' }),
      await crm.ws.delete(`${sections(other.id)}/${section.id}`),
    ])
      expect(answer).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.patch(`${sections(id)}/${section.id}`, { template_id: other.id })).toMatchObject(refused('template_id'))
    expect(ids(found(await crm.ws.get(sections(id))))).toEqual([section.id])
    const image = created(await upload('a.png', await pngOf(20, 10), 'image', await crm.app.workspace()))
    const foreign = { type: 'image-block', content: { image_file_id: image.id } }
    expect(await crm.ws.post(sections(id), foreign)).toMatchObject(refused('content.image_file_id'))
  })

  test('is reordered by all ids; when they have changed, the error has the present ones', async () => {
    const { id } = await template()
    const made = [await add(id, 'divider', {}), await add(id, 'divider', {}), await add(id, 'divider', {})]
    const reorder = (list: string[]) => crm.ws.post(`${sections(id)}/reorder`, { section_ids: list })
    const turned = ids(made).toReversed()
    expect(ids(found(await reorder(turned)))).toEqual(turned)
    const later = await add(id, 'divider', {})
    const late = await reorder(turned)
    expect(late).toMatchObject(failed(409, 'CONFLICT'))
    expect(late.body.error.details.section_ids.toSorted()).toEqual([...ids(made), later.id].toSorted())
    const other = await template()
    const foreign = await add(other.id, 'divider', {})
    for (const list of [[...turned, foreign.id], [...turned, turned[0] as string], [later.id]])
      expect(await reorder(list)).toMatchObject(failed(409, 'CONFLICT'))
    expect(ids(found(await crm.ws.get(sections(id))))).toEqual([...turned, later.id])
  })
})

describe('the type of a section', () => {
  test.each([
    ['text-block', 'text-block'],
    ['TextBlock', 'text-block'],
    ['text_block', 'text-block'],
  ])('%s is %s', async (written, type) => {
    expect(await add((await template()).id, written, text('A'))).toMatchObject({ type })
  })

  test.each(Object.entries(CONTENTS))('%s has fields of its own, and a page', async (type, [content, shown]) => {
    const [{ id }, { contact, opportunity, company }] = [await template(), await subject()]
    expect(await add(id, type, content)).toMatchObject({ type, content })
    const { html } = await page(id, `?contact_id=${contact}&opportunity_id=${opportunity}&customer_id=${company}`)
    expect(html).toContain(`<section class="${type}">`)
    expect(html).toContain(shown)
    expect(html).not.toMatch(/<script|onclick/)
    expect(await crm.ws.post(sections(id), { type, content: { ...content, colour: 'red' } })).toMatchObject(refused('content.colour'))
  })

  test('with an image names a file of the type image', async () => {
    const { id } = await template()
    const [image, secret] = [await uploaded('a.png', await pngOf(20, 10), 'image'), await uploaded()]
    const section = await add(id, 'image-block', { image_file_id: image.id, alt: 'Logo' })
    expect(section.file_id).toBe(image.id)
    expect((await page(id)).html).toContain(`<img src="${image.url}/960" alt="Logo">`)
    const wrong = { type: 'image-block', content: { image_file_id: secret.id } }
    expect(await crm.ws.post(sections(id), wrong)).toMatchObject(refused('content.image_file_id'))
    expect(await crm.ws.patch(`${sections(id)}/${section.id}`, { content: wrong.content })).toMatchObject(refused('content.image_file_id'))
  })

  test('there are 26', () => {
    expect(SECTION_TYPES).toHaveLength(26)
    expect([...Object.keys(CONTENTS), 'image-block'].toSorted()).toEqual([...SECTION_TYPES].toSorted())
  })
})

describe('a preview', () => {
  test('shows values as text, fallbacks where there are none, and runs nothing', async () => {
    const [{ id }, { contact }] = [await template('A <b> title'), await subject()]
    await add(id, 'text-block', text('{{contact.full_name}} of {{company.name}}, {{contact.job_title | customer}} {{opportunity.name}}'))
    const { html, headers } = await page(id, `?contact_id=${contact}`)
    expect(html).toContain('Ana &lt;script&gt;alert(2)&lt;/script&gt; of Acme &lt;b&gt;, customer</p>')
    expect(html).toContain('<title>A &lt;b&gt; title</title>')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/)
  })

  test('needs the records and the right to read them', async () => {
    const [{ id }, { contact }] = [await template(), await subject()]
    const key = await crm.ws.key({ scopes: ['documents:read'] })
    expect((await page(id, '', key)).status).toBe(200)
    expect((await page(id, `?contact_id=${contact}`, key)).status).toBe(403)
    const stranger = await crm.app.workspace()
    expect((await page(id, '', stranger)).status).toBe(404)
    const theirs = created(await stranger.post('/document-templates', { name: 'Theirs' }))
    expect(await stranger.get(`/document-templates/${theirs.id}/preview?contact_id=${contact}`)).toMatchObject(refused('contact_id'))
  })
})

describe('what is refused', () => {
  test.each([
    ['a 27th type', { type: 'video', content: {} }, ['type']],
    ['no content', { type: 'divider' }, ['content']],
    ['a missing field', { type: 'text-block', content: {} }, ['content.text']],
    ['a field of another type', { type: 'divider', content: { text: 'A' } }, ['content.text']],
    ['51 KB', { type: 'text-block', content: text('x'.repeat(51_000)) }, ['content']],
    ['another template', { type: 'divider', content: {}, template_id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d' }, ['template_id']],
  ] as const)('%s', async (_, body, paths) => {
    expect(await crm.ws.post(sections((await template()).id), body)).toMatchObject(refused(...paths))
  })

  test.each([
    ['{{contact.first_nme}}', 'did you mean {{contact.first_name}}?'],
    ['{{first_name}}', 'did you mean {{contact.first_name}}?'],
    ['{{weather}}', 'use contact.first_name'],
  ])('the merge field %s: %s', async (tag, message) => {
    const { body } = await crm.ws.post(sections((await template()).id), { type: 'text-block', content: text(`Dear ${tag}`) })
    expect(body.error.details.issues).toEqual([{ path: 'content.text', message: expect.stringContaining(message) }])
  })

  test('a change of a section with the fields of another type', async () => {
    const { id } = await template()
    const section = await add(id, 'divider', {})
    expect(await crm.ws.patch(`${sections(id)}/${section.id}`, { content: text('A') })).toMatchObject(refused('content.text'))
    const other = await template()
    expect(await crm.ws.patch(`${sections(id)}/${section.id}`, { template_id: other.id })).toMatchObject(refused('template_id'))
    expect(await crm.ws.patch(`${sections(other.id)}/${section.id}`, { title: 'A' })).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('more than 200 sections, also of 20 at the same moment', async () => {
    const { id } = await template()
    await crm.app.owner.query(
      `insert into document_template_sections (workspace_id, template_id, type, content, content_length, content_sha256, position)
        select $1, $2, 'divider', '{}', 2, '', n from generate_series(0, 189) n`,
      [crm.ws.id, id],
    )
    const answers = await Promise.all(Array.from({ length: 20 }, () => crm.ws.post(sections(id), { type: 'divider', content: {} })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject(refused('type'))
  })
})
