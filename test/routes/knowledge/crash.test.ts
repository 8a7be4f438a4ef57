import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { deaths } from '../../deaths.ts'
import { limit } from '../../speed.ts'
import { created, found, type Row, useCrm } from '../crm.ts'

const { everywhere, urls, vars } = await deaths(() => crm.app)
const crm = useCrm({ ownServer: true, vars })
beforeEach(() => crm.app.clearEmulators())

const bases = async () => found(await crm.ws.get('/knowledge-bases')) as Row[]
const entriesOf = async (base: string) => found(await crm.ws.get(`/knowledge-bases/${base}/entries`)) as Row[]
const once = () => ({ 'idempotency-key': randomUUID() })
const base = async (fields: Row = {}) => created(await crm.ws.post('/knowledge-bases', { name: 'Help', ...fields })).id as string
const ask = async (query: string, id: string) =>
  found(await crm.ws.post('/knowledge-bases/query', { query, knowledge_base_ids: [id] })) as Row[]
const OLD = '# Returns\n\nUse form R-17.\n\n# Delivery\n\nIslands take a week.'

test('a base that is made at the voice provider is there and here, or nowhere', { timeout: limit(240_000) }, async () => {
  const life = {
    async prepare() {
      crm.app.voice.clear()
      return { name: randomUUID(), key: once() }
    },
    act: ({ name, key }: { name: string; key: Row }) => crm.ws.post('/agent-knowledge-bases', { name }, key),
    async again({ name, key }: { name: string; key: Row }) {
      const repeated = await crm.ws.post('/agent-knowledge-bases', { name }, key)
      expect([201, 409]).toContain(repeated.status)
      if (repeated.status === 201) return
      expect([(await bases()).filter((one) => one.name === name), crm.app.voice.knowledge.bases]).toEqual([[], []])
      created(await crm.ws.post('/agent-knowledge-bases', { name }))
    },
    async check({ name }: { name: string }) {
      const [made, ...others] = (await bases()).filter((one) => one.name === name)
      expect(others).toEqual([])
      const copy = found(await crm.ws.get(`/agent-knowledge-bases/${made?.id}`))
      expect(copy).toMatchObject({ status: 'ready', is_kept: true, error: null })
      expect(crm.app.voice.knowledge.bases.map(({ knowledge_base_id }) => knowledge_base_id)).toEqual([copy.voice_provider_kb_id])
    },
  }
  await everywhere(life, 1)
})

test('a text and a page are added once', { timeout: limit(240_000) }, async () => {
  type State = { id: string; key: Row }
  const add = ({ id, key }: State) => crm.ws.post(`/knowledge-bases/${id}/ingest-text`, { title: 'Returns', text: OLD }, key)
  const read = ({ id }: State) => crm.ws.post(`/knowledge-bases/${id}/ingest-url`, { url: `${urls.site}/returns` })
  for (const [act, source, again] of [
    [add, 'text', add],
    [read, 'url', read],
  ] as const) {
    await everywhere<State>(
      {
        async prepare() {
          crm.app.site.pages.set('/returns', { body: '<h1>Returns</h1><p>Use form R-17.</p>' })
          return { id: await base(), key: once() }
        },
        act,
        again,
        async check({ id }) {
          expect(await entriesOf(id)).toMatchObject([{ source, status: 'ready', error: null }])
          const hits = await ask('form R-17', id)
          expect(hits.filter(({ quote }) => quote.includes('R-17'))).toHaveLength(1)
        },
      },
      2,
    )
  }
})

test('an edit swaps the text: the former one is found until the new one is', { timeout: limit(240_000) }, async () => {
  type State = { id: string; entry: string }
  const edit = ({ entry }: State) => crm.ws.patch(`/knowledge-entries/${entry}`, { text: OLD.replace('R-17', 'R-99') })
  const forms = async ({ id }: State) => (await ask('Use form', id)).map(({ quote }) => /R-\d\d/.exec(quote)?.[0]).filter((form) => form)
  await everywhere<State>(
    {
      async prepare() {
        const id = await base()
        return { id, entry: created(await crm.ws.post(`/knowledge-bases/${id}/ingest-text`, { title: 'Returns', text: OLD })).id }
      },
      act: edit,
      meanwhile: async (state) => expect([['R-17'], ['R-99']]).toContainEqual(await forms(state)),
      again: edit,
      check: async (state) => expect(await forms(state)).toEqual(['R-99']),
    },
    2,
  )
})

test('a synchronisation changes all entries of its source or none, and what is found stays until the swap', {
  timeout: limit(240_000),
}, async () => {
  const article = (id: number, body: string) => ({ id, title: `Article ${id}`, body: `<p>${body}</p>` })
  const sync = (id: string) => crm.ws.post(`/knowledge-bases/${id}/sync-help-center`, {})
  const titles = async (id: string) => (await entriesOf(id)).map(({ title }) => title).toSorted()
  await everywhere<string>(
    {
      async prepare() {
        const id = await base({ help_center_url: `${urls.site}/hc/en-us` })
        crm.app.site.articles.splice(0, 9, article(1, 'Gate code is 1111.'), article(2, 'Use form R-17.'), article(3, 'Old.'))
        found(await sync(id))
        await crm.app.drain()
        crm.app.site.articles.splice(0, 9, article(1, 'Gate code is 1111.'), article(2, 'Use form R-99.'), article(4, 'New.'))
        return id
      },
      async act(id) {
        await sync(id)
        await crm.app.deliver('imports', [{ type: 'work.run', kind: 'knowledge.index', workspace_id: crm.ws.id }])
      },
      async meanwhile(id) {
        expect([
          ['Article 1', 'Article 2', 'Article 3'],
          ['Article 1', 'Article 2', 'Article 4'],
        ]).toContainEqual(await titles(id))
        expect(JSON.stringify(await ask('gate code', id))).toContain('1111')
        const forms = new Set((await ask('Use form', id)).flatMap(({ quote }) => /R-\d\d/.exec(quote)?.[0] ?? []))
        expect(forms.size).toBe(1)
      },
      again: sync,
      async check(id) {
        expect(await entriesOf(id)).toMatchObject(Array(3).fill({ status: 'ready', error: null }))
        expect(await titles(id)).toEqual(['Article 1', 'Article 2', 'Article 4'])
        const quotes = (await ask('gate code form New', id)).map(({ quote }) => quote)
        expect(quotes.toSorted()).toEqual(['Gate code is 1111.', 'New.', 'Use form R-99.'])
      },
    },
    3,
  )
})
