import { describe, expect, test } from 'vitest'
import { proving } from '../../proof.ts'
import { created, failed, found, held, ids, type Row, refused, useCrm } from '../crm.ts'

const crm = useCrm()
const notepad = async (fields: Row = {}, ws = crm.ws) => created(await ws.post('/notepads', { title: 'Kick-off', ...fields }))
const contentOf = async (id: string): Promise<string> => found(await crm.ws.get(`/notepads/${id}`)).content
const matching = (version: number) => ({ 'if-match': `"${version}"` })

describe('a notepad', () => {
  test('has content and links, and is updated, deleted and restored', async () => {
    const [contact, company, opportunity] = [await crm.contact(), await crm.company(), await crm.opportunity()]
    const links = { contact_id: contact.id, customer_id: company, opportunity_id: opportunity.id }
    const made = await notepad({ content: '# Hi\n', ...links })
    expect(made).toMatchObject({ content: '# Hi\n', visibility: 'workspace', access: [], owner_id: crm.ws.userId, ...links, version: 1 })
    expect(made.content_length).toBe(5)
    expect(found(await crm.ws.patch(`/notepads/${made.id}`, { ...made, title: 'Start', contact_id: null }))).toMatchObject({
      title: 'Start',
      contact_id: null,
      content: '# Hi\n',
      version: 2,
    })
    found(await crm.ws.delete(`/notepads/${made.id}`))
    expect(await crm.ws.get(`/notepads/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(found(await crm.ws.post(`/notepads/${made.id}/restore`))).toMatchObject({ title: 'Start', content: '# Hi\n' })
    const events = await crm.events(made.id)
    expect(events.map(({ type }) => type)).toEqual(['created', 'updated', 'deleted', 'created'].map((what) => `notepad.${what}`))
    expect(events[0]?.payload).toMatchObject({ content_sha256: made.content_sha256, content_length: 5 })
    expect(JSON.stringify(events)).not.toContain('# Hi')
    expect(JSON.stringify(found(await crm.ws.get(`/notepads/${made.id}/history`)))).not.toContain('# Hi')
  })

  test('is found by record, words of title and content, owner and visibility, and sorted', async () => {
    const contact = await crm.contact()
    const [plan, minutes] = [
      await notepad({ title: 'Plan', content: 'Order the timber in **March**', contact_id: contact.id }),
      await notepad({ title: 'Minutes', visibility: 'private' }),
    ]
    const other = await notepad({ title: 'Other' }, await crm.ws.key())
    const found_ = async (query: string) => ids(found(await crm.ws.get(`/notepads${query}`)))
    expect(await found_('')).toEqual([other.id, minutes.id, plan.id])
    expect(await found_('?sort=title')).toEqual([minutes.id, other.id, plan.id])
    expect(await found_('?search=timber')).toEqual([plan.id])
    expect(await found_('?search=minut')).toEqual([minutes.id])
    expect(await found_(`?contact_id=${contact.id}`)).toEqual([plan.id])
    expect(await found_(`?owner_id=${crm.ws.userId}&sort=created_at`)).toEqual([plan.id, minutes.id])
    expect(await found_('?visibility=private')).toEqual([minutes.id])
    expect(await found_('?sort=created_at&limit=2')).toEqual([plan.id, minutes.id])
    const listed = found(await crm.ws.get('/notepads?count=true'))
    expect(listed[0]).not.toHaveProperty('content')
    expect(ids(await crm.walk('/notepads?limit=1&sort=updated_at'))).toEqual([plan.id, minutes.id, other.id])
  })

  test('is created after its approval', async () => {
    const answer = await crm.ws.post('/notepads', { title: 'Held', content: 'x', require_approval: true })
    expect(answer).toMatchObject(held)
    found(await crm.ws.post(`/approvals/${answer.body.approval_id}/approve`))
    await crm.app.drain()
    expect(found(await crm.ws.get('/notepads'))).toMatchObject([{ title: 'Held' }])
  })

  test('keeps its links through a merge, and loses them with the contact', async () => {
    const [winner, loser] = [await crm.contact(), await crm.contact({ first_name: 'Bo' })]
    const colleague = await crm.ws.key()
    const { id } = await notepad({ contact_id: loser.id, visibility: 'private' }, colleague)
    found(await crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [loser.id] }))
    expect(found(await colleague.get(`/notepads/${id}`))).toMatchObject({ contact_id: winner.id })
    found(await crm.ws.delete(`/contacts/${winner.id}`))
    expect(found(await colleague.get(`/notepads/${id}`))).toMatchObject({ contact_id: null })
  })
})

describe('the content', () => {
  test('is replaced only with the version that was read', async () => {
    const { id, version } = await notepad({ content: 'one' })
    expect(await crm.ws.put(`/notepads/${id}/content`, { content: 'two' })).toMatchObject(refused('If-Match'))
    expect(found(await crm.ws.put(`/notepads/${id}/content`, { content: 'two' }, matching(version)))).toMatchObject({ version: 2 })
    expect(found(await crm.ws.put(`/notepads/${id}/content`, { content: 'two' }, { 'if-match': '*' }))).toMatchObject({ version: 2 })
    const late = await crm.ws.put(`/notepads/${id}/content`, { content: 'three' }, matching(version))
    expect(late).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    expect(await contentOf(id)).toBe('two')
  })

  test('grows at both ends, each time by a line', async () => {
    const { id } = await notepad()
    for (const text of ['b', 'c\n', 'd']) found(await crm.ws.post(`/notepads/${id}/append`, { content: text }))
    found(await crm.ws.post(`/notepads/${id}/prepend`, { content: 'a' }))
    expect(await contentOf(id)).toBe('a\nb\nc\nd')
  })

  test('keeps every line of additions at the same time', async () => {
    const { id } = await notepad()
    const [lines, writers] = [proving ? 1000 : 100, 40]
    const all = Array.from({ length: lines }, (_, n) => `- line ${n}`)
    const keys = [crm.ws, ...(await Promise.all(Array.from({ length: 15 }, () => crm.ws.key())))]
    const waiting = all.entries()
    const write = async () => {
      for (const [n, content] of waiting) {
        const end = n % 2 === 0 ? 'append' : 'prepend'
        found(await keys[n % keys.length]!.post(`/notepads/${id}/${end}`, { content }))
      }
    }
    await Promise.all(Array.from({ length: writers }, write))
    expect((await contentOf(id)).split('\n').sort()).toEqual(all.toSorted())
  }, 120_000)

  test('has sections, of which one is replaced while others append', async () => {
    const { id } = await notepad({ content: '# Plan\n\nold\n\n# Log\n' })
    await Promise.all([
      ...Array.from({ length: 8 }, async (_, n) => found(await crm.ws.post(`/notepads/${id}/append`, { content: `- ${n}` }))),
      ...Array.from({ length: 4 }, async (_, n) => crm.ws.patch(`/notepads/${id}/section`, { path: ['Plan'], content: `new ${n}` })),
    ])
    found(await crm.ws.patch(`/notepads/${id}/section`, { path: ['Plan'], content: 'new' }))
    const [head, log] = (await contentOf(id)).split('# Log\n')
    expect(head).toBe('# Plan\n\nnew\n\n')
    expect(log?.split('\n').sort()).toEqual(['- 0', '- 1', '- 2', '- 3', '- 4', '- 5', '- 6', '- 7'])
  })

  test('has a section that an ambiguous path does not name', async () => {
    const { id } = await notepad({ content: '# A\n## Notes\n\n# B\n## Notes\n' })
    const answer = await crm.ws.patch(`/notepads/${id}/section`, { path: ['Notes'], content: 'x' })
    expect(answer).toMatchObject(failed(409, 'CONFLICT'))
    expect(answer.body.error.details.paths).toEqual([
      ['A', 'Notes'],
      ['B', 'Notes'],
    ])
    expect(await crm.ws.patch(`/notepads/${id}/section`, { path: ['C'], content: 'x' })).toMatchObject(refused('path'))
    expect(await crm.ws.patch(`/notepads/${id}/section`, { path: ['A'], content: '# C' })).toMatchObject(refused('content'))
  })

  test('has versions, one of which is restored', async () => {
    const { id } = await notepad({ content: 'one' })
    found(await crm.ws.put(`/notepads/${id}/content`, { content: 'two' }, matching(1)))
    found(await crm.ws.post(`/notepads/${id}/append`, { content: 'added' }))
    found(await crm.ws.put(`/notepads/${id}/content`, { content: 'three' }, matching(3)))
    const versions = found(await crm.ws.get(`/notepads/${id}/versions`))
    expect(versions).toMatchObject([{ notepad_version: 3 }, { notepad_version: 1, content_length: 3, replaced_by: crm.ws.userId }])
    expect(found(await crm.ws.get(`/notepads/${id}/versions/${versions[1]?.id}`))).toMatchObject({ content: 'one' })
    found(await crm.ws.post(`/notepads/${id}/versions/${versions[1]?.id}/revert`))
    expect(await contentOf(id)).toBe('one')
    expect(found(await crm.ws.get(`/notepads/${id}/versions`))).toHaveLength(3)
    const other = await notepad()
    expect(await crm.ws.get(`/notepads/${other.id}/versions/${versions[1]?.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.post(`/notepads/${other.id}/versions/${versions[1]?.id}/revert`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('has at most twenty versions', async () => {
    const { id } = await notepad({ content: '0' })
    for (let n = 1; n <= 22; n++) found(await crm.ws.put(`/notepads/${id}/content`, { content: `${n}` }, matching(n)))
    const versions = found(await crm.ws.get(`/notepads/${id}/versions`))
    expect(versions.map(({ notepad_version }) => notepad_version)).toEqual(Array.from({ length: 20 }, (_, n) => 22 - n))
  })

  test('has at most a megabyte', async () => {
    const { id } = await notepad({ content: 'é'.repeat(500_000) })
    expect(await crm.ws.post(`/notepads/${id}/append`, { content: 'x' })).toMatchObject(refused('content'))
    expect(await crm.ws.post('/notepads', { title: 'A', content: 'x'.repeat(1_000_001) })).toMatchObject(refused('content'))
    expect((await contentOf(id)).length).toBe(500_000)
  })
})

describe('what is refused', () => {
  test.each([
    ['no title', {}, ['title']],
    ['an unknown contact', { title: 'A', contact_id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d' }, ['contact_id']],
    ['a notepad restricted to nobody', { title: 'A', visibility: 'restricted' }, ['access']],
    ['an empty access list', { title: 'A', visibility: 'restricted', access: [] }, ['access']],
    ['an access list of a notepad of the workspace', { title: 'A', access: [{ role: 'client_admin', level: 'read' }] }, ['access']],
    ['an entry for nobody', { title: 'A', visibility: 'restricted', access: [{ level: 'read' }] }, ['access.0']],
    ['an unknown role', { title: 'A', visibility: 'restricted', access: [{ role: 'nobody', level: 'read' }] }, ['access.0.role']],
    ['an unknown level', { title: 'A', visibility: 'restricted', access: [{ role: 'client_admin', level: 'own' }] }, ['access.0.level']],
    ['content with NUL', { title: 'A', content: 'a\u0000b' }, ['content']],
  ] as const)('%s', async (_, body, paths) => {
    expect(await crm.ws.post('/notepads', body)).toMatchObject(refused(...paths))
  })

  test('a member of another workspace, or one that is named twice', async () => {
    const stranger = await crm.app.workspace()
    const access = (user_id: string) => ({ title: 'A', visibility: 'restricted', access: [{ user_id, level: 'read' }] })
    expect(await crm.ws.post('/notepads', access(stranger.userId))).toMatchObject(refused('access.0.user_id'))
    const twice = access((await crm.ws.key()).userId)
    expect(await crm.ws.post('/notepads', { ...twice, access: [...twice.access, ...twice.access] })).toMatchObject(refused('access.1'))
  })

  test('one restricted notepad too many, but no change of those that there are', async () => {
    const reader = await crm.ws.key()
    const access = (level: string) => ({ visibility: 'restricted', access: [{ user_id: reader.userId, level }] })
    await crm.app.owner.query(
      `with w as materialized (select set_config('app.workspace_id', $1::text, true))
        insert into notepads (workspace_id, title, visibility, owner_id, access)
          select $1::uuid, 'N', 'restricted', $2::uuid, $3 from w, generate_series(1, 999)`,
      [crm.ws.id, crm.ws.userId, JSON.stringify(access('read').access)],
    )
    const last = created(await crm.ws.post('/notepads', { title: 'Last', ...access('read') }))
    expect(await crm.ws.post('/notepads', { title: 'Too many', ...access('read') })).toMatchObject(refused('visibility'))
    expect(found(await crm.ws.patch(`/notepads/${last.id}`, access('write')))).toMatchObject(access('write'))
  })

  test('an access list that does not fit the visibility', async () => {
    const { id } = await notepad()
    const access = [{ role: 'client_viewer', level: 'read' }]
    expect(await crm.ws.patch(`/notepads/${id}`, { access })).toMatchObject(refused('access'))
    expect(found(await crm.ws.patch(`/notepads/${id}`, { visibility: 'restricted', access }))).toMatchObject({
      access: [{ ...access[0], user_id: null }],
    })
    expect(await crm.ws.patch(`/notepads/${id}`, { access: [] })).toMatchObject(refused('access'))
    expect(found(await crm.ws.patch(`/notepads/${id}`, { visibility: 'private' }))).toMatchObject({ access: [] })
  })

  test('a key without the scope, and a notepad of another workspace', async () => {
    const key = await crm.ws.key({ scopes: ['notepads:read'] })
    expect(await key.post('/notepads', { title: 'A' })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    const { id } = await notepad()
    const stranger = await crm.app.workspace()
    expect(await stranger.get(`/notepads/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await stranger.post(`/notepads/${id}/append`, { content: 'x' })).toMatchObject(failed(404, 'NOT_FOUND'))
  })
})
